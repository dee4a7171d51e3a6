//! Estimates the memory and disk that a fit needs, chooses where inputs are kept, and refuses what does not fit before
//! it is allocated.

use super::resources::{free_disk, free_memory};
use crate::output::{bytes, count, say};
use crate::parse;
use anyhow::{anyhow, bail};
use clap::ValueEnum;
use sibp::data::{ReadOptions, RowChunks, Storage};
use sibp::pipeline::{Budget, Part, Shortage, Sizes, of_triplets};
use std::path::{Path, PathBuf};

/// Needs of at least this many bytes are reported even without `--verbose`.
const LARGE: u64 = 1_000_000_000;

/// Where inputs are kept; the draws do not depend on it.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Memory")]
pub struct MemoryArgs {
    /// Where inputs are kept: in memory, on disk, or wherever there is room (auto)
    #[arg(long, value_enum, default_value = "auto")]
    pub storage: StorageArg,
    /// Folder for inputs on disk, in unnamed files that vanish at the end [default: the folder of the model]
    #[arg(long, value_name = "FOLDER")]
    pub scratch: Option<PathBuf>,
    /// Memory that may be used: 4GB, 500MB [default: what is free]
    #[arg(long, value_name = "SIZE", value_parser = parse::size)]
    pub memory_limit: Option<u64>,
}

/// Places for inputs on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StorageArg {
    /// In memory if they fit, else on disk
    Auto,
    /// In memory
    Memory,
    /// In files, of which the system caches as much in memory as fits
    Disk,
}

/// How much is said about memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Telling {
    /// Errors only.
    Nothing,
    /// Large needs only.
    Large,
    /// The need of every part.
    Parts,
}

impl MemoryArgs {
    /// Bytes of memory that may be used, where they are known.
    pub fn free(&self) -> Option<u64> {
        self.memory_limit.or_else(free_memory)
    }

    /// Decides where the inputs of a file are kept; where the file states its size, refuses inputs that fit nowhere.
    pub fn choose(
        &self,
        path: &Path,
        options: &ReadOptions,
        out: &Path,
        telling: Telling,
        sizes: impl Fn(&RowChunks, usize) -> Sizes,
    ) -> anyhow::Result<Storage> {
        let disk = Storage::Disk(self.folder(out));
        // Text may come from a pipe, which cannot be read twice.
        if !path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("npy") || ending.eq_ignore_ascii_case("parquet"))
        {
            return Ok(if self.storage == StorageArg::Disk { disk } else { Storage::Memory });
        }
        let rows = RowChunks::open(path, options, 1)?;
        let Some(n_objects) = rows.n_objects() else { return Ok(Storage::Memory) };
        let sizes = Sizes { on_disk: false, ..sizes(&rows, n_objects) };
        let needs = Needs::new(&sizes, self.free(), free_disk(&self.folder(out)));
        match (self.storage, needs.place()) {
            (StorageArg::Memory, Place::Memory) | (StorageArg::Auto, Place::Memory) => Ok(Storage::Memory),
            (StorageArg::Disk, _) if needs.fit_on_disk() => Ok(disk),
            (StorageArg::Auto, Place::Disk) => {
                if telling != Telling::Nothing {
                    let folder = self.folder(out);
                    say(format!("{}; they are kept on disk in {}", needs.in_memory(), folder.display()));
                }
                Ok(disk)
            }
            _ => bail!(
                "{}: {} of {} do not fit: {}; {}; fit on a sample of the objects, `sibp encode` then takes files of any \
                 length",
                path.display(),
                count(sizes.n_objects, "object"),
                count(sizes.n_inputs, "input"),
                needs.in_memory(),
                needs.on_disk(),
            ),
        }
    }

    fn folder(&self, out: &Path) -> PathBuf {
        let beside = out.parent().filter(|folder| !folder.as_os_str().is_empty());
        self.scratch.clone().or(beside.map(Path::to_owned)).unwrap_or_else(|| ".".into())
    }

    /// Reports what a fit needs, part by part if asked.
    pub fn tell(&self, sizes: &Sizes, telling: Telling) {
        let budget = Budget::new(sizes);
        if telling == Telling::Parts || telling == Telling::Large && budget.total() >= LARGE {
            let disk =
                if sizes.on_disk { format!(" and up to {} of disk", bytes(budget.disk())) } else { String::new() };
            let free = self.free().map_or(String::new(), |free| format!("; {} are free", bytes(free)));
            say(format!("needs about {}{disk}{free}", bytes(budget.total())));
        }
        if telling == Telling::Parts {
            for &(part, size) in budget.parts() {
                say(format!("  {}: {}", part.name(), bytes(size)));
            }
        }
    }
}

