//! Parses and writes the header of a `.npy` file, checking every value in it.
//!
//! The header is a Python dictionary with exactly three keys, so a scanner of that one shape is enough; it does not
//! recurse, and reads no more bytes than the file holds.

use std::io::Read;

use super::Element;
use crate::data::DataError;

/// Length of the headers written here: room for any number of rows, so that a stream can fill it in at the end.
pub(super) const WRITTEN_LEN: usize = 128;
/// Longest header accepted; numpy itself refuses headers longer than 10,000 characters.
const LONGEST: usize = 65_536;
const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The header's fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub element: Element,
    pub fortran_order: bool,
    pub shape: Vec<usize>,
    /// Bytes before the data.
    pub len: usize,
}

impl Header {
    /// Reads the header, and checks that the data fill the rest of a file of `file_len` bytes exactly.
    pub fn read(input: &mut impl Read, file_len: u64) -> Result<Self, DataError> {
        let mut start = [0u8; 8];
        fill(input, &mut start)?;
        if &start[..6] != MAGIC {
            return Err(broken("it does not begin with \\x93NUMPY"));
        }
        let mut size = [0u8; 4];
        let size_len = match start[6] {
            1 => 2,
            2 | 3 => 4,
            version => return Err(broken(format!("its format version is {version}; 1, 2 and 3 are known"))),
        };
        fill(input, &mut size[..size_len])?;
        let text_len = u32::from_le_bytes(size) as usize;
        let len = 8 + size_len + text_len;
        if text_len > LONGEST || len as u64 > file_len {
            return Err(broken(format!("its header claims {text_len} bytes")));
        }
        let mut text = vec![0u8; text_len];
        fill(input, &mut text)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let header = Scanner { rest: &text }.header(len)?;
        header.check_length(file_len)?;
        Ok(header)
    }

    /// Number of values, or `None` where it overflows.
    pub fn n_values(&self) -> Option<usize> {
        self.shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d))
    }

    fn check_length(&self, file_len: u64) -> Result<(), DataError> {
        let claimed = self.n_values().and_then(|n| n.checked_mul(self.element.size()));
        let found = file_len - self.len as u64;
        match claimed {
            Some(claimed) if claimed as u64 == found => Ok(()),
            _ => Err(broken(format!(
                "its header claims an array of shape {} with {} bytes a value, but {found} bytes of data follow",
                shape_text(&self.shape),
                self.element.size(),
            ))),
        }
    }
}

/// Builds the 128 bytes that numpy 1.x and later read and write for a small header.
pub(super) fn written(descr: &str, shape: &str) -> Vec<u8> {
    let dict = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend(((WRITTEN_LEN - 10) as u16).to_le_bytes());
    bytes.extend(dict.as_bytes());
    bytes.resize(WRITTEN_LEN - 1, b' ');
    bytes.push(b'\n');
    bytes
}

/// A shape as Python prints it.
pub(crate) fn shape_text(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        many => format!("({})", many.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn fill(input: &mut impl Read, buffer: &mut [u8]) -> Result<(), DataError> {
    input.read_exact(buffer).map_err(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => broken("it ends inside its header"),
        _ => DataError::io("read", &error),
    })
}

pub(super) fn broken(reason: impl Into<String>) -> DataError {
    DataError::Broken { format: "npy", reason: reason.into() }
}

/// Scans the header's text.
struct Scanner<'a> {
    rest: &'a str,
}

impl Scanner<'_> {
    fn header(mut self, len: usize) -> Result<Header, DataError> {
        let (mut element, mut fortran_order, mut shape) = (None, None, None);
        self.expect('{')?;
        while !self.accept('}') {
            let key = self.string()?;
            self.expect(':')?;
            match key.as_str() {
                "descr" if element.is_none() => element = Some(self.element()?),
                "fortran_order" if fortran_order.is_none() => fortran_order = Some(self.truth()?),
                "shape" if shape.is_none() => shape = Some(self.tuple()?),
                _ => return Err(broken(format!("its header has an unexpected key {key:?}"))),
            }
            if !self.accept(',') {
                self.expect('}')?;
                break;
            }
        }
        match (element, fortran_order, shape, self.rest.trim().is_empty()) {
            (Some(element), Some(fortran_order), Some(shape), true) => {
                Ok(Header { element, fortran_order, shape, len })
            }
            _ => Err(broken("its header must be a dictionary of descr, fortran_order and shape")),
        }
    }

    fn accept(&mut self, token: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: char) -> Result<(), DataError> {
        if self.accept(token) { Ok(()) } else { Err(broken(format!("its header lacks a {token:?}"))) }
    }

    fn string(&mut self) -> Result<String, DataError> {
        let quote = if self.accept('"') { '"' } else { '\'' };
        if quote == '\'' {
            self.expect('\'')?;
        }
        let (text, rest) = self.rest.split_once(quote).ok_or_else(|| broken("its header has an open quote"))?;
        self.rest = rest;
        Ok(text.to_owned())
    }

    fn element(&mut self) -> Result<Element, DataError> {
        if self.accept('[') {
            return Err(DataError::WrongType {
                what: "the array".into(),
                found: "a record of several fields".into(),
                needed: "save one plain numeric array",
            });
        }
        Element::from_descr(&self.string()?)
    }

    fn truth(&mut self) -> Result<bool, DataError> {
        self.rest = self.rest.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err(broken("fortran_order must be True or False"))
    }

    fn tuple(&mut self) -> Result<Vec<usize>, DataError> {
        let mut shape = Vec::new();
        self.expect('(')?;
        while !self.accept(')') {
            self.rest = self.rest.trim_start();
            let n_digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
            let (digits, rest) = self.rest.split_at(n_digits);
            shape.push(digits.parse().map_err(|_| broken("its shape is not a tuple of numbers"))?);
            // Python 2 wrote long integers as 3L.
            self.rest = rest.strip_prefix('L').unwrap_or(rest);
            if !self.accept(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Header, DataError> {
        Scanner { rest: text }.header(0)
    }

    #[test]
    fn reads_what_numpy_and_others_write() {
        let numpy = parse("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n").unwrap();
        assert_eq!((numpy.shape, numpy.fortran_order), (vec![3, 4], false));
        let other = parse("{\"shape\":(3L,),\"fortran_order\":True,\"descr\":\">i2\"}").unwrap();
        assert_eq!((other.shape, other.fortran_order), (vec![3], true));
        assert_eq!(parse("{'descr': '|b1', 'fortran_order': False, 'shape': ()}").unwrap().shape, Vec::<usize>::new());
    }

    #[test]
    fn refuses_every_other_shape_of_text() {
        let plain = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }";
        for (from, to) in [
            ("(3, 4)", "(3, -4)"),
            ("(3, 4)", "(3, 4"),
            ("(3, 4)", "(99999999999999999999999, 4)"),
            ("False", "false"),
            ("'descr'", "'dtype'"),
            ("'shape': (3, 4), ", ""),
            ("'shape'", "'descr': '<f8', 'shape'"),
            (", }", ", } 1"),
            ("{", ""),
        ] {
            let error = parse(&plain.replace(from, to)).unwrap_err();
            assert!(matches!(error, DataError::Broken { format: "npy", .. }), "{from} -> {to}: {error}");
        }
        let record = parse(&plain.replace("'<f8'", "[('a', '<f8')]")).unwrap_err();
        assert!(record.to_string().contains("a record of several fields"));
    }
}
