//! Appends records to the journal's file, each synced before it counts, and reads them again.

use super::{JournalError, Record};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A journal that this process alone writes to.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Bytes of whole records.
    length: u64,
    /// Whether nothing may be written any more.
    is_broken: bool,
}

/// A journal as it was found.
#[derive(Debug)]
pub struct Opened {
    /// The journal, ready to be written to.
    pub journal: Journal,
    /// Its records.
    pub records: Vec<Record>,
    /// What was cut off at the end, in words: the rest of a line that was being written when the power or the process went.
    pub cut: Option<String>,
}

impl Journal {
    /// Opens a journal or begins one, and keeps all other processes from writing to it.
    pub fn open(path: &Path) -> Result<Opened, JournalError> {
        let refused = |source| JournalError::Io { path: path.to_owned(), source };
        let is_new = !path.exists();
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).clone();
        let mut file = options.open(path).map_err(refused)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::Locked { path: path.to_owned() }),
            Err(TryLockError::Error(source)) => return Err(refused(source)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(refused)?;
        let (whole, torn) = whole_lines(&bytes);
        let records = parse(path, &bytes[..whole])?;
        let mut journal = Self { path: path.to_owned(), file, length: whole as u64, is_broken: false };
        let cut = match torn {
            0 => None,
            n => {
                journal.restore().map_err(refused)?;
                Some(format!("{}: the last line was not whole, so {n} bytes were cut off", path.display()))
            }
        };
        if is_new {
            sync_folder(path).map_err(refused)?;
        }
        Ok(Opened { journal, records, cut })
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves the file to other processes; nothing can be appended from now on.
    pub fn close(&mut self) {
        self.is_broken = true;
        // A lock that cannot be given back ends with the process.
        let _ = self.file.unlock();
    }

    /// Appends records and syncs them. After an error none of them is in the file.
    pub fn append(&mut self, records: &[Record]) -> Result<(), JournalError> {
        if self.is_broken {
            return Err(JournalError::Broken { path: self.path.clone() });
        }
        let mut lines = Vec::new();
        for record in records {
            serde_json::to_writer(&mut lines, record).map_err(|error| self.refused(error.into()))?;
            lines.push(b'\n');
        }
        match self.write(&lines) {
            Ok(()) => {
                self.length += lines.len() as u64;
                Ok(())
            }
            Err(error) => {
                // A part of a line must not stay before the next one.
                self.is_broken = self.restore().is_err();
                Err(self.refused(error))
            }
        }
    }

    fn write(&mut self, lines: &[u8]) -> std::io::Result<()> {
        self.file.seek(SeekFrom::Start(self.length))?;
        self.file.write_all(lines)?;
        self.file.sync_data()
    }

    /// Cuts off what stands behind the last whole record.
    fn restore(&mut self) -> std::io::Result<()> {
        self.file.set_len(self.length)?;
        self.file.sync_data()
    }

    fn refused(&self, source: std::io::Error) -> JournalError {
        JournalError::Io { path: self.path.clone(), source }
    }
}

/// Makes the name of a new file last.
fn sync_folder(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match cfg!(unix) {
        true => File::open(folder)?.sync_all(),
        false => Ok(()),
    }
}

/// Reads the records of a journal that somebody else may be writing to; the rest of a line at its end is passed over.
pub fn read_journal(path: &Path) -> Result<(Vec<Record>, bool), JournalError> {
    let bytes = std::fs::read(path).map_err(|source| JournalError::Io { path: path.to_owned(), source })?;
    let (whole, torn) = whole_lines(&bytes);
    Ok((parse(path, &bytes[..whole])?, torn > 0))
}

/// Bytes up to the end of the last whole line, and behind it.
fn whole_lines(bytes: &[u8]) -> (usize, usize) {
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    (whole, bytes.len() - whole)
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<Record>, JournalError> {
    let lines = bytes.split(|&byte| byte == b'\n');
    let wrong = |line: usize, problem: String| JournalError::Line { path: path.to_owned(), line: line + 1, problem };
    let mut records = Vec::new();
    for (at, line) in lines.enumerate().filter(|(_, line)| !line.is_empty()) {
        let record = serde_json::from_slice(line).map_err(|error| wrong(at, format!("this is no record: {error}")))?;
        match (&record, records.is_empty()) {
            (Record::Journal(head), true) if head.version > super::record::VERSION => {
                return Err(wrong(at, format!("version {} is newer than this program", head.version)));
            }
            (Record::Journal(_), true) => {}
            (Record::Journal(_), false) => return Err(wrong(at, "a second head".into())),
            (_, true) => return Err(wrong(at, "a journal begins with its head".into())),
            (_, false) => {}
        }
        records.push(record);
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::super::{JournalHead, UndoRecord};
    use super::*;

    fn undo(question: &str) -> Record {
        Record::Undo(UndoRecord { question: question.into(), judge: "ann".into(), at: "t".into() })
    }

    fn head() -> Record {
        Record::Journal(JournalHead::new(3, false, "a1"))
    }

    #[test]
    fn what_was_appended_is_there_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j.jsonl");
        let mut opened = Journal::open(&path).unwrap();
        assert!(opened.records.is_empty() && opened.cut.is_none());
        opened.journal.append(&[head(), undo("q1")]).unwrap();
        opened.journal.append(&[undo("q2")]).unwrap();
        assert!(matches!(Journal::open(&path), Err(JournalError::Locked { .. })), "one writer at a time");
        assert_eq!(read_journal(&path).unwrap().0.len(), 3, "readers need no lock");
        opened.journal.close();
        assert!(matches!(opened.journal.append(&[undo("q3")]), Err(JournalError::Broken { .. })));
        assert_eq!(Journal::open(&path).unwrap().records, [head(), undo("q1"), undo("q2")]);
    }

    #[test]
    fn a_line_that_was_cut_off_is_taken_away_and_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j.jsonl");
        Journal::open(&path).unwrap().journal.append(&[head(), undo("q1")]).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let line = serde_json::to_vec(&undo("q2")).unwrap();
        for n in 1..=line.len() {
            std::fs::write(&path, [&whole[..], &line[..n]].concat()).unwrap();
            assert!(read_journal(&path).unwrap().1);
            let mut opened = Journal::open(&path).unwrap();
            assert!(opened.cut.unwrap().contains(&format!("{n} bytes")));
            assert_eq!(opened.records, [head(), undo("q1")]);
            opened.journal.append(&[undo("q3")]).unwrap();
            drop(opened.journal);
            assert_eq!(Journal::open(&path).unwrap().records, [head(), undo("q1"), undo("q3")]);
        }
    }

    #[test]
    fn a_line_in_the_middle_that_is_no_record_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j.jsonl");
        let lines = |lines: &[&str]| std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        let text = |record: &Record| serde_json::to_string(record).unwrap();
        for (wrong, line, problem) in [
            (vec![text(&head()), "{\"record\":".into(), text(&undo("q1"))], 2, "no record"),
            (vec![text(&head()), text(&undo("q1")), text(&head())], 3, "second head"),
            (vec![text(&undo("q1"))], 1, "begins with its head"),
            (vec![text(&head()).replace("\"version\":1", "\"version\":9")], 1, "newer"),
        ] {
            lines(&wrong.iter().map(String::as_str).collect::<Vec<_>>());
            let error = Journal::open(&path).unwrap_err().to_string();
            assert!(error.contains(&format!("line {line}")) && error.contains(problem), "{error}");
            assert!(read_journal(&path).is_err());
        }
    }
}
