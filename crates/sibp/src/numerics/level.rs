//! Lists the instruction levels that loops are compiled for, and detects that of the machine.

use std::fmt;
use std::sync::LazyLock;

/// An instruction level. Each includes those before it that its kind of processor has, and all give the same results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Plain Rust: the instructions that compilers take by themselves.
    Portable,
    /// AArch64, of which every processor has 128-bit vectors with table look-ups and population counts. Searches use
    /// them; other loops are portable here.
    Neon,
    /// x86-64 with SSSE3 and POPCNT: 128-bit vectors with table look-ups. Searches use it; other loops have nothing to
    /// gain from it and are portable here.
    Ssse3,
    /// x86-64 with AVX2 too: 256-bit vectors.
    Avx2,
    /// x86-64 with AVX-512 F, DQ and VL: 512-bit vectors of doubles and 64-bit words. Searches compare bytes, and use
    /// AVX2 here.
    Avx512Words,
    /// x86-64 with AVX-512 BW, BITALG and VBMI too: 512-bit vectors of bytes, with population counts.
    Avx512,
}

impl Level {
    /// All levels that processors of this kind may have.
    #[cfg(target_arch = "x86_64")]
    const ALL: [Self; 5] = [Self::Portable, Self::Ssse3, Self::Avx2, Self::Avx512Words, Self::Avx512];
    #[cfg(target_arch = "aarch64")]
    const ALL: [Self; 2] = [Self::Portable, Self::Neon];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    const ALL: [Self; 1] = [Self::Portable];

    /// The best level of this machine, or the lower one that the environment variable `SIBP_LEVEL` names: `portable`,
    /// `ssse3`, `avx2`, `avx512-words` or `avx512`, or `neon` on AArch64. A name that is unknown, or of a level that
    /// the machine lacks, is told on standard error and otherwise ignored. Read once.
    pub fn detect() -> Self {
        static LEVEL: LazyLock<Level> = LazyLock::new(|| {
            let named = std::env::var_os(VARIABLE).map(|name| name.to_string_lossy().into_owned());
            let (level, warning) = held(best(), named.as_deref());
            if let Some(warning) = warning {
                eprintln!("warning: {warning}");
            }
            level
        });
        *LEVEL
    }

    /// The level of a name as `SIBP_LEVEL` takes it.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.option() == name)
    }

    /// The name that `SIBP_LEVEL` takes.
    pub fn option(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Neon => "neon",
            Self::Ssse3 => "ssse3",
            Self::Avx2 => "avx2",
            Self::Avx512Words => "avx512-words",
            Self::Avx512 => "avx512",
        }
    }

    /// All levels that this machine has, slowest first.
    pub fn available() -> Vec<Self> {
        Self::ALL.into_iter().filter(|&level| level <= Self::detect()).collect()
    }

    /// Display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Neon => "NEON",
            Self::Ssse3 => "SSSE3",
            Self::Avx2 => "AVX2",
            Self::Avx512Words => "AVX-512 of words",
            Self::Avx512 => "AVX-512",
        }
    }
}

/// Names a level that is not to be exceeded.
const VARIABLE: &str = "SIBP_LEVEL";

/// The level to use on a machine whose best one is given, and what is wrong with the name of another one.
fn held(best: Level, named: Option<&str>) -> (Level, Option<String>) {
    let Some(name) = named.filter(|name| !name.is_empty()) else { return (best, None) };
    match Level::named(name) {
        Some(level) if level <= best => (level, None),
        Some(level) => (best, Some(format!("{VARIABLE}: this machine has no {level}, using {best}"))),
        None => {
            let all = Level::ALL.map(Level::option).join(", ");
            (best, Some(format!("{VARIABLE}: {name:?} is none of {all}; using {best}")))
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.name())
    }
}

#[cfg(target_arch = "x86_64")]
fn best() -> Level {
    use std::arch::is_x86_feature_detected as has;
    // From the lowest on, since each level includes all before it.
    let levels = [
        (Level::Ssse3, has!("ssse3") && has!("popcnt")),
        (Level::Avx2, has!("avx2")),
        (Level::Avx512Words, has!("avx512f") && has!("avx512dq") && has!("avx512vl")),
        (Level::Avx512, has!("avx512bw") && has!("avx512bitalg") && has!("avx512vbmi")),
    ];
    levels.into_iter().take_while(|&(_, has)| has).last().map_or(Level::Portable, |(level, _)| level)
}

#[cfg(not(target_arch = "x86_64"))]
fn best() -> Level {
    Level::ALL[Level::ALL.len() - 1]
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
                Level::Ssse3 | Level::Neon | Level::Portable => {}
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

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn a_level_is_held_and_a_wrong_one_is_told() {
        use Level::{Avx2, Avx512, Portable, Ssse3};
        assert_eq!(held(Avx512, None), (Avx512, None));
        assert_eq!(held(Avx512, Some("")), (Avx512, None));
        assert_eq!(held(Avx512, Some("avx2")), (Avx2, None));
        assert_eq!(held(Avx2, Some("ssse3")), (Ssse3, None));
        assert_eq!(held(Avx2, Some("portable")), (Portable, None));
        let (level, warning) = held(Avx2, Some("avx512"));
        assert_eq!((level, warning.as_deref()), (Avx2, Some("SIBP_LEVEL: this machine has no AVX-512, using AVX2")));
        let (level, warning) = held(Avx2, Some("AVX"));
        assert_eq!(level, Avx2);
        let all = "portable, ssse3, avx2, avx512-words, avx512";
        assert_eq!(warning.unwrap(), format!("SIBP_LEVEL: \"AVX\" is none of {all}; using AVX2"));
    }

    #[test]
    fn the_environment_holds_a_process_to_a_level() {
        let run = |level: &str| {
            let test = "numerics::level::tests::levels_are_in_order_up_to_the_best";
            let mut command = std::process::Command::new(std::env::current_exe().unwrap());
            let out = command.args(["--exact", test, "--nocapture"]).env(VARIABLE, level).output().unwrap();
            assert!(out.status.success());
            (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap())
        };
        assert!(run("portable").0.contains("levels of this machine: portable\n"));
        assert!(run("fast").1.contains("warning: SIBP_LEVEL: \"fast\" is none of"));
    }
}
