//! Writes numbers for people, and cells for CSV files.

/// A cell that a CSV reader gives back as it was.
pub fn csv_cell(text: &str, separator: char) -> String {
    if text.contains([separator, '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A duration for people.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// "1 bit", "2 bits".
pub fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{} {noun}s", grouped(n)) }
}

/// A whole number with thin groups: 53,910.
pub fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_group_and_nouns_follow_them() {
        assert_eq!(
            (grouped(1), grouped(999), grouped(53910), grouped(1000000)),
            ("1".into(), "999".into(), "53,910".into(), "1,000,000".into())
        );
        assert_eq!((count(1, "bit"), count(1000, "bit")), ("1 bit".into(), "1,000 bits".into()));
    }

    #[test]
    fn only_cells_that_need_it_are_quoted() {
        assert_eq!((csv_cell("a b", ','), csv_cell("a,b", ';')), ("a b".into(), "a,b".into()));
        assert_eq!(csv_cell("a,\"b\"", ','), "\"a,\"\"b\"\"\"");
    }
}
