//! Takes a model that is one file and one line through everything: fit, files, codes, search, words, verification.

use sibp::data::{Inputs, Table};
use sibp::format::Fitted;
use sibp::index::{HammingIndex, Search};
use sibp::model::{Kernel, ModelKind, ModelOptions, Preset, Schedule};
use sibp::pipeline::{DrawChoice, Fit, FitError, Reading, Teaching};
use sibp::run::RunControl;
use sibp::verify::suite;
use std::path::Path;

/// Two kinds of binary objects, with one input flipped here and there.
fn objects() -> Table {
    let row = |object: usize| {
        let ones =
            if object.is_multiple_of(2) { [1.0, 1.0, 1.0, 0.0, 0.0, 0.0] } else { [0.0, 0.0, 0.0, 1.0, 1.0, 1.0] };
        (0..6).map(move |input| if object % 7 == input { 1.0 - ones[input] } else { ones[input] })
    };
    Table::from(Inputs::new(24, 6, (0..24).flat_map(row).collect()).unwrap())
}

fn fit() -> Fit {
    Fit::new(objects(), Teaching::Nothing).model(ModelKind::Bernoulli).seed(3).sweeps(60).draws(5)
}

#[test]
fn one_file_and_one_line_are_a_model() {
    let fitted = fit().run(&RunControl::default()).unwrap();
    assert_eq!(fitted.info.model.kind().name(), "bernoulli");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.sibp");
    fitted.save(&path).unwrap();
    let loaded = Fitted::load(&path).unwrap();
    assert_eq!(loaded, fitted);

    let coder = loaded.coder(Reading::default()).unwrap();
    let codes = coder.encode(&objects().inputs).unwrap();
    assert!(codes.n_bits() > 0);
    let index = HammingIndex::from_codes(coder.database()).unwrap();
    let found = index.search(&codes, &Search::nearest(5)).unwrap();
    let alike = |query: usize| {
        found.ids(query).iter().filter(|&&id| (id as usize).is_multiple_of(2) == query.is_multiple_of(2)).count()
    };
    let share = (0..24).map(alike).sum::<usize>() as f64 / (24 * 5) as f64;
    assert!(share > 0.9, "neighbours are of the same kind: {share}");

    let words = loaded.describe(DrawChoice::Map);
    assert!(words.facts.iter().any(|(_, value)| value.contains("noisy-or IBP: bits paint binary inputs")));
}

#[test]
fn its_sampler_is_verified_by_the_suite() {
    let check = suite::checks().into_iter().find(|check| check.name == "noisy-or IBP").unwrap();
    let verdict = (check.run)(20_261_115, &|_| ());
    assert!(verdict.passed, "{:?}", verdict.worst());
}

#[test]
fn it_refuses_what_it_does_not_have() {
    let foreign = Schedule::once([Kernel::Rows, Kernel::Sticks]);
    let options = ModelOptions { schedule: Some(foreign), ..ModelOptions::new(ModelKind::Bernoulli, Preset::Hash) };
    let error = fit().model(options).run(&RunControl::default()).unwrap_err();
    assert!(matches!(error, FitError::Model(_)), "{error}");
    assert!(error.to_string().contains("bernoulli"), "{error}");
}

/// The file that the command's tests hold against it; `SIBP_WRITE_FIXTURES=1` writes it anew.
#[test]
fn the_stored_file_is_what_a_fit_gives() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sibp-cli/tests/data/bernoulli.sibp");
    let fitted = fit().sweeps(3).chains(1).draws(1).run(&RunControl::default()).unwrap();
    if std::env::var_os("SIBP_WRITE_FIXTURES").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        fitted.save(&path).unwrap();
    }
    let stored = Fitted::load(&path).unwrap();
    assert_eq!(stored.chains[0].last.bits, fitted.chains[0].last.bits);
}
