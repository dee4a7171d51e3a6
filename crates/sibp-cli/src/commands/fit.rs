//! Learns codes from inputs and labels or triplets (`sibp fit`).

use crate::choices::ModelArg;
use crate::failure::usage;
use crate::fit::{problem, run as fit_run, schedule};
use crate::input::memory::{MemoryArgs, Telling};
use crate::input::{FromLabelsArgs, MissingArgs, SplitArgs, TableArgs};
use crate::output;
use crate::writing::{ForceArgs, Kind, Writing};
use crate::{interrupt, parse};
use clap::ValueEnum;
use sibp::format::checkpoint_path;
use sibp::model::{DecayChoice, GammaPrior, LapsePrior, Link, ModelOptions, PreferencePrior, Preset, Schedule, Start};
use sibp::pipeline::Effort;
use sibp::run::{Clock, RunEnd};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

const EXAMPLE: &str = "\
Example:
  sibp fit X.npy --labels y.npy --preset hash --seed 1 --sweeps 500 --chains 2 -o m.sibp
  sibp fit X.csv --id-column name --triplets judgements.csv -o m.sibp
  sibp fit X.npy --labels y.npy --sweeps 5000 --time-limit 10m -o m.sibp
  sibp fit X.npy --labels y.npy --sweeps 5000 --resume -o m.sibp
  sibp fit X.npy --labels y.npy --sweeps 10000 --resume -o m.sibp     (twice as many)
  sibp fit X.npy --labels y.npy --effort best -o m.sibp
  sibp fit X.npy --labels y.npy --tune -o m.sibp
  sibp fit X.npy --triplets all.csv --continue m.sibp -o next.sibp
  sibp fit X.npy --labels y.npy --seed 1 --chain 3/8 -o part3.sibp     (then: sibp merge)
  sibp fit X.npy --labels y.npy --model ddibp --distance output -o m.sibp
  sibp fit --triplets answers.csv -o m.sibp     (objects without inputs)

The same data, settings and seed give the same file on any number of threads. Ctrl-C keeps what
was drawn; --resume continues, and ends with the same bytes as an uninterrupted run. It also
takes a finished model to at least twice as many --sweeps.

Memory: up to 24 bytes per input of an object, 36 per triplet, and for every chain 1 KB per object
and 32 bytes per triplet; --verbose lists the parts. Inputs that do not fit are kept on disk
(--storage, --scratch); what fits nowhere is refused. Fewer --chains, --per-object or inputs
(--transform ...,pca:N) need less, single precision (--transform ...,single) halves the inputs.
Time: a sweep is linear in objects x bits x triplets per object; --time-limit ends a run when
you like.";

