//! Decides how many of the last planes a scan leaves out of its sums, and looks at only for the codes that are left.
//!
//! Sums grow from plane to plane, and nearly all codes are too far already without the last planes. How many can be spared
//! depends on the codes and on how near the nearest are, so it follows what a scan meets. Answers do not depend on it.

/// Comparisons after which the number is looked at again.
const WINDOW: usize = 128;

/// Sparing one plane more multiplies what is left by about this much in random codes.
const GROWTH: f64 = 4.0;

/// How many planes are spared, and how that goes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spared {
    n_planes: usize,
    n_compared: usize,
    n_left: usize,
}

impl Spared {
    /// Planes to spare now.
    #[inline(always)]
    pub fn n_planes(&self) -> usize {
        self.n_planes
    }

    /// Notes how many of some comparisons were left. To finish one of these costs as much as so many planes; at most
    /// so many planes may be spared.
    #[inline(always)]
    pub fn note(&mut self, n_left: usize, n_compared: usize, finish: usize, most: usize) {
        self.n_left += n_left;
        self.n_compared += n_compared;
        if self.n_compared >= WINDOW {
            self.adapt(finish, most);
        }
    }

    #[inline(never)]
    fn adapt(&mut self, finish: usize, most: usize) {
        let cost = self.n_left as f64 * finish as f64 / self.n_compared as f64;
        // One plane more saves one, and adds GROWTH - 1 times this cost; one plane fewer the other way round.
        if cost * (GROWTH - 1.0) < 1.0 {
            self.n_planes = (self.n_planes + 1).min(most);
        } else if cost * (1.0 - 1.0 / GROWTH) > 1.0 {
            self.n_planes = self.n_planes.saturating_sub(1);
        }
        (self.n_compared, self.n_left) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number that is spared where this share of comparisons is left with none spared, after many windows.
    fn settled(share: f64, finish: usize, most: usize) -> usize {
        let mut spared = Spared::default();
        for _ in 0..100 {
            let left = share * GROWTH.powi(spared.n_planes() as i32) * WINDOW as f64;
            spared.note((left as usize).min(WINDOW), WINDOW, finish, most);
        }
        spared.n_planes()
    }

    #[test]
    fn planes_are_spared_while_few_codes_are_left() {
        assert_eq!(settled(1.0, 10, 7), 0, "everything is near");
        assert_eq!(settled(0.0, 10, 7), 7, "nothing is near");
        assert_eq!(settled(0.0, 10, 0), 0);
        assert!([1, 2].contains(&settled(0.002, 15, 7)), "{}", settled(0.002, 15, 7));
        assert!(settled(1e-4, 15, 7) > settled(0.01, 15, 7));
    }
}
