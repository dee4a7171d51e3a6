//! Chooses the transform of inputs under which plain distances agree best with judgements.
//!
//! Whether columns are to be put on a common scale depends on what they are: quantities in different units must be, the
//! coordinates of an embedding must not, as that would blow up those that hold noise. Judgements tell, before any fit.

use super::{InputTransform, Step, Transform};
use crate::data::{DataError, Inputs};
use crate::numerics::simd::dot;
use crate::triplets::Triplet;

/// Judgements that are asked, at most.
const MOST_ASKED: usize = 20_000;

/// The transforms to choose among, the one for the most general inputs first.
fn candidates() -> [InputTransform; 3] {
    [
        InputTransform { steps: vec![Step::Standardise, Step::Scale] },
        InputTransform { steps: vec![Step::Centre, Step::Scale] },
        InputTransform { steps: vec![Step::Unit, Step::Centre, Step::Scale] },
    ]
}

/// The candidate whose Euclidean distances agree with the largest share of the triplets; of equals, the first. One that
/// the inputs do not allow is left out.
pub fn suited(inputs: &Inputs, triplets: &[Triplet]) -> Result<InputTransform, DataError> {
    let step = triplets.len().div_ceil(MOST_ASKED).max(1);
    let asked: Vec<Triplet> = triplets.iter().step_by(step).copied().collect();
    let mut rows: Vec<u32> = asked.iter().flat_map(|t| [t.anchor, t.near, t.far]).collect();
    rows.sort_unstable();
    rows.dedup();
    let mentioned = inputs.select(&rows.iter().map(|&row| row as usize).collect::<Vec<_>>());
    let place = |row: u32| rows.partition_point(|&other| other < row);
    let asked: Vec<[usize; 3]> = asked.iter().map(|t| [t.anchor, t.near, t.far].map(place)).collect();
    let [first, ..] = candidates();
    let mut best = (first, f64::NEG_INFINITY);
    for candidate in candidates() {
        let Ok((_, transformed)) = Transform::fit_apply(&candidate, &mentioned) else { continue };
        let share = agreement(&transformed, &asked);
        if share > best.1 {
            best = (candidate, share);
        }
    }
    Ok(best.0)
}

/// Share of triplets whose near object is nearer than the far one; equal distances count half.
fn agreement(inputs: &Inputs, asked: &[[usize; 3]]) -> f64 {
    let squares: Vec<f64> = inputs.rows().map(|row| dot(&row, &row)).collect();
    let score = |&[anchor, near, far]: &[usize; 3]| {
        let row = inputs.row(anchor);
        // |a - x|² without |a|², which both have.
        let distance = |other: usize| squares[other] - 2.0 * dot(&row, &inputs.row(other));
        match distance(near).total_cmp(&distance(far)) {
            std::cmp::Ordering::Less => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Greater => 0.0,
        }
    };
    asked.iter().map(score).sum::<f64>() / asked.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const N: usize = 60;

    /// Objects with the given deviations of their columns, and judgements by the distance between some weighted columns.
    fn chosen(deviations: [f64; 6], weights: [f64; 6]) -> String {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let centred = |rng: &mut ChaCha8Rng| 2.0 * rng.random::<f64>() - 1.0;
        let values: Vec<f64> = (0..N).flat_map(|_| deviations.map(|d| d * centred(&mut rng))).collect();
        let inputs = Inputs::new(N, 6, values).unwrap();
        let distance = |i: u32, j: u32| -> f64 {
            let (x, y) = (inputs.row(i as usize), inputs.row(j as usize));
            (0..6).map(|c| weights[c] * (x[c] - y[c]).powi(2)).sum()
        };
        let mut triplets = Vec::new();
        for _ in 0..600 {
            let [anchor, near, far] = [0; 3].map(|_: u8| rng.random_range(0..N as u32));
            if anchor != near && anchor != far && near != far {
                let turned = distance(anchor, near) > distance(anchor, far);
                let (near, far) = if turned { (far, near) } else { (near, far) };
                triplets.push(Triplet { anchor, near, far });
            }
        }
        suited(&inputs, &triplets).unwrap().to_string()
    }

    #[test]
    fn columns_in_different_units_are_put_on_a_common_scale() {
        let deviations = [1000.0, 1.0, 1.0, 0.01, 0.01, 1.0];
        assert_eq!(chosen(deviations, deviations.map(|d| 1.0 / (d * d))), "standardise,scale");
    }

    #[test]
    fn columns_that_fade_keep_their_scales() {
        assert_eq!(chosen([3.0, 2.0, 1.0, 0.1, 0.1, 0.1], [1.0; 6]), "centre,scale");
    }
}
