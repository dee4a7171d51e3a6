//! Lends elements that live in memory or in a mapped file, and copies a mapped file on the first change.

use std::ops::Deref;

/// A slice that is either owned or mapped.
#[derive(Debug)]
pub(crate) enum Backing<T: Copy> {
    Owned(Vec<T>),
}

impl<T: Copy> Backing<T> {
    /// The elements as an owned vector; a mapped slice is copied first.
    pub fn make_owned(&mut self) -> &mut Vec<T> {
        match self {
            Self::Owned(items) => items,
        }
    }
}

impl<T: Copy> Deref for Backing<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Owned(items) => items,
        }
    }
}