/// `sibp fit INPUTS [--labels FILE | --triplets FILE] -o MODEL`
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Inputs: .npy, .csv, .tsv or .parquet, one row per object; may be omitted if there are only triplets
    #[arg(required_unless_present_any = ["print_schedule", "triplets"])]
    pub inputs: Option<PathBuf>,
    /// Where to write the model
    #[arg(short, long, value_name = "FILE", required_unless_present = "print_schedule")]
    pub out: Option<PathBuf>,
    /// Which model: probit and gaussian learn from triplets, ibp and ddibp from inputs alone
    #[arg(long, value_enum, default_value_t)]
    pub model: ModelArg,
    /// What the settings suit: codes for search (hash), the exact likelihood of the paper (paper), human answers, which
    /// contain errors (judgements), or codes that also serve classes not taught yet (open) [default: judgements with
    /// --triplets, else hash]
    #[arg(long, value_enum)]
    pub preset: Option<PresetArg>,
    /// Triplets: columns anchor, near, far (rows of the inputs, or ids), optionally judge, answer, votes_near,
    /// votes_far
    #[arg(long, value_name = "FILE", conflicts_with = "split")]
    pub triplets: Option<PathBuf>,
    /// Bits that the objects already have (.npy): they help to explain triplets, never change, and come first in codes
    #[arg(long, value_name = "FILE")]
    pub given_bits: Option<PathBuf>,
    /// Number of unsupervised bits, which are computed from the inputs only and come last in codes: they tell apart
    /// objects of one class, and classes never taught [default: with --labels, as many as fill codes up to 128 bits or
    /// --max-bits, at most 96; else 0]
    #[arg(long, value_name = "BITS")]
    pub unsupervised_bits: Option<usize>,
    /// Number of given bits, when their file holds packed bytes instead of 0/1 columns
    #[arg(long, value_name = "BITS", requires = "given_bits")]
    pub given_width: Option<usize>,
    /// Transform of the inputs: none, centre, standardise, sqrt, scale, unit, single, pca:N, fourier:N, anchors:N,
    /// laplace:N, or several separated by commas [default: with --labels, the one that best predicts the classes of
    /// left-out objects; with --triplets, the one whose distances agree best with them; centre for models other than
    /// probit]
    #[arg(long, value_name = "STEPS")]
    pub transform: Option<String>,
    /// Choose transform, pseudo-weight and triplets per object by triplets of held-out training objects; options given
    /// on the command line are kept
    #[arg(long, conflicts_with = "resume")]
    pub tune: bool,
    #[command(flatten)]
    pub linking: LinkingArgs,
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub missing: MissingArgs,
    #[command(flatten)]
    pub split: SplitArgs,
    #[command(flatten)]
    pub from_labels: FromLabelsArgs,
    #[command(flatten)]
    pub sampling: SamplingArgs,
    #[command(flatten)]
    pub memory: MemoryArgs,
    #[command(flatten)]
    pub running: RunningArgs,
    #[command(flatten)]
    pub force: ForceArgs,
}

/// Who shares bits with whom in the model ddibp.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Distances (--model ddibp)")]
pub struct LinkingArgs {
    /// What distances are measured between: the transformed inputs, or the labels (0 within a class, 1 between)
    /// [default: input]
    #[arg(long, value_enum)]
    pub distance: Option<DistanceArg>,
    /// How proximity falls with distance: exponential:RATE, window:WIDTH or logistic:CENTRE,SCALE. Without numbers,
    /// they are chosen from the data: proximities sum to a tenth of the number of objects (input), or have nine tenths
    /// of their sum within the class (output) [default: exponential]
    #[arg(long)]
    pub decay: Option<DecayChoice>,
}

/// Distances on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DistanceArg {
    /// Euclidean, between transformed inputs
    Input,
    /// 0 within a class, 1 between classes
    Output,
}

/// How much work a fit may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EffortArg {
    /// A first look: one chain of at most 125 sweeps (4 of 75 with --triplets)
    Quick,
    /// Two chains of at most 500 sweeps (12 of 150 with --triplets)
    Normal,
    /// Eight chains of at most 2,000 sweeps (24 of 600 with --triplets)
    Best,
}

impl From<EffortArg> for Effort {
    fn from(effort: EffortArg) -> Self {
        match effort {
            EffortArg::Quick => Self::Quick,
            EffortArg::Normal => Self::Normal,
            EffortArg::Best => Self::Best,
        }
    }
}

