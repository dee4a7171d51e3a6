//! Generates the enums over all models, and the dispatch to them, from the registry's lines.

macro_rules! models {
    ($($(#[cfg($($cfg:tt)+)])? $(#[doc = $doc:literal])+ $variant:ident($definition:ty) = $name:literal),+ $(,)?) => {
        /// The kind of a model.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub enum ModelKind {
            $($(#[cfg($($cfg)+)])? $(#[doc = $doc])+ #[serde(rename = $name)] $variant),+
        }

        /// A model with all its settings, as files store it.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind")]
        pub enum AnyModel {
            $(
                $(#[cfg($($cfg)+)])?
                #[doc = concat!("The settings of `", $name, "`.")]
                #[serde(rename = $name)]
                $variant(<$definition as ModelDefinition>::Model)
            ),+
        }

        impl ModelKind {
            /// All models, in the order in which they are listed.
            pub const ALL: &[Self] = &[$($(#[cfg($($cfg)+)])? Self::$variant),+];

            /// The properties of models of this kind.
            pub fn about(self) -> &'static About {
                match self { $($(#[cfg($($cfg)+)])? Self::$variant => &<$definition>::ABOUT),+ }
            }

            /// Applies an operation to this kind of model.
            pub fn visit<V: DefinitionVisitor>(self, visitor: V) -> V::Output {
                match self { $($(#[cfg($($cfg)+)])? Self::$variant => visitor.visit::<$definition>()),+ }
            }

            /// Memory in bytes, beside inputs, triplets and draws.
            pub fn memory(self, shape: Shape) -> Footprint {
                match self { $($(#[cfg($($cfg)+)])? Self::$variant => <$definition>::memory(shape)),+ }
            }
        }

        impl ModelOptions {
            /// Builds the model for these (transformed) inputs and classes, unchecked.
            pub fn build(&self, inputs: &Inputs, classes: Option<&[u32]>) -> Result<AnyModel, SettingsError> {
                Ok(match self.kind {
                    $($(#[cfg($($cfg)+)])? ModelKind::$variant => AnyModel::$variant(<$definition>::build(self, inputs, classes)?)),+
                })
            }
        }

        impl AnyModel {
            /// The kind of this model.
            pub fn kind(&self) -> ModelKind {
                match self { $($(#[cfg($($cfg)+)])? Self::$variant(_) => ModelKind::$variant),+ }
            }

            /// Applies an operation to this model.
            pub fn visit<V: ModelVisitor>(&self, visitor: V) -> V::Output {
                match self { $($(#[cfg($($cfg)+)])? Self::$variant(model) => visitor.visit::<$definition>(model)),+ }
            }

            /// Refuses settings that no run can use.
            pub fn check(&self) -> Result<(), SettingsError> {
                match self { $($(#[cfg($($cfg)+)])? Self::$variant(model) => <$definition>::check(model)),+ }
            }

            /// Refuses observations that the model cannot explain.
            pub fn check_observations(&self, data: &Observations) -> Result<(), ObservationsError> {
                let (about, n_triplets) = (self.about(), data.triplets.len());
                if !about.supervised && n_triplets > 0 {
                    return Err(ObservationsError::UnusedTriplets { model: about.name, n_triplets });
                }
                match self { $($(#[cfg($($cfg)+)])? Self::$variant(model) => <$definition>::check_observations(model, data)),+ }
            }

            /// The schedule of a sweep.
            pub fn schedule(&self) -> &Schedule {
                match self { $($(#[cfg($($cfg)+)])? Self::$variant(model) => model.schedule()),+ }
            }

            /// Where chains start.
            pub fn start(&self) -> Start {
                match self { $($(#[cfg($($cfg)+)])? Self::$variant(model) => <$definition>::start(model)),+ }
            }

            /// Priors of the preference likelihood; `None` for a model that has none.
            pub fn preference(&self) -> Option<&PreferencePrior> {
                match self { $($(#[cfg($($cfg)+)])? Self::$variant(model) => <$definition>::preference(model)),+ }
            }

            /// The data of training objects that unseen ones are compared with.
            pub fn reference(&self) -> Reference {
                match self { $($(#[cfg($($cfg)+)])? Self::$variant(model) => <$definition>::reference(model)),+ }
            }

            /// The encoder of one draw; `None` asks for the model's own choice.
            pub fn encoder(
                &self,
                draw: &Draw,
                training: &Training<'_>,
                choice: Option<EncoderChoice>,
                seed: u64,
            ) -> Result<Box<dyn Encoder>, EncoderError> {
                match self {
                    $($(#[cfg($($cfg)+)])? Self::$variant(model) => <$definition>::encoder(model, draw, training, choice, seed)),+
                }
            }

            /// Adds to draws what their encoder needs and a run adds to its best and last draws only.
            pub fn refit(
                &self,
                inputs: &Inputs,
                anchors: &[usize],
                draws: &mut [&mut Draw],
                threads: usize,
            ) -> Result<(), RestoreError> {
                match self { $($(#[cfg($($cfg)+)])? Self::$variant(model) => <$definition>::refit(model, inputs, anchors, draws, threads)),+ }
            }

            /// The settings in words: names and values, in order.
            pub fn facts(&self) -> Vec<(&'static str, String)> {
                match self { $($(#[cfg($($cfg)+)])? Self::$variant(model) => <$definition>::facts(model)),+ }
            }
        }
    };
}
