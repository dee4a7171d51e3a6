//! Prints how much learned bits add to attribute bits that are predicted, as in the paper's section 6.3.

use anyhow::{Context, Result, ensure};
use clap::Parser;
use sibp::baseline::{Classifier, LogisticSettings, SvmSettings, fit_attributes, fit_svm};
use sibp::bits::BitMatrix;
use sibp::codes::Codes;
use sibp::data::{InputTransform, Split, Transform};
use sibp::encode::{Encoder, JoinedEncoder, ProbitMethod};
use sibp::eval::{Summary, accuracy, paired_t_test};
use sibp::hash::{Hash, HashBlock};
use sibp::model::{Model, Preset, ProbitModel};
use sibp::trace::Draw;
use sibp::triplets::FromLabels;
use sibp_experiments::{DataSet, NEIGHBOURS, Repeat, run_chains};
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

/// A method's accuracy in percent, by number of neighbours and repeat.
struct Row {
    name: &'static str,
    columns: Vec<Vec<f64>>,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let data = DataSet::read(&options.data)?;
    let matrix = read_matrix(&options)?;
    for name in &options.splits {
        let began = Instant::now();
        let mut rows: Vec<Row> = Vec::new();
        let mut bits = [0; 2];
        for (seed, split) in (1u64..).zip(&data.splits(&options.data, name)?) {
            let hash = AttributeHash::new(&options, &data, split, &matrix)?;
            one_repeat(&options, &data, split, &hash, seed, &mut rows, &mut bits)?;
            eprintln!(
                "{name}: repeat {seed}, {:.0} % of attributes right, {:.0} s",
                100.0 * hash.right,
                began.elapsed().as_secs_f64()
            );
        }
        print_table(name, &rows)?;
        let n = rows[0].columns[0].len();
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
    block: HashBlock,
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
        let fit = fit_attributes(&features, &truth(options, data, &corpus, matrix)?, &LogisticSettings::default())?;
        let block = HashBlock::new("attributes", transform, Hash::Linear(fit.hash));
        let predicted = block.encode(&data.features.select(&split.train))?;
        let truth = truth(options, data, &split.train, matrix)?;
        let wrong: u32 = (0..split.train.len()).map(|row| predicted.distance(row, truth.row(row))).sum();
        let right = 1.0 - f64::from(wrong) / (split.train.len() * options.attributes) as f64;
        Ok(Self { block, truth, right })
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
    rows: &mut Vec<Row>,
    bits: &mut [usize; 2],
) -> Result<()> {
    let triplets = FromLabels { seed, ..FromLabels::default() };
    let mut repeat = Repeat::new(data, split, &options.transform.parse()?, Some(&triplets))?;
    let given = [&split.train, &split.test].map(|rows| hash.block.encode(&data.features.select(rows)));
    let [given_train, given_test] = given;
    let given = [given_train?, given_test?];
    push(rows, "attributes, true in training", repeat.accuracy(&hash.truth, &given[1])?);
    push(rows, "predicted attributes alone", repeat.accuracy(&given[0], &given[1])?);
    let (alone, drawn_alone) = learn(options, &repeat, seed)?;
    push(rows, "learned bits alone", repeat.accuracy(&alone[0], &alone[1])?);
    let side_by_side = |draws: &[Draw]| Codes::side_by_side(&draws.iter().map(|draw| &draw.bits).collect::<Vec<_>>());
    push(rows, "learned bits alone, drawn database", repeat.accuracy(&side_by_side(&drawn_alone), &alone[1])?);
    repeat.train.given = BitMatrix::from_codes(&given[0]);
    let (learned, draws) = learn(options, &repeat, seed)?;
    bits[0] += alone[0].n_bits();
    bits[1] += learned[0].n_bits();
    push(rows, "z of [h z]", repeat.accuracy(&learned[0], &learned[1])?);
    let [train, test] = [0, 1].map(|half| Codes::side_by_side(&[&given[half], &learned[half]]));
    push(rows, "[h z]", repeat.accuracy(&train, &test)?);
    let known = Codes::side_by_side(&[&given[0], &side_by_side(&draws)]);
    push(rows, "[h z], drawn database", repeat.accuracy(&known, &test)?);
    let raw = data.raw(split);
    let svm = fit_svm(&raw.train.features, raw.train_labels.class_of(), &SvmSettings::new(seed))?;
    let right = 100.0 * accuracy(&svm.classifier.predict(&raw.test)?, raw.test_labels.class_of())?;
    push(rows, "linear SVM, raw", vec![right; NEIGHBOURS.len()]);
    push(rows, "k-NN, raw inputs", raw.euclidean_accuracy()?);
    Ok(())
}

/// Learned bits of both halves, and the draws they come from.
fn learn(options: &Options, repeat: &Repeat, seed: u64) -> Result<([Codes; 2], Vec<Draw>)> {
    let model = ProbitModel::preset(Preset::Hash);
    let finished = run_chains(&model, &repeat.train, seed, options.chains, options.sweeps);
    let draw = |(state, scratch): &(_, _)| model.to_draw(&repeat.train, state, scratch, options.sweeps);
    let draws: Vec<Draw> = finished.iter().map(draw).collect();
    let encoder = JoinedEncoder::of_probit(&draws, repeat.test.n_inputs(), ProbitMethod::Refit)?;
    Ok(([encoder.encode(&repeat.train.features, 0), encoder.encode(&repeat.test, 0)], draws))
}

fn push(rows: &mut Vec<Row>, name: &'static str, values: Vec<f64>) {
    if !rows.iter().any(|row| row.name == name) {
        rows.push(Row { name, columns: vec![Vec::new(); values.len()] });
    }
    if let Some(row) = rows.iter_mut().find(|row| row.name == name) {
        row.columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
    }
}

fn print_table(split: &str, rows: &[Row]) -> Result<()> {
    println!("| {split} | 1-NN | 3-NN | 15-NN | 30-NN |\n|---|---|---|---|---|");
    for row in rows {
        let cells = row.columns.iter().map(|values| Summary::of(values).map(|s| format!("{s:.1}")));
        println!("| {} | {} |", row.name, cells.collect::<Result<Vec<_>, _>>()?.join(" | "));
    }
    let find = |name: &str| rows.iter().find(|row| row.name == name);
    for (ours, other) in [
        ("[h z]", "attributes, true in training"),
        ("[h z]", "predicted attributes alone"),
        ("[h z]", "learned bits alone"),
        ("[h z], drawn database", "predicted attributes alone"),
        ("[h z], drawn database", "learned bits alone, drawn database"),
        ("[h z], drawn database", "k-NN, raw inputs"),
        ("[h z], drawn database", "linear SVM, raw"),
    ] {
        let (Some(first), Some(second)) = (find(ours), find(other)) else { continue };
        let tests = first.columns.iter().zip(&second.columns).map(|(first, second)| paired_t_test(first, second));
        let cells: Vec<String> =
            tests.map(|t| t.map(|t| format!("{:+.1} (p {:.3})", t.mean_difference, t.p))).collect::<Result<_, _>>()?;
        println!("{ours} above {other}: {}", cells.join(", "));
    }
    Ok(())
}
