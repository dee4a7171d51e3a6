//! Tells what kind of file stands at a path, by its first bytes, and which commands take such a file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes that are looked at.
const HEAD: u64 = 4096;

/// The content of a file, as far as its first bytes tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileKind {
    /// A model (.sibp).
    Model,
    /// A hash, or codes that grew (.sibh).
    Hash,
    /// An encoder (.sibe).
    Encoder,
    /// An index of codes (.sibx).
    Index,
    /// An array of numpy, with its type as numpy writes it.
    Array(String),
    /// A Parquet table.
    Parquet,
    /// A binary index of faiss.
    Faiss,
    /// A page of HTML.
    Page,
    /// A picture as SVG.
    Picture,
    /// Text, with its first line.
    Text(String),
    /// Nothing.
    Empty,
    /// Something else.
    Other,
}

impl FileKind {
    /// Looks at a file; `None` where there is none, or none that can be read.
    pub fn of(path: &Path) -> Option<Self> {
        if !std::fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let mut head = Vec::new();
        File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
        Some(Self::of_head(&head))
    }

    fn of_head(head: &[u8]) -> Self {
        let holds = |text: &str| head.windows(text.len()).any(|window| window == text.as_bytes());
        let array = |head: &[u8]| {
            let text = String::from_utf8_lossy(head);
            text.split("'descr': '").nth(1).and_then(|rest| rest.split('\'').next()).unwrap_or_default().to_owned()
        };
        match head {
            [] => Self::Empty,
            _ if head.starts_with(b"\x93NUMPY") => Self::Array(array(head)),
            _ if head.starts_with(b"SIBPIDX\0") => Self::Index,
            _ if head.starts_with(b"PAR1") => Self::Parquet,
            _ if head.starts_with(b"IBMp") || head.starts_with(b"IBxF") => Self::Faiss,
            _ if holds("\"format\":\"sibp-model\"") => Self::Model,
            _ if holds("\"format\":\"sibp-hash\"") => Self::Hash,
            _ if holds("\"format\":\"sibp-encoder\"") => Self::Encoder,
            _ => Self::of_text(head),
        }
    }

    fn of_text(head: &[u8]) -> Self {
        // A character may be cut in two at the end of what was read.
        let whole = match std::str::from_utf8(head) {
            Ok(text) => text,
            Err(error) if error.error_len().is_none() => {
                std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or("")
            }
            Err(_) => return Self::Other,
        };
        let text = whole.trim_start().to_lowercase();
        match () {
            _ if text.contains('\0') => Self::Other,
            _ if text.starts_with("<!doctype html") || text.starts_with("<html") => Self::Page,
            _ if text.starts_with("<svg") || text.starts_with("<?xml") && text.contains("<svg") => Self::Picture,
            _ => Self::Text(whole.lines().next().unwrap_or_default().to_owned()),
        }
    }

    /// What it is, for a message.
    pub fn words(&self) -> String {
        match self {
            Self::Model => "a model".into(),
            Self::Hash => "a hash".into(),
            Self::Encoder => "an encoder".into(),
            Self::Index => "an index of codes".into(),
            Self::Array(descr) => format!("an array of numpy ({})", type_name(descr)),
            Self::Parquet => "a Parquet table".into(),
            Self::Faiss => "an index of faiss".into(),
            Self::Page => "a page of HTML".into(),
            Self::Picture => "a picture".into(),
            Self::Text(first) => format!("text that begins with {:?}", shortened(first)),
            Self::Empty => "empty".into(),
            Self::Other => "a file of another kind".into(),
        }
    }

    /// The commands that take such a file, where it is one of ours.
    pub fn commands(&self) -> Option<&'static str> {
        match self {
            Self::Model => Some(
                "`sibp inspect` describes it, `sibp encode` makes codes by it, `sibp eval` and `sibp predict` take it first \
                 and inputs second",
            ),
            Self::Hash => Some("`sibp inspect` describes it, `sibp encode` makes codes by it"),
            Self::Encoder => Some(
                "`sibp encode` makes codes by it, `sibp search` takes it with --model and --weighted, `sibp inspect` describes it; \
                 it has no draws and no training objects: for these, give the model (.sibp) that it was exported from",
            ),
            Self::Index => Some(
                "`sibp index info` describes it, `sibp search` searches it, `sibp eval` and `sibp predict` take it with queries \
                 and labels, `sibp export --to npy` makes an array of its codes",
            ),
            Self::Array(_) | Self::Parquet | Self::Text(_) => {
                Some("`sibp fit` learns a model from inputs, `sibp index build` makes an index of codes")
            }
            _ => None,
        }
    }
}

/// A type of numpy by its name.
fn type_name(descr: &str) -> String {
    match descr.trim_start_matches(['<', '>', '|', '=']) {
        "f8" => "float64".into(),
        "f4" => "float32".into(),
        "i8" => "int64".into(),
        "i4" => "int32".into(),
        "u1" => "uint8".into(),
        "u8" => "uint64".into(),
        other => other.to_owned(),
    }
}

fn shortened(line: &str) -> String {
    const LONGEST: usize = 40;
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_their_first_bytes() {
        let of = |head: &[u8]| FileKind::of_head(head);
        assert_eq!(of(b""), FileKind::Empty);
        assert_eq!(of(b"\x93NUMPY\x01\x00v\x00{'descr': '|u1', 'fortran"), FileKind::Array("|u1".into()));
        assert_eq!(of(br#"xxxxxxxx{"__metadata__":{"checksum":"0","format":"sibp-hash","#), FileKind::Hash);
        assert_eq!(of(b"  <!DOCTYPE html>\n<html>"), FileKind::Page);
        assert_eq!(of(b"a,b\n1,2\n"), FileKind::Text("a,b".into()));
        assert_eq!(of("é".as_bytes().split_at(1).0), FileKind::Text(String::new()));
        assert_eq!(of(&[0xff, 0xfe, 0]), FileKind::Other);
        assert_eq!(FileKind::of(Path::new("/no/such/file")), None);
        assert_eq!(FileKind::of(Path::new("/")), None);
    }
}
