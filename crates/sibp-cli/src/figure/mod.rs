//! Draws the figures of the paper and the numbers of its tables, as SVG and as PNG.

mod bars;
mod canvas;
mod font;
mod panels;

pub use bars::{Bar, BarPanel, bars, legend};
pub use canvas::Canvas;
pub use panels::{CodePanel, Frame, Marked, codes, points};
