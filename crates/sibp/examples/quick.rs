//! Quick figures.
use sibp::{codes::Codes, index::*};
use std::time::Instant;
fn codes(n: usize, bits: usize, mut s: u64) -> Codes {
    let w = bits.div_ceil(8);
    let v = (0..n * w)
        .map(|_| {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            (s >> 32) as u8
        })
        .collect();
    Codes::from_bytes(n, bits, v).unwrap()
}
fn best(mut f: impl FnMut(), reps: usize) -> f64 {
    (0..reps)
        .map(|_| {
            let t = Instant::now();
            f();
            t.elapsed().as_secs_f64()
        })
        .fold(f64::MAX, f64::min)
}
fn main() {
    let which = std::env::args().nth(1).unwrap_or_default();
    for (bits, n) in [(64, 1000000), (80, 1000000), (128, 1000000), (256, 1000000), (64, 10_000_000), (1024, 100_000)] {
        let index = HammingIndex::from_codes(&codes(n, bits, 88172645463325252)).unwrap();
        let q = codes(100, bits, 99);
        let one = q.select(&[0]);
        for level in Level::available() {
            if level == Level::Portable && which != "all" {
                continue;
            }
            let s = index.scan().level(level);
            let b = best(
                || {
                    s.nearest(&q, 10).unwrap();
                },
                12,
            );
            let o = best(
                || {
                    s.nearest(&one, 10).unwrap();
                },
                10,
            );
            let o8 = best(
                || {
                    s.nearest(&q.select(&[0, 1, 2, 3]), 10).unwrap();
                },
                5,
            );
            println!(
                "{bits} n={n} {level:?}: batch {:.2} G/s, four {:.2}, one {:.2} G/s ({:.1} GB/s)",
                n as f64 * 100.0 / b / 1e9,
                n as f64 * 4.0 / o8 / 1e9,
                n as f64 / o / 1e9,
                (n * bits / 8) as f64 / o / 1e9
            );
            let w: Vec<f32> = (0..bits).map(|i| 0.5 + (i % 7) as f32 * 0.13).collect();
            if which == "w" {
                let b = best(
                    || {
                        s.nearest_weighted(&q, &w, 10).unwrap();
                    },
                    12,
                );
                let o = best(
                    || {
                        s.nearest_weighted(&one, &w, 10).unwrap();
                    },
                    5,
                );
                println!("   weighted: batch {:.2} G/s, one {:.2} G/s", n as f64 * 100.0 / b / 1e9, n as f64 / o / 1e9);
            }
        }
    }
    let index = HammingIndex::from_codes(&codes(100000, 64, 88172645463325252)).unwrap();
    let q = codes(100, 64, 99);
    let b = best(
        || {
            index.search(&q, 100, 1).unwrap();
        },
        10,
    );
    println!("k=100 n=1e5: {:.2} G/s", 1e5 * 100.0 / b / 1e9);
}
