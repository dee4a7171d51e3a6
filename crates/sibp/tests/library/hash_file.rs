//! Tests the file of a stack of hashes: it comes back as it was, and every damage is an error.

use crate::fits::{small_growing, small_stack};
use crate::fuzz::seal_model;
use sibp::data::Inputs;
use sibp::extend::GrowingCode;
use sibp::hash::HashStack;

#[test]
fn a_stack_comes_back_as_it_was() {
    let stack = small_stack();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("h.sibh");
    stack.save(&path).unwrap();
    let again = HashStack::load(&path).unwrap();
    assert_eq!(again, stack);
    assert_eq!(again.to_bytes().unwrap(), std::fs::read(&path).unwrap());
    let x = Inputs::new(3, 2, vec![0.1, 0.9, -1.0, 2.0, 3.0, 0.0]).unwrap();
    assert_eq!(again.encode(&x).unwrap(), stack.encode(&x).unwrap());
}

#[test]
fn a_memory_comes_back_as_it_was_and_may_be_ignored() {
    for by_labels in [true, false] {
        let code = small_growing(by_labels);
        let file = code.to_bytes().unwrap();
        assert_eq!(GrowingCode::from_bytes(&file).unwrap(), code);
        assert_eq!(HashStack::from_bytes(&file).unwrap(), small_stack());
    }
}

#[test]
fn every_truncation_and_every_flipped_bit_is_an_error() {
    let with_memory = [true, false].map(|by_labels| small_growing(by_labels).to_bytes().unwrap());
    for file in with_memory.into_iter().chain([small_stack().to_bytes().unwrap()]) {
        for length in 0..file.len() {
            assert!(GrowingCode::from_bytes(&file[..length]).is_err(), "cut to {length}");
        }
        let mut damaged = file.clone();
        for at in 0..file.len() {
            for bit in 0..8 {
                damaged[at] ^= 1 << bit;
                assert!(GrowingCode::from_bytes(&damaged).is_err(), "bit {bit} of byte {at}");
                damaged[at] = file[at];
            }
        }
    }
}

#[test]
fn a_memory_of_no_batch_is_refused() {
    let mut bytes = small_growing(true).to_bytes().unwrap();
    let counted = br#"\"n_batches\":1"#;
    let at = bytes.windows(counted.len()).position(|window| window == counted).unwrap();
    bytes[at + counted.len() - 1] = b'0';
    seal_model(&mut bytes);
    let error = GrowingCode::from_bytes(&bytes).unwrap_err().to_string();
    assert!(error.contains("objects are remembered, but of no batch"), "{error}");
}
