//! Holds settings, state and scratch of the distance-dependent IBP.

use super::{Observations, Positions, Start, Tally};
use crate::bits::BitMatrix;
use crate::likelihood::linear_gaussian::{Moments, Variances, Work};
use crate::prior::hyper::{GammaPrior, VariancePrior};
use crate::prior::links::LinkedColumn;
use crate::prior::proximity::{Decay, Distance, Places, Proximity};
use crate::schedule::Schedule;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Distances, priors, start and schedule of the distance-dependent IBP.
///
/// Object i brings Poisson(α/h_i) bits. For each of them every object links to one object, j with probability
/// f_ij/h_i, and an object owns the bit if its links lead to the one that brought it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DdIbpModel {
    /// The quantities between which distances are measured.
    pub distance: Distance,
    /// How proximity f falls with distance.
    pub decay: Decay,
    /// Prior of α.
    pub concentration: GammaPrior,
    /// Prior of σx².
    pub noise: VariancePrior,
    /// Prior of σv².
    #[serde(rename = "feature")]
    pub image: VariancePrior,
    /// Starting state of the chains.
    pub start: Start,
    /// The schedule of a sweep.
    pub schedule: Schedule,
}

/// Largest number of objects of a run: the table of all pairs then has 2 GiB.
pub const MAX_LINKED_OBJECTS: usize = 1 << 14;

/// The state of a chain of the distance-dependent IBP.
#[derive(Debug, Clone, PartialEq)]
pub struct DdIbpState {
    /// Owner and links of every bit.
    pub columns: Vec<LinkedColumn>,
    /// Z, which follows from the links.
    pub bits: BitMatrix,
    /// α.
    pub concentration: f64,
    /// σx².
    pub noise_variance: f64,
    /// σv².
    pub image_variance: f64,
}

impl DdIbpState {
    /// Both variances.
    pub fn variances(&self) -> Variances {
        Variances { noise: self.noise_variance, image: self.image_variance }
    }

    /// Replaces all bits.
    pub fn set_columns(&mut self, columns: Vec<LinkedColumn>) {
        self.bits = BitMatrix::new(self.bits.n_objects());
        for column in &columns {
            self.bits.push_column(&column.bits());
        }
        self.columns = columns;
    }

    /// Named hyper-parameters.
    pub(crate) fn scalars(&self) -> [(&'static str, f64); 3] {
        [
            ("concentration", self.concentration),
            ("noise_variance", self.noise_variance),
            ("feature_variance", self.image_variance),
        ]
    }
}

/// Derived tables and scratch buffers of the kernels.
#[derive(Debug, Clone)]
pub struct DdIbpScratch {
    /// f and h.
    pub proximity: Arc<Proximity>,
    /// tr XᵀX.
    pub square_norm: f64,
    /// ZᵀZ and ZᵀX.
    pub moments: Moments,
    /// Scratch buffers of the collapsed likelihood.
    pub work: Work,
    /// Proposals so far.
    pub tally: Tally,
}

impl DdIbpModel {
    /// The positions from which distances are computed; `None` where they need classes and there are none.
    pub fn places<'a>(&self, data: &'a Observations) -> Option<Places<'a>> {
        match (self.distance, &data.positions) {
            (Distance::Output, Positions::Classes(classes)) => Some(Places::Classes(classes)),
            (Distance::Output, _) => None,
            (Distance::Input, Positions::Inputs(inputs)) => Some(Places::Inputs(inputs)),
            (Distance::Input, _) => Some(Places::Inputs(&data.inputs)),
        }
    }
}
