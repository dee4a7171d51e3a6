//! Reads and writes the first 4096 bytes of an index file.

use sha2::{Digest, Sha256};

use super::error::Problem;
use crate::fingerprint::Fingerprint;
use crate::index::planes::{BLOCK, STRIP, STRIPS};
use crate::index::texts::{read_cells, write_cells};
use crate::index::{IndexError, MAX_BITS};

/// Bytes before the codes: a page, so that mapped codes are aligned.
pub(super) const HEADER_BYTES: usize = 4096;

const MAGIC: [u8; 8] = *b"SIBPIDX\0";
/// Newest version that is read. Files that need nothing of it are written as version 1.
pub(super) const VERSION: u32 = 2;

const STORES_IDS: u32 = 1;
const ASCENDING: u32 = 2;
const EXHAUSTED: u32 = 4;
const HAS_ENCODER: u32 = 8;
const NAMED: u32 = 16;

/// Where the checksum of the header stands, by version.
const CHECKSUM_AT: [usize; 2] = [80, 128];
/// Where the names of columns stand.
const COLUMNS_AT: usize = 160;

/// The fields of the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub n_rows: usize,
    pub n_bits: usize,
    pub stores_ids: bool,
    pub ascending: bool,
    pub next_id: Option<u64>,
    pub body_sha256: [u8; 32],
    pub encoder: Option<Fingerprint>,
    /// Names of the columns of texts; where `named`, the first one is of the ids.
    pub columns: Vec<String>,
    pub named: bool,
    /// Bytes of all texts.
    pub text_bytes: u64,
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
        let checksum_at = CHECKSUM_AT[version.saturating_sub(1) as usize];
        if checksum(bytes, version) != bytes[checksum_at..checksum_at + 32] {
            return Err(Problem::Checksum);
        }
        if version == 0 {
            return Err(Problem::Field("version", 0));
        }
        let header = Self::fields(bytes, version)?;
        let expected = header.file_bytes().ok_or(Problem::Field("number of codes", header.n_rows as u64))?;
        if u64_at(bytes, 40) != expected || length != expected {
            return Err(Problem::Length { expected, found: length });
        }
        Ok(header)
    }

    fn fields(bytes: &[u8], version: u32) -> Result<Self, Problem> {
        let flags = u32_at(bytes, 12);
        let is_set = |flag: u32| flags & flag != 0;
        let known = STORES_IDS | ASCENDING | EXHAUSTED | if version > 1 { HAS_ENCODER | NAMED } else { 0 };
        let n_columns = if version > 1 { count(bytes, 120, "number of columns", HEADER_BYTES)? } else { 0 };
        let columns: Vec<String> =
            read_cells(&bytes[COLUMNS_AT..HEADER_BYTES]).take(n_columns).map(str::to_owned).collect();
        let impossible = !is_set(STORES_IDS) && !is_set(ASCENDING) || is_set(NAMED) && n_columns == 0;
        if flags & !known != 0 || impossible {
            return Err(Problem::Field("set of flags", flags.into()));
        }
        if columns.len() != n_columns {
            return Err(Problem::Field("number of columns", n_columns as u64));
        }
        let header = Self {
            n_rows: count(bytes, 16, "number of codes", usize::MAX)?,
            n_bits: count(bytes, 24, "number of bits", MAX_BITS)?,
            stores_ids: is_set(STORES_IDS),
            ascending: is_set(ASCENDING),
            next_id: (!is_set(EXHAUSTED)).then_some(u64_at(bytes, 32)),
            body_sha256: digest_at(bytes, 48),
            encoder: is_set(HAS_ENCODER).then(|| Fingerprint::from_bytes(digest_at(bytes, 80))),
            columns,
            named: is_set(NAMED),
            text_bytes: if version > 1 { u64_at(bytes, 112) } else { 0 },
        };
        if header.n_bits == 0 {
            return Err(Problem::Field("number of bits", 0));
        }
        Ok(header)
    }

    /// The bytes of the header. Columns were checked by [`Self::check_columns`].
    pub fn write(&self) -> Vec<u8> {
        let version = if self.encoder.is_none() && self.columns.is_empty() { 1 } else { 2 };
        let flags = [
            (STORES_IDS, self.stores_ids),
            (ASCENDING, self.ascending),
            (EXHAUSTED, self.next_id.is_none()),
            (HAS_ENCODER, self.encoder.is_some()),
            (NAMED, self.named),
        ];
        let flags = flags.iter().fold(0, |flags, &(flag, is_set)| flags | if is_set { flag } else { 0 });
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend(MAGIC);
        bytes.extend(u32::to_le_bytes(version));
        bytes.extend(u32::to_le_bytes(flags));
        bytes.extend((self.n_rows as u64).to_le_bytes());
        bytes.extend((self.n_bits as u64).to_le_bytes());
        bytes.extend(self.next_id.unwrap_or(0).to_le_bytes());
        bytes.extend(self.file_bytes().unwrap_or(u64::MAX).to_le_bytes());
        bytes.extend(self.body_sha256);
        if version > 1 {
            bytes.extend(self.encoder.map_or([0; 32], |encoder| *encoder.bytes()));
            bytes.extend(self.text_bytes.to_le_bytes());
            bytes.extend((self.columns.len() as u64).to_le_bytes());
            bytes.resize(COLUMNS_AT, 0);
            bytes.extend(cells(&self.columns).unwrap_or_default());
        }
        bytes.resize(HEADER_BYTES, 0);
        let checksum_at = CHECKSUM_AT[version as usize - 1];
        let checksum = checksum(&bytes, version);
        bytes[checksum_at..checksum_at + 32].copy_from_slice(&checksum);
        bytes
    }

    /// Refuses names of columns for which there is no room.
    pub fn check_columns(columns: &[String]) -> Result<(), IndexError> {
        let (n_bytes, most) = (cells(columns)?.len(), HEADER_BYTES - COLUMNS_AT);
        if n_bytes > most { Err(IndexError::ColumnNames { n_bytes, most }) } else { Ok(()) }
    }

    /// Lines of codes; the length of the file was checked, so it fits.
    pub fn n_lines(&self) -> usize {
        self.n_rows.div_ceil(BLOCK) * self.n_bits.div_ceil(8) * STRIPS
    }

    /// Where the ids begin.
    pub fn ids_at(&self) -> usize {
        HEADER_BYTES + self.n_lines() * STRIP
    }

    /// Where the ends of the rows of texts begin.
    pub fn ends_at(&self) -> usize {
        self.ids_at() + if self.stores_ids { 8 * self.n_rows } else { 0 }
    }

    /// Where the texts begin.
    pub fn texts_at(&self) -> usize {
        self.ends_at() + 8 * self.n_rows
    }

    /// Length of the whole file; `None` when it overflows.
    fn file_bytes(&self) -> Option<u64> {
        let rows = self.n_rows as u64;
        let codes = rows.checked_next_multiple_of(BLOCK as u64)?.checked_mul(self.n_bits.div_ceil(8) as u64)?;
        let ids = if self.stores_ids { rows.checked_mul(8)? } else { 0 };
        let ends = if self.columns.is_empty() { 0 } else { rows.checked_mul(8)? };
        let sections = [codes, ids, ends, self.text_bytes];
        let total = sections.iter().try_fold(HEADER_BYTES as u64, |sum, &bytes| sum.checked_add(bytes))?;
        // Lengths beyond what a mapping can have are impossible too.
        isize::try_from(total).ok().map(|_| total)
    }
}

/// The digest of all bytes but the checksum itself; in version 1 of those before it, where those behind it are 0.
fn checksum(bytes: &[u8], version: u32) -> [u8; 32] {
    let at = CHECKSUM_AT[version.saturating_sub(1) as usize];
    let mut digest = Sha256::new().chain_update(&bytes[..at]);
    let behind = &bytes[at + 32..HEADER_BYTES];
    // In version 1 bytes behind the checksum are 0 and not digested; others change the digest, so that they are found.
    if version > 1 || behind.iter().any(|&byte| byte != 0) {
        digest.update(behind);
    }
    digest.finalize().into()
}

fn cells(columns: &[String]) -> Result<Vec<u8>, IndexError> {
    let mut bytes = Vec::new();
    write_cells(&mut bytes, columns)?;
    Ok(bytes)
}

fn count(bytes: &[u8], at: usize, field: &'static str, most: usize) -> Result<usize, Problem> {
    let value = u64_at(bytes, at);
    usize::try_from(value).ok().filter(|&v| v <= most).ok_or(Problem::Field(field, value))
}

fn digest_at(bytes: &[u8], at: usize) -> [u8; 32] {
    let mut digest = [0; 32];
    digest.copy_from_slice(&bytes[at..at + 32]);
    digest
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
