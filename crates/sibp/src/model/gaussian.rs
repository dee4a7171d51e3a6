//! States the Super Gaussian IBP (Z -> X, §3.1) and, without triplets, the plain IBP.

use super::{Model, Threads, Transition, transition};
use crate::bits::BitMatrix;
use crate::data::Features;
use crate::kernel;
use crate::likelihood::linear_gaussian::{GaussianRow, ImagePosterior, Moments, Variances, Work, simulate_inputs};
use crate::numerics::simd::axpy;
use crate::prior::hyper::{GammaPrior, VariancePrior};
use crate::prior::ibp::{self, IbpTable};
use crate::schedule::{Kernel, Schedule};
use crate::state::{GaussianModel, GaussianScratch, GaussianState, LatentCode, Observations, PreferenceScratch};
use crate::trace::{Draw, Record, RestoreError, Tensor};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

impl Model for GaussianModel {
    type State = GaussianState;
    type Scratch = GaussianScratch;

    fn prepare(&self, data: &Observations, _: Threads) -> GaussianScratch {
        GaussianScratch {
            ibp: IbpTable::new(data.features.n_objects()),
            square_norm: data.features.square_norm(),
            column_sums: column_sums(&data.features),
            neighbourhoods: Arc::new(data.triplets.neighbourhoods()),
            preference: PreferenceScratch::default(),
            moments: Moments::default(),
            swept: None,
            posterior: ImagePosterior::default(),
            row: GaussianRow::default(),
            work: Work::default(),
        }
    }

    fn refresh(&self, data: &Observations, scratch: &mut GaussianScratch) {
        *scratch = self.prepare(data, Threads::ONE);
    }

    fn start(&self, data: &Observations, scratch: &GaussianScratch, rng: &mut ChaCha8Rng) -> GaussianState {
        let mut state = self.draw_prior(data, scratch, rng);
        let Some(features) = self.start.features(&data.features, rng) else { return state };
        state.code = LatentCode::with_features(features, data.given.n_features(), &self.preference, rng);
        if let GammaPrior::Gamma { shape, rate } = self.concentration {
            state.concentration = shape / rate;
        }
        let variances = starting_variances((self.noise, self.feature), &data.features, state.variances());
        (state.noise_variance, state.feature_variance) = (variances.noise, variances.feature);
        state
    }

    fn draw_prior(&self, shape: &Observations, _: &GaussianScratch, rng: &mut ChaCha8Rng) -> GaussianState {
        let concentration = self.concentration.draw(rng);
        let features = ibp::draw(shape.features.n_objects(), concentration, rng);
        GaussianState {
            code: LatentCode::with_features(features, shape.given.n_features(), &self.preference, rng),
            concentration,
            noise_variance: self.noise.draw(rng),
            feature_variance: self.feature.draw(rng),
        }
    }

    fn simulate(&self, state: &GaussianState, data: &mut Observations, rng: &mut ChaCha8Rng) {
        simulate_inputs(&state.code.features, state.variances(), &mut data.features, rng);
        let answers = state.code.answer(data, &self.preference, rng);
        data.triplets = data.triplets.with_answers(answers);
    }

    fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    fn transition(kernel: Kernel) -> Option<Transition<Self>> {
        use kernel::{gaussian_columns, gaussian_rows, hyper, lapse, weights};
        match kernel {
            Kernel::Rows => transition(gaussian_rows::step),
            Kernel::Columns { births, complements } => transition(move |model, data, state, scratch, rng| {
                gaussian_columns::step(model, data, state, scratch, (births, complements), rng);
            }),
            Kernel::Neighbourhoods { births, flips } => transition(move |model, data, state, scratch, rng| {
                gaussian_columns::neighbourhood_step(model, data, state, scratch, (births, flips), rng);
            }),
            Kernel::Weights => transition(|model: &Self, data, state, scratch, rng| {
                weights::step(&model.preference, data, &mut state.code, &mut scratch.preference, rng);
            }),
            Kernel::WeightScale => transition(|model: &Self, data, state, scratch, rng| {
                weights::rescale(&model.preference, data, &mut state.code, &mut scratch.preference, rng);
            }),
            Kernel::Lapse => transition(|model: &Self, _, state, scratch, rng| {
                lapse::step(&model.preference, &mut state.code, &scratch.preference, rng);
            }),
            Kernel::Concentration => {
                transition(|model, _, state, scratch, rng| hyper::concentration(model, state, scratch, rng))
            }
            Kernel::Variances => transition(hyper::variances),
            _ => None,
        }
    }

