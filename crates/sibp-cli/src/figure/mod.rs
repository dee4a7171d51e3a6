//! Draws the figures of the paper, as SVG and as PNG.

mod canvas;
mod font;
mod panels;

pub use canvas::Canvas;
pub use panels::{CodePanel, Frame, Marked, codes, points};
