//! Builds triplets from labels: near objects of the anchor's class, far ones of other classes.

use crate::rng::of_seed;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Triplet;
use super::choose::{Chooser, shuffle};
use crate::data::{DataError, Inputs, Labels};

/// Default number of near and of far objects for each anchor.
pub const DEFAULT_PER_OBJECT: usize = 30;
/// Largest number of triplets of a [`super::TripletSet`].
const MOST_TRIPLETS: u64 = (u32::MAX / 3) as u64;

/// How an anchor's near and far objects are paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// The first near with the first far, and so on: L triplets an anchor.
    Paired,
    /// Every near with every far: L x L triplets an anchor.
    Product,
}

/// Which objects of the anchor's class are near.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NearChoice {
    /// The nearest in the inputs.
    Nearest,
    /// Any, at random.
    Random,
}

/// Which objects of other classes are far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FarChoice {
    /// Any, at random.
    Random,
    /// The nearest ones in the inputs (impostors).
    NearestImpostor,
}

/// How triplets are built from labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FromLabels {
    /// How near and far objects are paired.
    pub scheme: Scheme,
    /// Near and far objects for each anchor (L).
    pub per_object: usize,
    /// Which objects of the same class are near.
    pub near: NearChoice,
    /// Which objects of other classes are far.
    pub far: FarChoice,
    /// Seed of all random choices.
    pub seed: u64,
}

impl Default for FromLabels {
    fn default() -> Self {
        Self {
            scheme: Scheme::Paired,
            per_object: DEFAULT_PER_OBJECT,
            near: NearChoice::Random,
            far: FarChoice::Random,
            seed: 0,
        }
    }
}

/// Why no triplets can be built from labels.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FromLabelsError {
    /// There is one class only, so nothing is far.
    #[error("all {n_objects} objects are of one class ({name:?}); triplets need at least two classes")]
    OneClass {
        /// Number of objects.
        n_objects: usize,
        /// The class.
        name: String,
    },
    /// All classes have one object, so nothing is near.
    #[error("every one of the {n_objects} objects is alone in its class; triplets need a class with two members")]
    NoPair {
        /// Number of objects.
        n_objects: usize,
    },
    /// No triplets are asked for.
    #[error("the number of near and far objects for each object is 0; it must be at least 1")]
    NonePerObject,
    /// More triplets than a set can hold.
    #[error(
        "{n_objects} objects with {per_object} near and far objects each make {n_triplets} triplets; the limit is \
         {MOST_TRIPLETS}; take fewer for each object or the paired scheme"
    )]
    TooMany {
        /// Number of objects.
        n_objects: usize,
        /// L.
        per_object: usize,
        /// Triplets that would be made.
        n_triplets: u128,
    },
    /// Labels and inputs do not belong together.
    #[error(transparent)]
    Data(#[from] DataError),
}

/// What was built, and which classes were too small for the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FromLabelsReport {
    /// Triplets built.
    pub n_triplets: usize,
    /// Objects that are anchors.
    pub n_anchors: usize,
    /// Objects that are alone in their class, and can only be far.
    pub n_alone: usize,
    /// Anchors whose class has fewer than L other members.
    pub n_short_of_near: usize,
    /// Anchors with fewer than L objects of other classes.
    pub n_short_of_far: usize,
}

/// Triplets with a report on them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelTriplets {
    /// The triplets, anchor by anchor.
    pub triplets: Vec<Triplet>,
    /// What was built.
    pub report: FromLabelsReport,
}

