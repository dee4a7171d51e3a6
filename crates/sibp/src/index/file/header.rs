//! Reads and writes the first 4096 bytes of an index file.

use sha2::{Digest, Sha256};

use super::error::Problem;
use crate::index::MAX_BITS;
use crate::index::planes::{BLOCK, STRIP, STRIPS};

/// Bytes before the codes: a page, so that mapped codes are aligned.
pub(super) const HEADER_BYTES: usize = 4096;

const MAGIC: [u8; 8] = *b"SIBPIDX\0";
const VERSION: u32 = 1;

const STORES_IDS: u32 = 1;
const ASCENDING: u32 = 2;
const EXHAUSTED: u32 = 4;

/// The fields of the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub n_rows: usize,
    pub n_bits: usize,
    pub stores_ids: bool,
    pub ascending: bool,
    pub next_id: Option<u64>,
    pub body_sha256: [u8; 32],
}

impl Header {
    /// Parses the first bytes of a file of `length` bytes.
    pub fn read(bytes: &[u8], length: u64) -> Result<Self, Problem> {
        if bytes.len() < MAGIC.len() || bytes[..8] != MAGIC {
            return Err(Problem::Foreign);
        }
        if bytes.len() < HEADER_BYTES {
            return Err(Problem::Length { expected: HEADER_BYTES as u64, found: length });
        }
        let version = u32_at(bytes, 8);
        if version > VERSION {
            return Err(Problem::Newer(version));
        }
        if Sha256::digest(&bytes[..80])[..] != bytes[80..112] || bytes[112..].iter().any(|&byte| byte != 0) {
            return Err(Problem::Checksum);
        }
        let flags = u32_at(bytes, 12);
        if version == 0 {
            return Err(Problem::Field("version", 0));
        }
        if flags > (STORES_IDS | ASCENDING | EXHAUSTED) {
            return Err(Problem::Field("set of flags", flags.into()));
        }
        let next = u64_at(bytes, 32);
        let mut body_sha256 = [0; 32];
        body_sha256.copy_from_slice(&bytes[48..80]);
        let header = Self {
            n_rows: count(bytes, 16, "number of codes", usize::MAX)?,
            n_bits: count(bytes, 24, "number of bits", MAX_BITS)?,
            stores_ids: flags & STORES_IDS != 0,
            ascending: flags & ASCENDING != 0,
            next_id: (flags & EXHAUSTED == 0).then_some(next),
            body_sha256,
        };
        if header.n_bits == 0 {
            return Err(Problem::Field("number of bits", 0));
        }
        if !header.stores_ids && !header.ascending {
            return Err(Problem::Field("set of flags", flags.into()));
        }
        let expected = header.file_bytes().ok_or(Problem::Field("number of codes", header.n_rows as u64))?;
        if u64_at(bytes, 40) != expected || length != expected {
            return Err(Problem::Length { expected, found: length });
        }
        Ok(header)
    }

    pub fn write(&self) -> Vec<u8> {
        let mut flags = 0;
        for (flag, is_set) in
            [(STORES_IDS, self.stores_ids), (ASCENDING, self.ascending), (EXHAUSTED, self.next_id.is_none())]
        {
            flags |= if is_set { flag } else { 0 };
        }
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(u32::to_le_bytes(flags));
        bytes.extend((self.n_rows as u64).to_le_bytes());
        bytes.extend((self.n_bits as u64).to_le_bytes());
        bytes.extend(self.next_id.unwrap_or(0).to_le_bytes());
        bytes.extend(self.file_bytes().unwrap_or(u64::MAX).to_le_bytes());
        bytes.extend(self.body_sha256);
        let checksum = Sha256::digest(&bytes);
        bytes.extend(&checksum[..]);
        bytes.resize(HEADER_BYTES, 0);
        bytes
    }

    /// Lines of codes; the length of the file was checked, so it fits.
    pub fn n_lines(&self) -> usize {
        self.n_rows.div_ceil(BLOCK) * self.n_bits.div_ceil(8) * STRIPS
    }

    /// Where the ids begin.
    pub fn ids_at(&self) -> usize {
        HEADER_BYTES + self.n_lines() * STRIP
    }

    /// Length of the whole file; `None` when it overflows.
    fn file_bytes(&self) -> Option<u64> {
        let rows = self.n_rows as u64;
        let codes = rows.checked_next_multiple_of(BLOCK as u64)?.checked_mul(self.n_bits.div_ceil(8) as u64)?;
        let ids = if self.stores_ids { rows.checked_mul(8)? } else { 0 };
        let total = (HEADER_BYTES as u64).checked_add(codes)?.checked_add(ids)?;
        // Lengths beyond what a mapping can have are impossible too.
        isize::try_from(total).ok().map(|_| total)
    }
}

fn count(bytes: &[u8], at: usize, field: &'static str, most: usize) -> Result<usize, Problem> {
    let value = u64_at(bytes, at);
    usize::try_from(value).ok().filter(|&v| v <= most).ok_or(Problem::Field(field, value))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
