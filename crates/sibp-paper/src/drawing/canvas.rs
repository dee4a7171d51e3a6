//! Collects rectangles, discs and words, and writes them as SVG.

use std::fmt::Write;

/// Red, green, blue.
pub type Colour = [u8; 3];

#[derive(Debug, Clone)]
enum Shape {
    Rectangle { left: f64, top: f64, width: f64, height: f64, colour: Colour },
    Disc { x: f64, y: f64, radius: f64, colour: Colour },
    Words { x: f64, y: f64, size: f64, align: Align, text: String },
}

/// Alignment of a text relative to its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// The text begins at its position.
    Left,
    /// The text ends at its position.
    Right,
}

/// A white drawing area.
#[derive(Debug, Clone)]
pub struct Canvas {
    width: u32,
    height: u32,
    shapes: Vec<Shape>,
}

impl Canvas {
    /// An empty drawing area.
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
}

/// Escapes text for SVG and HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn hex(colour: Colour) -> String {
    colour.iter().fold("#".to_owned(), |text, part| format!("{text}{part:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escaped("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
    }

    #[test]
    fn the_picture_holds_what_was_drawn_in_that_order() {
        let mut canvas = Canvas::new(20, 30);
        canvas.rectangle((2.0, 3.0), (4.0, 0.1), [255, 0, 0]);
        canvas.disc((15.0, 5.0), 2.0, [0, 0, 255]);
        canvas.words((0.0, 29.0), 9.0, Align::Left, "a<b");
        canvas.words((19.5, 29.0), 9.0, Align::Right, "c");
        let svg = canvas.svg();
        let lines: Vec<&str> = svg.lines().collect();
        assert!(lines[0].starts_with("<svg ") && lines[0].contains("viewBox=\"0 0 20 30\""), "{svg}");
        assert_eq!(
            lines[1..],
            [
                "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>",
                "<rect x=\"2.00\" y=\"3.00\" width=\"4.00\" height=\"0.10\" fill=\"#ff0000\"/>",
                "<circle cx=\"15.00\" cy=\"5.00\" r=\"2\" fill=\"#0000ff\"/>",
                "<text x=\"0.00\" y=\"29.00\" font-size=\"9\" text-anchor=\"start\">a&lt;b</text>",
                "<text x=\"19.50\" y=\"29.00\" font-size=\"9\" text-anchor=\"end\">c</text>",
                "</svg>",
            ]
        );
    }
}
