//! Tests the file of a stack of hashes: it comes back as it was, and every damage is an error.

use crate::fits::small_stack;
use sibp::data::Features;
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
    let x = Features::new(3, 2, vec![0.1, 0.9, -1.0, 2.0, 3.0, 0.0]).unwrap();
    assert_eq!(again.encode(&x).unwrap(), stack.encode(&x).unwrap());
}

#[test]
fn every_truncation_and_every_flipped_bit_is_an_error() {
    let file = small_stack().to_bytes().unwrap();
    for length in 0..file.len() {
        assert!(HashStack::from_bytes(&file[..length]).is_err(), "cut to {length}");
    }
    let mut damaged = file.clone();
    for at in 0..file.len() {
        for bit in 0..8 {
            damaged[at] ^= 1 << bit;
            assert!(HashStack::from_bytes(&damaged).is_err(), "bit {bit} of byte {at}");
            damaged[at] = file[at];
        }
    }
}
