//! Writes many single-precision numbers to text as hexadecimal digits: short, quick to read, and exact.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

const BYTES: usize = 4;

/// Writes eight digits for each number, its bytes in little-endian order.
pub fn serialize<S: Serializer>(values: &[f32], serializer: S) -> Result<S::Ok, S::Error> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(values.len() * 2 * BYTES);
    for byte in values.iter().flat_map(|value| value.to_le_bytes()) {
        text.push(DIGITS[usize::from(byte >> 4)] as char);
        text.push(DIGITS[usize::from(byte & 15)] as char);
    }
    serializer.serialize_str(&text)
}

/// Reads them back.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f32>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
    match bytes {
        Some(bytes) if bytes.len().is_multiple_of(BYTES) => {
            Ok(bytes.chunks_exact(BYTES).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect())
        }
        _ => Err(D::Error::custom("packed numbers are not eight hexadecimal digits each")),
    }
}

fn byte(digits: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*digits.get(at)?).to_digit(16);
    u8::try_from(digit(0)? << 4 | digit(1)?).ok()
}
