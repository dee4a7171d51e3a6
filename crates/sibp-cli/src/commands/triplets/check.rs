//! Checks a file of judgements (`sibp triplets check`).

use crate::output::{self, Table, count, grouped, percent};
use serde_json::json;
use sibp::data::{ColumnRef, DataError, Ids, ReadOptions, read_ids};
use sibp::triplets::{
    Agreement, JudgeReport, Judgements, JudgementsReport, RarelyAsked, check_judgements, collect_judgements,
    read_judgements,
};
use std::cmp::Reverse;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Judges that are listed.
const LISTED: usize = 20;

const EXAMPLE: &str = "\
Example:
  sibp triplets check triplets.csv --objects 1797
  sibp triplets check judgements.csv --json

Columns: anchor, near, far; with a header also judge (a name), answer (near, far, tie or
cannot say) or votes_near and votes_far (numbers). Without --ids and --objects, names that
are no numbers are ids, and the objects are those that the file names.

A judge is no better than chance if, of at least 10 answers that can be compared, so few
agree that tossing a coin gives as many with probability above 5 %. Answers are compared
with what most others say on the same question, and with the judge's first answer to it.
Objects are asked about too little with fewer than 5 answers, or a fifth of the median.";

/// `sibp triplets check FILE`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Command {
    /// Judgements: columns anchor, near, far, and optionally judge, answer, votes_near, votes_far
    triplets: PathBuf,
    /// Number of objects; without it, the largest row number + 1
    #[arg(long, value_name = "N", conflicts_with = "ids")]
    objects: Option<usize>,
    /// Ids of all objects; without it, ids are those that the file names
    #[arg(long, value_name = "FILE")]
    ids: Option<PathBuf>,
    /// Column of the ids file, if it has several: its name or its number from 0
    #[arg(long, value_name = "COLUMN", requires = "ids")]
    id_column: Option<String>,
    /// Print JSON, every judge included
    #[arg(long)]
    json: bool,
}

/// Reads, checks and prints.
pub fn run(command: &Command) -> anyhow::Result<()> {
    let path = &command.triplets;
    let (judgements, ids, n_objects) = match (&command.ids, command.objects) {
        (Some(file), _) => {
            let id_column = command.id_column.as_deref().map(ColumnRef::from);
            let ids = read_ids(file, &ReadOptions { id_column, ..ReadOptions::default() })?;
            (read_judgements(path, &ids)?, Some(ids.clone()), ids.len())
        }
        (None, Some(n)) => (read_judgements(path, n)?, None, n),
        (None, None) => read_unknown(path)?,
    };
    let report = check_judgements(n_objects, &judgements, ids.as_ref())?;
    if command.json {
        return output::print_json(&json!(report));
    }
    let mut out = output::stdout();
    print(&mut out, &report)?;
    out.flush()?;
    Ok(())
}

/// Judgements about objects that nothing else names: by row where all names are numbers, else by id.
fn read_unknown(path: &Path) -> Result<(Judgements, Option<Ids>, usize), DataError> {
    match collect_judgements(path) {
        Ok((judgements, ids)) if ids.texts().iter().any(|id| id.parse::<f64>().is_err()) => {
            let n_objects = ids.len();
            Ok((judgements, Some(ids), n_objects))
        }
        // Row numbers need no header guard, and their mistakes have words of their own.
        Ok(_) => by_row(path),
        Err(error) => by_row(path).or(Err(error)),
    }
}

fn by_row(path: &Path) -> Result<(Judgements, Option<Ids>, usize), DataError> {
    let judgements = read_judgements(path, u32::MAX as usize / 3)?;
    let n_objects = judgements.triplets.iter().map(|t| t.anchor.max(t.near).max(t.far) as usize + 1).max();
    Ok((judgements, None, n_objects.unwrap_or(0)))
}

fn print(out: &mut impl Write, report: &JudgementsReport) -> io::Result<()> {
    writeln!(out, "{}", report.triplets)?;
    if !report.reading.is_plain() {
        writeln!(out, "{}", report.reading)?;
    }
    let repeats = &report.repeats;
    write!(out, "repeated questions: {}", grouped(repeats.n_questions))?;
    if let Some(share) = repeats.majority_share() {
        let (contradicted, share) = (grouped(repeats.n_contradicted), percent(share));
        write!(out, "; answered both ways: {contradicted}; answers that go with the majority: {share}")?;
    }
    writeln!(out)?;
    print_rare(out, &report.rarely_asked)?;
    if !report.judges.is_empty() { print_judges(out, &report.judges) } else { Ok(()) }
}

fn print_rare(out: &mut impl Write, rare: &RarelyAsked) -> io::Result<()> {
    write!(out, "objects asked about too little: {}", grouped(rare.n_objects))?;
    if rare.n_objects > 0 {
        let listed: Vec<String> =
            rare.first.iter().map(|object| format!("{} ({})", object.object, object.n_answers)).collect();
        let more = match rare.n_objects - listed.len() {
            0 => String::new(),
            n => format!(" and {} more", grouped(n)),
        };
        write!(out, " (the median has {}): {}{more}", count(rare.median, "answer"), listed.join(", "))?;
    }
    writeln!(out)
}

/// Prints those first that are no better than chance, then by agreement with the others.
fn print_judges(out: &mut impl Write, judges: &[JudgeReport]) -> io::Result<()> {
    let n_flagged = judges.iter().filter(|judge| judge.no_better_than_chance).count();
    writeln!(out, "judges: {}; no better than chance: {}\n", grouped(judges.len()), grouped(n_flagged))?;
    let mut order: Vec<&JudgeReport> = judges.iter().collect();
    let per_mille = |agreement: &Agreement| agreement.share().map_or(1001, |share| (1e3 * share) as u32);
    order.sort_by_key(|judge| (Reverse(judge.no_better_than_chance), per_mille(&judge.with_majority)));
    let mut table = Table::new(&["<judge", ">answers", ">ties", ">with others", ">with self", "<"]);
    let shown = |agreement: &Agreement| match agreement.share() {
        Some(share) => format!("{} of {}", percent(share), grouped(agreement.n_compared)),
        None => "-".into(),
    };
    for judge in order.iter().take(LISTED) {
        let word = if judge.no_better_than_chance { "no better than chance" } else { "" };
        let (answers, ties) = (grouped(judge.n_answers), grouped(judge.n_ties));
        let shares = [shown(&judge.with_majority), shown(&judge.with_self)];
        table.row([judge.judge.clone(), answers, ties].into_iter().chain(shares).chain([word.into()]));
    }
    table.write(out)?;
    match judges.len().saturating_sub(LISTED) {
        0 => Ok(()),
        n => writeln!(out, "and {} more (--json lists all)", grouped(n)),
    }
}
