//! Embeds the handwritten digits, so that tables and demonstration work in any folder.

use anyhow::{Context, bail};
use sibp::data::{Inputs, Labels, Split};

const FEATURES: &[u8] = include_bytes!("../data/features.npy");
const LABELS: &[u8] = include_bytes!("../data/labels.npy");
const SPLITS: [(&str, &str); 2] =
    [("split5.csv", include_str!("../data/split5.csv")), ("split10.csv", include_str!("../data/split10.csv"))];

/// Pixels along each side of a digit.
pub const SIDE: usize = 8;

/// All digits and what they are.
pub fn all() -> anyhow::Result<(Inputs, Labels)> {
    let pixels = bytes_of(FEATURES)?;
    let n = pixels.len() / (SIDE * SIDE);
    let inputs = Inputs::new(n, SIDE * SIDE, pixels.iter().map(|&p| f64::from(p)).collect())?;
    let names: Vec<String> = bytes_of(LABELS)?.iter().map(u8::to_string).collect();
    Ok((inputs, Labels::from_text(&names)))
}

/// The repeats of an embedded split file; `None` for another name.
pub fn splits(name: &str) -> Option<anyhow::Result<Vec<Split>>> {
    let (_, text) = SPLITS.iter().find(|(known, _)| *known == name)?;
    Some(parse_splits(text))
}

fn parse_splits(text: &str) -> anyhow::Result<Vec<Split>> {
    let mut splits: Vec<Split> = Vec::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [repeat, role, row, _] = cells[..] else { bail!("the embedded digits are damaged") };
        let (repeat, row): (usize, usize) = (repeat.parse()?, row.parse()?);
        splits.resize_with(splits.len().max(repeat + 1), Split::default);
        let part = &mut splits[repeat];
        if role == "train" { part.train.push(row) } else { part.test.push(row) }
    }
    Ok(splits)
}

/// The values of an embedded `.npy` of uint8: all that follows the header.
fn bytes_of(npy: &'static [u8]) -> anyhow::Result<&'static [u8]> {
    let length = npy.get(8..10).context("the embedded digits are damaged")?;
    let start = 10 + usize::from(u16::from_le_bytes([length[0], length[1]]));
    if !npy.starts_with(b"\x93NUMPY\x01") || start > npy.len() {
        bail!("the embedded digits are damaged");
    }
    Ok(&npy[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_have_the_promised_sizes() {
        for (name, n) in [("split5.csv", 150), ("split10.csv", 300)] {
            let repeats = splits(name).unwrap().unwrap();
            assert_eq!(repeats.len(), 5);
            assert!(repeats.iter().all(|split| split.train.len() == n && split.test.len() == n));
            assert!(repeats.iter().all(|split| split.train.iter().all(|row| !split.test.contains(row))));
        }
        assert!(splits("split7.csv").is_none());
    }

    #[test]
    fn holds_all_pixels_and_a_label_each() {
        let (inputs, labels) = all().unwrap();
        assert_eq!((inputs.n_objects(), inputs.n_inputs(), labels.len()), (1797, SIDE * SIDE, 1797));
        assert_eq!(labels.names().len(), 10);
        let total: f64 = inputs.values().iter().sum();
        assert_eq!(total, bytes_of(FEATURES).unwrap().iter().map(|&p| f64::from(p)).sum::<f64>());
    }
}
