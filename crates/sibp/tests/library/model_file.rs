//! Holds the model file to its description: layout, determinism, atomic save, and one error a mistake.

use crate::fits::{Fit, MODELS, small_model};
use safetensors::SafeTensors;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use sibp::codes::CodesError;
use sibp::data::Inputs;
use sibp::format::{Fitted, FormatError, MAX_HEADER};
use sibp::pipeline::DrawChoice;
use sibp::run::{RunControl, RunSettings, RunSettingsError};
use sibp::trace::RecordError;
use std::fs;
use std::path::Path;

/// Changes header and data of a file and seals it again with a right checksum.
fn edit(file: &[u8], change: impl FnOnce(&mut Map<String, Value>, &mut Vec<u8>)) -> Vec<u8> {
    let length = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    let mut header: Map<String, Value> = serde_json::from_slice(&file[8..8 + length]).unwrap();
    let mut data = file[8 + length..].to_vec();
    header["__metadata__"]["checksum"] = json!("0".repeat(64));
    change(&mut header, &mut data);
    let header = Value::from(header).to_string();
    let mut edited = (header.len() as u64).to_le_bytes().to_vec();
    edited.extend(header.as_bytes());
    edited.extend(data);
    let checksum: String = Sha256::digest(&edited).iter().map(|byte| format!("{byte:02x}")).collect();
    let at = header.find(&"0".repeat(64)).unwrap() + 8;
    edited[at..at + 64].copy_from_slice(checksum.as_bytes());
    edited
}

/// Reads a small model after a change of the JSON text in its metadata.
fn with_model(change: impl FnOnce(&mut Value)) -> FormatError {
    read_edited(|header, _| {
        let mut model: Value = serde_json::from_str(header["__metadata__"]["model"].as_str().unwrap()).unwrap();
        change(&mut model);
        header["__metadata__"]["model"] = json!(model.to_string());
    })
}

fn read_edited(change: impl FnOnce(&mut Map<String, Value>, &mut Vec<u8>)) -> FormatError {
    Fitted::from_bytes(&edit(&small_model().to_bytes().unwrap(), change)).unwrap_err()
}

/// Where the values of a tensor begin in the data.
fn begin(header: &Map<String, Value>, name: &str) -> usize {
    header[name]["data_offsets"][0].as_u64().unwrap() as usize
}

#[test]
fn sealing_again_without_a_change_keeps_the_file_valid() {
    let model = small_model();
    let again = edit(&model.to_bytes().unwrap(), |_, _| ());
    assert_eq!(Fitted::from_bytes(&again).unwrap(), model);
}

#[test]
fn the_same_model_gives_the_same_bytes_and_comes_back_equal() {
    for (name, kind, preset) in MODELS {
        let settings = RunSettings { seed: 1, sweeps: 9, chains: 3, draws: 2 };
        let fit = Fit::new(kind, preset, 11, settings);
        let mut file = fit.file(fit.run(&RunControl::default(), None).chains);
        assert_eq!(Fitted::from_bytes(&file.to_bytes().unwrap()).unwrap(), file, "{name}");
        assert_eq!(file.to_bytes().unwrap(), fit.bytes(2), "{name}");
        if name == "ddibp, output distances" {
            // Its distances are between classes, so it cannot do without labels.
            continue;
        }
        (file.info.labels, file.info.ids, file.info.input_names) = (None, None, None);
        assert_eq!(Fitted::from_bytes(&file.to_bytes().unwrap()).unwrap(), file, "{name} without names");
    }
}

#[test]
fn numbers_in_the_metadata_come_back_to_the_last_bit() {
    use rand::{RngExt, SeedableRng};
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let mut model = small_model();
    for _ in 0..300 {
        let values = (0..6).map(|_| 1e3 * (rng.random::<f64>() - 0.5)).collect();
        let inputs = sibp::data::Inputs::new(2, 3, values).unwrap();
        model.info.transform = sibp::transform::Transform::fit(&"standardise".parse().unwrap(), &inputs).unwrap();
        let again = Fitted::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(again.info.transform, model.info.transform);
    }
}

