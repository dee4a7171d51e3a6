//! Measures one query's ranking of a whole database, nearest first and equally near objects by their number.

use sibp::eval::knn_predict;

/// The numbers of neighbours that vote.
const VOTERS: [usize; 2] = [1, 15];
/// Objects of which the share of the right class is taken.
const FIRST: usize = 100;

/// What is measured of a ranking, by name.
pub const MEASURES: [&str; 5] = ["mAP", "P@100", "1-NN", "15-NN", "ties at 0"];

/// The measures of a ranking of `(distance, class)` for a query of `class`, shares in percent.
///
/// Ties are in the order of the list in average precision and in the first hundred; in votes, all objects at the
/// distance of the last voter share the places that are left, as in the index.
pub fn measure(ranked: &[(f32, u32)], class: u32) -> [f64; MEASURES.len()] {
    let first = &ranked[..FIRST.min(ranked.len())];
    let of_class = first.iter().filter(|n| n.1 == class).count();
    let last = ranked.get(VOTERS[1] - 1).map_or(f32::INFINITY, |n| n.0);
    let voters = ranked.partition_point(|n| n.0 <= last);
    let voted = knn_predict(&ranked[..voters], &VOTERS);
    let right = |at: usize| 100.0 * f64::from(u8::from(voted[at] == Some(class)));
    let precision = 100.0 * of_class as f64 / first.len() as f64;
    let ties = ranked.partition_point(|n| n.0 == 0.0) as f64;
    [100.0 * average_precision(ranked, class), precision, right(0), right(1), ties]
}

/// Mean precision at the places of the objects of the class, over the whole ranking.
fn average_precision(ranked: &[(f32, u32)], class: u32) -> f64 {
    let (mut found, mut sum) = (0.0, 0.0);
    for (before, _) in ranked.iter().enumerate().filter(|(_, n)| n.1 == class) {
        found += 1.0;
        sum += found / (before + 1) as f64;
    }
    if found == 0.0 { 0.0 } else { sum / found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ranking_by_hand() {
        // Places 1, 3 and 4 of five are of the class: (1/1 + 2/3 + 3/4) / 3 = 29/36.
        let ranked = [(0.0, 7), (0.0, 1), (1.0, 7), (2.0, 7), (2.0, 1)];
        let [map, precision, one, fifteen, ties] = measure(&ranked, 7);
        assert!((map - 100.0 * 29.0 / 36.0).abs() < 1e-9, "{map}");
        assert_eq!((precision, ties), (60.0, 2.0));
        // One of each class at distance 0: the vote is even, and the first class wins it.
        assert_eq!((one, fifteen), (0.0, 100.0));
        assert_eq!(measure(&ranked, 3)[0], 0.0);
    }

    #[test]
    fn ties_count_in_the_order_of_the_list() {
        assert_eq!(measure(&[(0.0, 1), (0.0, 2)], 1)[0], 100.0);
        assert_eq!(measure(&[(0.0, 2), (0.0, 1)], 1)[0], 50.0);
    }
}
