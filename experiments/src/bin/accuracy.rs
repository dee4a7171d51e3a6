//! Prints k-NN accuracy of the Super Probit IBP beside the references, on the same splits and in the same run.

use anyhow::Result;
use clap::Parser;
use sibp::codes::Codes;
use sibp::encode::{BitProbabilities, Encoder, JoinedEncoder, ProbitMethod};
use sibp::method::{Itq, LinearSvm, LogisticRegression, Lsh, Method, RawNeighbours, RbfSvm};
use sibp::model::{Preset, ProbitModel};
use sibp::prior::hyper::LapsePrior;
use sibp::trace::Draw;
use sibp::transform::{InputTransform, Step};
use sibp::triplets::{FarChoice, FromLabels, NearChoice, Scheme, Teacher};
use sibp::tune::{Candidate, Grid, TuneSettings, Tuner};
use sibp_experiments::table::AccuracyTable;
use sibp_experiments::{DataSet, Repeat, last_draws};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Super Probit IBP (codes of unseen objects by refitted coefficients, both sides encoded) beside raw and transformed
/// k-NN, linear and RBF-SVM, logistic regression, and ITQ and LSH codes of the same length. Hyper-parameters of the references
/// are chosen by cross-validation on the training half.
#[derive(Parser)]
struct Options {
    /// Folder with features.npy, labels.npy and split files.
    #[arg(long, default_value = "data/digits")]
    data: PathBuf,
    /// Split files.
    #[arg(long, value_delimiter = ',', default_value = "split5.csv,split10.csv")]
    splits: Vec<String>,
    /// Sweeps of each chain.
    #[arg(long, default_value_t = 200)]
    sweeps: u64,
    /// Chains whose bits are put side by side.
    #[arg(long, default_value_t = 8)]
    chains: usize,
    /// Input transform of our model, and of the transformed references; "tune" chooses one on each training half for
    /// our model, as `sibp fit --tune` does, and gives the references square roots or not as it chose.
    #[arg(long, default_value = "tune")]
    transform: String,
    /// Near and far objects for each anchor.
    #[arg(long, default_value_t = 30)]
    per_object: usize,
    /// Near objects are the nearest of the class instead of random ones.
    #[arg(long)]
    nearest: bool,
    /// Far objects are the nearest of other classes instead of random ones.
    #[arg(long)]
    impostors: bool,
    /// Pseudo-weight.
    #[arg(long, default_value_t = 10.0)]
    pseudo_weight: f64,
    /// Lapse rate: the share of triplets that are noise.
    #[arg(long, default_value_t = 0.01)]
    lapse: f64,
    /// Only the first repeats.
    #[arg(long, default_value_t = usize::MAX)]
    repeats: usize,
    /// Leave the references out.
    #[arg(long)]
    ours_only: bool,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let data = DataSet::read(&options.data)?;
    for name in &options.splits {
        let began = Instant::now();
        let mut rows = AccuracyTable::default();
        let mut bits = Vec::new();
        for (seed, split) in (1u64..).zip(data.splits(&options.data, name)?.iter().take(options.repeats)) {
            let triplets = FromLabels {
                scheme: Scheme::Paired,
                per_object: options.per_object,
                near: if options.nearest { NearChoice::Nearest } else { NearChoice::Random },
                far: if options.impostors { FarChoice::NearestImpostor } else { FarChoice::Random },
                seed,
            };
            let (ours, plain) = transforms(&options, &data.raw(split), triplets)?;
            let repeat = Repeat::new(&data, split, &ours, Some(&triplets))?;
            let (codes, probabilities) = learn(&options, &repeat, seed)?;
            bits.push(codes.iter().map(|(_, train, _)| train.n_bits() as f64).collect::<Vec<_>>());
            for (name, train, test) in &codes {
                rows.push(name, repeat.accuracy(train, test)?);
            }
            for (name, at) in [("sibp, expected distances", 2), ("sibp, drawn database, expected", 3)] {
                rows.push(name, repeat.expected_accuracy(&codes[at].1, &probabilities)?);
            }
            if !options.ours_only {
                let raw = data.raw(split);
                references(&mut rows, &raw, &plain, seed)?;
                for (at, names) in
                    [(1, ["ITQ, bits of one chain", "LSH, bits of one chain"]), (2, ["ITQ codes", "LSH codes"])]
                {
                    hashes(&mut rows, names, (&raw, &plain), codes[at].1.n_bits(), seed)?;
                }
            }
            eprintln!("{name}: repeat {seed} done with {ours}, {:.0} s", began.elapsed().as_secs_f64());
        }
        print_table(name, &rows)?;
        let mean = |at: usize| bits.iter().map(|b| b[at]).sum::<f64>() / bits.len() as f64;
        println!(
            "bits: one chain {:.1}, side by side {:.1}; {:.0} s\n",
            mean(1),
            mean(2),
            began.elapsed().as_secs_f64()
        );
    }
    Ok(())
}

