//! Computes the Gram matrix of the columns, a block of rows at a time.

use crate::data::Inputs;
use crate::numerics::linalg::{Mat, product, view};

/// XᵀX times `scale`, of rows after `change`.
pub(crate) fn gram(inputs: &Inputs, scale: f64, change: impl Fn(&mut [f64])) -> Mat<f64> {
    let m = inputs.n_inputs();
    let mut sum = Mat::zeros(m, m);
    for (rows, block) in inputs.blocks() {
        let mut block = block.into_owned();
        block.chunks_exact_mut(m).for_each(&change);
        let block = view(&block, rows.len(), m);
        sum += product(block.transpose(), block, scale);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_add_up_to_the_whole() {
        let (n, m) = (40_000, 7);
        let values: Vec<f64> = (0..n * m).map(|at| ((at * 7919) % 1009) as f64 / 1009.0).collect();
        let inputs = Inputs::new(n, m, values.clone()).unwrap();
        assert!(inputs.blocks().count() > 1);
        let whole = view(&values, n, m);
        let (whole, blocks) = (product(whole.transpose(), whole, 0.5), gram(&inputs, 0.5, |_| {}));
        for i in 0..m {
            assert!((0..m).all(|j| (whole[(i, j)] - blocks[(i, j)]).abs() <= 1e-12 * whole[(i, j)].abs()));
        }
    }
}
