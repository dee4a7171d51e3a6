//! Provides slices that live in RAM or in a memory-mapped file, copied to RAM on the first change.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::sync::Arc;

/// A cache line: in an index, one byte of each of 64 codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Line(pub [u8; 64]);

impl Line {
    pub const ZERO: Self = Self([0; 64]);
}

/// Types for which any bytes are a valid value.
///
/// # Safety
/// Every bit pattern must be valid, and there must be no padding.
pub(crate) unsafe trait Plain: Copy {
    /// Converts a value from the little-endian bytes of a mapped file.
    fn to_native(self) -> Self;
}

// SAFETY: a byte.
unsafe impl Plain for u8 {
    fn to_native(self) -> Self {
        self
    }
}

// SAFETY: an integer.
unsafe impl Plain for u64 {
    fn to_native(self) -> Self {
        Self::from_le(self)
    }
}

// SAFETY: any bit pattern is a number or NaN.
unsafe impl Plain for f64 {
    fn to_native(self) -> Self {
        Self::from_bits(u64::from_le(self.to_bits()))
    }
}

// SAFETY: any bit pattern is a number or NaN.
unsafe impl Plain for f32 {
    fn to_native(self) -> Self {
        Self::from_bits(u32::from_le(self.to_bits()))
    }
}

// SAFETY: 64 bytes.
unsafe impl Plain for Line {
    fn to_native(self) -> Self {
        self
    }
}

/// A whole memory-mapped file, read-only.
#[derive(Debug)]
pub(crate) struct Mapping(memmap2::Mmap);

impl Mapping {
    pub fn new(file: &File) -> io::Result<Self> {
        // SAFETY: scratch files have no name that another process could open. Index files are replaced by renaming,
        // never changed in place, and inputs are not changed while they are read; the documentation warns against
        // doing so.
        let map = unsafe { memmap2::Mmap::map(file) }?;
        // A scan reads from front to back, so the system may read ahead. If the advice is refused, only speed is lost.
        #[cfg(unix)]
        let _ = map.advise(memmap2::Advice::Sequential);
        Ok(Self(map))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// A slice that is either owned or mapped.
#[derive(Debug)]
pub(crate) enum Backing<T: Plain> {
    Owned(Vec<T>),
    /// `len` elements from byte `at` of the file.
    Mapped {
        map: Arc<Mapping>,
        at: usize,
        len: usize,
    },
}

impl<T: Plain> Backing<T> {
    /// `len` elements from byte `at` of a mapped file.
    pub fn mapped(map: &Arc<Mapping>, at: usize, len: usize) -> Self {
        let bytes = len.checked_mul(size_of::<T>()).and_then(|n| n.checked_add(at));
        assert!(bytes.is_some_and(|end| end <= map.len()), "the mapped slice ends after the file");
        assert!((map.0.as_ptr() as usize + at).is_multiple_of(align_of::<T>()), "the mapped slice is not aligned");
        let mapped = Self::Mapped { map: map.clone(), at, len };
        if cfg!(target_endian = "big") {
            return Self::Owned(mapped.iter().map(|item| item.to_native()).collect());
        }
        mapped
    }

    /// The elements as an owned vector; a mapped slice is copied first.
    pub fn make_owned(&mut self) -> &mut Vec<T> {
        if matches!(self, Self::Mapped { .. }) {
            let mut items = Vec::with_capacity(self.len());
            advise_huge_pages(&mut items);
            items.extend_from_slice(self);
            *self = Self::Owned(items);
        }
        match self {
            Self::Owned(items) => items,
            Self::Mapped { .. } => unreachable!("a mapped slice was copied above"),
        }
    }

    /// Sets the length; new memory is requested in huge pages.
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

impl<T: Plain> Deref for Backing<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Owned(items) => items,
            Self::Mapped { map, at, len } => {
                // SAFETY: `mapped` checked that the slice is inside the file and aligned; any bytes are a value.
                unsafe { std::slice::from_raw_parts(map.0.as_ptr().add(*at).cast(), *len) }
            }
        }
    }
}

/// Requests huge pages for the vector's memory: a scan from RAM then reads about a third faster.
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
