//! Defines the Super Probit IBP (X -> Z, §3.2), with the inactive bits integrated out.

use super::{Model, Threads, Transition, transition};
use crate::bits::BitMatrix;
use crate::codes::Codes;
use crate::fault::{Fault, planted};
use crate::kernel;
use crate::likelihood::probit::{
    ActiveRate, Basis, ColumnFit, Columns, Heights, Limits, Ridge, log_intensity, log_likelihood,
};
use crate::numerics::normal::{log_cdf, quantile_of_log};
use crate::parallel::{PART, map};
use crate::prior::hyper::{GammaPrior, VariancePrior};
use crate::schedule::{Kernel, Schedule};
use crate::state::{
    LatentCode, Observations, PreferenceScratch, ProbitModel, ProbitScratch, ProbitState, Proposal, RATE_ERROR, Start,
    Tally, draw_bit, draw_coefficients, set_codes,
};
use crate::trace::{
    Draw, REFIT_COEFFICIENTS, REFIT_ERROR, REFIT_GRADIENTS, REFIT_PENALTY, REFIT_STICKS, Record, RestoreError, Tensor,
};
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1};
use std::sync::Arc;

impl Model for ProbitModel {
    type State = ProbitState;
    type Scratch = ProbitScratch;

    fn prepare(&self, data: &Observations, threads: Threads) -> ProbitScratch {
        self.prepare_within(data, threads, Limits::STANDARD)
    }

    fn refresh(&self, data: &Observations, scratch: &mut ProbitScratch) {
        scratch.components = Arc::new(data.triplets.components());
        scratch.preference.forget();
    }

    fn start(&self, data: &Observations, scratch: &ProbitScratch, rng: &mut ChaCha8Rng) -> ProbitState {
        let mut state = self.draw_hyper(data, rng);
        if let GammaPrior::Gamma { shape, rate } = self.concentration {
            state.concentration = shape / rate;
        }
        if let VariancePrior::InverseGamma { .. } = self.coefficient {
            state.coefficient_variance = 10.0;
        }
        let n_bits = match self.start {
            Start::Prior | Start::Links(_) => return self.draw_prior(data, scratch, rng),
            Start::Sets(n_bits) if scratch.components.len() > 1 => {
                self.start_with_sets(&mut state, scratch, n_bits, rng);
                return state;
            }
            Start::Coins(n_bits) | Start::Hyperplanes(n_bits) | Start::Sets(n_bits) => n_bits,
        };
        // Without inputs there is no plane to choose a side of.
        let coins = matches!(self.start, Start::Coins(_)) || scratch.basis.rank() == 0;
        let mut heights = Vec::new();
        for _ in 0..n_bits {
            let coefficients = draw_coefficients(scratch.basis.rank(), state.coefficient_variance, rng);
            scratch.basis.heights(&coefficients, &mut heights);
            let stick = -heights[rng.random_range(0..heights.len())];
            let bit = |height: f64, rng: &mut ChaCha8Rng| if coins { rng.random() } else { height + stick >= 0.0 };
            let column: Vec<u8> = heights.iter().map(|&height| u8::from(bit(height, rng))).collect();
            if column.contains(&1) {
                state.code.push(&column, self.preference.draw_weight(rng));
                state.atoms.push(ColumnFit { coefficients, stick });
            }
        }
        state
    }

    fn draw_prior(&self, shape: &Observations, scratch: &ProbitScratch, rng: &mut ChaCha8Rng) -> ProbitState {
        let mut state = self.draw_hyper(shape, rng);
        let mut heights = Vec::new();
        // Sticks in descending order: -ln b grows by Exp(1)/α, until no object can own a bit any more.
        let reach = state.coefficient_variance.sqrt() * scratch.basis.largest_norm();
        let deepest = -log_cdf(-8.0 - 8.0 * reach);
        let mut depth = 0.0;
        loop {
            let gap: f64 = Exp1.sample(rng);
            depth += gap / state.concentration;
            if depth > deepest {
                return state;
            }
            let coefficients = draw_coefficients(scratch.basis.rank(), state.coefficient_variance, rng);
            let stick = quantile_of_log(-depth);
            scratch.basis.heights(&coefficients, &mut heights);
            let column: Vec<u8> = heights.iter().map(|height| draw_bit(height + stick, rng)).collect();
            if column.contains(&1) {
                state.code.push(&column, self.preference.draw_weight(rng));
                state.atoms.push(ColumnFit { coefficients, stick });
            }
        }
    }

    fn simulate(&self, state: &ProbitState, data: &mut Observations, rng: &mut ChaCha8Rng) {
        let answers = state.code.answer(data, &self.preference, rng);
        data.triplets = data.triplets.with_answers(answers);
    }

    fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    fn transition(kernel: Kernel) -> Option<Transition<Self>> {
        use kernel::{lapse, probit_births, probit_columns, probit_hyper, probit_rows, probit_slice, slope, weights};
        match kernel {
            Kernel::Rows => transition(probit_rows::step),
            Kernel::SliceRows => transition(probit_slice::step),
            Kernel::Births { each } => transition(move |model, data, state, scratch, rng| {
                probit_births::step(model, data, state, scratch, each, rng);
            }),
            Kernel::Complements => transition(|_: &Self, _, state, scratch, rng| {
                probit_columns::complements(state, &mut scratch.tally, rng);
            }),
            Kernel::Regressions(method) => transition(move |_: &Self, _, state, scratch, rng| {
                probit_columns::regressions(method, state, &scratch.basis, scratch.threads, rng);
            }),
            Kernel::Sticks => transition(|_: &Self, _, state, scratch, rng| {
                probit_columns::sticks(state, &scratch.basis, scratch.threads, rng);
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
            Kernel::Concentration => transition(|model, _, state, scratch, rng| {
                probit_hyper::concentration(model, state, &scratch.rate, rng);
            }),
            Kernel::Variances => transition(|model, _, state, scratch, rng| {
                probit_hyper::variance(model, state, &scratch.rate, rng);
            }),
            _ => None,
        }
    }

    fn proposals(kernel: Kernel) -> &'static [Proposal] {
        use Proposal::{ComponentBirth, ComponentDeath, GuidedBirth, GuidedDeath, PlainBirth, PlainDeath};
        match kernel {
            Kernel::Rows => &[Proposal::Flip],
            Kernel::SliceRows => &[Proposal::Flip, Proposal::SliceBirth, Proposal::SliceDeath],
            Kernel::Births { .. } => {
                &[PlainBirth, PlainDeath, GuidedBirth, GuidedDeath, ComponentBirth, ComponentDeath]
            }
            Kernel::Complements => &[Proposal::Complement],
            _ => &[],
        }
    }

    fn tally(scratch: &ProbitScratch) -> Tally {
        scratch.tally
    }

    fn begin_sweep(&self, data: &Observations, state: &ProbitState, scratch: &mut ProbitScratch) {
        scratch.preference.sum(&state.code, data);
    }

    fn end_sweep(&self, state: &ProbitState, scratch: &mut ProbitScratch) {
        scratch.preference.kept_up_with(&state.code);
    }

    fn record(&self, data: &Observations, state: &ProbitState, scratch: &mut ProbitScratch) -> Record {
        let code = &state.code;
        scratch.preference.sum(code, data);
        let sums = &scratch.preference.sums;
        let heights = Heights::new(&scratch.basis, &state.atoms, scratch.threads);
        let columns: f64 = map(scratch.threads, state.atoms.len(), |bit_ix| {
            let (fit, column) = (&state.atoms[bit_ix], code.bits.column(bit_ix));
            let bits = heights.column(bit_ix).zip(column.chunks(PART));
            let bits: f64 = bits.map(|(heights, column)| log_likelihood(heights, fit.stick, column)).sum();
            log_intensity(fit.stick) + state.log_coefficients(fit) + bits
        })
        .iter()
        .sum();
        let log_likelihood = sums.log_likelihood(&code.scoring(&self.preference));
        Record {
            n_bits: code.bits.n_bits(),
            log_joint: self.log_rest(state, scratch) + columns + log_likelihood,
            log_likelihood,
            satisfied: sums.satisfied(),
            scalars: state.scalars(&self.preference),
        }
    }

    /// Coefficients and sticks are integrated out, column by column: with them, draws of different numbers of bits would
    /// be densities in different numbers of dimensions. Weights of bits, where they are free, stay in.
    fn score(&self, data: &Observations, state: &ProbitState, scratch: &mut ProbitScratch) -> f64 {
        if planted(Fault::RankedByJoint) {
            return self.record(data, state, scratch).log_joint;
        }
        let code = &state.code;
        scratch.preference.sum(code, data);
        let columns: Vec<Vec<u8>> = (0..state.atoms.len()).map(|bit_ix| code.bits.column(bit_ix)).collect();
        let columns: Vec<&[u8]> = columns.iter().map(Vec::as_slice).collect();
        let ways = match self.preference.weights {
            // Bits of equal columns and weights cannot be told apart: their order counts once.
            GammaPrior::Fixed(_) if !planted(Fault::EqualBitsCounted) => log_orders(&columns),
            _ => 0.0,
        };
        let basis: &Basis = &scratch.basis;
        let near_mode = NEAR_MODE * (basis.rank() as f64 + 1.0).sqrt();
        let problem =
            Columns { basis, variance: state.coefficient_variance, columns: &columns, threads: scratch.threads };
        let evidence: f64 = problem.log_evidence(&problem.modes(&state.atoms, near_mode)).iter().sum();
        let log_likelihood = scratch.preference.sums.log_likelihood(&code.scoring(&self.preference));
        self.log_rest(state, scratch) + evidence - ways + log_likelihood
    }

    fn finish(&self, data: &Observations, scratch: &ProbitScratch, draw: &mut Draw) -> Result<(), RestoreError> {
        refit(&scratch.basis, &data.anchors, draw, scratch.threads)
    }

    fn to_draw(&self, data: &Observations, state: &ProbitState, scratch: &ProbitScratch, sweep: u64) -> Draw {
        let basis = &scratch.basis;
        let (k, m, rank) = (state.atoms.len(), data.inputs.n_inputs(), basis.rank());
        let rotated = state.atoms.iter().flat_map(|fit| fit.coefficients.iter().copied()).collect();
        let unrotated = state.atoms.iter().flat_map(|fit| basis.unrotate(&fit.coefficients)).collect();
        let tensors = [
            ("rotated_coefficients", Tensor { shape: vec![k, rank], values: rotated }),
            ("sticks", Tensor { shape: vec![k], values: state.atoms.iter().map(|fit| fit.stick).collect() }),
            ("coefficients", Tensor { shape: vec![k, m], values: unrotated }),
        ];
        Draw {
            sweep,
            bits: state.code.bits.to_codes(),
            encoded: None,
            weights: state.code.weights.clone(),
            scalars: state
                .scalars(&self.preference)
                .into_iter()
                .chain([(RATE_ERROR, scratch.rate.relative_error())])
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            tensors: tensors
                .into_iter()
                .map(|(name, tensor)| (name.to_owned(), tensor))
                .chain(state.code.tensors())
                .collect(),
        }
    }

    fn restore(&self, data: &Observations, scratch: &ProbitScratch, draw: &Draw) -> Result<ProbitState, RestoreError> {
        let code = LatentCode::from_draw(draw, data, &self.preference)?;
        let (k, rank) = (code.weights.len(), scratch.basis.rank());
        Ok(ProbitState {
            code,
            atoms: atoms(draw, k, rank)?,
            concentration: draw.positive("concentration")?,
            coefficient_variance: draw.positive("coefficient_variance")?,
        })
    }
}

/// How near the mode a column's evidence is computed, in posterior standard deviations of each coordinate; what is missing
/// there is added to second order.
const NEAR_MODE: f64 = 0.15;
/// How near the mode chains start.
const STARTS_NEAR: f64 = 10.0;
/// How near the mode coefficients are refitted.
const AT_MODE: f64 = 1e-6;

/// Adds the coefficients that encode given a draw's bits, how good they are, and the training codes that they give: the most
/// probable ones, or of many inputs and of similarity to anchors those that predict left-out objects best.
pub(super) fn refit(basis: &Basis, anchors: &[usize], draw: &mut Draw, threads: usize) -> Result<(), RestoreError> {
    let k = draw.bits.n_bits();
    let columns: Vec<Vec<u8>> = (0..k).map(|bit_ix| draw.bits.column(bit_ix)).collect();
    let columns: Vec<&[u8]> = columns.iter().map(Vec::as_slice).collect();
    let fits = match basis.is_wide() || !anchors.is_empty() {
        true => {
            let Ridge { fits, error, penalty } = Ridge::new(basis, &columns, anchors, threads);
            let single = |value: f64| Tensor { shape: vec![1], values: vec![value] };
            draw.tensors.extend([(REFIT_ERROR.to_owned(), single(error)), (REFIT_PENALTY.to_owned(), single(penalty))]);
            fits
        }
        false => {
            let variance = draw.positive("coefficient_variance")?;
            let atoms = atoms(draw, k, basis.rank())?;
            let modes = Columns { basis, variance, columns: &columns, threads }.modes(&atoms, AT_MODE);
            let gradients = modes.iter().map(|mode| mode.gradient).collect();
            draw.tensors.insert(REFIT_GRADIENTS.to_owned(), Tensor { shape: vec![k], values: gradients });
            modes.into_iter().map(|mode| mode.fit).collect()
        }
    };
    let coefficients: Vec<f64> = fits.iter().flat_map(|fit| basis.unrotate(&fit.coefficients)).collect();
    let sticks: Vec<f64> = fits.iter().map(|fit| fit.stick).collect();
    draw.tensors.extend([
        (REFIT_COEFFICIENTS.to_owned(), Tensor { shape: vec![k, basis.n_inputs()], values: coefficients }),
        (REFIT_STICKS.to_owned(), Tensor { shape: vec![k], values: sticks }),
    ]);
    draw.encoded = Some(thresholds(basis, &fits, threads));
    Ok(())
}

/// Bits of the training objects by these coefficients.
fn thresholds(basis: &Basis, fits: &[ColumnFit], threads: usize) -> Codes {
    let mut codes = Codes::zeros(basis.n_objects(), fits.len());
    let heights = Heights::new(basis, fits, threads);
    for (bit_ix, fit) in fits.iter().enumerate() {
        let heights = heights.column(bit_ix).flatten().enumerate();
        for (object_ix, _) in heights.filter(|(_, height)| *height + fit.stick > 0.0) {
            codes.set(object_ix, bit_ix, true);
        }
    }
    codes
}

/// Coefficients and stick of each bit of a draw.
fn atoms(draw: &Draw, k: usize, rank: usize) -> Result<Vec<ColumnFit>, RestoreError> {
    let coefficients = draw.tensor("rotated_coefficients", &[k, rank])?;
    let sticks = draw.tensor("sticks", &[k])?;
    let atom = |f: usize| ColumnFit { coefficients: coefficients[f * rank..(f + 1) * rank].to_vec(), stick: sticks[f] };
    Ok((0..k).map(atom).collect())
}

/// Σ ln n! over the numbers of equal columns.
fn log_orders(columns: &[&[u8]]) -> f64 {
    let mut sorted = columns.to_vec();
    sorted.sort_unstable();
    let log_factorial = |n: usize| (2..=n).map(|i| (i as f64).ln()).sum::<f64>();
    sorted.chunk_by(|a, b| a == b).map(|equal| log_factorial(equal.len())).sum()
}

impl ProbitModel {
    /// The log density of number of bits, weights and hyper-parameters, with the inactive bits integrated out.
    fn log_rest(&self, state: &ProbitState, scratch: &ProbitScratch) -> f64 {
        state.atoms.len() as f64 * state.concentration.ln()
            - state.concentration * scratch.rate.at(state.coefficient_variance)
            + self.concentration.log_density(state.concentration)
            + self.coefficient.log_density(state.coefficient_variance)
            + state.code.log_prior(&self.preference)
    }

