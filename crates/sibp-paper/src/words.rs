//! Formats numbers for people, and cells for CSV files.

pub use sibp::words::{count, grouped};

/// Quotes a cell where a CSV reader needs it.
pub fn csv_cell(text: &str, separator: char) -> String {
    if text.contains([separator, '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}

/// Formats a share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Formats a duration in seconds.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cells_that_need_it_are_quoted() {
        assert_eq!((csv_cell("a b", ','), csv_cell("a,b", ';')), ("a b".into(), "a,b".into()));
        assert_eq!(csv_cell("a,\"b\"", ','), "\"a,\"\"b\"\"\"");
    }
}
