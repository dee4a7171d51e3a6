//! Damages a small model file in every place: each damage is an error, none a panic.

use crate::fits::small_model;
use sibp::format::Fitted;
use sibp::parallel::each;

#[test]
fn every_truncation_is_an_error() {
    let file = small_model().to_bytes().unwrap();
    assert!(Fitted::from_bytes(&file).is_ok());
    for length in 0..file.len() {
        assert!(Fitted::from_bytes(&file[..length]).is_err(), "cut to {length} of {} bytes", file.len());
    }
    for extra in [0, b' ', b'}'] {
        let longer: Vec<u8> = file.iter().copied().chain([extra]).collect();
        assert!(Fitted::from_bytes(&longer).is_err(), "one byte too many: {extra}");
    }
}

#[test]
fn every_flip_of_a_bit_is_an_error() {
    change_every_byte((0..8).map(|bit| 1 << bit).collect());
}

#[test]
#[ignore = "half a minute; the fast tier flips every bit instead"]
fn every_change_of_a_byte_is_an_error() {
    change_every_byte((1..=255).collect());
}

fn change_every_byte(changes: Vec<u8>) {
    let file = small_model().to_bytes().unwrap();
    assert!(Fitted::from_bytes(&file).is_ok());
    let n_threads = 2;
    each(0..n_threads, |part| {
        let mut damaged = file.clone();
        for at in (part..damaged.len()).step_by(n_threads) {
            let byte = damaged[at];
            for change in &changes {
                damaged[at] = byte ^ change;
                assert!(Fitted::from_bytes(&damaged).is_err(), "byte {at}: {byte} -> {}", damaged[at]);
            }
            damaged[at] = byte;
        }
    });
}
