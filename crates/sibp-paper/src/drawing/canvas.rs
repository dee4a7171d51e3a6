//! Collects rectangles, discs and words, and writes them as SVG or as the dots of a PNG.

use super::font::{ADVANCE, ASCENT, letter};
use std::fmt::Write;

/// Dots of a PNG for each unit of the drawing.
const SCALE: u32 = 2;

/// Red, green, blue.
pub type Colour = [u8; 3];

#[derive(Debug, Clone)]
enum Shape {
    Rectangle { left: f64, top: f64, width: f64, height: f64, colour: Colour },
    Disc { x: f64, y: f64, radius: f64, colour: Colour },
    Words { x: f64, y: f64, size: f64, align: Align, text: String },
}

/// Where words stand relative to their place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// They begin there.
    Left,
    /// They end there.
    Right,
}

/// A white sheet.
#[derive(Debug, Clone)]
pub struct Canvas {
    width: u32,
    height: u32,
    shapes: Vec<Shape>,
}

impl Canvas {
    /// An empty sheet.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, shapes: Vec::new() }
    }

    /// A filled rectangle.
    pub fn rectangle(&mut self, (left, top): (f64, f64), (width, height): (f64, f64), colour: Colour) {
        self.shapes.push(Shape::Rectangle { left, top, width, height, colour });
    }

    /// A filled disc.
    pub fn disc(&mut self, (x, y): (f64, f64), radius: f64, colour: Colour) {
        self.shapes.push(Shape::Disc { x, y, radius, colour });
    }

    /// Words on a line.
    pub fn words(&mut self, (x, y): (f64, f64), size: f64, align: Align, text: impl Into<String>) {
        self.shapes.push(Shape::Words { x, y, size, align, text: text.into() });
    }

    /// The drawing as SVG.
    pub fn svg(&self) -> String {
        let (width, height) = (self.width, self.height);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        );
        for shape in &self.shapes {
            let _ = match shape {
                Shape::Rectangle { left, top, width, height, colour } => writeln!(
                    svg,
                    "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{}\"/>",
                    hex(*colour)
                ),
                Shape::Disc { x, y, radius, colour } => {
                    writeln!(svg, "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" fill=\"{}\"/>", hex(*colour))
                }
                Shape::Words { x, y, size, align, text } => {
                    let anchor = if *align == Align::Left { "start" } else { "end" };
                    writeln!(
                        svg,
                        "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" text-anchor=\"{anchor}\">{}</text>",
                        escaped(text)
                    )
                }
            };
        }
        svg + "</svg>\n"
    }

    /// The drawing as PNG, two dots a unit.
    pub fn png(&self) -> anyhow::Result<Vec<u8>> {
        let mut dots = Dots::new(self.width * SCALE, self.height * SCALE);
        let scale = f64::from(SCALE);
        for shape in &self.shapes {
            match shape {
                Shape::Rectangle { left, top, width, height, colour } => {
                    dots.rectangle((left * scale, top * scale), (width * scale, height * scale), *colour);
                }
                Shape::Disc { x, y, radius, colour } => dots.disc((x * scale, y * scale), radius * scale, *colour),
                Shape::Words { x, y, size, align, text } => {
                    dots.words((x * scale, y * scale), size * scale, *align, text)
                }
            }
        }
        dots.png()
    }
}

/// Text that SVG and html show as it is.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn hex(colour: Colour) -> String {
    colour.iter().fold("#".to_owned(), |text, part| format!("{text}{part:02x}"))
}

/// Rows of dots, three bytes each.
struct Dots {
    width: u32,
    height: u32,
    bytes: Vec<u8>,
}

impl Dots {
    fn new(width: u32, height: u32) -> Self {
        Self { width, height, bytes: vec![255; 3 * (width * height) as usize] }
    }

    fn set(&mut self, x: u32, y: u32, colour: Colour) {
        if x < self.width && y < self.height {
            let at = 3 * (y * self.width + x) as usize;
            self.bytes[at..at + 3].copy_from_slice(&colour);
        }
    }

    /// Every dot whose centre lies inside, and at least one in either direction: thin lines stay.
    fn rectangle(&mut self, (left, top): (f64, f64), (width, height): (f64, f64), colour: Colour) {
        let range = |from: f64, length: f64| {
            let begin = from.round().max(0.0) as u32;
            begin..((from + length).round().max(0.0) as u32).max(begin + 1)
        };
        for y in range(top, height) {
            for x in range(left, width) {
                self.set(x, y, colour);
            }
        }
    }

    fn disc(&mut self, (x, y): (f64, f64), radius: f64, colour: Colour) {
        let near = |at: f64| ((at - radius).floor().max(0.0) as u32)..=((at + radius).ceil().max(0.0) as u32);
        for row in near(y) {
            for column in near(x) {
                if (f64::from(column) + 0.5 - x).hypot(f64::from(row) + 0.5 - y) <= radius {
                    self.set(column, row, colour);
                }
            }
        }
    }

    fn words(&mut self, (x, y): (f64, f64), size: f64, align: Align, text: &str) {
        let dot = (size / 9.0).round().max(1.0) as u32;
        let length = text.chars().count() as u32 * ADVANCE * dot;
        let left = x.max(0.0) as u32;
        let left = if align == Align::Left { left } else { left.saturating_sub(length) };
        let top = (y.max(0.0) as u32).saturating_sub(ASCENT * dot);
        for (place, character) in (0u32..).zip(text.chars()) {
            for (row, bits) in (0u32..).zip(letter(character)) {
                for column in (0..5).filter(|column| bits >> (4 - column) & 1 == 1) {
                    let at = (left + (place * ADVANCE + column) * dot, top + row * dot);
                    self.rectangle((at.0.into(), at.1.into()), (dot.into(), dot.into()), [0x22; 3]);
                }
            }
        }
    }

    fn png(&self) -> anyhow::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header()?.write_image_data(&self.bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escaped("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
    }

    #[test]
    fn both_pictures_hold_what_was_drawn() {
        let mut canvas = Canvas::new(20, 30);
        canvas.rectangle((2.0, 3.0), (4.0, 0.1), [255, 0, 0]);
        canvas.disc((15.0, 5.0), 2.0, [0, 0, 255]);
        canvas.words((0.0, 29.0), 9.0, Align::Left, "a<b");
        let svg = canvas.svg();
        assert!(svg.contains("#ff0000") && svg.contains("<circle") && svg.contains("a&lt;b"), "{svg}");
        let bytes = canvas.png().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut dots = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut dots).unwrap();
        let at = |x: usize, y: usize| &dots[3 * (y * 40 + x)..][..3];
        assert_eq!((at(4, 6), at(4, 8)), (&[255, 0, 0][..], &[255; 3][..]), "a thin line stays, one dot high");
        assert_eq!((at(30, 10), at(39, 10)), (&[0, 0, 255][..], &[255; 3][..]));
    }
}
