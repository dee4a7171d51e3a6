//! Checks which triplets come out of labels.

use std::collections::BTreeSet;

use super::*;

/// Objects on a line; the class sizes are given.
fn data(sizes: &[usize]) -> (Labels, Inputs) {
    let classes: Vec<String> =
        sizes.iter().enumerate().flat_map(|(class, &n)| std::iter::repeat_n(class.to_string(), n)).collect();
    let values: Vec<f64> = (0..classes.len()).map(|i| (i * i) as f64).collect();
    (Labels::from_text(&classes), Inputs::new(classes.len(), 1, values).unwrap())
}

fn options(scheme: Scheme, per_object: usize) -> FromLabels {
    FromLabels { scheme, per_object, ..FromLabels::default() }
}

fn assert_valid(labels: &Labels, triplets: &[Triplet]) {
    let class = |o: u32| labels.class_of()[o as usize];
    for t in triplets {
        assert!(class(t.anchor) == class(t.near) && class(t.anchor) != class(t.far) && t.anchor != t.near, "{t:?}");
    }
    assert_eq!(triplets.iter().collect::<BTreeSet<_>>().len(), triplets.len(), "a triplet comes twice");
}

#[test]
fn counts_and_roles_hold_for_every_choice_and_size() {
    for sizes in [&[5, 7, 30][..], &[2, 2], &[1, 40, 3], &[6, 4], &[4, 6, 1, 1]] {
        let (labels, inputs) = data(sizes);
        for per_object in [1, 2, 3, 4, 6, 15, 100] {
            for (near, far) in [
                (NearChoice::Random, FarChoice::Random),
                (NearChoice::Nearest, FarChoice::Random),
                (NearChoice::Random, FarChoice::NearestImpostor),
                (NearChoice::Nearest, FarChoice::NearestImpostor),
            ] {
                for scheme in [Scheme::Paired, Scheme::Product] {
                    let options = FromLabels { scheme, per_object, near, far, seed: 3 };
                    let built = options.build(&labels, &inputs).unwrap();
                    assert_valid(&labels, &built.triplets);
                    let expected: usize = labels
                        .class_of()
                        .iter()
                        .map(|&c| sizes[c as usize])
                        .map(|size| {
                            let near = (size - 1).min(per_object);
                            let far = (labels.len() - size).min(per_object);
                            if scheme == Scheme::Product { near * far } else { (near * far).min(per_object) }
                        })
                        .sum();
                    assert_eq!((built.triplets.len(), built.report.n_triplets), (expected, expected));
                    assert_eq!(built.report.n_alone, sizes.iter().filter(|&&s| s == 1).count());
                    assert_eq!(built.report.n_anchors + built.report.n_alone, labels.len());
                }
            }
        }
    }
}

#[test]
fn nearest_takes_the_nearest() {
    let (labels, inputs) = data(&[4, 4]);
    let options =
        FromLabels { near: NearChoice::Nearest, far: FarChoice::NearestImpostor, ..options(Scheme::Paired, 2) };
    let built = options.build(&labels, &inputs).unwrap();
    let of_three: Vec<_> = built.triplets.iter().filter(|t| t.anchor == 3).collect();
    // Object 3 stands at 9: 2, 1 (at 4, 1) are nearest of its class, 4, 5 (at 16, 25) of the other.
    assert_eq!(of_three, [&Triplet { anchor: 3, near: 2, far: 4 }, &Triplet { anchor: 3, near: 1, far: 5 }]);
}

#[test]
fn a_short_class_uses_all_it_has() {
    let (labels, inputs) = data(&[3, 50]);
    let built = options(Scheme::Paired, 10).build(&labels, &inputs).unwrap();
    let of_zero: Vec<_> = built.triplets.iter().filter(|t| t.anchor == 0).collect();
    assert_eq!(of_zero.len(), 10);
    for near in [1, 2] {
        assert_eq!(of_zero.iter().filter(|t| t.near == near).count(), 5);
    }
    assert_eq!(of_zero.iter().map(|t| t.far).collect::<BTreeSet<_>>().len(), 10);
    assert_eq!((built.report.n_short_of_near, built.report.n_short_of_far), (3, 50));
}

#[test]
fn seed_and_object_fix_the_choice() {
    let (labels, inputs) = data(&[30, 30, 30]);
    let build = |seed| FromLabels { seed, ..options(Scheme::Paired, 5) }.build(&labels, &inputs).unwrap();
    assert_eq!(build(1), build(1));
    assert_ne!(build(1).triplets, build(2).triplets);
    // Inputs play no part in random choices.
    let other = Inputs::new(90, 2, vec![0.0; 180]).unwrap();
    let again = FromLabels { seed: 1, ..options(Scheme::Paired, 5) }.build(&labels, &other).unwrap();
    assert_eq!(again, build(1));
}

#[test]
fn random_choices_are_uniform() {
    let (labels, inputs) = data(&[40, 41]);
    let mut counts = [0f64; 81];
    let n_seeds = 400;
    for seed in 0..n_seeds {
        let built = FromLabels { seed, ..options(Scheme::Paired, 4) }.build(&labels, &inputs).unwrap();
        built.triplets.iter().filter(|t| t.anchor == 7).for_each(|t| {
            counts[t.near as usize] += 1.0;
            counts[t.far as usize] += 1.0;
        });
    }
    assert_eq!(counts[7], 0.0);
    let chi_square = |counts: &[f64]| {
        let mean = counts.iter().sum::<f64>() / counts.len() as f64;
        counts.iter().map(|c| (c - mean).powi(2) / mean).sum::<f64>()
    };
    let near: Vec<f64> = (0..40).filter(|&o| o != 7).map(|o| counts[o]).collect();
    // 38 and 40 degrees of freedom: 85 is beyond the 1e-4 tail of both.
    assert!(chi_square(&near) < 85.0 && chi_square(&counts[40..]) < 85.0, "{counts:?}");
}

#[test]
fn impossible_requests_are_named_before_anything_is_allocated() {
    let error = |sizes: &[usize], options: FromLabels| {
        let (labels, inputs) = data(sizes);
        options.build(&labels, &inputs).unwrap_err().to_string()
    };
    assert!(error(&[6], options(Scheme::Paired, 2)).contains("all 6 objects are of one class (\"0\")"));
    assert!(error(&[1, 1, 1], options(Scheme::Paired, 2)).contains("alone in its class"));
    assert!(error(&[3, 3], options(Scheme::Paired, 0)).contains("at least 1"));
    let message = error(&[1500, 1500], options(Scheme::Product, 1499));
    assert!(message.contains("make 6741003000 triplets; the limit is 1431655765"), "{message}");
    let (labels, _) = data(&[3, 3]);
    let (_, inputs) = data(&[3, 4]);
    let message = options(Scheme::Paired, 1).build(&labels, &inputs).unwrap_err().to_string();
    assert!(message.contains("7 input rows but 6 labels"), "{message}");
}
