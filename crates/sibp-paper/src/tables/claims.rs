//! Tests the paper's claims that one row of a table is above another, and reports those that do not hold.

use super::NEIGHBOURS;
use super::results::Row;
use sibp::eval::{EvalError, LEVEL, mean, paired_t_test};

/// The outcome of testing a claim that one row is above another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Above, at the 5 % significance level.
    Holds,
    /// Above, but not significantly; or too few repeats to test.
    NotShown,
    /// Equal or below.
    Fails,
}

/// Number of claims by outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    pub holds: usize,
    pub not_shown: usize,
    pub fails: usize,
}

impl Tally {
    pub fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Holds => self.holds += 1,
            Verdict::NotShown => self.not_shown += 1,
            Verdict::Fails => self.fails += 1,
        }
    }

    /// Summarises the tally in a sentence.
    pub fn words(self) -> String {
        let Self { holds, not_shown, fails } = self;
        format!(
            "Of {} comparisons, {holds} hold at 95 %; **not shown** (the right way, but p ≥ {LEVEL}): {not_shown}; **not \
             so**: {fails}. Each is tested by itself (one-sided paired t-test), without a correction for their number.",
            holds + not_shown + fails
        )
    }
}

/// Difference and p-value at one number of neighbours; a classifier has the same accuracy at all of them.
pub fn above(better: &Row, worse: &Row, k_ix: usize) -> Result<(String, Verdict), EvalError> {
    let at = |row: &'_ Row| row.percent[k_ix.min(row.percent.len() - 1)].clone();
    let (better, worse) = (at(better), at(worse));
    if better.len() < 2 {
        let difference = mean(&better) - mean(&worse);
        let verdict = if difference > 0.0 { Verdict::NotShown } else { Verdict::Fails };
        return Ok((format!("{difference:+.1} (one repeat, no test)"), verdict));
    }
    let test = paired_t_test(&better, &worse)?;
    let (verdict, mark) = match (test.p < LEVEL, test.mean_difference > 0.0) {
        (true, _) => (Verdict::Holds, ""),
        (false, true) => (Verdict::NotShown, ", **not shown**"),
        (false, false) => (Verdict::Fails, ", **not so**"),
    };
    Ok((format!("{:+.1} (p {}{mark})", test.mean_difference, p_value(test.p)), verdict))
}

/// Difference and p-value at several numbers of neighbours, as one cell of a table.
pub fn cell(better: &Row, worse: &Row, k_ixs: &[usize], tally: &mut Tally) -> Result<String, EvalError> {
    let mut parts = Vec::new();
    for &k_ix in k_ixs {
        let (words, verdict) = above(better, worse, k_ix)?;
        tally.add(verdict);
        parts.push(format!("{}-NN {words}", NEIGHBOURS[k_ix]));
    }
    Ok(parts.join("; "))
}

/// Formats a p-value with its significant digits.
pub fn p_value(p: f64) -> String {
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
        Row { entry, reading: String::new(), splits_ix: 0, percent, bits: None, bits_of: Vec::new() }
    }

    #[test]
    fn what_does_not_hold_is_said() {
        let high = row(&[50.0, 52.0, 51.0]);
        let low = row(&[40.0, 41.5, 41.0]);
        let near = row(&[49.0, 53.0, 50.0]);
        let verdict = |a: &Row, b: &Row| above(a, b, 0).unwrap();
        assert_eq!(verdict(&high, &low).1, Verdict::Holds);
        let (words, unsure) = verdict(&high, &near);
        assert_eq!(unsure, Verdict::NotShown);
        assert!(words.starts_with("+0.3 (p 0.3") && words.contains("not shown"), "{words}");
        let (words, against) = verdict(&low, &high);
        assert_eq!(against, Verdict::Fails);
        assert!(words.contains("not so"), "{words}");
        assert_eq!(verdict(&row(&[2.0]), &row(&[1.0])).1, Verdict::NotShown, "one repeat proves nothing");
        let mut tally = Tally::default();
        assert!(cell(&high, &low, &[0, 2], &mut tally).unwrap().contains("15-NN"));
        assert_eq!(tally, Tally { holds: 2, ..Tally::default() });
    }
}
