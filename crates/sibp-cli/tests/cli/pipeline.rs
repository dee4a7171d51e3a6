//! Tests that what is measured is what people get: a table's figures are those of `sibp fit` and `sibp eval`, and the
//! product refuses models that it does not have.

use crate::common::{Folder, M, N, classes, inputs};
use sibp::data::{Inputs, Labels};
use sibp::method::{Examples, GivenKind, LatentMethod, LatentRow, measure};
use sibp::model::{ModelKind, ModelOptions, Preset};
use sibp::pipeline::DrawChoice;
use sibp::run::{RunControl, RunSettings};
use sibp::triplets::FromLabels;

const SEED: u64 = 5;
const NEIGHBOURS: [usize; 3] = [1, 5, 15];

/// Training and test rows, every fourth object being for trying; both have objects of all three classes.
fn split() -> (Vec<usize>, Vec<usize>) {
    (0..N).partition(|row| row % 4 != 0)
}

fn labels(rows: &[usize]) -> Labels {
    let classes = classes(N);
    Labels::from_text(&rows.iter().map(|&row| classes[row].to_string()).collect::<Vec<_>>())
}

/// Accuracies of a table's row on the split.
fn measured(kind: ModelKind, draws: DrawChoice) -> Vec<f64> {
    let (train, test) = split();
    let all = Inputs::new(N, M, inputs(N, 0)).unwrap();
    let (x, y) = (all.select(&train), labels(&train));
    let method = LatentMethod {
        name: "ours".to_owned(),
        transform: kind.about().transform.parse().unwrap(),
        triplets: FromLabels { per_object: 8, ..FromLabels::default() },
        extends: GivenKind::None,
        options: ModelOptions::new(kind, Preset::Hash),
        settings: RunSettings { chains: 2, ..RunSettings::new(0, 20) },
        rows: vec![LatentRow::new("ours", draws)],
    };
    let tried = (&all.select(&test), &labels(&test));
    let found = measure(&method, &Examples::new(&x, &y), tried, &NEIGHBOURS, SEED, &RunControl::default()).unwrap();
    found[0].accuracy.clone()
}

#[test]
fn a_table_measures_what_fit_and_eval_give() {
    let folder = Folder::with_data();
    let (train, test) = split();
    let rows = |name: &str, rows: &[usize]| rows.iter().map(|row| format!("0,{name},{row}\n")).collect::<String>();
    folder.write("split.csv", format!("repeat,role,row\n{}{}", rows("train", &train), rows("test", &test)));
    for kind in [ModelKind::Probit, ModelKind::Gaussian] {
        let name = kind.name();
        folder.ok(&format!(
            "fit x.npy --labels y.npy --model {name} --split split.csv --seed {SEED} --sweeps 20 --chains 2 --per-object 8 \
             --quiet -o m.sibp"
        ));
        for (code, draws) in [("map", DrawChoice::Map), ("concatenate", DrawChoice::Concatenate)] {
            let eval = folder.ok(&format!(
                "eval m.sibp x.npy --labels y.npy --split split.csv --code {code} -k 1,5,15 --encoder-seed {SEED} --json"
            ));
            let eval: serde_json::Value = serde_json::from_str(&eval).unwrap();
            let printed: Vec<f64> =
                NEIGHBOURS.iter().map(|k| eval["knn_accuracy"][k.to_string()].as_f64().unwrap()).collect();
            let table = measured(kind, draws);
            let close = printed.iter().zip(&table).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(close, "{name}, {code}: sibp eval {printed:?}, the table {table:?}");
        }
    }
}

/// The file is of a model that only tests of the library turn on.
#[test]
fn files_of_a_model_that_the_product_lacks_are_refused() {
    let folder = Folder::with_data();
    folder.write("m.sibp", include_bytes!("../data/bernoulli.sibp"));
    for command in ["inspect m.sibp", "encode m.sibp x.npy -o codes.npy", "report m.sibp -o report.html"] {
        folder.fails(command, &["m.sibp", "bernoulli"]);
    }
    folder.misused("fit x.npy --model bernoulli -o new.sibp", &["bernoulli"]);
}
