//! Decides which sweeps of a run are kept as draws.

/// The sweeps that are kept: evenly spaced over the last half of the run, the last sweep always among them.
///
/// The plan depends on these two numbers only, so a stopped run keeps what an uninterrupted one keeps.
///
/// ```
/// use sibp::trace::KeepPlan;
/// let plan = KeepPlan::new(100, 5);
/// assert_eq!((1..=100).filter(|&sweep| plan.keeps(sweep)).collect::<Vec<u64>>(), [60, 70, 80, 90, 100]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeepPlan {
    sweeps: u64,
    half: u64,
    kept: u64,
}

impl KeepPlan {
    /// Keeps at most `draws` of `sweeps` sweeps; fewer where the last half is shorter.
    pub fn new(sweeps: u64, draws: usize) -> Self {
        let half = sweeps.div_ceil(2);
        Self { sweeps, half, kept: half.min(draws as u64) }
    }

    /// Sweeps of the whole run.
    pub fn sweeps(&self) -> u64 {
        self.sweeps
    }

    /// Draws that the whole run keeps.
    pub fn n_kept(&self) -> usize {
        self.kept as usize
    }

    /// The kept sweeps, ascending; sweeps count from 1.
    pub fn kept(&self) -> impl Iterator<Item = u64> + use<> {
        let Self { sweeps, half, kept } = *self;
        (0..kept).rev().map(move |from_end| sweeps - distance(from_end, half, kept))
    }

    /// Whether the draw after this many sweeps is kept.
    pub fn keeps(&self, sweep: u64) -> bool {
        let Some(from_end) = self.sweeps.checked_sub(sweep).filter(|&d| d < self.half) else { return false };
        // Rounding down makes the first candidate at most one too low.
        let guess = (u128::from(from_end) * u128::from(self.kept) / u128::from(self.half)) as u64;
        (guess..=guess + 1).any(|at| at < self.kept && distance(at, self.half, self.kept) == from_end)
    }
}

fn distance(from_end: u64, half: u64, kept: u64) -> u64 {
    (u128::from(from_end) * u128::from(half) / u128::from(kept)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_last_half_evenly_with_the_last_sweep() {
        for sweeps in 1..200u64 {
            for draws in [1, 2, 3, 7, 50, 1000] {
                let plan = KeepPlan::new(sweeps, draws);
                let kept: Vec<u64> = plan.kept().collect();
                assert_eq!(kept, (0..=sweeps + 1).filter(|&s| plan.keeps(s)).collect::<Vec<u64>>());
                assert_eq!(kept.len(), plan.n_kept());
                assert_eq!(kept.len() as u64, (draws as u64).min(sweeps.div_ceil(2)));
                assert_eq!(kept.last(), Some(&sweeps));
                assert!(kept[0] > sweeps / 2);
                let gaps: Vec<u64> = kept.windows(2).map(|pair| pair[1] - pair[0]).collect();
                let (least, most) = (gaps.iter().min(), gaps.iter().max());
                assert!(most.unwrap_or(&1) - least.unwrap_or(&1) <= 1, "{gaps:?}");
            }
        }
    }
}
