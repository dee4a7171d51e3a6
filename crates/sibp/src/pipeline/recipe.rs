//! Chooses what nobody chose for a fit to labels, by the training objects: the transform of inputs, and for many inputs of
//! many objects the triplets for each object, the start and the sweep.

use crate::data::{Inputs, Labels};
use crate::likelihood::probit::{Basis, ClassLoss, Limits, class_loss};
use crate::model::{ModelOptions, Start};
use crate::parallel::{map, n_threads};
use crate::rng::{Purpose, Streams};
use crate::schedule::Schedule;
use crate::transform::{InputTransform, Similarity, Step, Transform};
use crate::triplets::{DEFAULT_PER_OBJECT, FromLabels};

/// Seed of the choice of objects that are compared.
const SEED: u64 = 0;
/// With fewer objects the model's own transform is kept: too few could be left out to tell.
pub const FEWEST_OBJECTS: usize = 50;
/// Up to this many objects are all anchors.
const ALL_ANCHORS: usize = 500;
/// Objects by which transforms are compared, and anchors of those that map to anchors.
const COMPARED_OBJECTS: usize = 2000;
const COMPARED_ANCHORS: usize = 500;
/// Anchors of a fit, at most, and numbers that similarity to them should have in all: 1.6 gigabytes, so that up to 100,000
/// objects have as many anchors as fewer would.
const MOST_ANCHORS: usize = 2000;
const MOST_NUMBERS: usize = 200_000_000;
/// Fewer anchors than this are not considered; up to a million objects have as many, whatever their numbers take.
const FEWEST_ANCHORS: usize = 200;
const OBJECTS_WITH_ANCHORS: usize = 1_000_000;
/// Anchors for each input: boundaries of few inputs need few.
const PER_INPUT: usize = 32;
/// From this many objects on, many inputs are learned from by the recipe below.
const MANY_OBJECTS: usize = 1000;
/// Triplets for each object of a large fit: enough for labels to outweigh what inputs say about single objects.
const PER_OBJECT: (usize, usize) = (DEFAULT_PER_OBJECT, 300);
const TRIPLETS: usize = 6_000_000;
/// Bits from which its chains start, in steps of which each can tell all classes apart; births add some.
const START_BITS: usize = 48;
/// Bits of the code that stands for all chains of few objects.
pub const DISTILLED_BITS: usize = 64;
/// Draws that its short chains keep.
pub const DRAWS: usize = 4;

/// A transform, and why it was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenTransform {
    /// The steps.
    pub steps: InputTransform,
    /// The reason, in words.
    pub reason: String,
}

/// The transform by which regression tells classes of left-out objects best, the simplest of equals. `None` where there is
/// nothing to compare.
pub fn transform_for(own: &InputTransform, inputs: &Inputs, labels: &Labels) -> Option<ChosenTransform> {
    let n = inputs.n_objects();
    if n < FEWEST_OBJECTS || labels.names().len() < 2 {
        return None;
    }
    let rows = compared_rows(n);
    let n_compared = rows.len();
    let some = inputs.select(&rows);
    let classes: Vec<u32> = rows.iter().map(|&row| labels.class_of()[row]).collect();
    let loss = |steps: &InputTransform, threads: usize| -> Option<ClassLoss> {
        let (transform, transformed) = Transform::fit_apply(steps, &some).ok()?;
        // Objects that are all alike tell nothing.
        let basis = Basis::new(&transformed).ok().filter(|basis| basis.rank() > 0)?;
        Some(class_loss(&basis, &classes, transform.anchors(), threads))
    };
    // Few errors are counted coarsely and squares tell small differences, so both count.
    let score = |loss: &ClassLoss| (loss.error + 1.0 / n_compared as f64) * loss.square;
    let threads = n_threads(0);
    let of_own = loss(own, threads)?;
    let (mut best, mut least) = (own.clone(), of_own);
    let n_anchors = match anchors_for(n, inputs.n_inputs()) {
        few if few < FEWEST_ANCHORS.min(n / 2) => 0,
        all if all == n => n,
        _ => COMPARED_ANCHORS.min(n_compared / 2),
    };
    // Where all classes are told, the simplest will do.
    let others = if of_own.error > 0.0 { candidates(own, &some, n_anchors) } else { Vec::new() };
    let found = map(threads, others.len(), |at| loss(&others[at], threads.div_ceil(others.len())));
    for (steps, found) in others.into_iter().zip(found) {
        let is_better = |found: &ClassLoss| score(found) < score(&least);
        if let Some(found) = found.filter(is_better) {
            (best, least) = (steps, found);
        }
    }
    let percent = |loss: ClassLoss| format!("{:.1} %", 100.0 * loss.error);
    let (errors, of_others) = (percent(least), percent(of_own));
    let reason = if best == *own {
        format!("misclassifies {errors} of held-out objects; no other transform does better")
    } else if errors == of_others {
        format!("misclassifies {errors} of held-out objects, as {own} does, with more confidence in the others")
    } else {
        format!("misclassifies {errors} of held-out objects, {own} {of_others}")
    };
    let steps = full_size(best, inputs);
    let crowded = n_anchors_of(&steps).and_then(|found| crowding(found, n, inputs.n_inputs())).unwrap_or_default();
    Some(ChosenTransform { steps, reason: reason + &crowded })
}

