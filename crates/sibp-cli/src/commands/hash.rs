//! Fits classic hashes and encodes by them (`sibp hash`).

use super::encode::{Format, Target, write_codes};
use crate::failure::usage;
use crate::input::{DescribedArgs, MissingArgs, TableArgs, read_codes, select, warn_of_columns};
use crate::model::EncodeArgs as ModelEncodeArgs;
use crate::output::{self, count};
use crate::stream::FileCoder;
use crate::write_codes::kind_of;
use crate::writing::{ForceArgs, Kind, Writing};
use clap::{Subcommand, ValueEnum};
use sibp::data::{AtomicFile, Inputs, Labels, ReadOptions, Storage, Table};
use sibp::hash::{
    Hash, HashBlock, HashStack, HcSdhSettings, ItqSettings, LogisticSettings, SdhSettings, SpectralHash,
    fit_attributes, fit_hcsdh, fit_itq, fit_lsh, fit_sdh,
};
use sibp::transform::{InputTransform, Transform};
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  sibp hash fit X.npy --method itq --bits 32 -o itq.sibh
  sibp hash fit X.npy --labels y.npy --method sdh --bits 64 --transform fourier:1000 -o sdh.sibh
  sibp hash fit X.npy --method attributes --targets bits.npy -o attributes.sibh
  sibp hash encode itq.sibh X.npy -o codes.npy

Codes of a hash can be given to a model: sibp fit X.npy --labels y.npy --given-bits codes.npy";

/// `sibp hash fit|encode`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Fit a hash to inputs
    #[command(after_help = "Example:\n  sibp hash fit X.npy --method spectral --bits 16 -o h.sibh")]
    Fit(FitArgs),
    /// Compute the codes of objects
    #[command(after_help = "Example:\n  sibp hash encode h.sibh X.npy -o codes.npy")]
    Encode(EncodeArgs),
}

#[derive(Debug, clap::Args)]
struct FitArgs {
    /// Inputs: .npy, .csv, .tsv or .parquet, one row per object
    inputs: PathBuf,
    /// How bits are found
    #[arg(long, value_enum)]
    method: Method,
    /// Number of bits; attributes have as many as their targets
    #[arg(long, value_name = "N", required_unless_present = "targets")]
    bits: Option<usize>,
    /// Bits to predict, for the method attributes: .npy, 0/1 columns, one row per object
    #[arg(long, value_name = "FILE", conflicts_with = "bits")]
    targets: Option<PathBuf>,
    /// Transform of the inputs, as for fit
    #[arg(long, value_name = "STEPS", default_value = "centre")]
    transform: String,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    missing: MissingArgs,
    /// Fixes the random choices of itq, lsh, sdh and hcsdh
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to write the hash
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Print nothing to stderr
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    force: ForceArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    /// One logistic regression for each bit that people gave
    Attributes,
    /// Signs of smooth waves along principal directions (Weiss et al. 2009)
    Spectral,
    /// Rotated principal directions (Gong & Lazebnik 2011); at most one bit per input
    Itq,
    /// Random hyperplanes
    Lsh,
    /// Codes that predict classes and are predicted by inputs (Shen et al. 2015); learns from labels
    Sdh,
    /// Rows of a Hadamard matrix for classes, predicted by inputs (Koutaki et al. 2018); learns from labels
    Hcsdh,
}

#[derive(Debug, clap::Args)]
struct EncodeArgs {
    /// The hash
    hash: PathBuf,
    /// Inputs of the objects, with the columns the hash was fitted to
    inputs: PathBuf,
    /// Where to write the codes (.sibx, .npy or .csv)
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Packed bytes, or one column of 0 and 1 for each bit
    #[arg(long, value_enum, default_value = "packed")]
    format: Format,
    /// Print nothing to stderr
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    force: ForceArgs,
}

/// Runs the chosen action.
pub fn run(args: &Args) -> anyhow::Result<()> {
    match &args.action {
        Action::Fit(args) => fit(args),
        Action::Encode(args) => encode(args),
    }
}

