//! Writes a model's report as one html file that needs nothing else.

mod bit_table;
pub mod chart;
mod heat_map;
mod images;
mod page;

pub use page::{Options, Section, write};
