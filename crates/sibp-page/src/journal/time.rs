//! Writes the time of day in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

/// The time now, as in 2026-03-01T12:30:00.250Z.
pub fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    text(since.as_millis() as u64)
}

/// A time in milliseconds since 1970 as a date and a time of day.
fn text(milliseconds: u64) -> String {
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000);
    let (year, month, day) = civil(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{rest:03}Z")
}

/// The date of a day since 1970 (Howard Hinnant's algorithm; years begin in March, so that leap days come last).
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (of_month, civil_month) = (of_year - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    (year + era * 400 + u64::from(civil_month <= 2), civil_month, of_month)
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn known_dates() {
        // By `date -u -d @SECONDS`.
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199, "2024-02-29T23:59:59.000Z"),
            (1_709_251_200, "2024-03-01T00:00:00.000Z"),
            (4_102_444_799, "2099-12-31T23:59:59.000Z"),
        ] {
            assert_eq!(text(1000 * seconds), expected);
        }
        assert_eq!(text(1_709_251_199_042), "2024-02-29T23:59:59.042Z");
    }
}
