//! Holds every search equal to a naive loop.

mod naive;
mod search;
mod vote;
