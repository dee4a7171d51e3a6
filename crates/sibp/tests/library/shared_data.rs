//! Reads the larger data sets, where they are there, and checks what their descriptions state.

use crate::common::shared_data;
use sibp::data::{ColumnRef, ReadOptions, read_labels, read_splits, read_table};
use sibp::triplets::{FromLabels, TripletSet, check, read_triplets};

#[test]
fn digits_have_their_stated_shape_and_splits() {
    let Some(folder) = shared_data("digits") else { return };
    let plain = ReadOptions::default();
    let mut table = read_table(&folder.join("features.npy"), &plain).unwrap();
    assert_eq!((table.inputs.n_objects(), table.inputs.n_inputs()), (1797, 64));
    assert!(table.inputs.values().iter().all(|v| (0.0..=16.0).contains(v)));
    table.set_labels(read_labels(&folder.join("labels.npy"), &plain).unwrap()).unwrap();
    let labels = table.labels.unwrap();
    assert_eq!(labels.names().len(), 10);
    let splits = read_splits(&folder.join("split5.csv"), 1797).unwrap();
    assert_eq!(splits.len(), 5);
    for split in &splits {
        assert_eq!((split.train.len(), split.test.len()), (150, 150));
        let train = labels.select(&split.train);
        let built = FromLabels::default().build(&train, &table.inputs.select(&split.train)).unwrap();
        let report = check(&TripletSet::new(150, built.triplets).unwrap());
        assert_eq!((report.n_triplets, report.n_duplicates, report.n_contradicted_questions), (150 * 30, 0, 0));
    }
}

#[test]
fn human_triplets_are_as_described() {
    let Some(folder) = shared_data("zappos85_triplets") else { return };
    let triplets = read_triplets(&folder.join("triplets.npy"), 85).unwrap();
    let report = check(&TripletSet::new(85, triplets).unwrap());
    assert_eq!((report.n_triplets, report.n_duplicates, report.n_contradicted_questions), (283_770, 0, 0));
    assert_eq!((report.anchor.fewest, report.anchor.most, report.n_unmentioned), (3161, 3446, 0));
}

#[test]
fn a_csv_with_a_label_column_is_as_described() {
    let Some(folder) = shared_data("image_segments") else { return };
    let options = ReadOptions { label_column: Some(ColumnRef::from("category")), ..ReadOptions::default() };
    let table = read_table(&folder.join("image_segments.csv"), &options).unwrap();
    assert_eq!((table.inputs.n_objects(), table.inputs.n_inputs()), (2310, 18));
    let labels = table.labels.unwrap();
    for class in 0..7 {
        assert_eq!(labels.class_of().iter().filter(|&&c| c == class).count(), 330);
    }
}
