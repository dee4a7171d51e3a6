//! Tests that fits are refused where data, labels or memory are missing.

use crate::pipeline::unseen;
use sibp::codes::Codes;
use sibp::data::{Labels, Table};
use sibp::format::{GivenBits, TripletOrigin};
use sibp::model::{ModelKind, ModelOptions, ObservationsError, SettingsError};
use sibp::pipeline::{Asking, CodingError, Fit, FitError, Part, Teaching};
use sibp::prior::proximity::Distance;
use sibp::run::{RunControl, RunError, RunSettingsError};
use sibp::triplets::{FromLabels, Triplet};

/// Two objects of each of two classes.
fn labelled() -> Table {
    Table { labels: Some(Labels::from_text(&["a", "a", "b", "b"])), ..Table::from(unseen(4)) }
}

#[test]
fn fits_without_what_they_need_are_refused() {
    let from_labels = || Teaching::Labels(FromLabels::default());
    for &kind in ModelKind::ALL {
        let name = kind.name();
        for teaching in [Teaching::Nothing, from_labels(), vec![Triplet { anchor: 0, near: 1, far: 2 }].into()] {
            let from_triplets = matches!(teaching, Teaching::Triplets(_));
            match Fit::new(None, teaching).model(kind).prepare(None) {
                Ok(_) => assert!(from_triplets && kind.about().predicts_bits, "{name}"),
                Err(error) => assert!(matches!(error, FitError::NoInputs { model } if model == name), "{error}"),
            }
        }
        let without = Fit::new(Table::from(unseen(4)), from_labels()).model(kind).prepare(None);
        match (kind.about().supervised, without) {
            (true, Err(FitError::NoLabels { model })) => assert_eq!(model, name),
            (false, Ok(prepared)) => assert_eq!(prepared.info.triplets, TripletOrigin::None),
            (_, other) => panic!("{name}: {other:?}"),
        }
        let none = Fit::new(labelled(), from_labels()).model(kind).sweeps(0).run(&RunControl::default());
        let expected = RunSettingsError::OutOfRange { what: "sweeps", value: 0, limit: sibp::run::MAX_SWEEPS };
        assert!(matches!(none, Err(FitError::Settings(error)) if error == expected), "{name}");
        let unknown = vec![Triplet { anchor: 0, near: 1, far: 4 }];
        let error = Fit::new(labelled(), unknown).model(kind).prepare(None).unwrap_err();
        assert!(matches!(error, FitError::Triplets(_)), "{name}: {error}");
        let taught = Fit::new(labelled(), vec![Triplet { anchor: 0, near: 1, far: 2 }]).model(kind).sweeps(2);
        match (kind.about().supervised, taught.run(&RunControl::default())) {
            (true, Ok(fitted)) => assert_eq!(fitted.info.triplets, TripletOrigin::Given { n_triplets: 1 }),
            (false, Err(FitError::Run(RunError::Observations(error)))) => {
                assert_eq!(error, ObservationsError::UnusedTriplets { model: name, n_triplets: 1 });
            }
            (_, other) => panic!("{name}: {:?}", other.map(drop)),
        }
    }
    let one_class = Labels::from_text(&["a"; 4]);
    let error = Fit::by_labels(Table::from(unseen(4)), one_class).prepare(None).unwrap_err();
    assert!(matches!(error, FitError::Labels(_)), "{error}");
    let between_classes = ModelOptions { distance: Distance::Output, ..ModelOptions::from(ModelKind::DdIbp) };
    let error = Fit::new(Table::from(unseen(4)), Teaching::Nothing).model(between_classes).prepare(None).unwrap_err();
    assert!(matches!(error, FitError::Model(SettingsError::NoClasses)), "{error}");
}

#[test]
fn fits_that_memory_cannot_hold_are_refused_to_the_byte() {
    for &kind in ModelKind::ALL {
        let fit = || Fit::new(labelled(), FromLabels::default()).model(kind).sweeps(3).chains(3).draws(2);
        let n_triplets = fit().prepare(None).unwrap().info.triplets.n_triplets();
        assert_eq!(n_triplets > 0, kind.about().supervised);
        let shortage = |free| match fit().prepare(Some(free)) {
            Err(FitError::Memory(shortage)) => Some(shortage),
            Ok(_) => None,
            Err(other) => panic!("{other}"),
        };
        let found = shortage(0).unwrap();
        assert_eq!((found.free, found.sizes.model, found.sizes.n_triplets), (0, kind, n_triplets));
        assert_eq!((found.sizes.n_objects, found.sizes.n_inputs), (4, 3));
        assert_eq!((found.sizes.chains, found.sizes.draws, found.sizes.on_disk), (3, 2, false));
        // What is read already needs no more memory.
        let needed = found.budget.total() - found.budget.of(Part::Inputs);
        assert!(shortage(needed).is_none() && shortage(needed - 1).is_some(), "{kind:?}");
        let text = found.to_string();
        let begin =
            format!("4 objects of 3 inputs with {n_triplets} triplets need about {} bytes", found.budget.total());
        assert!(text.starts_with(&begin) && text.contains("and 0 are free"), "{text}");
        assert!(text.ends_with(found.budget.largest().name()), "{text}");
        let control = RunControl { memory: Some(needed - 1), ..RunControl::default() };
        assert!(matches!(fit().run(&control), Err(FitError::Memory(_))), "{kind:?}");
        let control = RunControl { memory: Some(needed), ..RunControl::default() };
        assert!(fit().run(&control).unwrap().finished(), "{kind:?}");
    }
}

#[test]
fn given_bits_of_other_objects_or_for_nothing_are_refused() {
    let given = |n| GivenBits { source: "test".to_owned(), codes: Codes::zeros(n, 2), predictor: None };
    for rows in [3, 5] {
        let error = Fit::new(labelled(), Teaching::Nothing).given(given(rows)).prepare(None).unwrap_err();
        assert!(matches!(error, FitError::GivenRows { n_objects: 4, rows: found } if found == rows), "{error}");
    }
    let unused = Fit::new(labelled(), Teaching::Nothing).model(ModelKind::DdIbp).given(given(4)).prepare(None);
    assert!(matches!(unused.unwrap_err(), FitError::UnusedGivenBits { model: "ddibp" }));
}

#[test]
fn preferences_of_objects_predicts_bits_are_refused() {
    let fitted = Fit::new(labelled(), FromLabels::default()).sweeps(3).run(&RunControl::default()).unwrap();
    let beyond = [Triplet { anchor: 0, near: 1, far: 4 }];
    let error = fitted.preferences((&unseen(4), None), &beyond, &Asking::default()).unwrap_err();
    assert_eq!(error, CodingError::UnknownObject { object: 4, n_objects: 4 });
}
