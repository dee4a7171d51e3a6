//! Refuses to write over a file that the command reads, or over one of another kind, unless it is told to.

use crate::commands::export::postgres::FIRST_WORDS;
use crate::failure::usage;
use crate::file_kind::FileKind;
use std::path::{Path, PathBuf};

/// Endings that tell what a file is. A result under the ending of another kind would be taken for that.
const ENDINGS: [&str; 18] = [
    "sibp", "sibe", "sibh", "sibx", "sibc", "npy", "csv", "tsv", "tab", "txt", "parquet", "html", "htm", "svg", "json",
    "jsonl", "faiss", "sql",
];

/// Whether anything may be written over.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct ForceArgs {
    /// Overwrite even a file that is read here, or a file of another kind
    #[arg(long)]
    pub force: bool,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A model.
    Model,
    /// A hash, or codes that grew.
    Hash,
    /// An encoder.
    Encoder,
    /// An index of codes.
    Index,
    /// An array of this type of numpy.
    Array(&'static str),
    /// Separated text whose header begins with these columns.
    Table(&'static [&'static str]),
    /// Separated text whose last columns are the bits of codes.
    CodeTable,
    /// A JSON value a line.
    Json,
    /// A page of HTML.
    Page,
    /// A picture as SVG.
    Picture,
    /// A binary index of faiss.
    Faiss,
    /// A Parquet table.
    Parquet,
    /// Statements for psql.
    Sql,
}

/// Codes: packed bytes or 0/1 columns.
pub const CODES: Kind = Kind::Array("|u1");
/// Triplets and questions.
pub const TRIPLETS: Kind = Kind::Table(&["anchor", "near", "far"]);

impl Kind {
    fn words(self) -> &'static str {
        match self {
            Self::Model => "a model",
            Self::Hash => "a hash",
            Self::Encoder => "an encoder",
            Self::Index => "an index",
            Self::Array(_) => "an array",
            Self::Table(_) => "a table of results",
            Self::CodeTable => "a table of codes",
            Self::Json => "lines of JSON",
            Self::Page => "a page of HTML",
            Self::Picture => "a picture",
            Self::Faiss => "an index of faiss",
            Self::Parquet => "a Parquet table",
            Self::Sql => "a file of SQL",
        }
    }

    /// The endings of its files, the usual one first.
    fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Model => &["sibp"],
            Self::Hash => &["sibh"],
            Self::Encoder => &["sibe"],
            Self::Index => &["sibx"],
            Self::Array(_) => &["npy"],
            Self::Table(_) => &["csv", "tsv"],
            Self::CodeTable => &["csv"],
            Self::Json => &["jsonl", "json"],
            Self::Page => &["html", "htm"],
            Self::Picture => &["svg"],
            Self::Faiss => &["faiss"],
            Self::Parquet => &["parquet"],
            Self::Sql => &["sql"],
        }
    }

    /// Whether a file with this content is an earlier result of the same kind.
    fn is(self, found: &FileKind) -> bool {
        match (self, found) {
            (_, FileKind::Empty)
            | (Self::Model, FileKind::Model)
            | (Self::Hash, FileKind::Hash)
            | (Self::Encoder, FileKind::Encoder)
            | (Self::Index, FileKind::Index)
            | (Self::Page, FileKind::Page)
            | (Self::Picture, FileKind::Picture)
            | (Self::Faiss, FileKind::Faiss)
            | (Self::Parquet, FileKind::Parquet) => true,
            (Self::Array(descr), FileKind::Array(found)) => descr == found,
            (Self::Table(columns), FileKind::Text(first)) => {
                let mut names = first.trim_end().split([',', '\t']);
                columns.iter().all(|column| names.next() == Some(column))
            }
            (Self::CodeTable, FileKind::Text(first)) => {
                let bits: Vec<&str> = first.trim_end().split(',').skip_while(|name| *name != "bit0").collect();
                // The last name is cut off where a long header is not read to its end.
                !bits.is_empty() && (0..).zip(&bits).all(|(bit, name)| format!("bit{bit}").starts_with(name))
            }
            (Self::Sql, FileKind::Text(first)) => first.starts_with(FIRST_WORDS),
            (Self::Json, FileKind::Text(first)) => first.starts_with('{'),
            _ => false,
        }
    }
}

/// The files of a command: what it reads, and what it may write over.
#[derive(Debug)]
pub struct Writing {
    read: Vec<PathBuf>,
    written: Vec<PathBuf>,
    force: bool,
}

impl Writing {
    /// A command that reads these files.
    pub fn reading<'a>(read: impl IntoIterator<Item = &'a PathBuf>, force: ForceArgs) -> Self {
        Self { read: read.into_iter().cloned().collect(), written: Vec::new(), force: force.force }
    }

    /// Refuses a file that is read, that another result goes to, that holds something else, or whose name says so.
    pub fn check(&mut self, out: &Path, kind: Kind) -> anyhow::Result<()> {
        let name = out.display();
        let ending = out.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        if ENDINGS.contains(&ending.as_str()) && !kind.endings().contains(&ending.as_str()) {
            let usual = kind.endings()[0];
            return Err(usage(format!("{name}: this is {}, whose name ends in .{usual}, not .{ending}", kind.words())));
        }
        if self.written.iter().any(|other| is_same(other, out)) {
            return Err(usage(format!("{name}: two results cannot go to the same file")));
        }
        self.written.push(out.to_owned());
        if self.force {
            return Ok(());
        }
        if self.read.iter().any(|read| is_same(read, out)) {
            return Err(usage(format!("{name} is read here, and would be lost; choose another name, or say --force")));
        }
        match FileKind::of(out).filter(|found| !kind.is(found)) {
            Some(found) => Err(usage(format!(
                "{name} is {}, and would be replaced by {}; choose another name, or say --force",
                found.words(),
                kind.words()
            ))),
            None => Ok(()),
        }
    }

    /// The same for a result that is not always written.
    pub fn check_any(&mut self, out: Option<&PathBuf>, kind: Kind) -> anyhow::Result<()> {
        out.map_or(Ok(()), |out| self.check(out, kind))
    }
}

/// Whether two paths lead to the same file, through links or not.
pub fn is_same(a: &Path, b: &Path) -> bool {
    a == b || matches!((identity(a), identity(b)), (Some(a), Some(b)) if a == b)
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_replaces_an_earlier_one_and_nothing_else() {
        let text = |line: &str| FileKind::Text(line.to_owned());
        assert!(TRIPLETS.is(&text("anchor,near,far,kind")) && TRIPLETS.is(&text("anchor\tnear\tfar\r")));
        assert!(!TRIPLETS.is(&text("name,anchor,near")) && !TRIPLETS.is(&text("anchor,near")));
        assert!(CODES.is(&FileKind::Array("|u1".into())) && !CODES.is(&FileKind::Array("<f8".into())));
        assert!(Kind::CodeTable.is(&text("id,title,bit0,bit1")) && Kind::CodeTable.is(&text("bit0")));
        assert!(!Kind::CodeTable.is(&text("id,rabbit")) && !Kind::CodeTable.is(&text("bit0,title")));
        assert!(Kind::Model.is(&FileKind::Empty) && !Kind::Page.is(&FileKind::Model));
    }
}
