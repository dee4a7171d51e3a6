//! Checks a Parquet file's claims about sizes before the parquet library acts on them.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use super::broken;
use super::thrift::Walker;
use crate::data::DataError;

/// Bytes that any page may decompress to, whatever its length in the file: several times the usual page size.
const FREE: u64 = 1 << 22;
/// Largest factor by which a page may grow beyond that.
const MOST_EXPANSION: u64 = 1000;
/// Bytes of a usual page header, with room to spare.
const HEADER: u64 = 4096;

/// Checks the footer: lists no longer than itself, and every column inside the file.
pub(super) fn check_footer(file: &mut File, file_len: u64) -> Result<(), DataError> {
    let mut tail = [0u8; 8];
    if file_len < 12 {
        return Err(broken("it is too short"));
    }
    read_at(file, file_len - 8, &mut tail)?;
    let (len, magic) = tail.split_at(4);
    if magic != b"PAR1" {
        return Err(broken("it does not end in PAR1 (or it is encrypted)"));
    }
    let len = u64::from(u32::from_le_bytes([len[0], len[1], len[2], len[3]]));
    if len > file_len - 12 {
        return Err(broken(format!("its footer claims {len} bytes")));
    }
    let mut footer = vec![0u8; len as usize];
    read_at(file, file_len - 8 - len, &mut footer)?;
    let mut visit = |path: &[i64], value: i64| {
        let most = match path {
            // Children of a schema element.
            [2, 5] => len,
            // Sizes and offsets of a column's pages.
            [4, 1, 3, 7 | 9 | 11] => file_len,
            // Rows, values, and sizes after decompression.
            [3] | [4, 3] | [4, 1, 3, 5 | 6] => i64::MAX as u64,
            _ => return Ok(()),
        };
        match u64::try_from(value) {
            Ok(value) if value <= most => Ok(()),
            _ => Err(format!("its footer claims an impossible number {value}")),
        }
    };
    Walker::new(&footer).structure(&mut visit).map_err(broken)?;
    Ok(())
}

/// Checks every page header of a column that fills `len` bytes from `start` on.
pub(super) fn check_pages(file: &mut File, file_len: u64, start: u64, len: u64) -> Result<(), DataError> {
    let end =
        start.checked_add(len).filter(|&end| end <= file_len).ok_or_else(|| broken("a column ends outside it"))?;
    let mut at = start;
    let mut buffer = Vec::new();
    while at < end {
        let (header_len, page) = match page_at(file, at, HEADER.min(end - at), &mut buffer) {
            Err(_) if end - at > HEADER => page_at(file, at, end - at, &mut buffer)?,
            other => other?,
        };
        page.check()?;
        at += header_len + page.compressed as u64;
        if at > end {
            return Err(broken("a page ends outside its column"));
        }
    }
    Ok(())
}

/// The sizes a page header claims.
#[derive(Debug, Default)]
struct Page {
    uncompressed: i64,
    compressed: i64,
    n_values: i64,
    n_dictionary: i64,
}

impl Page {
    fn check(&self) -> Result<(), DataError> {
        let all = [self.uncompressed, self.compressed, self.n_values, self.n_dictionary];
        let most = (FREE + MOST_EXPANSION * self.compressed.max(0) as u64).min(i64::MAX as u64) as i64;
        // A dictionary holds its values plainly, so it has no more of them than bytes.
        let fits = self.uncompressed <= most && self.n_values <= most && self.n_dictionary <= self.uncompressed;
        if all.iter().any(|&size| size < 0) || !fits {
            return Err(broken(format!(
                "a page of {} bytes claims {} bytes after decompression and {} values",
                self.compressed,
                self.uncompressed,
                self.n_values.max(self.n_dictionary),
            )));
        }
        Ok(())
    }
}

fn page_at(file: &mut File, at: u64, len: u64, buffer: &mut Vec<u8>) -> Result<(u64, Page), DataError> {
    buffer.resize(len as usize, 0);
    read_at(file, at, buffer)?;
    let mut page = Page::default();
    let mut visit = |path: &[i64], value: i64| {
        match path {
            [2] => page.uncompressed = value,
            [3] => page.compressed = value,
            [5 | 8, 1] => page.n_values = value,
            [7, 1] => page.n_dictionary = value,
            _ => {}
        }
        Ok(())
    };
    let header_len = Walker::new(buffer).structure(&mut visit).map_err(broken)?;
    Ok((header_len as u64, page))
}

fn read_at(file: &mut File, at: u64, buffer: &mut [u8]) -> Result<(), DataError> {
    let done = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(buffer));
    done.map_err(|error| DataError::io("read", &error))
}
