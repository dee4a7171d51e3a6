//! Ends a failed command with a message on stderr and an exit code.

use crate::file_kind::FileKind;
use sibp::data::DataError;
use sibp::format::FormatError;
use sibp::index::IndexFileError;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// An invalid combination of options; its exit code is 2, as for an unknown option.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Shorthand for an error about options.
pub fn usage(text: impl Into<String>) -> anyhow::Error {
    anyhow::Error::new(Usage(text.into()))
}

/// Prints the error and returns the exit code: 0 when the reader of our output left early, 2 for wrong options.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        return ExitCode::SUCCESS;
    }
    // A closed stderr cannot be reported anywhere.
    let mut stderr = anstream::stderr();
    let red = anstyle_red();
    let _ = writeln!(stderr, "{red}error:{red:#} {}", message(error));
    if let Some(text) = other_kind(error) {
        let _ = writeln!(stderr, "{text}");
    }
    if error.is::<Usage>() {
        let _ = writeln!(stderr, "\nFor more information, try '--help'.");
        return ExitCode::from(2);
    }
    ExitCode::from(1)
}

/// The error and its causes; a cause that an error quotes itself is not said again.
fn message(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string).filter(|cause| !cause.is_empty()) {
        if text.is_empty() {
            text = cause;
        } else if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Says what the file is, and who takes it, where a file of one kind was given in place of another.
fn other_kind(error: &anyhow::Error) -> Option<String> {
    let (path, needed) = error.chain().find_map(needed)?;
    let found = FileKind::of(path).filter(|found| is_other(found, needed))?;
    Some(format!("{} is {}: {}", path.display(), found.words(), found.commands()?))
}

/// The kind of file that was needed.
#[derive(Debug, Clone, Copy)]
enum Needed {
    /// A model or a hash, of whatever kind the file is not.
    Fitted,
    Index,
    /// A table or an array.
    Data,
}

fn is_other(found: &FileKind, needed: Needed) -> bool {
    match needed {
        Needed::Fitted => true,
        Needed::Index => *found != FileKind::Index,
        // Of tables and arrays the message says what is wrong with their content.
        Needed::Data => matches!(found, FileKind::Model | FileKind::Hash | FileKind::Encoder | FileKind::Index),
    }
}

/// The file that could not be read, and the kind that was needed.
fn needed<'a>(cause: &'a (dyn std::error::Error + 'static)) -> Option<(&'a Path, Needed)> {
    if let Some(FormatError::InFile { file, problem }) = cause.downcast_ref() {
        let is_foreign = matches!(
            **problem,
            FormatError::OtherKind { .. }
                | FormatError::NotSafetensors { .. }
                | FormatError::NotModel
                | FormatError::Limit { .. }
        );
        return is_foreign.then_some((file.as_path(), Needed::Fitted));
    }
    if let Some(IndexFileError::Foreign { path }) = cause.downcast_ref() {
        return Some((path, Needed::Index));
    }
    match cause.downcast_ref() {
        Some(DataError::InFile { file, problem })
            if matches!(**problem, DataError::UnknownFormat { .. } | DataError::Broken { .. }) =>
        {
            Some((file, Needed::Data))
        }
        _ => None,
    }
}

fn anstyle_red() -> clap::builder::styling::Style {
    use clap::builder::styling::{AnsiColor, Style};
    Style::new().bold().fg_color(Some(AnsiColor::Red.into()))
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    };
    error.chain().any(broken)
}
