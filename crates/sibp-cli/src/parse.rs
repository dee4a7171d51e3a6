//! Parses the small languages of options: durations, sizes and priors.

use sibp::model::{GammaPrior, LapsePrior};
use std::time::Duration;

/// `30s`, `5m`, `2h`, or seconds without a unit.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let factor = match unit {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("'{unit}' is no unit; use ms, s, m or h, as in 90s")),
    };
    let number: f64 = number.trim().parse().map_err(|_| "write a number and a unit, as in 90s".to_owned())?;
    Duration::try_from_secs_f64(number * factor)
        .ok()
        .filter(|time| !time.is_zero())
        .ok_or_else(|| "it must be more than 0".to_owned())
}

/// `4GB`, `500MB`, or bytes without a unit.
pub fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let factor = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 1.0,
        "KB" | "K" => 1e3,
        "MB" | "M" => 1e6,
        "GB" | "G" => 1e9,
        "TB" | "T" => 1e12,
        _ => return Err(format!("'{unit}' is no unit; use MB, GB or TB, as in 4GB")),
    };
    let number: f64 = number.trim().parse().map_err(|_| "write a number and a unit, as in 4GB".to_owned())?;
    if number > 0.0 { Ok((number * factor) as u64) } else { Err("it must be more than 0".to_owned()) }
}

/// `3/8`: a chain from 1 on, and the number of chains.
pub fn chain(text: &str) -> Result<(usize, usize), String> {
    let whole = |text: &str| text.parse::<usize>().map_err(|_| "write a chain and the number of chains, as in 3/8");
    let (chain, of) = text.split_once('/').ok_or("write a chain and the number of chains, as in 3/8")?;
    match (whole(chain)?, whole(of)?) {
        (chain, of) if (1..=of).contains(&chain) => Ok((chain, of)),
        (_, 0) => Err("there must be a chain".to_owned()),
        (_, of) => Err(format!("chains are 1 to {of}")),
    }
}

/// `1` (fixed) or `gamma:SHAPE,RATE`.
pub fn weights(text: &str) -> Result<GammaPrior, String> {
    match text.strip_prefix("gamma:") {
        None => number(text).map(GammaPrior::Fixed),
        Some(pair) => two(pair).map(|[shape, rate]| GammaPrior::Gamma { shape, rate }),
    }
}

/// `0.01` (fixed) or `beta:A,B`.
pub fn lapse(text: &str) -> Result<LapsePrior, String> {
    match text.strip_prefix("beta:") {
        None => number(text).map(LapsePrior::Fixed),
        Some(pair) => two(pair).map(|[a, b]| LapsePrior::Beta { a, b }),
    }
}

fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| format!("'{text}' is no number"))
}

fn two(text: &str) -> Result<[f64; 2], String> {
    let (a, b) = text.split_once(',').ok_or("two numbers with a comma are needed")?;
    Ok([number(a)?, number(b)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_help_shows() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert!(
            duration("0").is_err() && duration("-1s").is_err() && duration("3 days").is_err() && duration("s").is_err()
        );
        assert_eq!(size("4GB"), Ok(4_000_000_000));
        assert_eq!(size("1.5m"), Ok(1_500_000));
        assert_eq!(size("100"), Ok(100));
        assert!(size("0GB").is_err() && size("-1GB").is_err() && size("NaN").is_err() && size("4 gallons").is_err());
        assert_eq!(weights("2"), Ok(GammaPrior::Fixed(2.0)));
        assert_eq!(weights("gamma:1,2"), Ok(GammaPrior::Gamma { shape: 1.0, rate: 2.0 }));
        assert_eq!(lapse("beta:1,99"), Ok(LapsePrior::Beta { a: 1.0, b: 99.0 }));
        assert!(lapse("beta:1").is_err());
    }
}