/// Says that there are too many objects for as many anchors as fewer objects would have.
fn crowding(n_anchors: usize, n_objects: usize, n_inputs: usize) -> Option<String> {
    let room = MOST_NUMBERS / MOST_ANCHORS;
    let of_fewer = anchors_for(n_objects.min(room), n_inputs);
    (n_anchors < of_fewer).then(|| {
        format!(
            "; {n_objects} objects leave room for {n_anchors} anchors instead of {of_fewer}, so a sample of {room} may give better codes"
        )
    })
}

/// Anchors of a transform.
fn n_anchors_of(transform: &InputTransform) -> Option<usize> {
    transform.steps.iter().find_map(|step| match step {
        Step::Anchors(n_anchors, ..) => Some(*n_anchors),
        _ => None,
    })
}

/// The objects by which transforms are compared, at random: files may be sorted by class, or go through the classes in turn.
pub fn compared_rows(n_objects: usize) -> Vec<usize> {
    let mut rng = Streams::new(SEED, 0).rng(Purpose::Transform, 3, 0);
    let n_compared = COMPARED_OBJECTS.min(n_objects);
    let mut rows = rand::seq::index::sample(&mut rng, n_objects, n_compared).into_vec();
    rows.sort_unstable();
    rows
}

/// Other transforms to compare, the simplest first; those with anchors only if there may be some.
fn candidates(own: &InputTransform, inputs: &Inputs, n_anchors: usize) -> Vec<InputTransform> {
    let mut first: Vec<&[Step]> = vec![&[], &[Step::Standardise]];
    let mut all = Vec::new();
    if inputs.rows().all(|row| row.iter().all(|value| *value >= 0.0)) {
        all.push(InputTransform { steps: [&[Step::SquareRoot], own.steps.as_slice()].concat() });
        first.extend([&[Step::SquareRoot][..], &[Step::SquareRoot, Step::Standardise]]);
        // Fourth roots: of sparse histograms, whether a value is there tells more than how large it is.
        first.push(&[Step::SquareRoot, Step::SquareRoot]);
    }
    if n_anchors > 0 {
        for similarity in [Similarity::Gaussian, Similarity::Laplace] {
            let anchors = Step::Anchors(n_anchors, similarity, None);
            all.extend(first.iter().map(|steps| InputTransform { steps: [steps, &[anchors][..]].concat() }));
        }
    }
    all
}

/// Anchors for this many objects and inputs.
fn anchors_for(n_objects: usize, n_inputs: usize) -> usize {
    if n_objects <= ALL_ANCHORS {
        return n_objects;
    }
    let for_inputs = (PER_INPUT * n_inputs).clamp(FEWEST_ANCHORS, MOST_ANCHORS);
    let at_least = if n_objects <= OBJECTS_WITH_ANCHORS { FEWEST_ANCHORS } else { 0 };
    for_inputs.min(n_objects / 2).min((MOST_NUMBERS / n_objects).max(at_least))
}

/// The transform with as many anchors as all objects allow.
fn full_size(mut transform: InputTransform, inputs: &Inputs) -> InputTransform {
    for step in &mut transform.steps {
        if let Step::Anchors(n_anchors, ..) = step {
            *n_anchors = anchors_for(inputs.n_objects(), inputs.n_inputs());
        }
    }
    transform
}

/// Whether the recipe for many inputs applies: similarity to anchors, or many inputs of many objects.
pub fn applies(transform: &InputTransform, inputs: &Inputs) -> bool {
    let is_large = inputs.n_objects() >= MANY_OBJECTS && transform.n_outputs(inputs.n_inputs()) > Limits::STANDARD.head;
    is_large || transform.steps.iter().any(|step| matches!(step, Step::Anchors(..)))
}

/// Whether objects are so few that many chains take no longer than few ones of many objects do.
pub fn has_few_objects(inputs: &Inputs) -> bool {
    inputs.n_objects() <= ALL_ANCHORS
}

