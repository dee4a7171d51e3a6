//! Prints how much learned bits add to attribute bits that are predicted, as in the paper's section 6.3.

use anyhow::{Context, Result, ensure};
use clap::Parser;
use sibp::bits::BitMatrix;
use sibp::codes::Codes;
use sibp::data::Split;
use sibp::encode::{Encoder, JoinedEncoder, ProbitMethod};
use sibp::hash::HashStack;
use sibp::method::{LinearSvm, RawNeighbours, attribute_predictor};
use sibp::model::{Preset, ProbitModel};
use sibp::trace::Draw;
use sibp::transform::{InputTransform, Transform};
use sibp::triplets::FromLabels;
use sibp_experiments::table::AccuracyTable;
use sibp_experiments::{DataSet, Repeat, last_draws};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

/// Attribute bits are predicted by logistic regressions that were trained on all classes outside the split. The Super
/// Probit IBP learns further bits beside the predicted ones. Both halves are encoded alike.
#[derive(Parser)]
struct Options {
    /// Folder with features.npy, labels.npy (class ids), predicate-matrix-binary.txt and split files.
    #[arg(long)]
    data: PathBuf,
    /// Split files.
    #[arg(long, value_delimiter = ',', default_value = "split5.csv,split10.csv")]
    splits: Vec<String>,
    /// Attributes, the first of the matrix.
    #[arg(long, default_value_t = 5)]
    attributes: usize,
    /// Input transform of the learned bits.
    #[arg(long, default_value = "sqrt,standardise,scale")]
    transform: String,
    /// Input transform of the predictor of attributes; the paper's are raw histograms.
    #[arg(long, default_value = "standardise,scale")]
    hash_transform: String,
    /// Chains whose bits are put side by side.
    #[arg(long, default_value_t = 8)]
    chains: usize,
    /// Sweeps of each chain.
    #[arg(long, default_value_t = 200)]
    sweeps: u64,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let data = DataSet::read(&options.data)?;
    let matrix = read_matrix(&options)?;
    for name in &options.splits {
        let began = Instant::now();
        let mut rows = AccuracyTable::default();
        let mut bits = [0; 2];
        let splits = data.splits(&options.data, name)?;
        for (seed, split) in (1u64..).zip(&splits) {
            let hash = AttributeHash::new(&options, &data, split, &matrix)?;
            one_repeat(&options, &data, split, &hash, seed, &mut rows, &mut bits)?;
            eprintln!(
                "{name}: repeat {seed}, {:.0} % of attributes right, {:.0} s",
                100.0 * hash.right,
                began.elapsed().as_secs_f64()
            );
        }
        print_table(name, &rows)?;
        let n = splits.len();
        println!("learned bits: alone {}, beside the given ones {}\n", bits[0] / n, bits[1] / n);
    }
    Ok(())
}

/// Rows of 0 and 1, one a class; the first is class 1.
fn read_matrix(options: &Options) -> Result<Vec<Vec<bool>>> {
    let path = options.data.join("predicate-matrix-binary.txt");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let row = |line: &str| line.split_whitespace().take(options.attributes).map(|cell| cell == "1").collect();
    Ok(text.lines().map(row).collect())
}

/// Attributes of the objects of a split.
struct AttributeHash {
    /// Predicts them, trained on the classes that the split does not have.
    predictor: HashStack,
    /// The true ones of the training half.
    truth: Codes,
    /// Share of right predictions there.
    right: f64,
}

impl AttributeHash {
    fn new(options: &Options, data: &DataSet, split: &Split, matrix: &[Vec<bool>]) -> Result<Self> {
        let class_of = data.labels.class_of();
        let inside: BTreeSet<u32> = split.train.iter().chain(&split.test).map(|&row| class_of[row]).collect();
        let corpus: Vec<usize> = (0..class_of.len()).filter(|&row| !inside.contains(&class_of[row])).collect();
        let transform: InputTransform = options.hash_transform.parse()?;
        let (transform, features) = Transform::fit_apply(&transform, &data.features.select(&corpus))?;
        let predictor = attribute_predictor(transform, &features, &truth(options, data, &corpus, matrix)?)?;
        let predicted = predictor.encode(&data.features.select(&split.train))?;
        let truth = truth(options, data, &split.train, matrix)?;
        let wrong: u32 = (0..split.train.len()).map(|row| predicted.distance(row, truth.row(row))).sum();
        let right = 1.0 - f64::from(wrong) / (split.train.len() * options.attributes) as f64;
        Ok(Self { predictor, truth, right })
    }
}

