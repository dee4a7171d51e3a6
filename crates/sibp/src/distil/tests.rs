//! Tests distilled codes on draws that are known to agree with a code of few bits.

use super::*;
use crate::bits::BitMatrix;
use crate::triplets::Triplet;
use rand::RngExt;
use std::collections::BTreeMap;

const N: usize = 40;

/// Draws with noisy copies of the same four columns, in any order and some of them complemented.
fn draws(noise: f64) -> (Vec<Draw>, Vec<Vec<u8>>) {
    let mut rng = Streams::new(3, 0).rng(Purpose::Verify, 0, 0);
    let truth: Vec<Vec<u8>> = (0..4).map(|_| (0..N).map(|_| u8::from(rng.random::<bool>())).collect()).collect();
    let draws = (0..10).map(|sweep| {
        let mut bits = Codes::zeros(N, 4);
        for (bit_ix, column) in truth.iter().enumerate() {
            let turned: bool = rng.random();
            for (object, &bit) in column.iter().enumerate() {
                let wrong = rng.random::<f64>() < noise;
                bits.set(object, (bit_ix + sweep) % 4, (bit == 1) != (wrong != turned));
            }
        }
        let tensor = |shape: Vec<usize>| Tensor { values: vec![0.0; shape.iter().product()], shape };
        let tensors = [("rotated_coefficients", vec![4, 1]), ("coefficients", vec![4, 1]), ("sticks", vec![4])];
        Draw {
            sweep: sweep as u64,
            bits,
            encoded: None,
            weights: vec![1.0; 4],
            scalars: BTreeMap::from([("lapse".to_owned(), 0.01), ("slope".to_owned(), 1.0)]),
            tensors: tensors.map(|(name, shape)| (name.to_owned(), tensor(shape))).into_iter().collect(),
        }
    });
    (draws.collect(), truth)
}

fn distilled(draws: &[Draw], n_bits: usize) -> Draw {
    let draws: Vec<&Draw> = draws.iter().collect();
    let scorings = vec![Scoring::logistic(0.01, 1.0); draws.len()];
    let (inputs, given) = (Inputs::new(N, 1, vec![0.0; N]).unwrap(), BitMatrix::new(N));
    let source = Source {
        draws: &draws,
        columns: &draws[..2],
        scorings: &scorings,
        inputs: &inputs,
        given: &given,
        n_taught: 5000,
    };
    distil(&source, &Distilling { n_bits, seed: 1, threads: 2 }).unwrap().unwrap()
}

/// Share of all triplets that two codes answer alike, ties aside.
fn alike(code: &Codes, truth: &[Vec<u8>]) -> f64 {
    let (mut same, mut total) = (0, 0);
    for anchor in 0..N as u32 {
        for near in 0..N as u32 {
            for far in (0..near).filter(|&far| far != anchor && near != anchor) {
                let t = Triplet { anchor, near, far };
                let wanted: i32 = truth.iter().map(|column| margins::side_of(column, &t)).sum();
                let found = code.distance(anchor as usize, code.row(far as usize)) as i32
                    - code.distance(anchor as usize, code.row(near as usize)) as i32;
                if wanted != 0 && found != 0 {
                    total += 1;
                    same += usize::from((wanted > 0) == (found > 0));
                }
            }
        }
    }
    f64::from(u32::try_from(same).unwrap()) / f64::from(u32::try_from(total).unwrap())
}

/// Where a fifth of every draw's bits is wrong, the distilled code averages that out, and no draw does.
#[test]
fn a_code_of_few_bits_says_what_all_draws_say_together() {
    let (draws, truth) = draws(0.2);
    let best_draw = draws.iter().map(|draw| alike(&draw.bits, &truth)).fold(0.0, f64::max);
    let found = distilled(&draws, 8);
    let share = alike(&found.bits, &truth);
    assert!(found.bits.n_bits() <= 8 && found.weights == vec![1.0; found.bits.n_bits()]);
    let together = alike(&Codes::side_by_side(&draws.iter().map(|draw| &draw.bits).collect::<Vec<_>>()), &truth);
    assert!(share > together - 0.03, "distilled {share}, all forty bits {together}");
    assert!(share > best_draw + 0.1, "distilled {share}, best draw {best_draw}");
    assert!(found.scalars["slope"] > 0.1 && (found.scalars["lapse"] - 0.01).abs() < 1e-12, "{:?}", found.scalars);
}

#[test]
fn what_all_draws_agree_on_needs_no_more_bits_than_they_have() {
    let (draws, truth) = draws(0.0);
    assert_eq!(alike(&distilled(&draws, 4).bits, &truth), 1.0);
}

#[test]
fn equal_seeds_give_equal_codes_on_any_number_of_threads() {
    let (draws, _) = draws(0.1);
    assert_eq!(distilled(&draws, 6), distilled(&draws, 6));
}
