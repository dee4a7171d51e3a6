//! Prints k-NN accuracy of the Super Probit IBP beside the references, on the same splits and in the same run.

use anyhow::Result;
use clap::Parser;
use sibp::encode::EncoderChoice;
use sibp::index::Metric;
use sibp::method::{Itq, LinearSvm, LogisticRegression, Lsh, Method, RawNeighbours, RbfSvm};
use sibp::model::ModelOptions;
use sibp::pipeline::{DrawChoice, Fitted, Reading, TrainingCodes};
use sibp::prior::hyper::LapsePrior;
use sibp::run::RunControl;
use sibp::transform::{InputTransform, Step};
use sibp::triplets::{DEFAULT_PER_OBJECT, FarChoice, FromLabels, NearChoice, Scheme, Teacher};
use sibp::tune::{Candidate, Grid, TuneSettings, Tuner};
use sibp_experiments::table::AccuracyTable;
use sibp_experiments::{DataSet, Repeat, as_floats};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Super Probit IBP, one fit of several chains a repeat as `sibp fit --seed` makes it, read in several ways, beside raw and
/// transformed k-NN, linear SVM (raw and transformed) and RBF-SVM, logistic regression, and ITQ and LSH codes of the same
/// length; ITQ has at most a bit an input. Hyper-parameters of the references are chosen by cross-validation on the training half.
#[derive(Parser)]
struct Options {
    /// Folder with features.npy, labels.npy and split files.
    #[arg(long, default_value = "data/digits")]
    data: PathBuf,
    /// Split files.
    #[arg(long, value_delimiter = ',', default_value = "split5.csv,split10.csv")]
    splits: Vec<String>,
    /// Sweeps of each chain [default: as many as `sibp fit` does]
    #[arg(long)]
    sweeps: Option<u64>,
    /// Chains whose bits are put side by side [default: as many as `sibp fit` runs]
    #[arg(long)]
    chains: Option<usize>,
    /// Input transform of our model: "auto" leaves the choice to the fit, as `sibp fit` does, and "tune" chooses as
    /// `sibp fit --tune` does.
    #[arg(long, default_value = "auto")]
    transform: String,
    /// Input transform of the transformed references [default: ours, without similarity to anchors and Fourier terms]
    #[arg(long)]
    reference_transform: Option<InputTransform>,
    /// Near and far objects for each anchor [default: as many as `sibp fit` takes]
    #[arg(long)]
    per_object: Option<usize>,
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

/// A way to use a fit.
struct Way {
    name: &'static str,
    reading: Reading,
    /// Whether bits of queries stay probabilities.
    expected: bool,
}

/// "One code" is what the command encodes and searches by unless told otherwise: the code that stands for all chains, where
/// the fit makes one, else the best draw. Of the other ways both sides are encoded, unless a database is "drawn"; "one
/// chain" is the best draw of the best chain; in a "drawn database" training objects have the bits learned for them.
fn ways() -> [Way; 9] {
    let way = |name, draws, training| Way {
        name,
        reading: Reading { draws, training, ..Reading::default() },
        expected: false,
    };
    let expected = |name, training| Way { expected: true, ..way(name, DrawChoice::Concatenate, training) };
    let drawn = Reading { encoder: Some(EncoderChoice::Drawn), ..Reading::default() };
    [
        Way { name: "sibp, drawn", reading: drawn, expected: false },
        way("sibp, one code", DrawChoice::Suited, TrainingCodes::Learned),
        Way { expected: true, ..way("sibp, one code, expected", DrawChoice::Suited, TrainingCodes::Learned) },
        way("sibp, one chain", DrawChoice::Map, TrainingCodes::Encoded),
        way("sibp, side by side", DrawChoice::Concatenate, TrainingCodes::Encoded),
        way("sibp, drawn database, one chain", DrawChoice::Map, TrainingCodes::Learned),
        way("sibp, drawn database", DrawChoice::Concatenate, TrainingCodes::Learned),
        expected("sibp, expected distances", TrainingCodes::Encoded),
        expected("sibp, drawn database, expected", TrainingCodes::Learned),
    ]
}

fn main() -> Result<()> {
    let options = Options::parse();
    let data = DataSet::read(&options.data)?;
    for name in &options.splits {
        let began = Instant::now();
        let mut rows = AccuracyTable::default();
        let mut bits = [0, 0];
        let splits = data.splits(&options.data, name)?;
        let n_repeats = options.repeats.min(splits.len());
        for (seed, split) in (1u64..).zip(&splits[..n_repeats]) {
            let repeat = data.halves(&split.train, &split.test);
            let fitted = learn(&options, &repeat, seed)?;
            let ours = fitted.info.transform.chosen();
            let plain = options.reference_transform.clone().unwrap_or_else(|| without_similarity(&ours));
            for way in ways() {
                rows.push(way.name, accuracy(&fitted, &repeat, &way)?);
            }
            let n_bits = [fitted.coder(DrawChoice::Suited)?.n_bits(), fitted.coder(DrawChoice::Concatenate)?.n_bits()];
            bits.iter_mut().zip(n_bits).for_each(|(sum, n)| *sum += n);
            if !options.ours_only {
                references(&mut rows, &repeat, &plain, seed)?;
                let [one, all] = [["ITQ, bits of one code", "LSH, bits of one code"], ["ITQ codes", "LSH codes"]];
                hashes(&mut rows, one, (&repeat, &plain), n_bits[0], seed)?;
                hashes(&mut rows, all, (&repeat, &plain), n_bits[1], seed)?;
            }
            eprintln!("{name}: repeat {seed} done with {ours}, {:.0} s", began.elapsed().as_secs_f64());
        }
        print_table(name, &rows)?;
        let [one, all] = bits.map(|sum| sum as f64 / n_repeats as f64);
        let seconds = began.elapsed().as_secs_f64();
        println!("bits: one code {one:.1}, side by side {all:.1}; {seconds:.0} s\n");
    }
    Ok(())
}

impl Options {
    fn triplets(&self, seed: u64) -> FromLabels {
        FromLabels {
            scheme: Scheme::Paired,
            per_object: self.per_object.unwrap_or(DEFAULT_PER_OBJECT),
            near: if self.nearest { NearChoice::Nearest } else { NearChoice::Random },
            far: if self.impostors { FarChoice::NearestImpostor } else { FarChoice::Random },
            seed,
        }
    }