/// Triplets for each of this many objects.
pub fn denser(options: FromLabels, n_objects: usize) -> FromLabels {
    FromLabels { per_object: (TRIPLETS / n_objects.max(1)).clamp(PER_OBJECT.0, PER_OBJECT.1), ..options }
}

/// Start and sweep where nobody chose them; chains start with no more bits than a code may have.
pub fn settled(options: &mut ModelOptions, max_bits: Option<usize>) {
    let n_bits = max_bits.map_or(START_BITS, |most| most.clamp(1, START_BITS.max(most * 3 / 4)));
    options.start.get_or_insert(Start::Sets(n_bits));
    options.schedule.get_or_insert(Schedule::probit().for_many_inputs());
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Objects in the plane; `class` tells which class a point is of.
    fn chosen(n: usize, class: impl Fn(f64, f64) -> bool) -> Option<String> {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let values: Vec<f64> = (0..2 * n).map(|_| rng.random::<f64>() * 2.0 - 1.0).collect();
        let labels: Vec<&str> = values.chunks_exact(2).map(|p| if class(p[0], p[1]) { "in" } else { "out" }).collect();
        let inputs = Inputs::new(n, 2, values.clone()).unwrap();
        let own = "standardise,scale".parse().unwrap();
        transform_for(&own, &inputs, &Labels::from_text(&labels)).map(|chosen| chosen.steps.to_string())
    }

    #[test]
    fn anchors_are_bounded_by_the_objects_and_by_memory() {
        assert_eq!([600, 5000, 200_000, 1_000_000].map(|n| anchors_for(n, 784)), [300, 2000, 1000, 200]);
        assert_eq!(anchors_for(2_000_000, 784), 100, "too few to be considered");
        assert_eq!([2, 10, 64].map(|m| anchors_for(5000, m)), [200, 320, 2000]);
        let per_object = |n: usize| denser(FromLabels::default(), n).per_object;
        assert_eq!([5000, 60_000, 1_000_000].map(per_object), [300, 100, DEFAULT_PER_OBJECT]);
    }

    #[test]
    fn too_many_objects_are_told_to_learn_from_a_sample() {
        let said = |n: usize| crowding(anchors_for(n, 64), n, 64);
        assert_eq!(said(100_000), None);
        assert!(said(1_000_000).unwrap().contains("200 anchors instead of 2000, so a sample of 100000"));
    }

    #[test]
    fn classes_in_turn_are_all_compared() {
        let rows = compared_rows(2 * COMPARED_OBJECTS);
        let n_even = rows.iter().filter(|row| row.is_multiple_of(2)).count();
        assert!(rows.len() == COMPARED_OBJECTS && n_even > 900 && n_even < 1100, "{n_even}");
        assert_eq!(compared_rows(60), (0..60).collect::<Vec<_>>());
    }

    #[test]
    fn objects_that_are_alike_choose_nothing() {
        let labels: Vec<&str> = (0..60).map(|at| if at < 2 { "rare" } else { "common" }).collect();
        let inputs = Inputs::new(60, 2, vec![1.0; 120]).unwrap();
        let own = "standardise,scale".parse().unwrap();
        assert_eq!(transform_for(&own, &inputs, &Labels::from_text(&labels)), None);
    }

    #[test]
    fn classes_that_are_all_told_need_no_other_transform() {
        let values: Vec<f64> = (0..60).map(|at| f64::from(at % 2) * 10.0 + f64::from(at) * 0.01).collect();
        let labels: Vec<&str> = (0..60).map(|at| if at % 2 == 0 { "low" } else { "high" }).collect();
        let own = "standardise,scale".parse().unwrap();
        let chosen = transform_for(&own, &Inputs::new(60, 1, values).unwrap(), &Labels::from_text(&labels)).unwrap();
        assert_eq!(chosen.steps, own);
        assert!(chosen.reason.contains("0.0 %"), "{}", chosen.reason);
    }

    #[test]
    fn curved_boundaries_ask_for_anchors_and_straight_ones_do_not() {
        assert!(chosen(800, |x, y| x * x + y * y < 0.5).unwrap().ends_with("anchors:200"));
        // Chances that rise with an input, which curves cannot tell better.
        let chance = |x: f64| (1e6 * x).sin().asin() / std::f64::consts::PI + 0.5;
        assert_eq!(chosen(800, |x, y| chance(y) < 0.5 + 0.4 * x).unwrap(), "standardise,scale");
        assert_eq!(chosen(FEWEST_OBJECTS - 1, |x, y| x * x + y * y < 0.5), None);
    }
}
