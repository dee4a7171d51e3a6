//! Draws the figures of the paper and the numbers of its tables, as SVG.

mod bars;
mod canvas;
mod order;
mod panels;

pub use bars::{Bar, BarPanel, bars, legend};
pub use canvas::{Align, Canvas, Colour, escaped};
pub use order::{bit_order, groups};
pub use panels::{CodePanel, Frame, Marked, codes, points};
