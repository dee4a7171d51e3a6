//! States the Super Gaussian IBP (Z -> X, §3.1) and, without triplets, the plain IBP.

use super::{LatentCode, Model, Observations, PreferencePrior, PreferenceScratch};
use crate::bits::BitMatrix;
use crate::kernel::{self, Kernel, Schedule};
use crate::likelihood::linear_gaussian::{GaussianRow, ImagePosterior, Moments, Variances, Work};
use crate::likelihood::preference::PreferenceSums;
use crate::prior::hyper::{GammaPrior, VariancePrior};
use crate::prior::ibp::{self, IbpTable};
use crate::rng::{Purpose, Streams};
use crate::triplets::TripletSet;
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

/// Where a chain starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// This many columns of fair coins.
    Coins(usize),
    /// This many random hyperplanes through random objects.
    Hyperplanes(usize),
    /// A draw from the prior.
    Prior,
}

/// Priors, start and schedule of the linear Gaussian model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GaussianModel {
    /// Priors of weights and lapse rate.
    pub preference: PreferencePrior,
    /// Prior of α.
    pub concentration: GammaPrior,
    /// Prior of σx².
    pub noise: VariancePrior,
    /// Prior of σv².
    pub feature: VariancePrior,
    /// Where chains start.
    pub start: Start,
    /// What a sweep does.
    pub schedule: Schedule,
}

/// All that the next draw of the linear Gaussian model depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianState {
    /// Bits, weights, lapse rate.
    pub code: LatentCode,
    /// α.
    pub concentration: f64,
    /// σx².
    pub noise_variance: f64,
    /// σv².
    pub feature_variance: f64,
}

impl GaussianState {
    /// Both variances.
    pub fn variances(&self) -> Variances {
        Variances { noise: self.noise_variance, feature: self.feature_variance }
    }
}

/// Derived tables and reusable memory of the linear Gaussian kernels.
#[derive(Debug)]
pub struct GaussianScratch {
    /// Logarithms for the buffet.
    pub ibp: IbpTable,
    /// tr XᵀX.
    pub square_norm: f64,
    /// Each object with the near objects of its triplets.
    pub neighbourhoods: Vec<Vec<u32>>,
    /// A, B and memory.
    pub preference: PreferenceScratch,
    /// ZᵀZ and ZᵀX.
    pub moments: Moments,
    /// Posterior of V.
    pub posterior: ImagePosterior,
    /// For row visits.
    pub row: GaussianRow,
    /// For column moves.
    pub work: Work,
}

impl Model for GaussianModel {
    type State = GaussianState;
    type Scratch = GaussianScratch;

    fn prepare(&self, data: &Observations) -> GaussianScratch {
        GaussianScratch {
            ibp: IbpTable::new(data.features.n_objects()),
            square_norm: data.features.values().iter().map(|x| x * x).sum(),
            neighbourhoods: data.triplets.neighbourhoods(),
            preference: PreferenceScratch::default(),
            moments: Moments::default(),
            posterior: ImagePosterior::default(),
            row: GaussianRow::default(),
            work: Work::default(),
        }
    }

    fn start(&self, data: &Observations, rng: &mut ChaCha8Rng) -> GaussianState {
        let mut state = self.draw_prior(data, rng);
        let features = match self.start {
            Start::Prior => return state,
            Start::Coins(n_features) => coins(data.features.n_objects(), n_features, rng),
            Start::Hyperplanes(n_features) => hyperplanes(data, n_features, rng),
        };
        state.code = LatentCode::with_features(features, &self.preference, rng);
        if let GammaPrior::Gamma { shape, rate } = self.concentration {
            state.concentration = shape / rate;
        }
        let variance = data.features.values().iter().map(|x| x * x).sum::<f64>() / data.features.values().len() as f64;
        if let VariancePrior::InverseGamma { .. } = self.noise {
            state.noise_variance = (0.5 * variance).max(f64::MIN_POSITIVE);
        }
        if let VariancePrior::InverseGamma { .. } = self.feature {
            state.feature_variance = variance.max(f64::MIN_POSITIVE);
        }
        state
    }

    fn draw_prior(&self, shape: &Observations, rng: &mut ChaCha8Rng) -> GaussianState {
        let concentration = self.concentration.draw(rng);
        let features = ibp::draw(shape.features.n_objects(), concentration, rng);
        GaussianState {
            code: LatentCode::with_features(features, &self.preference, rng),
            concentration,
            noise_variance: self.noise.draw(rng),
            feature_variance: self.feature.draw(rng),
        }
    }

