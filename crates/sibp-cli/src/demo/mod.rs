//! Holds what the demonstration needs: the embedded digits, other methods to compare with, pictures in a terminal.

pub mod compare;
pub mod digits;
pub mod picture;
