//! Weighted profile.
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
fn main() {
    for bits in [64, 128] {
        let w: Vec<f32> = (0..bits).map(|i| 0.5 + (i % 7) as f32 * 0.13).collect();
        for n in [256usize, 1024, 4096, 16384, 65536, 262144, 1 << 20] {
            let index = HammingIndex::from_codes(&codes(n, bits, 88172645463325252)).unwrap();
            let q = codes(1, bits, 99);
            let (mut b, mut p) = (9e9f64, 9e9f64);
            for _ in 0..200 {
                let t = Instant::now();
                index.search_weighted(&q, &w, 10, 1).unwrap();
                b = b.min(t.elapsed().as_secs_f64());
                let t = Instant::now();
                index.search(&q, 10, 1).unwrap();
                p = p.min(t.elapsed().as_secs_f64());
            }
            println!("{bits} {n}: weighted {:.1} us, plain {:.1} us", b * 1e6, p * 1e6);
        }
    }
}
