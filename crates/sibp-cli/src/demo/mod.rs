//! Holds what the demonstration needs: the embedded digits and pictures of them in a terminal.


pub mod digits;
pub mod picture;
