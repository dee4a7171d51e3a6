//! Tests the page's server over real sockets: what it answers, and everything that must not get in.

mod attacks;
mod browser;
mod journal;
mod learning;
mod views;
