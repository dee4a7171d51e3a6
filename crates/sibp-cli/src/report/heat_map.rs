//! Draws the codes as a picture: a row an object, grouped by label, a column a bit.

use sibp::codes::Codes;
use sibp::data::Labels;
use sibp_page::base64;
use sibp_paper::drawing::{bit_order, escaped, groups};
use std::fmt::Write;

/// Largest number of rows drawn; of more objects every class gives its share.
const MOST_ROWS: usize = 400;
/// Colour of a set bit, seen on light and on dark pages.
const INK: [u8; 3] = [0x3b, 0x82, 0xf6];

/// The picture, and how many objects it shows.
pub struct HeatMap {
    /// An SVG with the bits inside it as a PNG.
    pub svg: String,
    /// Rows drawn.
    pub n_shown: usize,
}

/// Draws codes, grouped by class where labels are known; the first `n_given` bits stay where they are.
pub fn draw(codes: &Codes, n_given: usize, labels: Option<&Labels>) -> anyhow::Result<HeatMap> {
    let groups = groups(codes.n_objects(), labels);
    let learned = bit_order(codes, &groups).into_iter().filter(|&bit| bit >= n_given);
    let bits: Vec<usize> = (0..n_given).chain(learned).collect();
    let shown: Vec<(String, Vec<usize>)> =
        groups.into_iter().map(|(name, rows)| (name, sampled(rows, codes.n_objects()))).collect();
    let rows: Vec<usize> = shown.iter().flat_map(|(_, rows)| rows.iter().copied()).collect();
    let png = png(codes, &rows, &bits)?;
    Ok(HeatMap { svg: svg(&png, &shown, rows.len(), (n_given, bits.len() - n_given)), n_shown: rows.len() })
}

/// Evenly spaced members of a group, in proportion to its size.
fn sampled(rows: Vec<usize>, n_objects: usize) -> Vec<usize> {
    if n_objects <= MOST_ROWS {
        return rows;
    }
    let n = (rows.len() * MOST_ROWS).div_ceil(n_objects).clamp(1, rows.len());
    (0..n).map(|at| rows[at * rows.len() / n]).collect()
}

/// Encodes the bits as a one-bit palette PNG, transparent where the bit is 0.
fn png(codes: &Codes, rows: &[usize], bits: &[usize]) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, bits.len().max(1) as u32, rows.len() as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::One);
    encoder.set_palette([&[0, 0, 0][..], &INK].concat());
    encoder.set_trns(vec![0, 255]);
    let mut picture = Codes::zeros(rows.len(), bits.len().max(1));
    for (at, &row) in rows.iter().enumerate() {
        for (place, _) in bits.iter().enumerate().filter(|&(_, &bit)| codes.get(row, bit)) {
            picture.set(at, place, true);
        }
    }
    encoder.write_header()?.write_image_data(picture.bytes())?;
    Ok(bytes)
}

/// Draws the bits with the groups' names beside them and thin lines between groups.
fn svg(png: &[u8], groups: &[(String, Vec<usize>)], n_rows: usize, (n_given, n_learned): (usize, usize)) -> String {
    let (left, width, height) = (90.0, 620.0, (n_rows as f64 * 1.6).clamp(120.0, 640.0));
    let mut svg = format!(
        "<svg class=\"wide\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Codes, a row an object\" \
         xmlns=\"http://www.w3.org/2000/svg\"><image x=\"{left}\" y=\"4\" width=\"{width}\" height=\"{height}\" \
         preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>\
         <rect x=\"{left}\" y=\"4\" width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"var(--faint)\"/>",
        left + width + 8.0,
        height + 30.0,
        base64::encode(png)
    );
    let mut above = 0;
    for (at, (name, rows)) in groups.iter().enumerate() {
        let y = |row: f64| 4.0 + height * row / n_rows as f64;
        let middle = y(above as f64 + rows.len() as f64 / 2.0) + 4.0;
        // Writing into a String cannot fail.
        let _ = write!(svg, "<text x=\"{}\" y=\"{middle:.1}\" text-anchor=\"end\">{}</text>", left - 8.0, short(name));
        if at > 0 {
            let line = y(above as f64);
            let _ = write!(
                svg,
                "<line x1=\"{left}\" x2=\"{}\" y1=\"{line:.1}\" y2=\"{line:.1}\" stroke=\"var(--faint)\"/>",
                left + width
            );
        }
        above += rows.len();
    }
    let border = left + width * n_given as f64 / (n_given + n_learned).max(1) as f64;
    let mut below = |from: f64, to: f64, words: String| {
        let (x, y) = (0.5 * (from + to), height + 22.0);
        let _ = write!(svg, "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{words}</text>");
    };
    if n_given > 0 {
        below(left, border, format!("{n_given} given"));
        below(border, left + width, format!("{n_learned} learned"));
        let _ = write!(
            svg,
            "<line x1=\"{border:.1}\" x2=\"{border:.1}\" y1=\"4\" y2=\"{}\" stroke=\"currentColor\" \
             stroke-width=\"2\"/>",
            height + 4.0
        );
    } else {
        below(left, left + width, format!("{n_learned} bits"));
    }
    svg + "</svg>"
}

fn short(name: &str) -> String {
    let text: String =
        if name.chars().count() > 12 { name.chars().take(11).chain(['…']).collect() } else { name.into() };
    escaped(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_bits_stand_apart_and_large_groups_give_their_share() {
        let mut codes = Codes::zeros(4, 3);
        // Bit 2 belongs to class a, bits 0 and 1 to class b.
        for (row, bit) in [(0, 2), (2, 2), (1, 0), (3, 0), (3, 1)] {
            codes.set(row, bit, true);
        }
        let labels = Labels::from_text(&["a", "b", "a", "b"]);
        let map = draw(&codes, 0, Some(&labels)).unwrap();
        assert!(map.svg.contains("data:image/png;base64,iVBOR") && map.n_shown == 4);
        let map = draw(&codes, 2, Some(&labels)).unwrap();
        assert!(map.svg.contains("2 given") && map.svg.contains("1 learned"));
        assert_eq!(sampled((0..1000).collect(), 2000).len(), 200);
    }
}
