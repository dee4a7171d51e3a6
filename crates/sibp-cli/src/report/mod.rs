//! Writes a model's report as one html file that needs nothing else.

mod base64;
mod chart;
mod heat_map;
mod images;
mod page;

pub use heat_map::{bit_order, groups};
pub use page::{Options, Section, escaped, write};
