//! Builds small fits that the tests of runs and files share.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sibp::bits::BitMatrix;
use sibp::codes::Codes;
use sibp::data::{Ids, Inputs, Labels, Table};
use sibp::extend::{ExtendSettings, GrowingCode};
use sibp::format::{Digests, Fitted, GivenBits, ModelInfo, TripletOrigin};
use sibp::hash::{Hash, HashBlock, HashStack, SpectralHash, fit_lsh};
use sibp::model::{AnyModel, DdIbpModel, GaussianModel, ModelKind, Observations, Positions, Preset, ProbitModel};
use sibp::prior::proximity::{Decay, Distance};
use sibp::run::{RunControl, RunOutcome, RunSettings, sample};
use sibp::trace::ChainRecord;
use sibp::transform::{InputTransform, Transform};
use sibp::triplets::{FarChoice, FromLabels, NearChoice, Scheme, Teacher, Triplet, TripletSet};

/// A model with its data and settings, ready to be fitted.
pub struct Fit {
    /// Inputs as they would be read, with labels, ids and names.
    pub table: Table,
    pub info: ModelInfo,
    pub data: Observations,
}

/// Every model, by name; a preset changes priors only, so both are tried of the quicker model alone. The dd-IBP has no
/// preset: here it says which distances.
pub const MODELS: [(&str, ModelKind, Preset); 6] = [
    ("gaussian paper", ModelKind::Gaussian, Preset::Paper),
    ("gaussian hash", ModelKind::Gaussian, Preset::Hash),
    ("ibp", ModelKind::Ibp, Preset::Hash),
    ("probit paper", ModelKind::Probit, Preset::Paper),
    ("ddibp, output distances", ModelKind::DdIbp, Preset::Paper),
    ("ddibp, input distances", ModelKind::DdIbp, Preset::Hash),
];

impl Fit {
    /// `n_objects` objects of two overlapping classes with 3 inputs.
    pub fn new(kind: ModelKind, preset: Preset, n_objects: usize, settings: RunSettings) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(99);
        let values = (0..3 * n_objects).map(|at| rng.random::<f64>() + f64::from(at as u32 / 3 % 2)).collect();
        let raw = Inputs::new(n_objects, 3, values).unwrap();
        let classes: Vec<&str> = (0..n_objects).map(|row| ["ant", "bee"][row % 2]).collect();
        let labels = Labels::from_text(&classes);
        let ids = Ids::new((0..n_objects).map(|row| format!("object {row}")).collect()).unwrap();
        let steps: InputTransform = "standardise".parse().unwrap();
        let (transform, inputs) = Transform::fit_apply(&steps, &raw).unwrap();
        let options = FromLabels {
            scheme: Scheme::Paired,
            per_object: 2,
            near: NearChoice::Random,
            far: FarChoice::Random,
            seed: 5,
        };
        let supervised = kind.about().supervised;
        let (triplets, origin) = if supervised {
            let built = options.build(&labels, &raw).unwrap().triplets;
            let origin = TripletOrigin::Labels { n_triplets: built.len(), options };
            (TripletSet::new(n_objects, built).unwrap(), origin)
        } else {
            (TripletSet::empty(n_objects), TripletOrigin::None)
        };
        // Every second object has the first given bit, every third the second.
        let given = supervised.then(|| {
            let mut codes = Codes::zeros(n_objects, 2);
            for row in 0..n_objects {
                codes.set(row, 0, row % 2 == 0);
                codes.set(row, 1, row % 3 == 0);
            }
            let predictor = (kind == ModelKind::Probit).then(|| {
                let transform = Transform::fit(&"centre".parse().unwrap(), &raw).unwrap();
                let hash = Hash::Linear(fit_lsh(&transform.apply(&raw).unwrap(), 2, 1).unwrap());
                HashStack::new(vec![HashBlock::new("lsh", transform, hash)]).unwrap()
            });
            GivenBits { source: "h.npy".to_owned(), codes, predictor }
        });
        let mut data = Observations::new(inputs, triplets);
        if let Some(given) = &given {
            data.given = BitMatrix::from_codes(&given.codes);
        }
        let distance = if preset == Preset::Paper { Distance::Output } else { Distance::Input };
        if distance == Distance::Output {
            data.positions = Positions::Classes(labels.class_of().to_vec());
        }
        let (inputs, triplets) = (&data.inputs, &data.triplets);
        let info = ModelInfo {
            calibration: None,
            unsupervised: None,
            continues: None,
            judges: None,
            part: None,
            model: match kind {
                ModelKind::Ibp => AnyModel::Ibp(GaussianModel::preset(preset, inputs, false)),
                ModelKind::Gaussian => AnyModel::Gaussian(GaussianModel::preset(preset, inputs, true)),
                ModelKind::Probit => AnyModel::Probit(ProbitModel::preset(preset)),
                ModelKind::DdIbp => {
                    AnyModel::DdIbp(DdIbpModel::preset(inputs, distance, Decay::Exponential { rate: 1.0 }))
                }
                #[cfg(feature = "test-model")]
                ModelKind::Bernoulli => unreachable!("none of the models above"),
            },
            settings,
            transform,
            n_objects,
            input_names: Some(["length", "width", "height"].map(String::from).to_vec()),
            triplets: origin,
            digests: Digests::new(&raw, Some(&labels), Some(&ids), triplets)
                .with_given(given.as_ref().map(|given| &given.codes)),
            labels: Some(labels),
            ids: Some(ids),
            given,
            inputs: (kind == ModelKind::DdIbp && distance == Distance::Input).then(|| inputs.clone()),
        };
        let (labels, ids, input_names) = (info.labels.clone(), info.ids.clone(), info.input_names.clone());
        Self { table: Table { inputs: raw, ids, labels, input_names, filling: None }, info, data }
    }

    /// Runs or goes on.
    pub fn run(&self, control: &RunControl, resume: Option<Vec<ChainRecord>>) -> RunOutcome {
        sample(&self.info.model, &self.data, &self.info.settings, control, resume).unwrap()
    }

    /// The file of these records.
    pub fn file(&self, chains: Vec<ChainRecord>) -> Fitted {
        Fitted { info: self.info.clone(), chains, distilled: None }
    }

    /// The bytes of an uninterrupted run.
    pub fn bytes(&self, threads: usize) -> Vec<u8> {
        let outcome = self.run(&RunControl { threads, ..RunControl::default() }, None);
        assert!(outcome.finished());
        self.file(outcome.chains).to_bytes().unwrap()
    }
}