#[test]
fn a_state_without_features_can_be_stored() {
    let mut model = small_model();
    let draw = &mut model.chains[0].draws[0];
    draw.bits = sibp::codes::Codes::zeros(4, 0);
    draw.weights.clear();
    for (name, shape) in [("images", vec![0, 3]), ("spread", vec![0, 0])] {
        draw.tensors.insert(name.to_owned(), sibp::trace::Tensor { shape, values: Vec::new() });
    }
    model.chains[0].last = model.chains[0].draws[0].clone();
    assert_eq!(Fitted::from_bytes(&model.to_bytes().unwrap()).unwrap(), model);
}

#[test]
fn the_layout_is_the_documented_one() {
    let model = small_model();
    let file = model.to_bytes().unwrap();
    let length = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    assert_eq!(length % 8, 0);
    assert!(file[8..].starts_with(br#"{"__metadata__":{"checksum":""#));
    let (_, header) = SafeTensors::read_metadata(&file).unwrap();
    let metadata = header.metadata().as_ref().unwrap();
    let mut keys: Vec<&str> = metadata.keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["checksum", "format", "format_version", "model", "sibp_version"]);
    assert_eq!((metadata["format"].as_str(), metadata["format_version"].as_str()), ("sibp-model", "4"));
    let tensors = SafeTensors::deserialize(&file).unwrap();
    let mut names = tensors.names();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "chain0/draw0/bits",
            "chain0/draw0/tensor/given_weights",
            "chain0/draw0/tensor/images",
            "chain0/draw0/tensor/spread",
            "chain0/draw0/weights",
            "chain0/n_bits",
            "chain0/scalar/concentration",
            "chain0/scalar/feature_variance",
            "chain0/scalar/lapse",
            "chain0/scalar/noise_variance",
            "chain0/scalar/score",
            "chain0/sweep",
            "chain0/trace/log_joint",
            "chain0/trace/log_likelihood",
            "chain0/trace/n_bits",
            "chain0/trace/satisfied",
            "chain0/trace/scalar/concentration",
            "chain0/trace/scalar/feature_variance",
            "chain0/trace/scalar/lapse",
            "chain0/trace/scalar/noise_variance",
            "given",
            "ids/ends",
            "ids/texts",
            "labels",
            "row_digests",
        ]
    );
    let bits = tensors.tensor("chain0/draw0/bits").unwrap();
    assert_eq!(
        (bits.shape(), bits.data()),
        (&[4, model.chains[0].last.bits.n_bytes()][..], model.chains[0].last.bits.bytes())
    );
    assert_eq!(tensors.tensor("ids/texts").unwrap().data(), b"object 0object 1object 2object 3");
}

#[test]
fn other_kinds_of_files_are_named() {
    for bytes in [&b""[..], b"short", b"\x93NUMPY\x01\x00v\x00{'descr': '<f8'}", &[0xff; 100]] {
        let error = Fitted::from_bytes(bytes).unwrap_err();
        assert!(matches!(error, FormatError::NotSafetensors { .. }), "{error}");
        assert!(error.to_string().starts_with("not a sibp model: "), "{error}");
    }
    let mut huge = (MAX_HEADER as u64 + 1).to_le_bytes().to_vec();
    huge.extend([b' '; 100]);
    let error = Fitted::from_bytes(&huge).unwrap_err();
    assert!(error.to_string().contains("above the limit of 100000000"), "{error}");
    let foreign = read_edited(|header, _| header["__metadata__"]["format"] = json!("other"));
    assert!(matches!(foreign, FormatError::NotModel), "{foreign}");
    // Sorts after "checksum", so the header no longer begins as ours do.
    let reordered = read_edited(|header, _| header["__metadata__"]["aaa"] = json!(""));
    assert!(matches!(reordered, FormatError::NotModel), "{reordered}");
}

