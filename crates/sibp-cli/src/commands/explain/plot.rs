//! Draws why two objects are near or far: a row for each bit, with what drives it.

use super::Words;
use crate::output::percent;
use sibp::pipeline::{BitOfTwo, Explanation};
use sibp_paper::drawing::{Align, Canvas, Colour};

/// Sizes of the drawing.
const WIDTH: u32 = 960;
const ROW: f64 = 34.0;
const TOP: f64 = 74.0;
const CELL: f64 = 22.0;
const SMALL: f64 = 12.0;
/// Where the columns begin: the two objects, weights, inputs, owners.
const PAIR: [f64; 2] = [96.0, 176.0];
const WEIGHT: f64 = 256.0;
const INPUTS: f64 = 356.0;
const OWNERS: f64 = 740.0;
/// Inputs that are drawn for a bit, the width of each, and the longest bar.
const DRIVERS: usize = 3;
const DRIVER: f64 = 124.0;
const BAR: f64 = 70.0;

const PALE: Colour = [0xe8, 0xec, 0xf2];
const BLUE: Colour = [0x3b, 0x82, 0xf6];
const ORANGE: Colour = [0xf0, 0x7d, 0x24];
const GREY: Colour = [0x9a, 0xa4, 0xb2];
const DIFFERS: Colour = [0xff, 0xf4, 0xe6];

/// The drawing as SVG: the first `n_shown` bits, those that differ on a coloured ground.
pub fn svg(words: &Words<'_>, pair: [&str; 2], found: &Explanation, n_shown: usize) -> String {
    let mut canvas = Canvas::new(WIDTH, (TOP + ROW * n_shown.max(1) as f64 + 16.0) as u32);
    let title = format!("{} and {}: {} of {} bits differ", pair[0], pair[1], found.distance, found.bits.len());
    canvas.words((16.0, 26.0), 18.0, Align::Left, title);
    for (left, name) in [(16.0, "bit"), (PAIR[0], pair[0]), (PAIR[1], pair[1]), (WEIGHT, "weight, share")] {
        canvas.words((left, TOP - 14.0), SMALL, Align::Left, short(name, 13));
    }
    canvas.words((INPUTS, TOP - 14.0), SMALL, Align::Left, "inputs that drive it (blue: more, orange: less)");
    canvas.words((OWNERS, TOP - 14.0), SMALL, Align::Left, "surest owners");
    let heaviest = found.bits.iter().map(|bit| bit.weight).fold(f64::MIN_POSITIVE, f64::max);
    for (at, bit) in found.bits.iter().take(n_shown).enumerate() {
        draw_bit(&mut canvas, words, bit, TOP + ROW * at as f64, heaviest);
    }
    canvas.svg()
}

fn draw_bit(canvas: &mut Canvas, words: &Words<'_>, bit: &BitOfTwo, top: f64, heaviest: f64) {
    if !bit.agrees() {
        canvas.rectangle((8.0, top - 4.0), (f64::from(WIDTH) - 16.0, ROW - 2.0), DIFFERS);
    }
    let line = top + 16.0;
    canvas.words((16.0, line), SMALL, Align::Left, format!("bit {}", bit.bit));
    for (at, left) in PAIR.into_iter().enumerate() {
        canvas.rectangle((left, top), (CELL, CELL), if bit.has[at] { BLUE } else { PALE });
        if let Some(probabilities) = bit.probabilities {
            canvas.words((left + CELL + 6.0, line), SMALL, Align::Left, format!("{:.2}", probabilities[at]));
        }
    }
    canvas.rectangle((WEIGHT, top + 14.0), (BAR * bit.weight / heaviest, 6.0), GREY);
    canvas.words((WEIGHT, top + 10.0), SMALL, Align::Left, format!("{:.2}, {}", bit.weight, percent(bit.share)));
    for (at, driver) in bit.drivers.iter().take(DRIVERS).enumerate() {
        let left = INPUTS + DRIVER * at as f64;
        let colour = if driver.correlation > 0.0 { BLUE } else { ORANGE };
        canvas.words((left, top + 10.0), SMALL, Align::Left, short(&words.input(driver.input), 18));
        canvas.rectangle((left, top + 14.0), (BAR * driver.correlation.abs(), 6.0), colour);
    }
    canvas.words((OWNERS, line), SMALL, Align::Left, short(&words.owners(bit), 32));
}

/// A text that fits its column.
fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
