//! Draws digits in a terminal: half-block characters in greys, or plain ASCII where colours are switched off.

use super::digits::{BRIGHTEST, SIDE};

/// Width of a picture in characters; it is half as many lines high.
pub const WIDTH: usize = 14;

const SHADES: &[u8] = b" .:-=+*#%@";

/// Lines of one picture, `WIDTH` characters wide each.
pub fn lines(pixels: &[f64], in_colour: bool) -> Vec<String> {
    let image = enlarged(pixels);
    (0..WIDTH / 2).map(|line| if in_colour { half_blocks(&image, line) } else { ascii(&image, line) }).collect()
}

/// Two pixels a character: the upper one colours the block, the lower one its background.
fn half_blocks(image: &[f64], line: usize) -> String {
    let grey = |y: usize, x: usize| (24.0 + 231.0 * image[y * WIDTH + x]) as u8;
    let mut text = String::new();
    for x in 0..WIDTH {
        let (up, down) = (grey(2 * line, x), grey(2 * line + 1, x));
        text.push_str(&format!("\x1b[38;2;{up};{up};{up}m\x1b[48;2;{down};{down};{down}m▀"));
    }
    text.push_str("\x1b[0m");
    text
}

fn ascii(image: &[f64], line: usize) -> String {
    let shade = |x: usize| {
        let mean = 0.5 * (image[2 * line * WIDTH + x] + image[(2 * line + 1) * WIDTH + x]);
        char::from(SHADES[(mean * (SHADES.len() - 1) as f64).round() as usize])
    };
    (0..WIDTH).map(shade).collect()
}

/// The digit at `WIDTH` x `WIDTH`, between 0 and 1, by linear interpolation.
fn enlarged(pixels: &[f64]) -> Vec<f64> {
    let at = |y: usize, x: usize| pixels[y * SIDE + x] / BRIGHTEST;
    let place = |i: usize| ((i as f64 + 0.5) * SIDE as f64 / WIDTH as f64 - 0.5).clamp(0.0, (SIDE - 1) as f64);
    let mut image = Vec::with_capacity(WIDTH * WIDTH);
    for (y, x) in (0..WIDTH).flat_map(|y| (0..WIDTH).map(move |x| (y, x))) {
        let (py, px) = (place(y), place(x));
        let (y0, x0) = (py.floor() as usize, px.floor() as usize);
        let (y1, x1) = ((y0 + 1).min(SIDE - 1), (x0 + 1).min(SIDE - 1));
        let (fy, fx) = (py - y0 as f64, px - x0 as f64);
        let upper = at(y0, x0) * (1.0 - fx) + at(y0, x1) * fx;
        let lower = at(y1, x0) * (1.0 - fx) + at(y1, x1) * fx;
        image.push((upper * (1.0 - fy) + lower * fy).clamp(0.0, 1.0));
    }
    image
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bright_square_fills_and_a_dark_one_is_blank() {
        let bright = lines(&[BRIGHTEST; SIDE * SIDE], false);
        assert_eq!(bright, vec!["@".repeat(WIDTH); WIDTH / 2]);
        assert_eq!(lines(&[0.0; SIDE * SIDE], false)[0], " ".repeat(WIDTH));
        let coloured = &lines(&[BRIGHTEST; SIDE * SIDE], true)[0];
        assert_eq!(coloured.matches('▀').count(), WIDTH);
        assert!(coloured.ends_with("\x1b[0m"));
    }
}
