//! Tests the paper's claims that one row of a table is above another, and reports those that do not hold.

use super::NEIGHBOURS;
use super::results::Row;
use sibp::eval::{EvalError, LEVEL, PairedTest, corrected_t_test, mean, paired_t_test};

/// Says which tests the p-values of a page are of.
pub const TESTS: &str = "Where two p-values are given, the first is of the paper's one-sided paired t-test, the second of \
    the corrected resampled t-test (Nadeau and Bengio, 2003), which allows for repeats that share objects and is stricter \
    than necessary where they share few.";

/// The outcome of testing a claim that one row is above another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Above, at the 5 % significance level by both tests.
    Holds,
    /// Above, significantly by the plain paired test, not by the corrected one.
    PlainOnly,
    /// Above, but not significantly; or too few repeats to test.
    NotShown,
    /// Equal or below.
    Fails,
}

/// One row against another at one number of neighbours.
#[derive(Debug, Clone, Copy)]
pub struct Comparison {
    /// Mean difference in percent.
    pub difference: f64,
    /// The plain and the corrected test; absent with a single repeat.
    pub tests: Option<[PairedTest; 2]>,
}

impl Comparison {
    /// Compares two rows; a classifier has the same accuracy at all numbers of neighbours.
    pub fn of(better: &Row, worse: &Row, k_ix: usize) -> Result<Self, EvalError> {
        let (first, second) = (at(better, k_ix), at(worse, k_ix));
        let (n_train, n_test) = better.sizes;
        let tests = match first.len() {
            0 | 1 => None,
            _ => Some([paired_t_test(first, second)?, corrected_t_test(first, second, n_train, n_test)?]),
        };
        Ok(Self { difference: mean(first) - mean(second), tests })
    }

    pub fn verdict(&self) -> Verdict {
        match self.tests.map(|tests| tests.map(|test| test.is_significant())) {
            Some([true, true]) => Verdict::Holds,
            Some([true, false]) => Verdict::PlainOnly,
            _ if self.difference > 0.0 => Verdict::NotShown,
            _ => Verdict::Fails,
        }
    }

    /// Whether the first is significantly above the second by the plain test.
    pub fn is_plain(&self) -> bool {
        matches!(self.verdict(), Verdict::Holds | Verdict::PlainOnly)
    }

    /// Difference and p-values, without a verdict.
    pub fn numbers(&self) -> String {
        match self.tests {
            Some(tests) => format!("{:+.1} (p {})", self.difference, p_values(tests)),
            None => format!("{:+.1} (one repeat, no test)", self.difference),
        }
    }

    /// Difference, p-values and what speaks against the claim.
    pub fn words(&self) -> String {
        let mark = match (self.tests, self.verdict()) {
            (None, _) | (_, Verdict::Holds) => "",
            (_, Verdict::PlainOnly) => ", **plain only**",
            (_, Verdict::NotShown) => ", **not shown**",
            (_, Verdict::Fails) => ", **contradicted**",
        };
        let numbers = self.numbers();
        format!("{}{mark})", numbers.strip_suffix(')').unwrap_or(&numbers))
    }
}

/// Percent right of every repeat at one number of neighbours.
fn at(row: &Row, k_ix: usize) -> &[f64] {
    &row.percent[k_ix.min(row.percent.len() - 1)]
}

/// Number of claims by outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    pub holds: usize,
    pub plain_only: usize,
    pub not_shown: usize,
    pub fails: usize,
}

impl Tally {
    pub fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Holds => self.holds += 1,
            Verdict::PlainOnly => self.plain_only += 1,
            Verdict::NotShown => self.not_shown += 1,
            Verdict::Fails => self.fails += 1,
        }
    }

    /// Summarises the tally in sentences.
    pub fn words(self) -> String {
        let Self { holds, plain_only, not_shown, fails } = self;
        format!(
            "Of {} comparisons, {} hold at 95 % by the paired t-test, {holds} of them by the corrected one too (the other \
             {plain_only}: **plain only**); **not shown** (the right sign, but p ≥ {LEVEL}): {not_shown}; **contradicted**: {fails}. \
             Each comparison is tested on its own, without a correction for multiple tests. {TESTS}",
            holds + plain_only + not_shown + fails,
            holds + plain_only,
        )
    }
}

/// Compares two rows at all numbers of neighbours, as one cell of a table.
pub fn cell(better: &Row, worse: &Row, tally: &mut Tally) -> Result<String, EvalError> {
    let mut parts = Vec::new();
    for (k_ix, k) in NEIGHBOURS.iter().enumerate() {
        let comparison = Comparison::of(better, worse, k_ix)?;
        tally.add(comparison.verdict());
        parts.push(format!("{k}-NN {}", comparison.words()));
    }
    Ok(parts.join("; "))
}

/// Both p-values.
pub fn p_values(tests: [PairedTest; 2]) -> String {
    tests.map(|test| p_value(test.p)).join(" / ")
}

/// Formats a p-value with its significant digits.
fn p_value(p: f64) -> String {
    if p < 0.001 { "< 0.001".into() } else { format!("{p:.3}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::entries::{Entry, System};
    use sibp::method::GivenKind;

    fn row(values: &[f64]) -> Row {
        let percent = vec![values.to_vec()];
        let entry = Entry { system: System::Ibp, given: GivenKind::None };
        Row { entry, reading: String::new(), splits_ix: 0, percent, bits: None, sizes: (150, 150) }
    }

    #[test]
    fn what_does_not_hold_is_said() {
        let high = row(&[50.0, 52.0, 51.0]);
        let low = row(&[40.0, 41.5, 41.0]);
        let near = row(&[49.0, 53.0, 50.0]);
        let compared = |a: &Row, b: &Row| Comparison::of(a, b, 0).unwrap();
        assert_eq!(compared(&high, &low).verdict(), Verdict::Holds);
        let unsure = compared(&high, &near);
        assert_eq!(unsure.verdict(), Verdict::NotShown);
        assert!(unsure.words().starts_with("+0.3 (p 0.3") && unsure.words().contains("not shown"), "{unsure:?}");
        let against = compared(&low, &high);
        assert_eq!(against.verdict(), Verdict::Fails);
        assert!(against.words().contains("contradicted"), "{against:?}");
        let one = compared(&row(&[2.0]), &row(&[1.0]));
        assert_eq!(one.verdict(), Verdict::NotShown, "one repeat proves nothing");
        assert_eq!(one.words(), "+1.0 (one repeat, no test)");
        let mut tally = Tally::default();
        let words = cell(&high, &low, &mut tally).unwrap();
        assert!(["1-NN", "3-NN", "15-NN", "30-NN"].iter().all(|k| words.contains(&format!("{k} +10.2"))), "{words}");
        assert_eq!(tally, Tally { holds: 4, ..Tally::default() });
    }

    /// The differences are 3, 1, 2, 4 and 0, for which both p-values are known by hand: 0.024 and 0.15625.
    #[test]
    fn what_holds_by_the_plain_test_alone_is_said() {
        let found = Comparison::of(&row(&[5.0, 4.0, 6.0, 7.0, 2.0]), &row(&[2.0, 3.0, 4.0, 3.0, 2.0]), 3).unwrap();
        assert_eq!(found.verdict(), Verdict::PlainOnly);
        assert_eq!(found.words(), "+2.0 (p 0.024 / 0.156, **plain only**)");
        let mut tally = Tally::default();
        tally.add(found.verdict());
        tally.add(Verdict::Holds);
        assert!(tally.words().starts_with("Of 2 comparisons, 2 hold at 95 % by the paired t-test, 1 of them"));
    }
}
