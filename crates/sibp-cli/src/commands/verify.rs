//! Checks the samplers by exact and statistical tests (`sibp verify`).

use crate::failure::usage;
use crate::output::{self, Table, count, seconds, significant};
use anyhow::bail;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use sibp::verify::Row;
use sibp::verify::suite::{self, Check, Outcome, Tier};
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::sync::Mutex;

const EXAMPLE: &str = "\
Example:
  sibp verify --quick
  sibp verify --seed 7 --json > verdicts.jsonl
  sibp verify --only sequential --fresh

Values are differences from what must hold, mostly in standard errors; the table shows for each
check the statistic that comes nearest to its limit. --json prints all of them, one line per check.
A sound sampler fails a check about once in 10,000 seeds (calibration: once in 100, enumeration: once in 50;
sequential checks: once in 100,000, so they alone take the seed of --fresh).
Exit code 1 when a check fails.";

/// `sibp verify`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Only the checks that take seconds, not minutes
    #[arg(long)]
    quick: bool,
    /// Only the checks whose name contains this text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Source of all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Draw another seed for the sequential checks, and print it
    #[arg(long)]
    fresh: bool,
    /// Checks that run at the same time
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Print one JSON object per check
    #[arg(long)]
    json: bool,
    /// No progress bar
    #[arg(short, long)]
    quiet: bool,
}

/// Runs the checks and prints their verdicts.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let chosen = |check: &&Check| {
        let named = args.only.as_ref().is_none_or(|text| check.name.contains(text.as_str()));
        named && (check.tier == Tier::Fast || !args.quick)
    };
    let checks: Vec<Check> = suite::checks().into_iter().filter(|check| chosen(&check)).collect();
    if checks.is_empty() {
        return Err(usage("no check has such a name; run 'sibp verify --quick' to see names"));
    }
    let seeds = Seeds::new(args);
    if let Some(fresh) = seeds.fresh {
        eprintln!(
            "fresh seed of the sequential checks: {fresh}; to repeat: sibp verify --only sequential --seed {fresh}"
        );
    }
    let outcomes = watch(&checks, seeds, args);
    if args.json {
        print_json(&checks, &outcomes, seeds)?;
    } else {
        print_table(&checks, &outcomes)?;
    }
    let failed: Vec<String> = checks
        .iter()
        .zip(&outcomes)
        .filter(|(_, outcome)| !outcome.verdict.passed)
        .map(|(check, _)| format!("{} (seed {})", check.name, seeds.of(check)))
        .collect();
    if !failed.is_empty() {
        bail!("{} of {} failed: {}", failed.len(), count(checks.len(), "check"), failed.join("; "));
    }
    Ok(())
}

/// Chooses the seed of each check.
#[derive(Debug, Clone, Copy)]
struct Seeds {
    common: u64,
    fresh: Option<u64>,
}

impl Seeds {
    fn new(args: &Args) -> Self {
        // The standard library's hashers start with random keys. 32 bits are short enough to be typed.
        Self { common: args.seed, fresh: args.fresh.then(|| RandomState::new().hash_one(0) >> 32) }
    }

    fn of(&self, check: &Check) -> u64 {
        self.fresh.filter(|_| check.tier == Tier::Sequential).unwrap_or(self.common)
    }
}

/// Runs the checks with a progress bar.
fn watch(checks: &[Check], seeds: Seeds, args: &Args) -> Vec<Outcome> {
    const UNITS: f64 = 1000.0;
    let target = if args.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(5) };
    let style = ProgressStyle::with_template("{wide_bar} {percent:>3} %  {msg}{elapsed}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("━╸ ");
    let bar = ProgressBar::with_draw_target(Some(checks.len() as u64 * UNITS as u64), target).with_style(style);
    let shares = Mutex::new(vec![0u64; checks.len()]);
    let show = |at: usize, share: f64| {
        let units = (share * UNITS) as u64;
        // The checks report far more often than anyone can see.
        if let Ok(mut shares) = shares.lock()
            && shares[at] != units
        {
            shares[at] = units;
            bar.set_position(shares.iter().sum());
            bar.set_message(format!("{}  ", checks[at].name));
        }
    };
    let outcomes = suite::run(checks, |check| seeds.of(check), usize::from(args.threads), &show);
    bar.finish_and_clear();
    outcomes
}

fn print_table(checks: &[Check], outcomes: &[Outcome]) -> anyhow::Result<()> {
    let mut table =
        Table::new(&["<check", "<verdict", ">values", "<nearest to its limit", ">value", ">limit", ">time"]);
    for (check, outcome) in checks.iter().zip(outcomes) {
        let (name, value, limit) = match outcome.verdict.worst() {
            Some(row) => (row.statistic.clone(), significant(row.value), significant(row.limit)),
            None => Default::default(),
        };
        let verdict = if outcome.verdict.passed { "passed" } else { "FAILED" };
        let rows = outcome.verdict.rows.len().to_string();
        let time = seconds(outcome.time.as_secs_f64());
        table.row([check.name.to_string(), verdict.to_owned(), rows, name, value, limit, time]);
    }
    let mut out = output::stdout();
    table.write(&mut out)?;
    out.flush()?;
    Ok(())
}

fn print_json(checks: &[Check], outcomes: &[Outcome], seeds: Seeds) -> anyhow::Result<()> {
    for (check, outcome) in checks.iter().zip(outcomes) {
        let row = |row: &Row| json!({ "statistic": row.statistic, "value": row.value, "limit": row.limit, "passed": row.passed() });
        let rows: Vec<_> = outcome.verdict.rows.iter().map(row).collect();
        output::print_json(&json!({
            "check": check.name,
            "tier": match check.tier {
                Tier::Fast => "fast",
                Tier::Slow => "slow",
                Tier::Sequential => "sequential",
            },
            "seed": seeds.of(check),
            "passed": outcome.verdict.passed,
            "seconds": outcome.time.as_secs_f64(),
            "rows": rows,
        }))?;
    }
    Ok(())
}
