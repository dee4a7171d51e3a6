//! Times searches on request, so that a script can alternate them with another library in one run.
//!
//! Reads one JSON command a line from stdin and answers with one JSON line. `benches/search/bench.py` drives it.
#![allow(unsafe_code)]

use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

use serde_json::{Value, json};
use sibp::codes::Codes;
use sibp::index::{HammingIndex, Level, Metric, Search};
use sibp_experiments::timing::computing_seconds;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut state = None;
    for line in std::io::stdin().lock().lines() {
        let command: Value = serde_json::from_str(&line?)?;
        let answer = match command["do"].as_str() {
            Some("machine") => machine(),
            Some("load") => load(&command, &mut state)?,
            Some("search") => search(&command, state.as_ref().ok_or("load first")?)?,
            other => return Err(format!("unknown command {other:?}").into()),
        };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

struct State {
    index: HammingIndex,
    queries: Codes,
    weights: Vec<f32>,
}

fn number(command: &Value, name: &str) -> Result<usize, Failure> {
    Ok(command[name].as_u64().ok_or_else(|| format!("{name} is missing"))? as usize)
}

fn codes(command: &Value, name: &str, n_bits: usize) -> Result<Codes, Failure> {
    let bytes = std::fs::read(command[name].as_str().ok_or_else(|| format!("{name} is missing"))?)?;
    Ok(Codes::from_bytes(bytes.len() / n_bits.div_ceil(8), n_bits, bytes)?)
}

/// Loads raw rows of codes and queries, and one weight a bit.
fn load(command: &Value, state: &mut Option<State>) -> Result<Value, Failure> {
    let n_bits = number(command, "bits")?;
    let index = HammingIndex::from_codes(&codes(command, "codes", n_bits)?)?;
    let weights = command["weights"].as_array().ok_or("weights are missing")?;
    let weights = weights.iter().map(|w| w.as_f64().unwrap_or(f64::NAN) as f32).collect();
    let answer = json!({ "codes": index.len() });
    *state = Some(State { index, queries: codes(command, "queries", n_bits)?, weights });
    Ok(answer)
}

/// Runs one search of the first `queries` queries and says how long it took and what it found. On one thread seconds
/// are those of computing, which a busy machine lengthens less; on several, or where asked, they are by the clock.
fn search(command: &Value, state: &State) -> Result<Value, Failure> {
    let queries = state.queries.select(&(0..number(command, "queries")?).collect::<Vec<_>>());
    let k = number(command, "k")?;
    let level = command["level"].as_str().and_then(Level::named).ok_or("level is missing or unknown")?;
    let metric = if command["weighted"] == true { Metric::Weighted(&state.weights) } else { Metric::Hamming };
    let threads = number(command, "threads")?;
    let search = Search::nearest(k).metric(metric).threads(threads).level(level);
    let (start, computed) = (Instant::now(), computing_seconds());
    let found = state.index.search(&queries, &search)?;
    let by_clock = threads != 1 || command["clock"] == true;
    let seconds = if by_clock { start.elapsed().as_secs_f64() } else { computing_seconds() - computed };
    let sum: f64 = found.all_distances().iter().map(|&distance| f64::from(distance)).sum();
    Ok(json!({ "seconds": seconds, "distances": sum }))
}

/// The best level, what a core reads a second at several sizes, and how many plane strips it can compare.
fn machine() -> Value {
    let bandwidth: Vec<Value> =
        [8, 16, 32, 80, 400].iter().map(|&mib| json!({ "mib": mib, "gb_per_s": bandwidth(mib << 20) / 1e9 })).collect();
    json!({ "level": Level::detect().option(), "bandwidth": bandwidth, "strip_planes_per_s": strip_planes() })
}

/// Bytes a second of the fastest of several reads, from huge pages as an index has them.
fn bandwidth(bytes: usize) -> f64 {
    let mut words: Vec<u64> = Vec::with_capacity(bytes / 8);
    #[cfg(target_os = "linux")]
    // SAFETY: advice on whole pages inside our own allocation.
    unsafe {
        let first = (words.as_mut_ptr() as usize).next_multiple_of(4096);
        libc::madvise(first as *mut libc::c_void, bytes - 8192, libc::MADV_HUGEPAGE);
    }
    words.resize(bytes / 8, 1);
    let mut best = f64::MAX;
    for _ in 0..20 {
        let start = Instant::now();
        let mut sums = [0u64; 32];
        for chunk in words.chunks_exact(32) {
            for (sum, word) in sums.iter_mut().zip(chunk) {
                *sum = sum.wrapping_add(*word);
            }
        }
        black_box(sums);
        best = best.min(start.elapsed().as_secs_f64());
    }
    bytes as f64 / best
}

/// How many times a second 64 bytes can be xored, their bits counted and added, all in registers; 0 without AVX-512.
fn strip_planes() -> f64 {
    #[cfg(target_arch = "x86_64")]
    if Level::detect() == Level::Avx512 {
        let mut best = f64::MAX;
        for _ in 0..20 {
            let start = Instant::now();
            // SAFETY: the level was detected.
            black_box(unsafe { count_in_registers(100_000) });
            best = best.min(start.elapsed().as_secs_f64());
        }
        return 16.0 * 100_000.0 / best;
    }
    0.0
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512bitalg")]
unsafe fn count_in_registers(rounds: usize) -> i64 {
    use std::arch::x86_64::*;
    let codes = [1, 2, 3, 4].map(|v| _mm512_set1_epi8(black_box(v)));
    let mut counts = [_mm512_setzero_si512(); 16];
    for round in 0..rounds {
        for (i, count) in counts.iter_mut().enumerate() {
            let byte = _mm512_set1_epi8((round + i / 4) as i8);
            *count = _mm512_add_epi8(*count, _mm512_popcnt_epi8(_mm512_xor_si512(codes[i % 4], byte)));
        }
    }
    counts.iter().map(|&count| _mm512_reduce_add_epi64(count)).fold(0, i64::wrapping_add)
}
