//! Decodes the numeric types a `.npy` array can hold.

use crate::data::DataError;
use crate::data::numbers::Precision;

/// The kind of number, with its width in bytes where several exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Signed(usize),
    Unsigned(usize),
    Float(usize),
}

/// A number type and its byte order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Element {
    kind: Kind,
    big_endian: bool,
}

impl Element {
    /// Reads numpy's type text, such as `<f4`.
    pub fn from_descr(descr: &str) -> Result<Self, DataError> {
        let big_endian = match descr.as_bytes().first() {
            Some(b'>') => true,
            Some(b'=') => cfg!(target_endian = "big"),
            _ => false,
        };
        let kind = match descr.trim_start_matches(['<', '>', '|', '=']) {
            "b1" | "?" => Kind::Bool,
            "i1" => Kind::Signed(1),
            "i2" => Kind::Signed(2),
            "i4" => Kind::Signed(4),
            "i8" => Kind::Signed(8),
            "u1" => Kind::Unsigned(1),
            "u2" => Kind::Unsigned(2),
            "u4" => Kind::Unsigned(4),
            "u8" => Kind::Unsigned(8),
            "f2" => Kind::Float(2),
            "f4" => Kind::Float(4),
            "f8" => Kind::Float(8),
            other => return Err(unusable(descr, other)),
        };
        Ok(Self { kind, big_endian })
    }

    /// Bytes a value.
    pub fn size(self) -> usize {
        match self.kind {
            Kind::Bool => 1,
            Kind::Signed(size) | Kind::Unsigned(size) | Kind::Float(size) => size,
        }
    }

    /// Whether every value is a whole number.
    pub fn is_integer(self) -> bool {
        !matches!(self.kind, Kind::Float(_))
    }

    /// Whether every value is true or false.
    pub fn is_boolean(self) -> bool {
        matches!(self.kind, Kind::Bool)
    }

    /// Whether single precision holds every value.
    pub fn fits_single(self) -> bool {
        match self.kind {
            Kind::Bool => true,
            Kind::Signed(size) | Kind::Unsigned(size) => size <= 2,
            Kind::Float(size) => size <= 4,
        }
    }

    /// The precision in which the file's bytes can be used unchanged in memory, if any.
    pub fn as_kept(self) -> Option<Precision> {
        match self.kind {
            _ if self.big_endian => None,
            Kind::Float(4) => Some(Precision::Single),
            Kind::Float(8) => Some(Precision::Double),
            _ => None,
        }
    }

    /// The type's name in numpy.
    pub fn name(self) -> String {
        match self.kind {
            Kind::Bool => "bool".into(),
            Kind::Signed(size) => format!("int{}", 8 * size),
            Kind::Unsigned(size) => format!("uint{}", 8 * size),
            Kind::Float(size) => format!("float{}", 8 * size),
        }
    }

    /// Appends the values that `bytes` hold.
    pub fn decode(self, bytes: &[u8], values: &mut Vec<f64>) {
        let cells = bytes.chunks_exact(self.size());
        match self.kind {
            Kind::Float(4) => values.extend(cells.map(|c| f64::from(f32::from_bits(self.bits(c) as u32)))),
            Kind::Float(8) => values.extend(cells.map(|c| f64::from_bits(self.bits(c)))),
            Kind::Float(_) => values.extend(cells.map(|c| half(self.bits(c) as u16))),
            Kind::Unsigned(1) => values.extend(bytes.iter().map(|&b| f64::from(b))),
            _ => values.extend(cells.map(|c| self.integer(c) as f64)),
        }
    }

    /// The whole number in one cell. A float's bits are not a number: ask [`Self::is_integer`] first.
    pub fn integer(self, cell: &[u8]) -> i128 {
        let bits = self.bits(cell);
        match self.kind {
            Kind::Bool => i128::from(bits != 0),
            Kind::Signed(size) => {
                let unused = 64 - 8 * size as u32;
                i128::from((bits << unused) as i64 >> unused)
            }
            _ => i128::from(bits),
        }
    }

    /// The cell's bytes as the low bits of a word.
    #[inline]
    fn bits(self, cell: &[u8]) -> u64 {
        let mut word = [0u8; 8];
        word[..cell.len()].copy_from_slice(cell);
        if self.big_endian {
            word[..cell.len()].reverse();
        }
        u64::from_le_bytes(word)
    }
}

/// The value of a half-precision number.
pub(crate) fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let fraction = f64::from(bits & 0x3ff);
    match (bits >> 10) & 0x1f {
        0 => sign * fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        exponent => sign * (1.0 + fraction / 1024.0) * 2f64.powi(i32::from(exponent) - 15),
    }
}

fn unusable(descr: &str, bare: &str) -> DataError {
    let (kind, needed) = match bare.as_bytes().first() {
        Some(b'c') => ("complex numbers", "save real numbers, for instance X.real and X.imag side by side"),
        Some(b'O') => ("Python objects", "save numbers, for instance X.astype('float64')"),
        Some(b'U' | b'S' | b'a') => ("text", "save numbers; text belongs into a .csv file"),
        Some(b'M' | b'm') => ("dates or durations", "save numbers, for instance X.astype('int64')"),
        Some(b'f') => ("wide floats", "save X.astype('float64')"),
        _ => ("no plain numbers", "save X.astype('float64')"),
    };
    DataError::WrongType { what: "the array".into(), found: format!("{descr:?} ({kind})"), needed }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(descr: &str, bytes: &[u8]) -> Vec<f64> {
        let mut values = Vec::new();
        Element::from_descr(descr).unwrap().decode(bytes, &mut values);
        values
    }

    #[test]
    fn decodes_every_type_in_both_byte_orders() {
        assert_eq!(decode("<i2", &(-300i16).to_le_bytes()), [-300.0]);
        assert_eq!(decode(">i4", &(-70_000i32).to_be_bytes()), [-70_000.0]);
        assert_eq!(decode(">i8", &i64::MIN.to_be_bytes()), [i64::MIN as f64]);
        assert_eq!(decode("<u8", &u64::MAX.to_le_bytes()), [u64::MAX as f64]);
        assert_eq!(decode("|i1", &[0xff, 0x7f]), [-1.0, 127.0]);
        assert_eq!(decode("|b1", &[0, 1, 2]), [0.0, 1.0, 1.0]);
        assert_eq!(decode(">f4", &1.5f32.to_be_bytes()), [1.5]);
        assert_eq!(decode("=f8", &(-0.1f64).to_ne_bytes()), [-0.1]);
        assert_eq!(Element::from_descr("<u8").unwrap().integer(&u64::MAX.to_le_bytes()), i128::from(u64::MAX));
    }

    #[test]
    fn decodes_half_precision() {
        // Values as printed by numpy.float16.
        for (bits, value) in [(0x3c00, 1.0), (0xc500, -5.0), (0x7bff, 65504.0), (0x0001, 5.960464477539063e-8)] {
            assert_eq!(half(bits), value);
        }
        assert!(half(0x7e00).is_nan() && half(0xfc00) == f64::NEG_INFINITY);
    }

    #[test]
    fn explains_types_it_cannot_use() {
        for (descr, word) in [("<c16", "complex"), ("|O", "Python objects"), ("<U7", "text"), ("<f16", "wide floats")] {
            let message = Element::from_descr(descr).unwrap_err().to_string();
            assert!(message.contains(word) && message.contains(descr), "{message}");
        }
        assert!(Element::from_descr("<i3").is_err() && Element::from_descr("").is_err());
    }
}
