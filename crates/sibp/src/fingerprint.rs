//! Identifies what made codes, so that codes of one encoder are not compared with those of another.

use sha2::{Digest, Sha256};
use std::fmt;

/// A SHA-256 digest of what the bits of codes mean. Codes can be compared if theirs are equal.
///
/// ```
/// use sibp::fingerprint::{Fingerprint, Digester};
/// let one = Digester::new("example").numbers(&[1.0, 2.0]).finish();
/// assert_eq!(one, Digester::new("example").numbers(&[1.0, 2.0]).finish());
/// assert_ne!(one, Digester::new("example").numbers(&[1.0]).numbers(&[2.0]).finish());
/// assert_eq!(Fingerprint::from_hex(&one.hex()), Some(one));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Takes a digest that was stored.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The digest.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads 64 hexadecimal digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 64 || !digits.is_ascii() {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
            *byte = u8::from_str_radix(text.get(at..at + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// All 64 hexadecimal digits; [`fmt::Display`] gives the first twelve.
    pub fn hex(&self) -> String {
        hex(&self.0)
    }
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hex()[..12])
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

/// Collects the parts of a fingerprint. Every part is preceded by its length, so that no two lists of parts give the
/// same bytes.
#[derive(Debug, Clone)]
pub struct Digester(Sha256);

impl Digester {
    /// Begins with the kind of thing that is digested.
    pub fn new(kind: &str) -> Self {
        Self(Sha256::new()).bytes(kind.as_bytes())
    }

    /// Adds bytes.
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// Adds numbers.
    pub fn numbers(mut self, numbers: &[f64]) -> Self {
        self.0.update((numbers.len() as u64).to_le_bytes());
        numbers.iter().for_each(|number| self.0.update(number.to_le_bytes()));
        self
    }

    /// Adds a count.
    pub fn count(mut self, count: usize) -> Self {
        self.0.update((count as u64).to_le_bytes());
        self
    }

    /// The digest of all parts.
    pub fn finish(self) -> Fingerprint {
        Fingerprint(self.0.finalize().into())
    }
}