fn fit(args: &FitArgs) -> anyhow::Result<()> {
    let read = [&args.inputs].into_iter().chain(&args.targets).chain(args.table.files());
    Writing::reading(read, args.force).check(&args.out, Kind::Hash)?;
    AtomicFile::create(&args.out)
        .map_err(|error| anyhow::anyhow!("{}: cannot write here: {error}", args.out.display()))?;
    let steps: InputTransform = args.transform.parse().map_err(|error| usage(format!("--transform: {error}")))?;
    let learned = args.missing.read(&args.table, &args.inputs, Storage::Memory, args.quiet)?;
    let rows = learned.rows(None)?;
    let table = match &rows {
        Some(rows) => select(&learned.table, rows)?,
        None => learned.table,
    };
    if !args.quiet {
        warn_of_columns(&args.inputs, &table);
    }
    let (transform, inputs) =
        Transform::fit_apply(&steps, &table.inputs).map_err(|error| error.in_file(&args.inputs))?;
    let hash = fitted(args, &inputs, &table, rows.as_deref())?;
    let transform = transform.filled_by(table.filling.clone());
    let name = args.method.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned());
    let n_bits = hash.n_bits();
    let stack = HashStack::new(vec![HashBlock::new(name, transform, hash)])?;
    stack.named(table.input_names)?.save(&args.out)?;
    if !args.quiet {
        let objects = count(table.inputs.n_objects(), "object");
        output::say(format!("{}: {} from {objects}", args.out.display(), count(n_bits, "bit")));
    }
    Ok(())
}

fn fitted(args: &FitArgs, inputs: &Inputs, table: &Table, rows: Option<&[usize]>) -> anyhow::Result<Hash> {
    let bits = || args.bits.ok_or_else(|| usage("--targets are for the method attributes; say how many with --bits"));
    Ok(match args.method {
        Method::Attributes => {
            let Some(targets) = &args.targets else {
                return Err(usage("the method attributes learns from bits that people gave: name them with --targets"));
            };
            Hash::Linear(attributes(inputs, targets, rows)?)
        }
        Method::Spectral => Hash::Spectral(SpectralHash::fit(inputs, bits()?)?),
        Method::Itq => Hash::Linear(fit_itq(inputs, &ItqSettings::new(bits()?, args.seed))?),
        Method::Lsh => Hash::Linear(fit_lsh(inputs, bits()?, args.seed)?),
        Method::Sdh => Hash::Linear(fit_sdh(inputs, labels(table)?, &SdhSettings::new(bits()?, args.seed))?),
        Method::Hcsdh => Hash::Linear(fit_hcsdh(inputs, labels(table)?, &HcSdhSettings::new(bits()?, args.seed))?),
    })
}

fn labels(table: &Table) -> anyhow::Result<&Labels> {
    table
        .labels
        .as_ref()
        .ok_or_else(|| usage("sdh and hcsdh learn from labels: name them with --labels or --label-column"))
}

/// Learns the bits of a file; `rows` are those that are learned from, where these are not all.
fn attributes(inputs: &Inputs, targets: &Path, rows: Option<&[usize]>) -> anyhow::Result<sibp::hash::LinearHash> {
    let codes = read_codes(targets, None)?;
    let codes = match rows {
        Some(rows) if rows.iter().all(|&row| row < codes.n_objects()) => codes.select(rows),
        _ => codes,
    };
    let fit = fit_attributes(inputs, &codes, &LogisticSettings::default())
        .map_err(|error| anyhow::anyhow!("{}: {error}", targets.display()))?;
    if !fit.unfinished.is_empty() {
        output::warn(format!("bits whose regression did not settle: {:?}; a scale step helps", fit.unfinished));
    }
    Ok(fit.hash)
}

fn encode(args: &EncodeArgs) -> anyhow::Result<()> {
    Writing::reading([&args.hash, &args.inputs], args.force).check(&args.out, kind_of(&args.out)?)?;
    let coder = FileCoder::open_hash(&args.hash, &ModelEncodeArgs::default(), 0)?;
    let to = Target { out: &args.out, format: args.format, quiet: args.quiet };
    let n_rows = write_codes(&coder, &args.inputs, &ReadOptions::default(), &DescribedArgs::default(), to)?;
    if !args.quiet {
        let bits = count(coder.coder.n_bits(), "bit");
        output::say(format!("{}: {} of {bits}", args.out.display(), count(n_rows, "code")));
    }
    Ok(())
}
