//! Lays tensors and metadata out as safetensors with a checksum over every byte.

use super::{FormatError, MAX_HEADER};
use crate::fingerprint::hex;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The beginning of every header; the checksum's digits follow at once.
pub(super) const OPENING: &str = r#"{"__metadata__":{"checksum":""#;
/// Digits of the checksum.
pub(super) const N_DIGITS: usize = 64;
/// Where the checksum's digits begin in the file.
pub(super) const DIGITS_AT: usize = 8 + OPENING.len();

/// The values of a tensor.
#[derive(Debug, Clone)]
pub(super) enum Values<'a> {
    F64(Cow<'a, [f64]>),
    U64(Cow<'a, [u64]>),
    U32(Cow<'a, [u32]>),
    U8(Cow<'a, [u8]>),
}

impl Values<'_> {
    fn dtype(&self) -> &'static str {
        match self {
            Self::F64(_) => "F64",
            Self::U64(_) => "U64",
            Self::U32(_) => "U32",
            Self::U8(_) => "U8",
        }
    }

    fn width(&self) -> usize {
        match self {
            Self::F64(_) | Self::U64(_) => 8,
            Self::U32(_) => 4,
            Self::U8(_) => 1,
        }
    }

    fn n_bytes(&self) -> usize {
        match self {
            Self::F64(values) => 8 * values.len(),
            Self::U64(values) => 8 * values.len(),
            Self::U32(values) => 4 * values.len(),
            Self::U8(values) => values.len(),
        }
    }

    /// Passes the bytes to `sink`, little-endian, in pieces.
    fn pour<E>(&self, sink: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        match self {
            Self::F64(values) => pieces(values, |value| value.to_le_bytes(), sink),
            Self::U64(values) => pieces(values, |value| value.to_le_bytes(), sink),
            Self::U32(values) => pieces(values, |value| value.to_le_bytes(), sink),
            Self::U8(values) => sink(values),
        }
    }
}

fn pieces<T: Copy, const N: usize, E>(
    values: &[T],
    bytes: impl Fn(T) -> [u8; N],
    sink: &mut impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    values.chunks(4096).try_for_each(|chunk| {
        let piece: Vec<u8> = chunk.iter().flat_map(|&value| bytes(value)).collect();
        sink(&piece)
    })
}

/// A named tensor to be written.
#[derive(Debug, Clone)]
pub(super) struct NamedTensor<'a> {
    pub name: String,
    pub shape: Vec<usize>,
    pub values: Values<'a>,
}

/// A whole file that is ready to be written, in pieces, without holding it in memory twice.
#[derive(Debug)]
pub(super) struct Container<'a> {
    /// Length field and header, with the checksum in place.
    head: Vec<u8>,
    tensors: Vec<NamedTensor<'a>>,
}

impl<'a> Container<'a> {
    /// Orders the tensors (widest values first, so that all are aligned; then by name) and computes the checksum.
    pub fn new(
        metadata: BTreeMap<&'static str, String>,
        mut tensors: Vec<NamedTensor<'a>>,
    ) -> Result<Self, FormatError> {
        tensors.sort_by(|a, b| b.values.width().cmp(&a.values.width()).then_with(|| a.name.cmp(&b.name)));
        let head = header(metadata, &tensors)?;
        let mut container = Self { head, tensors };
        let mut hash = Sha256::new();
        let Ok(()) = container.pour(&mut |bytes| {
            hash.update(bytes);
            Ok::<(), std::convert::Infallible>(())
        });
        container.head[DIGITS_AT..DIGITS_AT + N_DIGITS].copy_from_slice(hex(&hash.finalize()).as_bytes());
        Ok(container)
    }

    /// Passes all bytes of the file to `sink`, in order.
    pub fn pour<E>(&self, sink: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        sink(&self.head)?;
        self.tensors.iter().try_for_each(|tensor| tensor.values.pour(sink))
    }
}

/// Length field and header, with zeros for the checksum, padded with spaces to a multiple of 8.
fn header(mut metadata: BTreeMap<&'static str, String>, tensors: &[NamedTensor]) -> Result<Vec<u8>, FormatError> {
    metadata.insert("checksum", "0".repeat(N_DIGITS));
    let mut entries = BTreeMap::from([("__metadata__", json!(metadata))]);
    let mut at = 0;
    for tensor in tensors {
        let end = at + tensor.values.n_bytes();
        let entry = json!({"dtype": tensor.values.dtype(), "shape": tensor.shape, "data_offsets": [at, end]});
        assert!(entries.insert(&tensor.name, entry).is_none(), "the tensor '{}' comes twice", tensor.name);
        at = end;
    }
    let text = json!(entries).to_string();
    assert!(text.starts_with(OPENING), "no key may sort before the metadata and its checksum");
    let length = text.len().next_multiple_of(8);
    if length > MAX_HEADER {
        return Err(FormatError::Limit { what: "the header", value: length as u64, limit: MAX_HEADER as u64 });
    }
    let mut bytes = (length as u64).to_le_bytes().to_vec();
    bytes.extend(text.bytes());
    bytes.resize(8 + length, b' ');
    Ok(bytes)
}

/// Compares the checksum of a whole file with the one it names.
pub(super) fn verify(file: &[u8]) -> Result<(), FormatError> {
    let (Some(opening), Some(digits)) = (file.get(8..DIGITS_AT), file.get(DIGITS_AT..DIGITS_AT + N_DIGITS)) else {
        return Err(FormatError::NotModel);
    };
    if opening != OPENING.as_bytes() {
        return Err(FormatError::NotModel);
    }
    let mut hash = Sha256::new();
    hash.update(&file[..DIGITS_AT]);
    hash.update([b'0'; N_DIGITS]);
    hash.update(&file[DIGITS_AT + N_DIGITS..]);
    let found = hex(&hash.finalize());
    if digits != found.as_bytes() {
        return Err(FormatError::Checksum { expected: String::from_utf8_lossy(digits).into_owned(), found });
    }
    Ok(())
}
