//! Measures how well codes keep the order within a class: which of the nearest objects by inputs are nearest by codes.

use crate::codes::Codes;
use crate::data::Inputs;

/// Queries that are looked at, at most; evenly spaced.
const MOST_QUERIES: usize = 500;

/// Objects, row by row: their inputs, codes and classes.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// The inputs, on the scale on which objects are to be near.
    pub inputs: &'a Inputs,
    /// The codes.
    pub codes: &'a Codes,
    /// The classes.
    pub classes: &'a [u32],
}

/// Which share of the `n_nearest` objects of a query's class by inputs is among as many by codes, in the mean over
/// queries; objects at equal distance come by their number. A query that is `in_database` itself has the same number
/// there, and is left out. Queries of classes with no more objects say nothing; `None` where there are no others.
pub fn nearest_kept(database: Placed, queries: Placed, in_database: bool, n_nearest: usize) -> Option<f64> {
    let n = queries.codes.n_objects();
    let mut shares = Vec::new();
    for query in (0..n).step_by(n.div_ceil(MOST_QUERIES).max(1)) {
        let class = queries.classes[query];
        let is_other = |object: &usize| database.classes[*object] == class && !(in_database && *object == query);
        let of_class: Vec<usize> = (0..database.codes.n_objects()).filter(is_other).collect();
        if of_class.len() > n_nearest {
            let asked = queries.inputs.row(query);
            let by_inputs = nearest(&of_class, n_nearest, |object| squared(&database.inputs.row(object), &asked));
            let code = queries.codes.row(query);
            let by_codes = nearest(&of_class, n_nearest, |object| f64::from(database.codes.distance(object, code)));
            let kept = by_inputs.iter().filter(|object| by_codes.contains(object)).count();
            shares.push(kept as f64 / n_nearest as f64);
        }
    }
    (!shares.is_empty()).then(|| super::mean(&shares))
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The nearest of ascending objects, equally near ones by their number.
fn nearest(objects: &[usize], n_nearest: usize, distance: impl Fn(usize) -> f64) -> Vec<usize> {
    let mut ranked: Vec<(f64, usize)> = objects.iter().map(|&object| (distance(object), object)).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked.iter().take(n_nearest).map(|found| found.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two classes on a line, in turn, and a code of a thermometer on the same line.
    fn placed(n: usize) -> (Inputs, Codes, Vec<u32>) {
        let inputs = Inputs::new(n, 1, (0..n).map(|row| row as f64).collect()).unwrap();
        let mut codes = Codes::zeros(n, n);
        for row in 0..n {
            (0..row).for_each(|bit| codes.set(row, bit, true));
        }
        (inputs, codes, (0..n as u32).map(|row| row % 2).collect())
    }

    #[test]
    fn a_code_that_keeps_distances_keeps_all_and_one_that_says_nothing_keeps_the_first() {
        let (inputs, codes, classes) = placed(40);
        let all = Placed { inputs: &inputs, codes: &codes, classes: &classes };
        assert_eq!(nearest_kept(all, all, true, 3), Some(1.0));
        let nothing = Codes::zeros(40, 8);
        let blind = Placed { codes: &nothing, ..all };
        // Of 19 others of the class the first three are taken, whoever asks.
        let kept = nearest_kept(blind, blind, true, 3).unwrap();
        assert!(kept > 0.1 && kept < 0.3, "{kept}");
    }

    #[test]
    fn the_query_itself_is_left_out_only_where_it_is_in_the_database() {
        let (inputs, codes, classes) = placed(8);
        let all = Placed { inputs: &inputs, codes: &codes, classes: &classes };
        // Four objects of a class: three others, or four with the query.
        assert_eq!(nearest_kept(all, all, true, 3), None);
        assert_eq!(nearest_kept(all, all, false, 3), Some(1.0));
    }

    #[test]
    fn equally_near_objects_come_by_their_number() {
        let distance = |object: usize| if object < 8 { 1.0 } else { 0.0 };
        let objects: Vec<usize> = (0..12).collect();
        assert_eq!(nearest(&objects, 10, distance), [8, 9, 10, 11, 0, 1, 2, 3, 4, 5]);
    }
}
