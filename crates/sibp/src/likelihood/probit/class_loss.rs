//! Tells classes of left-out objects by regression, to compare transforms of the inputs.

use super::Basis;
use super::ridge::{PENALTIES, Problem};
use super::whitened::Whitened;

/// How well the classes of left-out objects are told, each measure with its best penalty; anchors do not count.
#[derive(Debug, Clone, Copy)]
pub struct ClassLoss {
    /// Share of objects that are told wrong: the class told is the one whose column of ones has the largest height.
    pub error: f64,
    /// Mean squared error of the heights, which tells small differences better.
    pub square: f64,
}

/// Regresses the classes on the inputs.
pub fn class_loss(basis: &Basis, classes: &[u32], anchors: &[usize], threads: usize) -> ClassLoss {
    let n_classes = classes.iter().map(|class| class + 1).max().unwrap_or(0);
    let columns: Vec<Vec<u8>> =
        (0..n_classes).map(|class| classes.iter().map(|own| u8::from(*own == class)).collect()).collect();
    let views: Vec<&[u8]> = columns.iter().map(Vec::as_slice).collect();
    let whitened = Whitened::new(basis, anchors);
    let basis = whitened.as_ref().map_or(basis, |whitened| &whitened.basis);
    let problem = Problem::new(basis, &views, anchors, threads);
    let counted: Vec<usize> = problem.counted().collect();
    let norm = problem.norm();
    let loss = |share: f64| {
        let left_out = problem.left_out(share * norm);
        let margins = &left_out.margins;
        let wrong = counted.iter().enumerate().filter(|&(at, &object)| {
            let own = classes[object] as usize;
            // Heights of other classes are the negatives of their margins.
            (0..margins.len()).any(|class| class != own && -margins[class][at] >= margins[own][at])
        });
        ClassLoss { error: wrong.count() as f64 / counted.len().max(1) as f64, square: left_out.square() }
    };
    let least = |a: ClassLoss, b: ClassLoss| ClassLoss { error: a.error.min(b.error), square: a.square.min(b.square) };
    PENALTIES.into_iter().map(loss).fold(ClassLoss { error: 1.0, square: f64::INFINITY }, least)
}
