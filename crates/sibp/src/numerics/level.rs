//! Lists the instruction levels that loops are compiled for, and detects that of the machine.

use std::fmt;
use std::sync::LazyLock;

/// An instruction level. Each includes all before it, and all give the same results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The instructions that every processor of the target has.
    Portable,
    /// x86-64 with AVX2: 256-bit vectors.
    Avx2,
    /// x86-64 with AVX-512 F, DQ and VL: 512-bit vectors of doubles and 64-bit words. Searches compare bytes, and use
    /// AVX2 here.
    Avx512Words,
    /// x86-64 with AVX-512 BW, BITALG and VBMI too: 512-bit vectors of bytes, with population counts.
    Avx512,
}

impl Level {
    const ALL: [Self; 4] = [Self::Portable, Self::Avx2, Self::Avx512Words, Self::Avx512];

    /// The best level of this machine.
    pub fn detect() -> Self {
        static BEST: LazyLock<Level> = LazyLock::new(best);
        *BEST
    }

    /// All levels that this machine has, slowest first.
    pub fn available() -> Vec<Self> {
        Self::ALL.into_iter().filter(|&level| level <= Self::detect()).collect()
    }

    /// Display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "AVX2",
            Self::Avx512Words => "AVX-512 of words",
            Self::Avx512 => "AVX-512",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.name())
    }
}

fn best() -> Level {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        let words = has!("avx512f") && has!("avx512dq") && has!("avx512vl");
        let bytes = has!("avx512bw") && has!("avx512bitalg") && has!("avx512vbmi");
        match (has!("avx2"), words, bytes) {
            (true, true, true) => return Level::Avx512,
            (true, true, false) => return Level::Avx512Words,
            (true, false, _) => return Level::Avx2,
            (false, ..) => {}
        }
    }
    Level::Portable
}

/// Ends a function by one of three always-inlined bodies, compiled for an instruction level. The machine must have
/// that level.
macro_rules! compiled_for {
    ($level:expr, ($($arg:ident: $kind:ty),*) $(-> $out:ty)?, $avx512:path, $avx2:path, $portable:path) => {
        #[cfg(target_arch = "x86_64")]
        {
            use $crate::numerics::level::Level;
            #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
            fn avx512($($arg: $kind),*) $(-> $out)? { $avx512($($arg),*) }
            #[target_feature(enable = "avx2")]
            fn avx2($($arg: $kind),*) $(-> $out)? { $avx2($($arg),*) }
            match $level {
                // SAFETY: the machine has this level.
                Level::Avx512 | Level::Avx512Words => return unsafe { avx512($($arg),*) },
                // SAFETY: the machine has this level.
                Level::Avx2 => return unsafe { avx2($($arg),*) },
                Level::Portable => {}
            }
        }
        $portable($($arg),*)
    };
}
pub(crate) use compiled_for;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_in_order_up_to_the_best() {
        assert!(Level::ALL.is_sorted());
        let available = Level::available();
        assert_eq!(available.first(), Some(&Level::Portable));
        assert_eq!(available.last(), Some(&Level::detect()));
        assert_eq!(available, Level::ALL[..available.len()]);
        println!(
            "levels of this machine: {}",
            available.iter().map(|level| level.name()).collect::<Vec<_>>().join(", ")
        );
    }
}
