//! Lists the kernels of a sweep, as data that users can print and change.

mod text;

pub use text::ScheduleError;

use serde::{Deserialize, Serialize};

/// A transition kernel of the sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kernel {
    /// Gibbs over all bits of all objects, with births of bits that one object owns (Eq. 14).
    Rows,
    /// Birth–death moves and complements of whole columns.
    Columns {
        /// Number of birth–death moves.
        births: usize,
        /// Number of complements.
        complements: usize,
    },
    /// Birth–death moves and flips of whole neighbourhoods.
    Neighbourhoods {
        /// Number of birth–death moves.
        births: usize,
        /// Number of flips.
        flips: usize,
    },
    /// Gibbs over all bits with the inactive bits above a slice represented (probit; an alternative to rows and births).
    SliceRows,
    /// Reversible-jump birth–death moves of bits (probit).
    Births {
        /// Number of moves of each kind of proposal.
        each: usize,
    },
    /// Exchange of owners and non-owners, bit by bit (probit).
    Complements,
    /// Coefficients of every bit by the given algorithm, then sticks by slice sampling (probit).
    Regressions(Regression),
    /// Sticks of every bit by adaptive rejection, as in the paper (probit).
    Sticks,
    /// Gibbs over all links, given a draw of V (dd-IBP).
    Links,
    /// Gibbs over the owner of every bit, given a draw of V (dd-IBP).
    Owners,
    /// Birth–death moves of bits with owner and links from the prior (dd-IBP).
    LinkedColumns {
        /// Number of birth–death moves.
        births: usize,
    },
    /// Slice sampling of every weight.
    Weights,
    /// Exact draw of the weights' total, on which the likelihood does not depend (pseudo-weight 0 only).
    WeightScale,
    /// Slice sampling of the lapse rate.
    Lapse,
    /// Slice sampling of the slope of the logistic link.
    Slope,
    /// Draw of α.
    Concentration,
    /// Draw of σx² and σv² through V, or of σg² by slice sampling.
    Variances,
}

/// The algorithm that draws the coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Regression {
    /// Data augmentation: exact given latent utilities (Albert & Chib 1993).
    AlbertChib,
    /// Elliptical slice sampling (Murray et al. 2010), as in the paper.
    Elliptical,
}

/// A step of a schedule: a kernel, and how often it runs in a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The transition kernel.
    pub kernel: Kernel,
    /// Repetitions.
    pub times: usize,
}

/// The steps of a sweep, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Schedule {
    /// The steps.
    pub steps: Vec<Step>,
}

impl Schedule {
    /// The default schedule of the linear Gaussian model.
    pub fn gaussian() -> Self {
        Self::once([
            Kernel::Rows,
            Kernel::Columns { births: 2, complements: 2 },
            Kernel::Neighbourhoods { births: 10, flips: 30 },
            Kernel::Weights,
            Kernel::WeightScale,
            Kernel::Lapse,
            Kernel::Concentration,
            Kernel::Variances,
        ])
    }

    /// The default schedule of the plain IBP.
    pub fn ibp() -> Self {
        Self::once([
            Kernel::Rows,
            Kernel::Columns { births: 4, complements: 4 },
            Kernel::Concentration,
            Kernel::Variances,
        ])
    }

    /// The default schedule of the distance-dependent IBP.
    pub fn ddibp() -> Self {
        Self::once([
            Kernel::Links,
            Kernel::Owners,
            Kernel::LinkedColumns { births: 10 },
            Kernel::Concentration,
            Kernel::Variances,
        ])
    }

    /// The default schedule of the linear probit model: inactive bits integrated out.
    pub fn probit() -> Self {
        let mut schedule = Self::once([
            Kernel::Rows,
            Kernel::Births { each: 5 },
            Kernel::Regressions(Regression::AlbertChib),
            Kernel::Complements,
            Kernel::Weights,
            Kernel::WeightScale,
            Kernel::Lapse,
            Kernel::Concentration,
            Kernel::Variances,
        ]);
        schedule.steps[2].times = 3;
        schedule
    }

    /// The paper's scheme for the linear probit model: slice, elliptical slice, adaptive rejection.
    pub fn probit_slice() -> Self {
        Self::once([
            Kernel::SliceRows,
            Kernel::Regressions(Regression::Elliptical),
            Kernel::Sticks,
            Kernel::Weights,
            Kernel::WeightScale,
            Kernel::Lapse,
            Kernel::Concentration,
            Kernel::Variances,
        ])
    }

    /// Reduces the number of births of each kind where objects are many, as a birth takes a pass over all of them:
    /// five up to 20,000 objects, one from 100,000 on.
    pub fn for_objects(mut self, n_objects: usize) -> Self {
        for step in &mut self.steps {
            if let Kernel::Births { each } = &mut step.kernel {
                *each = (*each).min((100_000 / n_objects.max(1)).max(1));
            }
        }
        self
    }

    /// Makes a sweep of many inputs short: one birth of each kind, and one draw of the coefficients.
    pub fn for_many_inputs(mut self) -> Self {
        for step in &mut self.steps {
            match &mut step.kernel {
                Kernel::Births { each } => *each = 1,
                Kernel::Regressions(_) => step.times = 1,
                _ => {}
            }
        }
        self
    }

    /// Adds a draw of the slope of the logistic link after that of the lapse rate.
    pub fn with_slope(mut self) -> Self {
        let after =
            self.steps.iter().rposition(|step| step.kernel == Kernel::Lapse).map_or(self.steps.len(), |at| at + 1);
        self.steps.insert(after, Step { kernel: Kernel::Slope, times: 1 });
        self
    }

    /// A schedule that runs each kernel once a sweep.
    pub fn once(kernels: impl IntoIterator<Item = Kernel>) -> Self {
        Self { steps: kernels.into_iter().map(|kernel| Step { kernel, times: 1 }).collect() }
    }
}
