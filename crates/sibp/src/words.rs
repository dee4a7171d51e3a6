//! Formats numbers for people.

/// A number with its noun: "1 bit", "2 bits".
pub fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{} {noun}s", grouped(n)) }
}

/// A whole number with groups of thousands: 53,910.
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
}
