//! Makes triplets of the answers that people gave to `sibp page` (`sibp triplets from-judgements`).

use super::convert::separator;
use super::write::write_judgements;
use crate::output::{self, count};
use crate::writing::{ForceArgs, TRIPLETS, Writing};
use anyhow::Context;
use clap::ValueEnum;
use sibp::data::AtomicFile;
use sibp_page::journal::{Contradiction, FromJournal, Keep, from_journal, read_journal};
use std::io::Write;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  sibp triplets from-judgements judgements.jsonl -o triplets.csv
  sibp triplets from-judgements judgements.jsonl --keep majority -o triplets.csv

Answers that were withdrawn, and questions that were skipped, make no triplets. With --keep
all a question that was answered both ways has triplets both ways, so that each answer weighs
as much as any other; a model learns from them how often each judge errs. Questions that were
answered both ways are reported on stderr.";

/// Contradictions that are listed.
const LISTED: usize = 10;

/// `sibp triplets from-judgements FILE -o FILE`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Command {
    /// The journal, which a page may still be writing to
    journal: PathBuf,
    /// Which answers become triplets
    #[arg(long, value_enum, default_value = "all")]
    keep: KeepArg,
    /// Where to write: .csv or .tsv; stdout (CSV) if not given
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

/// Which answers become triplets, on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KeepArg {
    /// Every answer, with its judge
    All,
    /// One triplet per question, by majority; none if both sides have as many answers
    Majority,
}

/// Reads the journal and writes triplets.
pub fn run(command: &Command) -> anyhow::Result<()> {
    let separator = separator(command.out.as_deref())?;
    Writing::reading([&command.journal], command.force).check_any(command.out.as_ref(), TRIPLETS)?;
    let (records, is_torn) = read_journal(&command.journal)?;
    let keep = match command.keep {
        KeepArg::All => Keep::All,
        KeepArg::Majority => Keep::Majority,
    };
    let found =
        from_journal(&records, keep).map_err(|problem| anyhow::anyhow!("{}: {problem}", command.journal.display()))?;
    match &command.out {
        Some(path) => {
            let refused = || format!("{}: cannot write", path.display());
            let mut file = AtomicFile::create(path).with_context(refused)?;
            write_judgements(&mut file, &found.judgements, &found.ids, separator)?;
            file.commit().with_context(refused)?;
        }
        None => {
            let mut out = output::stdout();
            write_judgements(&mut out, &found.judgements, &found.ids, separator)?;
            out.flush()?;
        }
    }
    if is_torn {
        output::say("note: the last line is not whole, as it is being written or was cut off; it is passed over");
    }
    tell(&found, keep);
    Ok(())
}

/// Says what became of the answers, and where they contradict each other.
fn tell(found: &FromJournal, keep: Keep) {
    let judges = found.judgements.judges.as_ref().map(|judges| format!(" by {}", count(judges.len(), "judge")));
    let triplets = count(found.judgements.triplets.len(), "triplet");
    output::say(format!(
        "{triplets}{} about {}; skipped: {}, taken back: {}",
        judges.unwrap_or_default(),
        count(found.ids.len(), "object"),
        found.n_skipped,
        found.n_undone
    ));
    if found.contradictions.is_empty() {
        return;
    }
    let left_out = match keep {
        Keep::Majority if found.n_split > 0 => format!("; left out, as both sides have as many: {}", found.n_split),
        _ => String::new(),
    };
    output::warn(format!("questions answered both ways: {}{left_out}", found.contradictions.len()));
    for Contradiction { anchor, one, other, votes } in found.contradictions.iter().take(LISTED) {
        output::say(format!("  {anchor}: {one} {} : {} {other}", votes.0, votes.1));
    }
    if found.contradictions.len() > LISTED {
        output::say(format!("  and {} more", found.contradictions.len() - LISTED));
    }
}