#[test]
fn other_versions_are_named() {
    let newer = read_edited(|header, _| {
        header["__metadata__"]["format_version"] = json!("5");
        header["__metadata__"]["sibp_version"] = json!("7.0.1");
    });
    assert!(newer.to_string().starts_with("made by a newer version: sibp 7.0.1 wrote format 5"), "{newer}");
    for version in ["0", "-1", "one", ""] {
        let error = read_edited(|header, _| header["__metadata__"]["format_version"] = json!(version));
        assert!(matches!(error, FormatError::Metadata { key: "format_version", .. }), "{error}");
    }
    let missing =
        read_edited(|header, _| drop(header["__metadata__"].as_object_mut().unwrap().remove("format_version")));
    assert!(matches!(missing, FormatError::Metadata { key: "format_version", .. }), "{missing}");
}

#[test]
fn a_wrong_checksum_is_named() {
    let mut file = small_model().to_bytes().unwrap();
    *file.last_mut().unwrap() ^= 1;
    let error = Fitted::from_bytes(&file).unwrap_err();
    assert!(matches!(error, FormatError::Checksum { .. }), "{error}");
}

#[test]
fn unreadable_metadata_is_named() {
    for text in ["", "{}", "[1]", "{\"model\":"] {
        let error = read_edited(|header, _| header["__metadata__"]["model"] = json!(text));
        assert!(matches!(error, FormatError::Metadata { key: "model", .. }), "{error}");
    }
    let unknown = with_model(|model| model["surprise"] = json!(1));
    assert!(unknown.to_string().contains("surprise"), "{unknown}");
    let transform = with_model(|model| model["transform"]["steps"][0]["deviations"][1] = json!(-1.0));
    assert!(transform.to_string().contains("deviation"), "{transform}");
}

#[test]
fn impossible_settings_are_named() {
    let error = with_model(|model| model["settings"]["sweeps"] = json!(0));
    assert!(matches!(error, FormatError::RunSettings(RunSettingsError::OutOfRange { what: "sweeps", .. })), "{error}");
    let error = with_model(|model| model["model"]["preference"]["pseudo_weight"] = json!(-1.0));
    assert!(matches!(error, FormatError::ModelSettings(_)), "{error}");
    let error = with_model(|model| model["settings"]["chains"] = json!(1_000_000_000_000u64));
    assert!(matches!(error, FormatError::RunSettings(_)), "{error}");
}

#[test]
fn counts_that_do_not_fit_are_named() {
    let error = with_model(|model| model["input_names"] = json!(["length"]));
    assert!(matches!(error, FormatError::Count { what: "input names", expected: 3, found: 1 }), "{error}");
    let error = with_model(|model| model["n_objects"] = json!(5));
    assert!(matches!(error, FormatError::TensorShape { .. }), "{error}");
    let error = read_edited(|header, data| {
        // Nothing in the file is about objects any more, but their number is beyond the limit.
        let mut model: Value = serde_json::from_str(header["__metadata__"]["model"].as_str().unwrap()).unwrap();
        (model["n_objects"], model["class_names"]) = (json!(1u64 << 40), Value::Null);
        model["given"] = Value::Null;
        header["__metadata__"]["model"] = json!(model.to_string());
        header.retain(|name, _| name == "__metadata__");
        data.clear();
    });
    assert!(matches!(error, FormatError::Limit { what: "the number of objects", .. }), "{error}");
    let mut model = small_model();
    model.chains.clear();
    let error = model.to_bytes().unwrap_err();
    assert!(matches!(error, FormatError::Count { what: "records of chains", expected: 1, found: 0 }), "{error}");
    let mut model = small_model();
    model.chains[0].draws[0].bits = sibp::codes::Codes::zeros(3, 1);
    let error = model.to_bytes().unwrap_err();
    assert!(matches!(error, FormatError::Count { what: "codes of a draw", expected: 4, found: 3 }), "{error}");
}