    /// Computes the tables; checks lower the sizes from which work is done in another way.
    pub(crate) fn prepare_within(&self, data: &Observations, threads: Threads, limits: Limits) -> ProbitScratch {
        let basis = match Basis::within(&data.inputs, limits) {
            Ok(basis) => basis,
            Err(error) => panic!("the inputs are finite, yet their axes were not found: {error}"),
        };
        ProbitScratch {
            rate: Arc::new(ActiveRate::within(&basis, self.rate_seed, threads.setup, limits)),
            basis: Arc::new(basis),
            components: Arc::new(data.triplets.components()),
            independent: Arc::new(data.triplets.independent_sets()),
            threads: threads.sweep.max(1),
            limits,
            tally: Tally::default(),
            preference: PreferenceScratch::default(),
        }
    }

    /// Gives every set of connected objects a code, and its bits their most probable coefficients.
    fn start_with_sets<R: Rng>(&self, state: &mut ProbitState, scratch: &ProbitScratch, n_bits: usize, rng: &mut R) {
        let mut columns = vec![vec![0; scratch.basis.n_objects()]; n_bits];
        for (column, of_sets) in columns.iter_mut().zip(set_codes(scratch.components.len(), n_bits, rng)) {
            for (members, _) in scratch.components.iter().zip(of_sets).filter(|(_, owned)| *owned) {
                members.iter().for_each(|&member| column[member as usize] = 1);
            }
        }
        let views: Vec<&[u8]> = columns.iter().map(Vec::as_slice).collect();
        let problem = Columns {
            basis: &scratch.basis,
            variance: state.coefficient_variance,
            columns: &views,

            threads: scratch.threads,
        };
        let nothing = ColumnFit { coefficients: vec![0.0; scratch.basis.rank()], stick: 0.0 };
        let modes = problem.modes(&vec![nothing; columns.len()], STARTS_NEAR);
        for (column, mode) in columns.iter().zip(modes) {
            state.code.push(column, self.preference.draw_weight(rng));
            state.atoms.push(mode.fit);
        }
    }

    /// Draws a state without bits, the rest from its prior.
    fn draw_hyper<R: Rng>(&self, data: &Observations, rng: &mut R) -> ProbitState {
        let nothing = BitMatrix::new(data.inputs.n_objects());
        ProbitState {
            code: LatentCode::with_bits(nothing, data, &self.preference, rng),
            atoms: Vec::new(),
            concentration: self.concentration.draw(rng),
            coefficient_variance: self.coefficient.draw(rng),
        }
    }
}