impl FromLabels {
    /// Builds the triplets. They depend on labels, inputs and these options only.
    ///
    /// ```
    /// use sibp::data::{Inputs, Labels};
    /// use sibp::triplets::FromLabels;
    /// let labels = Labels::from_text(&["a", "a", "b", "b"]);
    /// let inputs = Inputs::new(4, 1, vec![0.0, 1.0, 8.0, 9.0])?;
    /// let built = FromLabels { per_object: 1, ..FromLabels::default() }.build(&labels, &inputs)?;
    /// assert_eq!(built.triplets.len(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build(&self, labels: &Labels, inputs: &Inputs) -> Result<LabelTriplets, FromLabelsError> {
        DataError::lengths(("input rows", inputs.n_objects()), ("labels", labels.len()))?;
        let chooser = Chooser::new(labels, inputs);
        let n_triplets = self.count(&chooser, labels)?;
        let mut triplets = Vec::with_capacity(n_triplets);
        let mut report = FromLabelsReport { n_triplets, ..FromLabelsReport::default() };
        for anchor in 0..labels.len() {
            let (n_same, n_other) = chooser.counts(anchor);
            if n_same == 0 {
                report.n_alone += 1;
                continue;
            }
            report.n_anchors += 1;
            report.n_short_of_near += usize::from(n_same < self.per_object);
            report.n_short_of_far += usize::from(n_other < self.per_object);
            self.anchor(&chooser, anchor, &mut triplets);
        }
        Ok(LabelTriplets { triplets, report })
    }

    /// The number of triplets that [`Self::build`] would make of these labels, without making any.
    pub fn n_triplets(&self, labels: &Labels) -> u128 {
        let mut sizes = vec![0usize; labels.names().len()];
        labels.class_of().iter().for_each(|&class| sizes[class as usize] += 1);
        let of_class = |size: usize| size as u128 * self.count_of((size - 1, labels.len() - size));
        sizes.into_iter().filter(|&size| size > 0).map(of_class).sum()
    }

    /// The number of triplets to build, or why none can be.
    fn count(&self, chooser: &Chooser<'_>, labels: &Labels) -> Result<usize, FromLabelsError> {
        let (n_objects, per_object) = (labels.len(), self.per_object);
        if per_object == 0 {
            return Err(FromLabelsError::NonePerObject);
        }
        if chooser.counts(0).1 == 0 {
            let name = labels.names()[labels.class_of()[0] as usize].clone();
            return Err(FromLabelsError::OneClass { n_objects, name });
        }
        let n_triplets: u128 = (0..n_objects).map(|anchor| self.count_of(chooser.counts(anchor))).sum();
        if n_triplets == 0 {
            return Err(FromLabelsError::NoPair { n_objects });
        }
        if n_triplets > u128::from(MOST_TRIPLETS) || n_objects as u64 > MOST_TRIPLETS {
            return Err(FromLabelsError::TooMany { n_objects, per_object, n_triplets });
        }
        Ok(n_triplets as usize)
    }

    /// The number of triplets of one anchor: no pair of near and far occurs twice.
    fn count_of(&self, (n_same, n_other): (usize, usize)) -> u128 {
        let (n_near, n_far) = (n_same.min(self.per_object), n_other.min(self.per_object));
        let product = n_near as u128 * n_far as u128;
        match self.scheme {
            Scheme::Paired => product.min(self.per_object as u128),
            Scheme::Product => product,
        }
    }

    fn anchor(&self, chooser: &Chooser<'_>, anchor: usize, triplets: &mut Vec<Triplet>) {
        let mut rng = of_seed(self.seed, anchor as u64);
        let mut near = match self.near {
            NearChoice::Nearest => chooser.nearest_same(anchor, self.per_object),
            NearChoice::Random => chooser.random_same(anchor, self.per_object, &mut rng),
        };
        let far = match self.far {
            FarChoice::Random => chooser.random_other(anchor, self.per_object, &mut rng),
            FarChoice::NearestImpostor => chooser.nearest_other(anchor, self.per_object),
        };
        let joined = |near: u32, far: u32| Triplet { anchor: anchor as u32, near, far };
        match self.scheme {
            Scheme::Product => {
                triplets.extend(near.iter().flat_map(|&n| far.iter().map(move |&f| joined(n, f))));
            }
            Scheme::Paired => {
                if near.len() < self.per_object {
                    shuffle(&mut near, &mut rng);
                }
                let n_pairs = self.count_of((near.len(), far.len())) as usize;
                triplets.extend(cycled(n_pairs, near.len(), far.len()).map(|(n, f)| joined(near[n], far[f])));
            }
        }
    }
}

/// Yields `n_pairs` different pairs of indices, walking through both lists in cycles.
///
/// Plain cycles meet the same pair again after lcm(n_near, n_far) steps; from there the far list is shifted by one.
fn cycled(n_pairs: usize, n_near: usize, n_far: usize) -> impl Iterator<Item = (usize, usize)> {
    let (mut a, mut b) = (n_near, n_far);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let meeting = n_near / a * n_far;
    (0..n_pairs).map(move |i| (i % n_near, (i + i / meeting) % n_far))
}

#[cfg(test)]
#[path = "from_labels_tests.rs"]
mod tests;
