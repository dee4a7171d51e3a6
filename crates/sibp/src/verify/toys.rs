//! Defines the small problems on which samplers are tested.

use crate::data::Inputs;
use crate::model::{
    DdIbpModel, GaussianModel, Link, Observations, Positions, PreferencePrior, Preset, ProbitModel, Start,
};
use crate::prior::hyper::{GammaPrior, LapsePrior, SlopePrior, VariancePrior};
use crate::prior::proximity::{Decay, Distance};
use crate::schedule::{Kernel, Schedule, Step};
use crate::triplets::{Judges, Triplet, TripletSet};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn observations(n_inputs: usize, inputs: &[f64], questions: &[[u32; 3]]) -> Observations {
    let n_objects = inputs.len() / n_inputs;
    let triplets = questions.iter().map(|&[anchor, near, far]| Triplet { anchor, near, far }).collect();
    let (Ok(inputs), Ok(triplets)) =
        (Inputs::new(n_objects, n_inputs, inputs.to_vec()), TripletSet::new(n_objects, triplets))
    else {
        panic!("the small problems are sound")
    };
    Observations::new(inputs, triplets)
}

/// Three objects with two inputs and three triplets: few enough for enumeration.
pub fn three_objects() -> Observations {
    observations(2, &[0.9, -0.3, 1.1, 0.4, -0.8, 0.7], &[[0, 1, 2], [1, 0, 2], [2, 1, 0]])
}

/// Three objects with one input, whose coefficient can be integrated out, and three triplets.
pub fn three_on_a_line() -> Observations {
    observations(1, &[0.9, 0.3, -1.1], &[[0, 1, 2], [1, 0, 2], [2, 1, 0]])
}

/// Objects scattered evenly around the origin, with three triplets.
pub fn scattered(n_objects: usize, n_inputs: usize) -> Observations {
    // Multiples of an irrational number fill the line evenly and in no order.
    let value = |at: usize| 2.0 * (0.618_033_988_75 * (at * at + 1) as f64).fract() - 1.0;
    let values: Vec<f64> = (0..n_objects * n_inputs).map(value).collect();
    observations(n_inputs, &values, &[[0, 1, 2], [1, 0, 2], [2, 1, 0]])
}

/// Four objects with two inputs and five triplets.
pub fn four_objects() -> Observations {
    let questions = [[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 1, 2], [0, 3, 1]];
    observations(2, &[0.9, -0.3, 1.1, 0.4, -0.8, 0.7, -0.2, -1.2], &questions)
}

/// Four objects with two inputs, five triplets and two given bits.
pub fn four_objects_with_given_bits() -> Observations {
    let mut data = four_objects();
    data.given.push_column(&[1, 1, 0, 0]);
    data.given.push_column(&[0, 1, 0, 1]);
    data
}

/// Six objects in two groups, and twelve triplets, most of which agree with the groups.
pub fn six_objects() -> Observations {
    let inputs = [0.9, 0.2, 0.8, -0.4, 1.0, 0.1, -0.7, 0.3, -0.9, -0.5, -0.8, 0.6];
    let questions = [
        [0, 1, 3],
        [1, 2, 4],
        [2, 0, 5],
        [3, 4, 0],
        [4, 5, 1],
        [5, 3, 2],
        [0, 2, 4],
        [1, 0, 5],
        [3, 5, 1],
        [4, 3, 2],
        [2, 5, 0],
        [5, 0, 4],
    ];
    observations(2, &inputs, &questions)
}

/// Eight objects of which several share no triplet, so that their bits are drawn at the same time.
pub fn eight_objects() -> Observations {
    let inputs = [0.9, -0.3, 1.1, 0.4, -0.8, 0.7, -0.2, -1.2, 0.5, 0.6, -1.0, -0.1, 0.3, -0.7, -0.6, 1.0];
    observations(2, &inputs, &[[0, 1, 2], [3, 4, 5], [6, 7, 0], [1, 3, 6], [4, 2, 7]])
}

/// Six objects in two groups with two given bits, twelve triplets.
pub fn six_objects_with_given_bits() -> Observations {
    let mut data = six_objects();
    data.given.push_column(&[1, 1, 1, 0, 0, 0]);
    data.given.push_column(&[0, 1, 0, 1, 0, 1]);
    data
}

/// The same triplets, with the judge of each: two of them, in no order.
pub fn with_judges(mut data: Observations) -> Observations {
    let triplets = data.triplets.triplets().to_vec();
    let names = (0..triplets.len()).map(|at| if at % 3 == 1 { "ann" } else { "bob" });
    let Ok(judges) = Judges::from_names(names) else { panic!("there are few judges") };
    data.triplets = data.triplets.judged(&triplets, &judges);
    data
}

