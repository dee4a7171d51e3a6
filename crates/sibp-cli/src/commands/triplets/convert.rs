//! Converts the triplet files of other packages (`sibp triplets convert`).

use super::write::write_judgements;
use crate::failure::usage;
use crate::input::note_of_answers;
use crate::output;
use crate::writing::{ForceArgs, TRIPLETS, Writing};
use anyhow::Context;
use clap::ValueEnum;
use sibp::data::{AtomicFile, Ids};
use sibp::triplets::{Judgements, is_salmon, read_cblearn, read_salmon};
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  sibp triplets convert responses.csv -o triplets.csv
  sibp triplets convert queries.npy --from cblearn --responses answers.npy -o triplets.csv

salmon: the CSV of responses: head is the anchor, winner near, loser far, puid the judge.
Objects are named by what was shown (a file's name, a text), or by number with --numbers.
cblearn: an array of shape (n, 3), anchor, near, far (list-order); with --responses (True or
1, False or -1, 0 for undecided, 3 for three responses), or a column named response in a
text file, the array holds queries whose first or second object is nearer.";

/// `sibp triplets convert FILE --from salmon|cblearn -o FILE`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Command {
    /// The file to convert: .csv or .tsv, for cblearn also .npy
    file: PathBuf,
    /// Which tool wrote it; files of Salmon are recognised by their header, and --responses means cblearn
    #[arg(long, value_enum)]
    from: Option<Package>,
    /// cblearn: the responses to the queries, one per row: .npy of whole numbers or booleans, or text
    #[arg(long, value_name = "FILE")]
    responses: Option<PathBuf>,
    /// Salmon: name objects by their numbers, not by what was shown
    #[arg(long)]
    numbers: bool,
    /// Where to write: .csv or .tsv; stdout (CSV) if not given
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

/// Who wrote a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Package {
    /// Salmon's responses
    Salmon,
    /// cblearn's arrays
    Cblearn,
}

/// Reads one format and writes the other.
pub fn run(command: &Command) -> anyhow::Result<()> {
    let separator = separator(command.out.as_deref())?;
    let read_files = [&command.file].into_iter().chain(&command.responses);
    Writing::reading(read_files, command.force).check_any(command.out.as_ref(), TRIPLETS)?;
    let (judgements, ids) = read(command)?;
    match &command.out {
        Some(path) => {
            let refused = || format!("{}: cannot write", path.display());
            let mut file = AtomicFile::create(path).with_context(refused)?;
            write_judgements(&mut file, &judgements, &ids, separator)?;
            file.commit().with_context(refused)?;
        }
        None => {
            let mut out = output::stdout();
            write_judgements(&mut out, &judgements, &ids, separator)?;
            out.flush()?;
        }
    }
    note_of_answers(&command.file, &judgements.report);
    let (answers, objects) = (judgements.triplets.len(), ids.len());
    let judges = judgements.judges.as_ref().map(|judges| format!(" by {}", output::count(judges.len(), "judge")));
    let (answers, objects) = (output::count(answers, "answer"), output::count(objects, "object"));
    output::say(format!("{answers} about {objects}{}", judges.unwrap_or_default()));
    Ok(())
}

/// The byte between cells, by the ending of the file's name.
pub fn separator(out: Option<&Path>) -> anyhow::Result<char> {
    let Some(path) = out else { return Ok(',') };
    match path.extension().unwrap_or_default().to_string_lossy().to_lowercase().as_str() {
        "csv" => Ok(','),
        "tsv" => Ok('\t'),
        _ => Err(usage(format!("{}: triplets with their judges are written to .csv or .tsv", path.display()))),
    }
}

fn read(command: &Command) -> anyhow::Result<(Judgements, Ids)> {
    let package = match command.from {
        Some(package) => package,
        None => recognised(command)?,
    };
    match package {
        Package::Salmon if command.responses.is_some() => Err(usage("--responses goes with --from cblearn")),
        Package::Salmon => Ok(read_salmon(&command.file, command.numbers)?),
        Package::Cblearn if command.numbers => Err(usage("--numbers goes with --from salmon")),
        Package::Cblearn => Ok(read_cblearn(&command.file, command.responses.as_deref())?),
    }
}

/// What wrote a file, as far as the file or the options say.
fn recognised(command: &Command) -> anyhow::Result<Package> {
    if command.responses.is_some() {
        return Ok(Package::Cblearn);
    }
    let is_text = !command.file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy"));
    if is_text && is_salmon(&command.file)? {
        return Ok(Package::Salmon);
    }
    Err(usage(format!("{}: nothing says what wrote this file; give --from", command.file.display())))
}