/// Reports the shortage, and which option makes the largest part smaller.
pub fn explain(shortage: &Shortage) -> anyhow::Error {
    let Shortage { sizes, budget, free } = shortage;
    let largest = budget.largest();
    anyhow!(
        "{} of {} with {} need about {} of memory and {} are free; most of it is for {}: {}",
        count(sizes.n_objects, "object"),
        count(sizes.n_inputs, "input"),
        count(sizes.n_triplets, "triplet"),
        bytes(budget.total()),
        bytes(*free),
        largest.name(),
        remedy(largest)
    )
}

/// The advice that makes a part of the memory smaller.
fn remedy(part: Part) -> &'static str {
    match part {
        Part::Inputs => "keep them on disk (--storage disk), or fit on a sample of the objects",
        Part::Transformed => {
            "keep them on disk (--storage disk), in single precision (--transform ...,single), or take fewer inputs \
             (--transform ...,pca:N)"
        }
        Part::Triplets => "take fewer triplets: lower --per-object or use --scheme paired",
        Part::Chains => "run fewer --chains, or take fewer triplets (--per-object)",
        Part::Draws => "keep fewer --draws, or run fewer --chains",
        Part::Rehearsal => "leave it out (--no-rehearsal), or take fewer triplets (--per-object)",
    }
}

/// Memory and disk that a fit needs with its inputs in either place, and how much is free; triplets are extra.
struct Needs {
    memory: u64,
    memory_free: Option<u64>,
    disk: u64,
    disk_free: Option<u64>,
}

/// The place where inputs are kept.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    Memory,
    Disk,
    Nowhere,
}

impl Needs {
    fn new(sizes: &Sizes, memory_free: Option<u64>, disk_free: Option<u64>) -> Self {
        let on_disk = Budget::new(&Sizes { on_disk: true, ..*sizes });
        Self { memory: Budget::new(sizes).total(), memory_free, disk: on_disk.disk(), disk_free }
    }

    fn place(&self) -> Place {
        match () {
            _ if self.memory_free.is_none_or(|free| self.memory <= free) => Place::Memory,
            _ if self.fit_on_disk() => Place::Disk,
            _ => Place::Nowhere,
        }
    }

    fn fit_on_disk(&self) -> bool {
        self.disk_free.is_none_or(|free| self.disk <= free)
    }

    fn in_memory(&self) -> String {
        let free = self.memory_free.map_or_else(|| "an unknown amount".into(), bytes);
        format!("with its inputs in memory a fit needs at least {} and {free} are free", bytes(self.memory))
    }

    fn on_disk(&self) -> String {
        let free = self.disk_free.map_or_else(|| "an unknown amount".into(), bytes);
        format!("on disk they need up to {} and {free} are free (--storage disk, --scratch FOLDER)", bytes(self.disk))
    }
}

/// Refuses to make more triplets than memory holds.
pub fn check_triplets(n_triplets: u128) -> anyhow::Result<()> {
    let n_triplets = usize::try_from(n_triplets).unwrap_or(usize::MAX);
    let needed = of_triplets(n_triplets);
    match free_memory().filter(|free| needed > *free) {
        Some(free) => bail!(
            "{} would take about {} of memory and {} are free; {}",
            count(n_triplets, "triplet"),
            bytes(needed),
            bytes(free),
            remedy(Part::Triplets)
        ),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_go_to_memory_then_to_disk_then_nowhere() {
        let place = |memory_free, disk_free| Needs { memory: 10, memory_free, disk: 20, disk_free }.place();
        assert_eq!(place(Some(10), Some(0)), Place::Memory);
        assert_eq!(place(None, Some(0)), Place::Memory);
        assert_eq!(place(Some(9), Some(20)), Place::Disk);
        assert_eq!(place(Some(9), None), Place::Disk);
        assert_eq!(place(Some(9), Some(19)), Place::Nowhere);
    }
}