#[test]
fn a_header_beyond_the_limit_is_not_written() {
    let mut model = small_model();
    model.info.input_names = Some(vec!["x".repeat(MAX_HEADER / 3); 3]);
    let error = model.to_bytes().unwrap_err();
    assert!(matches!(error, FormatError::Limit { what: "the header", .. }), "{error}");
}

#[test]
fn wrong_tensors_are_named() {
    let rename = |header: &mut Map<String, Value>, from: &str, to: &str| {
        let entry = header.remove(from).unwrap();
        header.insert(to.to_owned(), entry);
    };
    for name in ["labels", "chain0/sweep", "chain0/n_bits", "chain0/draw0/bits", "chain0/trace/log_joint", "ids/texts"]
    {
        let error = read_edited(|header, _| rename(header, name, "zebra"));
        assert!(matches!(&error, FormatError::MissingTensor { name: n } if n == name), "{error}");
    }
    let error = read_edited(|header, _| {
        drop(header.insert("zebra".to_owned(), json!({"dtype": "U8", "shape": [0], "data_offsets": [0, 0]})))
    });
    assert!(matches!(&error, FormatError::UnexpectedTensor { name } if name == "zebra"), "{error}");
    let error = read_edited(|header, _| header["chain0/draw0/weights"]["dtype"] = json!("U64"));
    assert!(error.to_string().contains("'chain0/draw0/weights' has type U64 instead of F64"), "{error}");
    let error = read_edited(|header, _| header["chain0/trace/log_joint"]["shape"] = json!([1, 3]));
    assert!(error.to_string().contains("has shape [1, 3] instead of [3]"), "{error}");
    let error = read_edited(|header, _| header["chain0/sweep"]["shape"] = json!([1, 1]));
    assert!(matches!(error, FormatError::TensorShape { .. }), "{error}");
}

#[test]
fn impossible_values_are_named() {
    let error = read_edited(|header, data| data[begin(header, "labels")] = 9);
    assert!(matches!(error, FormatError::Class { object_ix: 0, class: 9, n_classes: 2 }), "{error}");
    let error = read_edited(|header, data| data[begin(header, "ids/texts")] = 0xff);
    assert!(error.to_string().contains("not UTF-8"), "{error}");
    let error = read_edited(|header, data| data[begin(header, "ids/texts") + 15] = b'0');
    assert!(matches!(error, FormatError::Ids { .. }) && error.to_string().contains("object 0"), "{error}");
    let error = read_edited(|header, data| data[begin(header, "ids/ends")] = 200);
    assert!(error.to_string().contains("do not ascend"), "{error}");
    let error = read_edited(|header, data| data[begin(header, "chain0/sweep")] = 2);
    assert!(matches!(error, FormatError::TensorShape { .. }), "{error}");
    let error = with_model(|model| model["settings"]["sweeps"] = json!(2));
    assert!(
        matches!(
            error,
            FormatError::Record { chain_ix: 0, problem: RecordError::TooManySweeps { sweeps_done: 3, .. } }
        ),
        "{error}"
    );
}

#[test]
fn inputs_that_are_no_matrix_of_numbers_are_named() {
    let (_, kind, preset) = MODELS.into_iter().find(|(name, ..)| *name == "ddibp, input distances").unwrap();
    let fit = Fit::new(kind, preset, 4, RunSettings { seed: 3, sweeps: 3, chains: 1, draws: 1 });
    let file = fit.bytes(1);
    let not_finite = edit(&file, |header, data| {
        let begin = begin(header, "inputs");
        data[begin..begin + 8].copy_from_slice(&f64::NAN.to_le_bytes());
    });
    let error = Fitted::from_bytes(&not_finite).unwrap_err();
    assert!(matches!(error, FormatError::Inputs { .. }) && error.to_string().contains("row 0"), "{error}");
    let list = edit(&file, |header, _| header["inputs"]["shape"] = json!([12]));
    let error = Fitted::from_bytes(&list).unwrap_err();
    assert!(matches!(error, FormatError::Inputs { .. }) && error.to_string().contains("[12]"), "{error}");
    let narrow = edit(&file, |header, _| header["inputs"]["shape"] = json!([6, 2]));
    let error = Fitted::from_bytes(&narrow).unwrap_err();
    assert!(matches!(error, FormatError::Count { what: "rows of inputs", expected: 4, found: 6 }), "{error}");
}

