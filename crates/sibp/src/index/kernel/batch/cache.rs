//! Finds out how large the first-level cache is, which decides for how many planes tables are made at once.
#![allow(unsafe_code)]

use std::sync::LazyLock;

use super::{MOST_PLANES, PICKED_AT_ONCE};
use crate::numerics::level::Level;

/// What is assumed of processors that do not tell: the smallest among those that have AVX2.
const LEAST: usize = 32 << 10;

/// Bytes of the first-level data cache. Asking takes microseconds on virtual machines, so it is done once.
static FIRST_LEVEL: LazyLock<usize> = LazyLock::new(|| told().unwrap_or(LEAST));

/// Most planes of a group of so many whose tables, 2 KiB each, are used at once: they stay in the first-level cache beside
/// what the queries pick and their totals. The more there are, the less often totals are written and read again; but
/// where several sections are needed anyway, shorter ones let vector loops read picks at once.
pub(super) fn most_planes(level: Level, n_planes: usize) -> usize {
    let held = if *FIRST_LEVEL >= 48 << 10 { MOST_PLANES } else { 10 };
    if n_planes > held && level > Level::Portable { held.min(PICKED_AT_ONCE) } else { held }
}

#[cfg(not(target_arch = "x86_64"))]
fn told() -> Option<usize> {
    None
}

/// What the processor tells: Intel and AMD describe caches alike, under numbers of their own, and leave each other's
/// empty.
#[cfg(target_arch = "x86_64")]
#[allow(unused_unsafe)]
fn told() -> Option<usize> {
    use std::arch::x86_64::{__cpuid_count, __get_cpuid_max};
    // SAFETY: every x86-64 processor has the instruction, and numbers above the highest are not asked for.
    let ask = |leaf: u32, cache: u32| unsafe {
        (__get_cpuid_max(leaf & 0x8000_0000).0 >= leaf).then(|| __cpuid_count(leaf, cache))
    };
    let mut answers = [4, 0x8000_001d].into_iter().flat_map(|leaf| (0..4).filter_map(move |cache| ask(leaf, cache)));
    // Level 1, and of the kinds the one for data.
    let found = answers.find(|answer| answer.eax & 0xff == 1 << 5 | 1)?;
    let field = |from: u32, bits: u32| (found.ebx >> from & ((1 << bits) - 1)) as usize + 1;
    Some(field(0, 12) * field(12, 10) * field(22, 10) * (found.ecx as usize + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_plausible() {
        assert!((8 << 10..=1 << 20).contains(&*FIRST_LEVEL), "{} bytes", *FIRST_LEVEL);
    }
}