/// What decides the draws.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Sampling")]
pub struct SamplingArgs {
    /// Source of all random numbers, triplets from labels included
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// How much work the fit may do, unless --chains and --sweeps are given. With labels and similarity to anchors or many
    /// inputs, 20 sweeps do (80 with best)
    #[arg(long, value_enum, default_value = "normal")]
    pub effort: EffortArg,
    /// Sweeps of every chain; the first half is burn-in, from which no draw is kept [default: until agreement with
    /// held-out triplets is flat; with --time-limit or --no-rehearsal, or without triplets, as many as the effort
    /// allows]
    #[arg(long)]
    pub sweeps: Option<u64>,
    /// Number of chains [default: 1, 2 or 8 by --effort; for labels of at most 500 objects that chose similarity to anchors 1, 8
    /// or 16; with --triplets 4, 12 or 24]
    #[arg(long)]
    pub chains: Option<usize>,
    /// Run only the K-th of N chains; `sibp merge` makes one model of them all, with the same bytes as a single
    /// run with --chains N
    #[arg(long, value_name = "K/N", value_parser = parse::chain, conflicts_with = "chains")]
    pub chain: Option<(usize, usize)>,
    /// Largest number of bits of the code, for instance to fit a database column: if the best draw has more, the code
    /// is distilled from the bits of all chains
    #[arg(long, value_name = "BITS")]
    pub max_bits: Option<usize>,
    /// Number of bits of one code that stands for all chains; 0 for none [default: 128 with --triplets; 64 for labels of at
    /// most 500 objects that chose similarity to anchors, unless --chains or --max-bits is set or there is one chain; else 0]
    #[arg(long, value_name = "BITS")]
    pub distil: Option<usize>,
    /// Skip the extra fit that leaves some triplets out: nothing is reported about held-out triplets, probabilities are
    /// not calibrated, and chains do all the sweeps that the effort allows
    #[arg(long)]
    pub no_rehearsal: bool,
    /// Draws that every chain keeps, evenly spaced over its second half [default: 50; 4 for short chains]
    #[arg(long)]
    pub draws: Option<usize>,
    /// Start every chain from the last draw of the same chain of an earlier fit, which had fewer triplets about the
    /// same objects and whose draws are not kept. There are then a third as many sweeps (at least 30), the first half
    /// of them burn-in as in every fit
    #[arg(long = "continue", value_name = "MODEL", conflicts_with_all = ["tune", "start"])]
    pub continues: Option<PathBuf>,
    /// Where chains start: coins:BITS, hyperplanes:BITS, sets:BITS (probit: codes of the classes), links:BITS (ddibp) or prior
    #[arg(long)]
    pub start: Option<Start>,
    /// How bits for and against a triplet become a probability: the paper's ratio, or logistic, whose slope is learned;
    /// logistic:SLOPE fixes it [default: logistic for judgements, else ratio]
    #[arg(long)]
    pub link: Option<Link>,
    /// Pseudo-weight of the ratio: above 0, bits are rewarded for margin, not only for being right
    #[arg(long, value_name = "NUMBER")]
    pub pseudo_weight: Option<f64>,
    /// Lapse rate: a number, or beta:A,B for a prior
    #[arg(long, value_parser = parse::lapse)]
    pub lapse: Option<LapsePrior>,
    /// Weights of the bits: a number for all, or gamma:SHAPE,RATE for a prior
    #[arg(long, value_parser = parse::weights)]
    pub weights: Option<GammaPrior>,
    /// Weights of given bits, in the same form [default: gamma:1,1]
    #[arg(long, value_parser = parse::weights, requires = "given_bits")]
    pub given_weights: Option<GammaPrior>,
    /// What a sweep does: text as --print-schedule prints it, or a .json file
    #[arg(long, value_name = "STEPS")]
    pub schedule: Option<String>,
    /// Print the default schedule of the model (with --json: as JSON) and do nothing else. A fit with similarity to anchors
    /// or many inputs uses a shorter one, which `sibp inspect` shows
    #[arg(long)]
    pub print_schedule: bool,
}

/// When and how it runs; nothing here changes the draws.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Running")]
pub struct RunningArgs {
    /// Number of threads; 0 uses all cores
    #[arg(long, default_value_t = 0)]
    pub threads: usize,
    /// Stop after this time, reading and set-up included, and keep what was drawn: 30s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = parse::duration)]
    pub time_limit: Option<Duration>,
    /// Time between two checkpoints (FILE.checkpoint beside the model)
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse::duration)]
    pub checkpoint_every: Duration,
    /// Continue a run with the same data and settings: one that was interrupted, or a finished one that is to have at
    /// least twice as many --sweeps
    #[arg(long)]
    pub resume: bool,
    /// Print only warnings and errors to stderr
    #[arg(short, long)]
    pub quiet: bool,
    /// Also report how much memory the fit needs, part by part
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Print a summary as JSON
    #[arg(long)]
    pub json: bool,
}