#[test]
fn codes_with_set_bits_after_the_last_are_named() {
    let mut model = small_model();
    let draw = &mut model.chains[0].draws[0];
    draw.bits = sibp::codes::Codes::zeros(4, 3);
    draw.weights = vec![1.0; 3];
    model.chains[0].last = model.chains[0].draws[0].clone();
    let file = edit(&model.to_bytes().unwrap(), |header, data| data[begin(header, "chain0/draw0/bits") + 2] = 1);
    let error = Fitted::from_bytes(&file).unwrap_err();
    assert!(matches!(error, FormatError::Codes { problem: CodesError::Padding { row: 2, n_bits: 3 }, .. }), "{error}");
}

#[test]
fn saving_over_the_loaded_file_leaves_whole_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.sibp");
    let model = small_model();
    model.save(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes, model.to_bytes().unwrap());
    let mut loaded = Fitted::load(&path).unwrap();
    assert_eq!(loaded, model);
    loaded.save(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), bytes);
    // A model that cannot be written leaves the old one.
    loaded.chains.clear();
    assert!(loaded.save(&path).is_err());
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a temporary file was left behind");
}

#[test]
fn places_that_cannot_be_written_or_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let check = |result: Result<(), FormatError>, path: &Path| {
        let error = result.unwrap_err();
        assert!(matches!(error.problem(), FormatError::Io { .. }), "{error}");
        assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
    };
    let model = small_model();
    check(model.save(folder.path()), folder.path());
    let orphan = folder.path().join("missing").join("m.sibp");
    check(model.save(&orphan), &orphan);
    check(Fitted::load(&orphan).map(drop), &orphan);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A file of version 1 encodes as it did when it was written, and a run cannot go on from it.
#[test]
fn files_of_version_1_still_encode() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/version1.sibp");
    let file = Fitted::load(&path).unwrap();
    let inputs = Inputs::new(3, 2, vec![0.5, 0.5, 2.5, 0.5, 1.4, 0.2]).unwrap();
    let codes = file.coder(DrawChoice::Map).unwrap().encode(&inputs).unwrap();
    assert_eq!(codes.bytes()[1..], [0x23, 0xa4, 0xbf, 0xd4, 0x18, 0x00, 0x80, 0x88]);
    let plan = file.info.settings.plan();
    let error = file.chains[0].check_resume(&plan).unwrap_err();
    assert!(error.to_string().contains("earlier version"), "{error}");
    assert!(file.chains[0].trace.log_likelihood.iter().all(|value| value.is_nan()));
    assert_eq!(Fitted::from_bytes(&file.to_bytes().unwrap()).unwrap().to_bytes().unwrap(), file.to_bytes().unwrap());
}

/// What an earlier build wrote keeps its codes and its bytes, by which hashes that are made of it are recognised.
#[test]
fn files_with_anchors_still_encode() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/anchors.sibp");
    let file = Fitted::load(&path).unwrap();
    let inputs = Inputs::new(3, 2, vec![0.1, 0.2, 0.9, -0.8, -0.5, 0.6]).unwrap();
    let codes = file.coder(DrawChoice::Map).unwrap().encode(&inputs).unwrap();
    assert_eq!(codes.n_bits(), 45);
    assert_eq!(codes.bytes(), [17, 34, 68, 109, 148, 152, 49, 34, 97, 109, 204, 136, 49, 34, 65, 109, 220, 144]);
    assert_eq!(file.to_bytes().unwrap(), std::fs::read(path).unwrap());
}