    fn simulate(&self, state: &GaussianState, data: &mut Observations, rng: &mut ChaCha8Rng) {
        let (n, m) = (data.features.n_objects(), data.features.n_inputs());
        let mut normal = |variance: f64| -> f64 {
            let draw: f64 = StandardNormal.sample(rng);
            variance.sqrt() * draw
        };
        let k = state.code.features.n_features();
        let images: Vec<f64> = (0..k * m).map(|_| normal(state.feature_variance)).collect();
        let mut values = Vec::with_capacity(n * m);
        for object_ix in 0..n {
            for input_ix in 0..m {
                let mean: f64 = state.code.features.ones(object_ix).map(|f| images[f * m + input_ix]).sum();
                values.push(mean + normal(state.noise_variance));
            }
        }
        data.features.replace_values(values);
        let answers = state.code.answer(&data.triplets, &self.preference, rng);
        data.triplets = data.triplets.with_answers(answers);
    }

    fn sweep(
        &self,
        data: &Observations,
        state: &mut GaussianState,
        scratch: &mut GaussianScratch,
        streams: &Streams,
        sweep: u64,
    ) {
        scratch.preference.sums.rebuild(&data.triplets, &state.code.features, &state.code.weights);
        for (at, step) in self.schedule.steps.iter().enumerate() {
            let mut rng = streams.rng(Purpose::Kernel, at, sweep);
            for _ in 0..step.times {
                self.apply(step.kernel, data, state, scratch, &mut rng);
            }
        }
    }

    fn log_joint(&self, data: &Observations, state: &GaussianState) -> f64 {
        let mut scratch = self.prepare(data);
        scratch.moments.rebuild(&data.features, &state.code.features);
        let n_objects = data.features.n_objects();
        let marginal =
            scratch.moments.log_marginal(n_objects, scratch.square_norm, state.variances(), &mut scratch.work);
        let mut sums = PreferenceSums::default();
        sums.rebuild(&data.triplets, &state.code.features, &state.code.weights);
        scratch.ibp.log_density(&state.code.features, state.concentration)
            + self.concentration.log_density(state.concentration)
            + self.noise.log_density(state.noise_variance)
            + self.feature.log_density(state.feature_variance)
            + state.code.log_prior(&self.preference)
            + marginal
            + sums.log_likelihood(&state.code.scoring(&self.preference))
    }
}

impl GaussianModel {
    fn apply(
        &self,
        kernel: Kernel,
        data: &Observations,
        state: &mut GaussianState,
        scratch: &mut GaussianScratch,
        rng: &mut ChaCha8Rng,
    ) {
        let code = &mut state.code;
        match kernel {
            Kernel::Rows => kernel::gaussian_rows::step(self, data, state, scratch, rng),
            Kernel::Neighbourhoods { births, flips } => {
                kernel::neighbourhood::step(self, data, state, scratch, (births, flips), rng);
            }
            Kernel::Weights => {
                kernel::weights::step(&self.preference, &data.triplets, code, &mut scratch.preference, rng);
            }
            Kernel::WeightScale => {
                kernel::weights::rescale(&self.preference, &data.triplets, code, &mut scratch.preference, rng);
            }
            Kernel::Lapse => kernel::lapse::step(&self.preference, code, &scratch.preference, rng),
            Kernel::Concentration => kernel::hyper::concentration(self, state, scratch, rng),
            Kernel::Variances => kernel::hyper::variances(self, data, state, scratch, rng),
        }
    }
}

fn coins<R: Rng>(n_objects: usize, n_features: usize, rng: &mut R) -> BitMatrix {
    let mut features = BitMatrix::new(n_objects);
    for _ in 0..n_features {
        let column: Vec<u8> = (0..n_objects).map(|_| u8::from(rng.random::<bool>())).collect();
        push_owned(&mut features, &column);
    }
    features
}

fn hyperplanes<R: Rng>(data: &Observations, n_features: usize, rng: &mut R) -> BitMatrix {
    let x = &data.features;
    let mut features = BitMatrix::new(x.n_objects());
    for _ in 0..n_features {
        let direction: Vec<f64> = (0..x.n_inputs()).map(|_| StandardNormal.sample(rng)).collect();
        let height = |row: &[f64]| -> f64 { row.iter().zip(&direction).map(|(x, d)| x * d).sum() };
        let threshold = height(x.row(rng.random_range(0..x.n_objects())));
        let column: Vec<u8> = x.rows().map(|row| u8::from(height(row) >= threshold)).collect();
        push_owned(&mut features, &column);
    }
    features
}

/// A column that nobody owns is no feature.
fn push_owned(features: &mut BitMatrix, column: &[u8]) {
    if column.contains(&1) {
        features.push_column(column);
    }
}

impl TripletSet {
    /// For every object: itself and the near objects of the triplets it anchors, ascending.
    pub fn neighbourhoods(&self) -> Vec<Vec<u32>> {
        let of = |object_ix: usize| {
            let near = self.entries(object_ix, crate::triplets::Role::Anchor).iter().map(|entry| entry.others[0]);
            let mut members: Vec<u32> = near.chain([object_ix as u32]).collect();
            members.sort_unstable();
            members.dedup();
            members
        };
        (0..self.n_objects()).map(of).collect()
    }
}