/// Presets on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PresetArg {
    /// Unit weights and a pseudo-weight: bits are added while they help
    Hash,
    /// Gamma weights and no pseudo-weight: few bits, scale-free
    Paper,
    /// Unit weights and a logistic link, whose slope and lapse rate are learned
    Judgements,
    /// Like hash, with 64 bits (or --max-bits), of which five in eight (or --unsupervised-bits) are unsupervised
    Open,
}

impl From<PresetArg> for Preset {
    fn from(preset: PresetArg) -> Self {
        match preset {
            PresetArg::Hash => Self::Hash,
            PresetArg::Paper => Self::Paper,
            PresetArg::Judgements => Self::Judgements,
            PresetArg::Open => Self::Open,
        }
    }
}

impl RunningArgs {
    /// How much to report about memory, from `--quiet` and `--verbose`.
    pub fn telling(&self) -> Telling {
        match (self.quiet, self.verbose) {
            (true, _) => Telling::Nothing,
            (_, true) => Telling::Parts,
            _ => Telling::Large,
        }
    }
}

/// Checks everything, runs, saves.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if args.sampling.print_schedule {
        return print_schedule(args);
    }
    // Reading and set-up count towards the time limit, and can be interrupted at once, as there is nothing to keep yet.
    let clock = Clock::start();
    interrupt::listen_before_draws()?;
    let Some(out) = &args.out else { return Err(usage("say where to write the model (-o)")) };
    check_output(args, out)?;
    if let Some(limit) = args.running.time_limit {
        interrupt::give_up_after(limit, move || fit_run::no_sweep(RunEnd::TimeLimit, limit));
    }
    let prepared = match (&args.inputs, &args.triplets) {
        (Some(inputs), _) => problem::read(args, inputs, out)?,
        (None, Some(triplets)) => problem::read_bare(args, triplets, out)?,
        (None, None) => return Err(usage("give the inputs, or --triplets")),
    };
    fit_run::run(prepared, out, &args.running, clock)
}

/// Refuses to write over anything but an earlier model, and to throw the draws of an interrupted run away.
fn check_output(args: &Args, out: &Path) -> anyhow::Result<()> {
    let read = args.inputs.iter().chain(args.table.files()).chain(&args.triplets).chain(&args.given_bits);
    let mut writing = Writing::reading(read.chain(&args.split.split), args.force);
    writing.check(out, Kind::Model)?;
    let checkpoint = checkpoint_path(out);
    writing.check(&checkpoint, Kind::Model)?;
    if checkpoint.exists() && !args.running.resume && !args.force.force {
        return Err(usage(format!(
            "{} is left from an interrupted run: continue it with --resume, or discard it with --force",
            checkpoint.display()
        )));
    }
    Ok(())
}

/// The model's schedule, with what the link needs.
fn default_schedule(args: &Args) -> Schedule {
    let suited = Preset::suited_to(args.triplets.is_some());
    let preset = PreferencePrior::preset(args.preset.map_or(suited, Preset::from));
    let options = ModelOptions { link: args.sampling.link, ..args.model.0.into() };
    let about = args.model.0.about();
    if about.supervised {
        options.schedule_for(about.schedule(), &options.preference(preset))
    } else {
        about.schedule()
    }
}

fn print_schedule(args: &Args) -> anyhow::Result<()> {
    let schedule = match &args.sampling.schedule {
        Some(text) => schedule::read(text)?,
        None => default_schedule(args),
    };
    if args.running.json {
        return output::print_json(&schedule);
    }
    let mut out = output::stdout();
    writeln!(out, "{schedule}")?;
    out.flush()?;
    Ok(())
}