/// The same objects and triplets, without inputs.
pub fn without_inputs(data: Observations) -> Observations {
    Observations { inputs: Inputs::none(data.inputs.n_objects()), ..data }
}

/// Objects on a circle, each in `n_roles` triplets of every role, whose inputs look random. The third input is the sum
/// of the others: there are two axes.
pub fn circle(n_objects: u32, n_roles: u32) -> Observations {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut inputs = Vec::new();
    for _ in 0..n_objects {
        let [x, y]: [f64; 2] = std::array::from_fn(|_| 2.0 * rng.random::<f64>() - 1.0);
        inputs.extend([x, y, x + y]);
    }
    let question = |anchor: u32, role: u32| {
        let step = |by: u32| (anchor + by) % n_objects;
        [anchor, step(1 + role), step(1 + n_roles + role)]
    };
    let questions: Vec<[u32; 3]> =
        (0..n_objects).flat_map(|anchor| (0..n_roles).map(move |role| question(anchor, role))).collect();
    observations(3, &inputs, &questions)
}

/// Priors with everything free: Gamma weights, Beta lapse rate.
pub fn free_preference(pseudo_weight: f64) -> PreferencePrior {
    PreferencePrior {
        weights: GammaPrior::Gamma { shape: 1.5, rate: 1.0 },
        given_weights: None,
        lapse: LapsePrior::Beta { a: 1.0, b: 5.0 },
        pseudo_weight,
        link: Link::Ratio,
    }
}

/// Fixed priors, for the likelihood alone: unit weights, fixed lapse rate.
pub fn fixed_preference(pseudo_weight: f64) -> PreferencePrior {
    let (weights, lapse) = (GammaPrior::Fixed(1.0), LapsePrior::Fixed(0.05));
    PreferencePrior { weights, given_weights: None, lapse, pseudo_weight, link: Link::Ratio }
}

/// The same priors with a logistic link, whose slope is free.
pub fn free_logistic() -> PreferencePrior {
    PreferencePrior {
        link: Link::Logistic(SlopePrior::LogNormal { mean: -0.3, deviation: 0.8 }),
        ..free_preference(0.0)
    }
}

/// The fixed priors with a logistic link of this slope.
pub fn fixed_logistic(slope: f64) -> PreferencePrior {
    PreferencePrior { link: Link::Logistic(SlopePrior::Fixed(slope)), ..fixed_preference(0.0) }
}

/// A Gaussian model with a logistic link in which everything is drawn.
pub fn logistic_gaussian() -> GaussianModel {
    GaussianModel { preference: free_logistic(), ..free_gaussian(0.0, Schedule::gaussian().with_slope()) }
}

/// A probit model with a logistic link in which everything is drawn.
pub fn logistic_probit(schedule: Schedule) -> ProbitModel {
    ProbitModel { preference: free_logistic(), ..free_probit(0.0, schedule.with_slope()) }
}

/// The model that users get for judgements, narrower as [`default_probit`] is.
pub fn default_judgements() -> ProbitModel {
    let schedule = probit_births().with_slope();
    ProbitModel { preference: PreferencePrior::preset(Preset::Judgements), schedule, ..default_probit() }
}

/// A Gaussian model in which only bits are drawn.
pub fn fixed_gaussian(pseudo_weight: f64, schedule: Schedule) -> GaussianModel {
    GaussianModel {
        preference: fixed_preference(pseudo_weight),
        concentration: GammaPrior::Fixed(0.8),
        noise: VariancePrior::Fixed(0.5),
        image: VariancePrior::Fixed(0.7),
        start: Start::Prior,
        schedule,
    }
}

/// A Gaussian model in which everything is drawn.
pub fn free_gaussian(pseudo_weight: f64, schedule: Schedule) -> GaussianModel {
    GaussianModel {
        preference: free_preference(pseudo_weight),
        concentration: GammaPrior::Gamma { shape: 2.0, rate: 2.0 },
        noise: VariancePrior::InverseGamma { shape: 3.0, rate: 1.0 },
        image: VariancePrior::InverseGamma { shape: 3.0, rate: 2.0 },
        start: Start::Prior,
        schedule,
    }
}

/// Three objects without triplets, with distances that simulations do not change.
pub fn three_linked() -> Observations {
    with_positions(three_objects(), Distance::Input)
}

/// Four objects without triplets, with distances that simulations do not change: two classes, or their inputs.
pub fn four_linked(distance: Distance) -> Observations {
    with_positions(four_objects(), distance)
}

