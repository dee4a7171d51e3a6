//! Defines the distance-dependent IBP (Gershman, Frazier & Blei 2015) with the linear Gaussian likelihood.

use super::gaussian::{image_tensors, starting_variances};
use super::{Model, Threads, Transition, transition};
use crate::bits::BitMatrix;
use crate::kernel;
use crate::likelihood::linear_gaussian::{Moments, Work, simulate_inputs};
use crate::prior::hyper::GammaPrior;
use crate::prior::links::{self, LinkedColumn};
use crate::prior::proximity::Proximity;
use crate::schedule::{Kernel, Schedule};
use crate::state::{DdIbpModel, DdIbpScratch, DdIbpState, Observations, Proposal, Start, Tally};
use crate::trace::{Draw, Record, RestoreError, Tensor};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

impl Model for DdIbpModel {
    type State = DdIbpState;
    type Scratch = DdIbpScratch;

    /// # Panics
    /// When distances are between classes and the observations have none; a run checks that before.
    fn prepare(&self, data: &Observations, _: Threads) -> DdIbpScratch {
        let Some(places) = self.places(data) else { panic!("output distances need the classes of the objects") };
        DdIbpScratch {
            proximity: Arc::new(Proximity::new(&self.decay, &places)),
            square_norm: data.inputs.square_norm(),
            moments: Moments::default(),
            work: Work::default(),
            tally: Tally::default(),
        }
    }

    fn refresh(&self, data: &Observations, scratch: &mut DdIbpScratch) {
        *scratch = DdIbpScratch { tally: scratch.tally, ..self.prepare(data, Threads::ONE) };
    }

    fn start(&self, data: &Observations, scratch: &DdIbpScratch, rng: &mut ChaCha8Rng) -> DdIbpState {
        let mut state = self.draw_prior(data, scratch, rng);
        let Start::Links(n_bits) = self.start else { return state };
        state.set_columns((0..n_bits).map(|_| LinkedColumn::draw(&scratch.proximity, rng)).collect());
        if let GammaPrior::Gamma { shape, rate } = self.concentration {
            state.concentration = shape / rate;
        }
        let variances = starting_variances((self.noise, self.image), &data.inputs, state.variances());
        (state.noise_variance, state.image_variance) = (variances.noise, variances.image);
        state
    }

    fn draw_prior(&self, shape: &Observations, scratch: &DdIbpScratch, rng: &mut ChaCha8Rng) -> DdIbpState {
        let concentration = self.concentration.draw(rng);
        let columns = links::draw(concentration, &scratch.proximity, rng);
        let mut state = DdIbpState {
            columns: Vec::new(),
            bits: BitMatrix::new(shape.inputs.n_objects()),
            concentration,
            noise_variance: self.noise.draw(rng),
            image_variance: self.image.draw(rng),
        };
        state.set_columns(columns);
        state
    }

    fn simulate(&self, state: &DdIbpState, data: &mut Observations, rng: &mut ChaCha8Rng) {
        simulate_inputs(&state.bits, state.variances(), &mut data.inputs, rng);
    }

    fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    fn transition(kernel: Kernel) -> Option<Transition<Self>> {
        use kernel::{hyper, linked_columns, links};
        match kernel {
            Kernel::Links => transition(|_: &Self, data, state, scratch, rng| links::step(data, state, scratch, rng)),
            Kernel::Owners => {
                transition(|_: &Self, data, state, scratch, rng| links::owners(data, state, scratch, rng))
            }
            Kernel::LinkedColumns { births } => transition(move |_: &Self, data, state, scratch, rng| {
                linked_columns::step(data, state, scratch, births, rng);
            }),
            Kernel::Concentration => {
                transition(|model, _, state, scratch, rng| hyper::linked_concentration(model, state, scratch, rng))
            }
            Kernel::Variances => transition(hyper::linked_variances),
            _ => None,
        }
    }