/// The transform of our model, and the one of the references: the same up to random Fourier features, which are for
/// linear boundaries.
fn transforms(options: &Options, raw: &Repeat, triplets: FromLabels) -> Result<(InputTransform, InputTransform)> {
    let ours = match options.transform.as_str() {
        "tune" => tuned_transform(options, raw, triplets)?,
        steps => steps.parse()?,
    };
    let plain = ours.steps.iter().copied().take_while(|step| !matches!(step, Step::Fourier(_))).collect();
    Ok((ours, InputTransform { steps: plain }))
}

fn tuned_transform(options: &Options, raw: &Repeat, triplets: FromLabels) -> Result<InputTransform> {
    let grid = Grid {
        pseudo_weights: Vec::new(),
        lapses: Vec::new(),
        per_object: Vec::new(),
        ..Grid::for_features(&raw.train.features)
    };
    let tuner = Tuner {
        model: &ProbitModel::preset(Preset::Hash),
        features: &raw.train.features,
        teacher: Teacher::Labels(&raw.train_labels, triplets),
        given: None,
        settings: TuneSettings::new(triplets.seed),
        stop: &AtomicBool::new(false),
    };
    let start = Candidate {
        transform: grid.transforms[0].clone(),
        pseudo_weight: options.pseudo_weight,
        lapse: LapsePrior::Fixed(options.lapse),
        per_object: options.per_object,
    };
    Ok(tuner.tune(start, &grid, &mut |_| ())?.best().candidate.transform.clone())
}

/// A name with the codes of the training and of the test half.
type Halves = (&'static str, Codes, Codes);

/// Codes of a single draw, of its refit, and of all chains side by side; and of the last the bit probabilities of the
/// test half.
fn learn(options: &Options, repeat: &Repeat, seed: u64) -> Result<(Vec<Halves>, Vec<f32>)> {
    let mut model = ProbitModel::preset(Preset::Hash);
    model.preference.pseudo_weight = options.pseudo_weight;
    model.preference.lapse = LapsePrior::Fixed(options.lapse);
    let draws = last_draws(&model, &repeat.train, seed, options.chains, options.sweeps);
    let joined = |draws: &[Draw], method| JoinedEncoder::of_probit(draws, repeat.test.n_inputs(), method);
    let encoders = [
        ("sibp, drawn", joined(&draws[..1], ProbitMethod::Drawn)?),
        ("sibp, one chain", joined(&draws[..1], ProbitMethod::Refit)?),
        ("sibp, side by side", joined(&draws, ProbitMethod::Refit)?),
    ];
    let encode = |encoder: &JoinedEncoder| (encoder.encode(&repeat.train.features, 0), encoder.encode(&repeat.test, 0));
    let drawn: Vec<&Codes> = draws.iter().map(|draw| &draw.bits).collect();
    let mut codes: Vec<Halves> = encoders
        .iter()
        .map(|(name, encoder)| {
            let (train, test) = encode(encoder);
            (*name, train, test)
        })
        .collect();
    codes.push(("sibp, drawn database", Codes::side_by_side(&drawn), codes[2].2.clone()));
    let bits = BitProbabilities::of_draws(&draws, repeat.test.n_inputs(), ProbitMethod::Refit)?;
    Ok((codes, bits.rows(&repeat.test, None).into_iter().map(|p| p as f32).collect()))
}

/// Adds a row for every reference.
fn references(rows: &mut AccuracyTable, halves: &Repeat, transform: &InputTransform, seed: u64) -> Result<()> {
    let (name, raw) = (|name: &str| name.to_owned(), InputTransform::default());
    let transformed = || transform.clone();
    let methods: [Box<dyn Method>; 5] = [
        Box::new(RawNeighbours { name: name("k-NN, raw inputs"), transform: raw.clone() }),
        Box::new(RawNeighbours { name: name("k-NN, transformed"), transform: transformed() }),
        Box::new(LinearSvm { name: name("linear SVM, raw"), transform: raw }),
        Box::new(RbfSvm { name: name("RBF-SVM, transformed"), transform: transformed() }),
        Box::new(LogisticRegression { name: name("logistic, transformed"), transform: transformed() }),
    ];
    methods.iter().try_for_each(|method| rows.measure(method.as_ref(), halves, seed))
}

/// Adds rows for codes of the same length.
fn hashes(
    rows: &mut AccuracyTable,
    [itq, lsh]: [&str; 2],
    (halves, transform): (&Repeat, &InputTransform),
    n_bits: usize,
    seed: u64,
) -> Result<()> {
    let transform = || transform.clone();
    rows.measure(&Itq { name: itq.to_owned(), transform: transform(), n_bits }, halves, seed)?;
    rows.measure(&Lsh { name: lsh.to_owned(), transform: transform(), n_bits }, halves, seed)
}

/// Means and deviations, then how much our codes are above each reference.
fn print_table(split: &str, table: &AccuracyTable) -> Result<()> {
    table.print(split)?;
    for ours in ["sibp, one chain", "sibp, side by side", "sibp, drawn database", "sibp, drawn database, expected"] {
        for other in table.names().filter(|name| !name.starts_with("sibp")) {
            if ours.ends_with("one chain") == other.ends_with("one chain") {
                table.print_above(ours, other)?;
            }
        }
    }
    Ok(())
}