/// A finished model of a few kilobytes.
pub fn small_model() -> Fitted {
    let settings = RunSettings { seed: 3, sweeps: 3, chains: 1, draws: 1 };
    let fit = Fit::new(ModelKind::Gaussian, Preset::Hash, 4, settings);
    fit.file(fit.run(&RunControl::default(), None).chains)
}

/// A linear and a spectral block over two inputs.
pub fn small_stack() -> HashStack {
    let train = Inputs::new(4, 2, vec![0.0, 1.0, 2.0, 0.5, 1.0, 3.0, 4.0, 2.0]).unwrap();
    let block = |source: &str, steps: &str, hash: &dyn Fn(&Inputs) -> Hash| {
        let (transform, inputs) = Transform::fit_apply(&steps.parse().unwrap(), &train).unwrap();
        HashBlock::new(source, transform, hash(&inputs))
    };
    HashStack::new(vec![
        block("lsh", "centre", &|x| Hash::Linear(fit_lsh(x, 5, 1).unwrap())),
        block("spectral", "standardise,scale", &|x| Hash::Spectral(SpectralHash::fit(x, 4).unwrap())),
    ])
    .unwrap()
}

/// The same with a memory, of labels or of triplets.
pub fn small_growing(by_labels: bool) -> GrowingCode {
    let mut code = GrowingCode::new(small_stack());
    let inputs = Inputs::new(4, 2, vec![0.5, 1.5, 2.0, 0.0, 1.0, 2.0, 3.0, 2.5]).unwrap();
    let labels = Labels::from_text(&["a", "a", "b", "b"]);
    let triplets = [Triplet { anchor: 0, near: 1, far: 3 }, Triplet { anchor: 2, near: 3, far: 0 }];
    let teacher = match by_labels {
        true => Teacher::Labels(&labels, FromLabels::default()),
        false => Teacher::Triplets(&triplets),
    };
    code.remember(&inputs, teacher, &ExtendSettings::default()).unwrap();
    code
}