fn with_positions(data: Observations, distance: Distance) -> Observations {
    let mut data = Observations::new(data.inputs.clone(), TripletSet::empty(data.inputs.n_objects()));
    data.positions = match distance {
        Distance::Input => Positions::Inputs(data.inputs.clone()),
        Distance::Output => Positions::Classes((0..data.inputs.n_objects() as u32).map(|o| u32::from(o > 0)).collect()),
    };
    data
}

/// A distance-dependent IBP in which only links are drawn.
pub fn fixed_ddibp(distance: Distance, decay: Decay, schedule: Schedule) -> DdIbpModel {
    DdIbpModel {
        distance,
        decay,
        concentration: GammaPrior::Fixed(0.9),
        noise: VariancePrior::Fixed(0.5),
        image: VariancePrior::Fixed(0.7),
        start: Start::Prior,
        schedule,
    }
}

/// A distance-dependent IBP in which everything is drawn.
pub fn free_ddibp(distance: Distance, decay: Decay, schedule: Schedule) -> DdIbpModel {
    DdIbpModel {
        concentration: GammaPrior::Gamma { shape: 2.0, rate: 2.0 },
        noise: VariancePrior::InverseGamma { shape: 3.0, rate: 1.0 },
        image: VariancePrior::InverseGamma { shape: 3.0, rate: 2.0 },
        ..fixed_ddibp(distance, decay, schedule)
    }
}

/// A probit model with fixed hyper-parameters.
pub fn fixed_probit(pseudo_weight: f64, schedule: Schedule) -> ProbitModel {
    ProbitModel {
        preference: fixed_preference(pseudo_weight),
        concentration: GammaPrior::Fixed(0.8),
        coefficient: VariancePrior::Fixed(1.5),
        start: Start::Prior,
        schedule,
        rate_seed: 1,
    }
}

/// A probit model in which everything is drawn. Its coefficients are rarely large: draws from the prior go through all
/// sticks that could have an owner, and there are many where coefficients are large.
pub fn free_probit(pseudo_weight: f64, schedule: Schedule) -> ProbitModel {
    ProbitModel {
        preference: free_preference(pseudo_weight),
        concentration: GammaPrior::Gamma { shape: 2.0, rate: 2.5 },
        coefficient: VariancePrior::InverseGamma { shape: 4.0, rate: 3.0 },
        start: Start::Prior,
        schedule,
        rate_seed: 1,
    }
}

/// The model that users get by default, with its schedule cut to one repetition. Of its priors only those of α and σg²
/// are narrower: under the defaults the expected number of bits is infinite, and no mean could be compared.
pub fn default_probit() -> ProbitModel {
    ProbitModel {
        concentration: GammaPrior::Gamma { shape: 2.0, rate: 1.5 },
        coefficient: VariancePrior::InverseGamma { shape: 4.0, rate: 3.0 },
        start: Start::Prior,
        schedule: probit_births(),
        ..ProbitModel::preset(Preset::Hash)
    }
}

/// A probit model with so many bits that codes take two words. A few of them have nearly all the weight, so that single
/// flips matter; not of fewer, as a smaller shape would put many weights below the grid.
pub fn wide_probit(schedule: Schedule) -> ProbitModel {
    let weights = GammaPrior::Gamma { shape: 0.3, rate: 0.3 };
    ProbitModel {
        preference: PreferencePrior { weights, ..free_preference(0.0) },
        concentration: GammaPrior::Fixed(30.0),
        coefficient: VariancePrior::Fixed(0.3),
        ..free_probit(0.0, schedule)
    }
}

/// All kernels of the default probit schedule with fewer repetitions, so that more steps fit into a test.
pub fn probit_births() -> Schedule {
    let fewer = |step: Step| match step.kernel {
        Kernel::Births { .. } => Step { kernel: Kernel::Births { each: 1 }, times: 1 },
        kernel => Step { kernel, times: 1 },
    };
    Schedule { steps: Schedule::probit().steps.into_iter().map(fewer).collect() }
}

/// The paper's probit schedule with births: the slice never leaves a state without bits.
pub fn probit_slice() -> Schedule {
    let mut schedule = Schedule::probit_slice();
    schedule.steps.push(Step { kernel: Kernel::Births { each: 1 }, times: 1 });
    schedule
}

/// All moves of bits and columns of the Gaussian model, without hyper-parameters.
pub fn gaussian_moves() -> Schedule {
    Schedule::once([
        Kernel::Rows,
        Kernel::Columns { births: 1, complements: 1 },
        Kernel::Neighbourhoods { births: 1, flips: 1 },
    ])
}
