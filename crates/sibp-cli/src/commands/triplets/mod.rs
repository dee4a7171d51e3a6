//! Makes triplets from labels and from journals of answers, checks files of judgements, converts those of other packages (`sibp triplets`).

mod check;
mod convert;
mod from_judgements;
mod from_labels;
mod write;

use clap::Subcommand;

const EXAMPLE: &str = "\
Example:
  sibp triplets from-labels y.npy --scheme paired --per-object 30 --seed 1 -o triplets.csv
  sibp triplets from-judgements judgements.jsonl -o triplets.csv
  sibp triplets check triplets.csv
  sibp triplets convert responses.csv -o triplets.csv";

/// `sibp triplets from-labels|from-judgements|check|convert`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make triplets: near objects of the anchor's class, far ones of other classes
    FromLabels(from_labels::Command),
    /// Make triplets from the answers in a journal of `sibp page`, with their judges
    FromJudgements(from_judgements::Command),
    /// Check judgements: contradictions, judges no better than chance, objects asked about too little
    Check(check::Command),
    /// Convert files written by Salmon or cblearn
    Convert(convert::Command),
}

/// Runs the chosen action.
pub fn run(args: &Args) -> anyhow::Result<()> {
    match &args.action {
        Action::FromLabels(command) => from_labels::run(command),
        Action::FromJudgements(command) => from_judgements::run(command),
        Action::Check(command) => check::run(command),
        Action::Convert(command) => convert::run(command),
    }
}