    fn begin_sweep(&self, data: &Observations, state: &GaussianState, scratch: &mut GaussianScratch) {
        scratch.preference.sum(&state.code, data);
        scratch.moments.rebuild(&data.features, &state.code.features);
    }

    fn end_sweep(&self, state: &GaussianState, scratch: &mut GaussianScratch) {
        scratch.swept = Some(state.code.features.fingerprint());
        scratch.preference.kept_up_with(&state.code);
    }

    fn record(&self, data: &Observations, state: &GaussianState, scratch: &mut GaussianScratch) -> Record {
        let code = &state.code;
        if scratch.swept != Some(code.features.fingerprint()) {
            scratch.moments.rebuild(&data.features, &code.features);
        }
        scratch.preference.sum(code, data);
        let sums = &scratch.preference.sums;
        let n_objects = data.features.n_objects();
        let log_joint = scratch.ibp.log_density(&code.features, state.concentration)
            + self.concentration.log_density(state.concentration)
            + self.noise.log_density(state.noise_variance)
            + self.feature.log_density(state.feature_variance)
            + code.log_prior(&self.preference)
            + scratch.moments.log_marginal(n_objects, scratch.square_norm, state.variances(), &mut scratch.work)
            + sums.log_likelihood(&code.scoring(&self.preference));
        Record {
            n_bits: code.features.n_features(),
            log_joint,
            satisfied: sums.satisfied(),
            scalars: state.scalars().to_vec(),
        }
    }

    fn to_draw(&self, data: &Observations, state: &GaussianState, _: &GaussianScratch, sweep: u64) -> Draw {
        Draw {
            sweep,
            bits: state.code.features.to_codes(),
            encoded: None,
            weights: state.code.weights.clone(),
            scalars: state.scalars().iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
            tensors: image_tensors(&data.features, &state.code.features, state.variances())
                .into_iter()
                .chain(state.code.given_tensor())
                .collect(),
        }
    }

    fn restore(&self, data: &Observations, _: &GaussianScratch, draw: &Draw) -> Result<GaussianState, RestoreError> {
        Ok(GaussianState {
            code: LatentCode::from_draw(draw, data)?,
            concentration: draw.positive("concentration")?,
            noise_variance: draw.positive("noise_variance")?,
            feature_variance: draw.positive("feature_variance")?,
        })
    }
}

/// Where chains start: half of the data's variance is noise.
pub(super) fn starting_variances(
    (noise, feature): (VariancePrior, VariancePrior),
    x: &Features,
    drawn: Variances,
) -> Variances {
    let variance = x.square_norm() / x.n_values() as f64;
    let start = |prior: VariancePrior, share: f64, drawn: f64| match prior {
        VariancePrior::InverseGamma { .. } => (share * variance).max(f64::MIN_POSITIVE),
        VariancePrior::Fixed(_) => drawn,
    };
    Variances { noise: start(noise, 0.5, drawn.noise), feature: start(feature, 1.0, drawn.feature) }
}

/// What encoders need of the posterior of V: its mean and, up to σx², its covariance.
pub(super) fn image_tensors(x: &Features, bits: &BitMatrix, variances: Variances) -> [(String, Tensor); 2] {
    let mut moments = Moments::default();
    moments.rebuild(x, bits);
    let mut posterior = ImagePosterior::default();
    posterior.rebuild(&moments, variances);
    let (k, m) = (moments.n_features(), moments.n_inputs());
    [
        ("images".to_owned(), Tensor { shape: vec![k, m], values: posterior.mean().to_vec() }),
        ("spread".to_owned(), Tensor { shape: vec![k, k], values: posterior.spread().to_vec() }),
    ]
}

fn column_sums(x: &Features) -> Vec<f64> {
    let mut sums = vec![0.0; x.n_inputs()];
    for row in x.rows() {
        axpy(1.0, &row, &mut sums);
    }
    sums
}
