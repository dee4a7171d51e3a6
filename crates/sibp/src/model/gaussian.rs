//! Defines the Super Gaussian IBP (Z -> X, §3.1) and, without triplets, the plain IBP.

use super::{Model, Threads, Transition, transition};
use crate::bits::BitMatrix;
use crate::data::Inputs;
use crate::kernel;
use crate::likelihood::linear_gaussian::{GaussianRow, ImagePosterior, Moments, Variances, Work, simulate_inputs};
use crate::numerics::simd::axpy;
use crate::prior::hyper::{GammaPrior, VariancePrior};
use crate::prior::ibp::{self, IbpTable};
use crate::schedule::{Kernel, Schedule};
use crate::state::{
    GaussianModel, GaussianScratch, GaussianState, LatentCode, Observations, PreferenceScratch, Proposal, Tally,
};
use crate::trace::{Draw, Record, RestoreError, Tensor};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

impl Model for GaussianModel {
    type State = GaussianState;
    type Scratch = GaussianScratch;

    fn prepare(&self, data: &Observations, _: Threads) -> GaussianScratch {
        GaussianScratch {
            ibp: IbpTable::new(data.inputs.n_objects()),
            square_norm: data.inputs.square_norm(),
            column_sums: column_sums(&data.inputs),
            neighbourhoods: Arc::new(data.triplets.neighbourhoods()),
            preference: PreferenceScratch::default(),
            moments: Moments::default(),
            swept: None,
            posterior: ImagePosterior::default(),
            row: GaussianRow::default(),
            work: Work::default(),
            tally: Tally::default(),
        }
    }

    fn refresh(&self, data: &Observations, scratch: &mut GaussianScratch) {
        *scratch = GaussianScratch { tally: scratch.tally, ..self.prepare(data, Threads::ONE) };
    }

    fn start(&self, data: &Observations, scratch: &GaussianScratch, rng: &mut ChaCha8Rng) -> GaussianState {
        let mut state = self.draw_prior(data, scratch, rng);
        let Some(bits) = self.start.bits(&data.inputs, rng) else { return state };
        state.code = LatentCode::with_bits(bits, data, &self.preference, rng);
        if let GammaPrior::Gamma { shape, rate } = self.concentration {
            state.concentration = shape / rate;
        }
        let variances = starting_variances((self.noise, self.image), &data.inputs, state.variances());
        (state.noise_variance, state.image_variance) = (variances.noise, variances.image);
        state
    }

    fn draw_prior(&self, shape: &Observations, _: &GaussianScratch, rng: &mut ChaCha8Rng) -> GaussianState {
        let concentration = self.concentration.draw(rng);
        let bits = ibp::draw(shape.inputs.n_objects(), concentration, rng);
        GaussianState {
            code: LatentCode::with_bits(bits, shape, &self.preference, rng),
            concentration,
            noise_variance: self.noise.draw(rng),
            image_variance: self.image.draw(rng),
        }
    }

    fn simulate(&self, state: &GaussianState, data: &mut Observations, rng: &mut ChaCha8Rng) {
        simulate_inputs(&state.code.bits, state.variances(), &mut data.inputs, rng);
        let answers = state.code.answer(data, &self.preference, rng);
        data.triplets = data.triplets.with_answers(answers);
    }

    fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    fn transition(kernel: Kernel) -> Option<Transition<Self>> {
        use kernel::{gaussian_columns, gaussian_rows, hyper, lapse, slope, weights};
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
            Kernel::Lapse => transition(|model: &Self, data, state, scratch, rng| {
                lapse::step(&model.preference, data, &mut state.code, &mut scratch.preference, rng);
            }),
            Kernel::Slope => transition(|model: &Self, _, state, scratch, rng| {
                slope::step(&model.preference, &mut state.code, &scratch.preference, rng);
            }),
            Kernel::Concentration => {
                transition(|model, _, state, scratch, rng| hyper::concentration(model, state, scratch, rng))
            }
            Kernel::Variances => transition(hyper::variances),
            _ => None,
        }
    }

    fn proposals(kernel: Kernel) -> &'static [Proposal] {
        use Proposal::{CoinBirth, CoinDeath, NeighbourhoodBirth, NeighbourhoodDeath, NeighbourhoodFlip};
        match kernel {
            Kernel::Rows => &[Proposal::Flip, Proposal::Singletons],
            Kernel::Columns { .. } => &[CoinBirth, CoinDeath, Proposal::Complement],
            Kernel::Neighbourhoods { .. } => &[NeighbourhoodBirth, NeighbourhoodDeath, NeighbourhoodFlip],
            _ => &[],
        }
    }

    fn tally(scratch: &GaussianScratch) -> Tally {
        scratch.tally
    }

    fn begin_sweep(&self, data: &Observations, state: &GaussianState, scratch: &mut GaussianScratch) {
        scratch.preference.sum(&state.code, data);
        scratch.moments.rebuild(&data.inputs, &state.code.bits);
    }

    fn end_sweep(&self, state: &GaussianState, scratch: &mut GaussianScratch) {
        scratch.swept = Some(state.code.bits.fingerprint());
        scratch.preference.kept_up_with(&state.code);
    }

    fn record(&self, data: &Observations, state: &GaussianState, scratch: &mut GaussianScratch) -> Record {
        let code = &state.code;
        if scratch.swept != Some(code.bits.fingerprint()) {
            scratch.moments.rebuild(&data.inputs, &code.bits);
        }
        scratch.preference.sum(code, data);
        let sums = &scratch.preference.sums;
        let n_objects = data.inputs.n_objects();
        let log_inputs =
            scratch.moments.log_marginal(n_objects, scratch.square_norm, state.variances(), &mut scratch.work);
        let log_triplets = sums.log_likelihood(&code.scoring(&self.preference));
        let log_joint = scratch.ibp.log_density(&code.bits, state.concentration)
            + self.concentration.log_density(state.concentration)
            + self.noise.log_density(state.noise_variance)
            + self.image.log_density(state.image_variance)
            + code.log_prior(&self.preference)
            + log_inputs
            + log_triplets;
        Record {
            n_bits: code.bits.n_bits(),
            log_joint,
            log_likelihood: if data.triplets.triplets().is_empty() { log_inputs } else { log_triplets },
            satisfied: sums.satisfied(),
            scalars: state.scalars(&self.preference),
        }
    }

    fn to_draw(&self, data: &Observations, state: &GaussianState, _: &GaussianScratch, sweep: u64) -> Draw {
        Draw {
            sweep,
            bits: state.code.bits.to_codes(),
            encoded: None,
            weights: state.code.weights.clone(),
            scalars: state
                .scalars(&self.preference)
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            tensors: image_tensors(&data.inputs, &state.code.bits, state.variances())
                .into_iter()
                .chain(state.code.tensors())
                .collect(),
        }
    }

    fn restore(&self, data: &Observations, _: &GaussianScratch, draw: &Draw) -> Result<GaussianState, RestoreError> {
        Ok(GaussianState {
            code: LatentCode::from_draw(draw, data, &self.preference)?,
            concentration: draw.positive("concentration")?,
            noise_variance: draw.positive("noise_variance")?,
            image_variance: draw.positive("feature_variance")?,
        })
    }
}

/// Variances at the start of a chain: half of the data's variance is noise.
pub(super) fn starting_variances(
    (noise, image): (VariancePrior, VariancePrior),
    x: &Inputs,
    drawn: Variances,
) -> Variances {
    let variance = x.square_norm() / x.n_values() as f64;
    let start = |prior: VariancePrior, share: f64, drawn: f64| match prior {
        VariancePrior::InverseGamma { .. } => (share * variance).max(f64::MIN_POSITIVE),
        VariancePrior::Fixed(_) => drawn,
    };
    Variances { noise: start(noise, 0.5, drawn.noise), image: start(image, 1.0, drawn.image) }
}

/// The posterior of V that encoders need: its mean and, up to σx², its covariance.
pub(super) fn image_tensors(x: &Inputs, bits: &BitMatrix, variances: Variances) -> [(String, Tensor); 2] {
    let mut moments = Moments::default();
    moments.rebuild(x, bits);
    let mut posterior = ImagePosterior::default();
    posterior.rebuild(&moments, variances);
    let (k, m) = (moments.n_bits(), moments.n_inputs());
    [
        ("images".to_owned(), Tensor { shape: vec![k, m], values: posterior.mean().to_vec() }),
        ("spread".to_owned(), Tensor { shape: vec![k, k], values: posterior.spread().to_vec() }),
    ]
}

fn column_sums(x: &Inputs) -> Vec<f64> {
    let mut sums = vec![0.0; x.n_inputs()];
    for row in x.rows() {
        axpy(1.0, &row, &mut sums);
    }
    sums
}