/// The attributes that the matrix says.
fn truth(options: &Options, data: &DataSet, rows: &[usize], matrix: &[Vec<bool>]) -> Result<Codes> {
    let mut codes = Codes::zeros(rows.len(), options.attributes);
    for (at, &row) in rows.iter().enumerate() {
        let name = &data.labels.names()[data.labels.class_of()[row] as usize];
        let id: usize = name.parse().context("labels must be class ids")?;
        let bits = matrix.get(id - 1).with_context(|| format!("class {id} is not in the matrix"))?;
        ensure!(bits.len() == options.attributes, "the matrix has fewer than {} columns", options.attributes);
        bits.iter().enumerate().for_each(|(bit, &value)| codes.set(at, bit, value));
    }
    Ok(codes)
}

fn one_repeat(
    options: &Options,
    data: &DataSet,
    split: &Split,
    hash: &AttributeHash,
    seed: u64,
    rows: &mut AccuracyTable,
    bits: &mut [usize; 2],
) -> Result<()> {
    let triplets = FromLabels { seed, ..FromLabels::default() };
    let mut repeat = Repeat::new(data, split, &options.transform.parse()?, Some(&triplets))?;
    let given = [&split.train, &split.test].map(|rows| hash.predictor.encode(&data.features.select(rows)));
    let [given_train, given_test] = given;
    let given = [given_train?, given_test?];
    rows.push("attributes, true in training", repeat.accuracy(&hash.truth, &given[1])?);
    rows.push("predicted attributes alone", repeat.accuracy(&given[0], &given[1])?);
    let (alone, drawn_alone) = learn(options, &repeat, seed)?;
    rows.push("learned bits alone", repeat.accuracy(&alone[0], &alone[1])?);
    let side_by_side = |draws: &[Draw]| Codes::side_by_side(&draws.iter().map(|draw| &draw.bits).collect::<Vec<_>>());
    rows.push("learned bits alone, drawn database", repeat.accuracy(&side_by_side(&drawn_alone), &alone[1])?);
    repeat.train.given = BitMatrix::from_codes(&given[0]);
    let (learned, draws) = learn(options, &repeat, seed)?;
    bits[0] += alone[0].n_bits();
    bits[1] += learned[0].n_bits();
    rows.push("z of [h z]", repeat.accuracy(&learned[0], &learned[1])?);
    let [train, test] = [0, 1].map(|half| Codes::side_by_side(&[&given[half], &learned[half]]));
    rows.push("[h z]", repeat.accuracy(&train, &test)?);
    let known = Codes::side_by_side(&[&given[0], &side_by_side(&draws)]);
    rows.push("[h z], drawn database", repeat.accuracy(&known, &test)?);
    let raw = data.raw(split);
    let plain = InputTransform::default;
    rows.measure(&LinearSvm { name: "linear SVM, raw".to_owned(), transform: plain() }, &raw, seed)?;
    rows.measure(&RawNeighbours { name: "k-NN, raw inputs".to_owned(), transform: plain() }, &raw, seed)?;
    Ok(())
}

/// Learned bits of both halves, and the draws they come from.
fn learn(options: &Options, repeat: &Repeat, seed: u64) -> Result<([Codes; 2], Vec<Draw>)> {
    let model = ProbitModel::preset(Preset::Hash);
    let draws = last_draws(&model, &repeat.train, seed, options.chains, options.sweeps);
    let encoder = JoinedEncoder::of_probit(&draws, repeat.test.n_inputs(), ProbitMethod::Refit)?;
    Ok(([encoder.encode(&repeat.train.features, 0), encoder.encode(&repeat.test, 0)], draws))
}

/// Means and deviations, then the comparisons that matter.
fn print_table(split: &str, table: &AccuracyTable) -> Result<()> {
    table.print(split)?;
    for (ours, other) in [
        ("[h z]", "attributes, true in training"),
        ("[h z]", "predicted attributes alone"),
        ("[h z]", "learned bits alone"),
        ("[h z], drawn database", "predicted attributes alone"),
        ("[h z], drawn database", "learned bits alone, drawn database"),
        ("[h z], drawn database", "k-NN, raw inputs"),
        ("[h z], drawn database", "linear SVM, raw"),
    ] {
        table.print_above(ours, other)?;
    }
    Ok(())
}