    fn model(&self) -> ModelOptions {
        ModelOptions {
            pseudo_weight: Some(self.pseudo_weight),
            lapse: Some(LapsePrior::Fixed(self.lapse)),
            ..ModelOptions::default()
        }
    }
}

fn learn(options: &Options, repeat: &Repeat, seed: u64) -> Result<Fitted> {
    let triplets = options.triplets(seed);
    let transform = match options.transform.as_str() {
        "auto" => None,
        "tune" => Some(tuned_transform(options, repeat, triplets)?),
        steps => Some(steps.parse()?),
    };
    let mut fit = repeat.fit(triplets).model(options.model()).transform(transform).seed(seed).chains(options.chains);
    fit = fit.leaves_triplets(options.per_object.is_none());
    if let Some(sweeps) = options.sweeps {
        fit = fit.sweeps(sweeps);
    }
    Ok(fit.run(&RunControl::default())?)
}

fn accuracy(fitted: &Fitted, repeat: &Repeat, way: &Way) -> Result<Vec<f64>> {
    let coder = fitted.coder(way.reading)?;
    if way.expected {
        let (asked, weights) = (as_floats(&coder.probabilities(&repeat.test, None)?), as_floats(coder.weights()));
        return repeat.accuracy(coder.database(), asked.as_slice(), Metric::Expected(&weights));
    }
    let test = coder.encode(&repeat.test)?;
    match way.reading.encoder {
        None => repeat.accuracy(coder.database(), &test, Metric::Hamming),
        // A fit keeps the codes of its default encoder alone.
        Some(_) => repeat.accuracy(&coder.encode(&repeat.train)?, &test, Metric::Hamming),
    }
}

/// A transform up to its steps for linear boundaries.
fn without_similarity(ours: &InputTransform) -> InputTransform {
    let is_plain = |step: &Step| !matches!(step, Step::Fourier(_) | Step::Anchors(..));
    InputTransform { steps: ours.steps.iter().copied().take_while(is_plain).collect() }
}

fn tuned_transform(options: &Options, raw: &Repeat, triplets: FromLabels) -> Result<InputTransform> {
    let grid =
        Grid { pseudo_weights: Vec::new(), lapses: Vec::new(), per_object: Vec::new(), ..Grid::for_inputs(&raw.train) };
    let tuner = Tuner {
        options: &options.model(),
        inputs: &raw.train,
        teacher: Teacher::Labels(&raw.train_labels, triplets),
        given: None,
        settings: TuneSettings::new(triplets.seed),
        stop: &AtomicBool::new(false),
    };
    let start = Candidate {
        transform: grid.transforms[0].clone(),
        pseudo_weight: options.pseudo_weight,
        lapse: LapsePrior::Fixed(options.lapse),
        per_object: triplets.per_object,
    };
    Ok(tuner.tune(start, &grid, &mut |_| ())?.best().candidate.transform.clone())
}

/// Adds a row for every reference.
fn references(rows: &mut AccuracyTable, halves: &Repeat, transform: &InputTransform, seed: u64) -> Result<()> {
    let (name, raw) = (|name: &str| name.to_owned(), InputTransform::default());
    let transformed = || transform.clone();
    let methods: [Box<dyn Method>; 6] = [
        Box::new(RawNeighbours { name: name("k-NN, raw inputs"), transform: raw.clone() }),
        Box::new(RawNeighbours { name: name("k-NN, transformed"), transform: transformed() }),
        Box::new(LinearSvm { name: name("linear SVM, raw"), transform: raw }),
        Box::new(LinearSvm { name: name("linear SVM, transformed"), transform: transformed() }),
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
    for Way { name: ours, .. } in ways().into_iter().skip(1) {
        for other in table.names().filter(|name| !name.starts_with("sibp")) {
            // Hashes are made as long as one code, and as long as all chains side by side.
            let is_hash = other.starts_with("ITQ") || other.starts_with("LSH");
            if !is_hash || ours.contains("one c") == other.contains("one c") {
                table.print_above(ours, other)?;
            }
        }
    }
    Ok(())
}