    fn proposals(kernel: Kernel) -> &'static [Proposal] {
        match kernel {
            Kernel::LinkedColumns { .. } => &[Proposal::LinkedBirth, Proposal::LinkedDeath],
            _ => &[],
        }
    }

    fn tally(scratch: &DdIbpScratch) -> Tally {
        scratch.tally
    }

    /// The log joint is that of bits, hyper-parameters and data: owners and links are summed over, because otherwise
    /// states with fewer bits would always seem better.
    fn record(&self, data: &Observations, state: &DdIbpState, scratch: &mut DdIbpScratch) -> Record {
        scratch.moments.rebuild(&data.inputs, &state.bits);
        let n_objects = data.inputs.n_objects();
        let log_likelihood =
            scratch.moments.log_marginal(n_objects, scratch.square_norm, state.variances(), &mut scratch.work);
        let log_joint = links::log_density(&state.bits, state.concentration, &scratch.proximity)
            + self.concentration.log_density(state.concentration)
            + self.noise.log_density(state.noise_variance)
            + self.image.log_density(state.image_variance)
            + log_likelihood;
        let scalars = state.scalars().to_vec();
        // Without triplets, none is unsatisfied.
        Record { n_bits: state.bits.n_bits(), log_joint, log_likelihood, satisfied: 1.0, scalars }
    }

    fn to_draw(&self, data: &Observations, state: &DdIbpState, _: &DdIbpScratch, sweep: u64) -> Draw {
        let (k, n) = (state.columns.len(), state.bits.n_objects());
        let numbers = |values: Vec<u32>| values.into_iter().map(f64::from).collect();
        let owners = numbers(state.columns.iter().map(|column| column.owner).collect());
        let links = numbers(state.columns.iter().flat_map(|column| column.links.iter().copied()).collect());
        let graph = [
            (OWNERS.to_owned(), Tensor { shape: vec![k], values: owners }),
            (LINKS.to_owned(), Tensor { shape: vec![k, n], values: links }),
        ];
        Draw {
            sweep,
            bits: state.bits.to_codes(),
            encoded: None,
            weights: vec![1.0; k],
            scalars: state.scalars().iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
            tensors: image_tensors(&data.inputs, &state.bits, state.variances()).into_iter().chain(graph).collect(),
        }
    }

    fn restore(&self, _: &Observations, scratch: &DdIbpScratch, draw: &Draw) -> Result<DdIbpState, RestoreError> {
        let (k, n) = (draw.bits.n_bits(), scratch.proximity.n_objects());
        let owners = draw.tensor(OWNERS, &[k])?;
        let links = draw.tensor(LINKS, &[k, n])?;
        let object = |name: &str, value: f64| {
            let whole = value as u32;
            let sound = f64::from(whole) == value && (whole as usize) < n;
            sound.then_some(whole).ok_or_else(|| draw.impossible(name, value))
        };
        let column = |(&owner, links): (&f64, &[f64])| {
            let links = links.iter().map(|&link| object(LINKS, link)).collect::<Result<Vec<u32>, _>>()?;
            let column = LinkedColumn { owner: object(OWNERS, owner)?, links };
            match column.log_weight(&scratch.proximity).is_finite() {
                true => Ok(column),
                false => Err(draw.impossible(LINKS, "between objects that cannot be linked")),
            }
        };
        let columns = owners.iter().zip(links.chunks_exact(n)).map(column).collect::<Result<Vec<_>, _>>()?;
        let mut state = DdIbpState {
            columns: Vec::new(),
            bits: BitMatrix::new(n),
            concentration: draw.positive("concentration")?,
            noise_variance: draw.positive("noise_variance")?,
            image_variance: draw.positive("feature_variance")?,
        };
        state.set_columns(columns);
        if state.bits.to_codes() != draw.bits {
            return Err(draw.impossible("bits", "not what the links lead to"));
        }
        Ok(state)
    }
}

/// Names of the stored owners and links.
const OWNERS: &str = "owners";
const LINKS: &str = "links";
