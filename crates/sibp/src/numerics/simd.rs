//! Runs short vector loops at the widest instruction set of the machine, with the same bits at every width.
//!
//! Each loop is written once in plain Rust with eight fixed accumulators and compiled for several instruction sets.
//! None of them contracts a*b+c, so all give identical results.

use std::sync::LazyLock;

/// Instruction sets that loops are compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every machine of the target has.
    Portable,
    /// 256-bit vectors.
    Avx2,
    /// 512-bit vectors with 64-bit integer operations.
    Avx512,
}

/// The widest level of this machine.
pub fn level() -> Level {
    static LEVEL: LazyLock<Level> = LazyLock::new(detect);
    *LEVEL
}

fn detect() -> Level {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
        {
            return Level::Avx512;
        }
        if is_x86_feature_detected!("avx2") {
            return Level::Avx2;
        }
    }
    Level::Portable
}

/// Defines a public function that runs an always-inlined body at the given level.
macro_rules! at_every_level {
    ($(#[$doc:meta])* $name:ident = $body:ident($($arg:ident: $kind:ty),*) $(-> $out:ty)?) => {
        $(#[$doc])*
        #[allow(unsafe_code)]
        pub fn $name($($arg: $kind),*) $(-> $out)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
                fn avx512($($arg: $kind),*) $(-> $out)? { $body($($arg),*) }
                #[target_feature(enable = "avx2")]
                fn avx2($($arg: $kind),*) $(-> $out)? { $body($($arg),*) }
                match $crate::numerics::simd::level() {
                    // SAFETY: the level was detected on this machine.
                    $crate::numerics::simd::Level::Avx512 => return unsafe { avx512($($arg),*) },
                    // SAFETY: the level was detected on this machine.
                    $crate::numerics::simd::Level::Avx2 => return unsafe { avx2($($arg),*) },
                    $crate::numerics::simd::Level::Portable => {}
                }
            }
            $body($($arg),*)
        }
    };
}

/// Independent accumulators of every reduction.
pub const LANES: usize = 8;

/// Sums `term` of every pair of entries, always in the same order.
#[inline(always)]
fn sum_pairs(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut lanes = [0.0; LANES];
    let split = n - n % LANES;
    for (x, y) in a[..split].chunks_exact(LANES).zip(b[..split].chunks_exact(LANES)) {
        for (lane, (x, y)) in lanes.iter_mut().zip(x.iter().zip(y)) {
            *lane += term(*x, *y);
        }
    }
    for (lane, (x, y)) in a[split..].iter().zip(&b[split..]).enumerate() {
        lanes[lane] += term(*x, *y);
    }
    sum_lanes(lanes)
}

#[inline(always)]
fn dot_body(a: &[f64], b: &[f64]) -> f64 {
    sum_pairs(a, b, |x, y| x * y)
}

#[inline(always)]
fn squared_distance_body(a: &[f64], b: &[f64]) -> f64 {
    sum_pairs(a, b, |x, y| (x - y) * (x - y))
}

#[inline(always)]
fn sum_lanes(l: [f64; LANES]) -> f64 {
    ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

#[inline(always)]
fn axpy_body(factor: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}

at_every_level! {
    /// Sum of products.
    dot = dot_body(a: &[f64], b: &[f64]) -> f64
}
at_every_level! {
    /// Squared Euclidean distance.
    squared_distance = squared_distance_body(a: &[f64], b: &[f64]) -> f64
}
at_every_level! {
    /// Adds `factor` times `x` to `y`.
    axpy = axpy_body(factor: f64, x: &[f64], y: &mut [f64])
}
