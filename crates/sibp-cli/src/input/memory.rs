//! Says how much memory a fit needs, and refuses what does not fit before it is allocated.

use crate::output::{available_memory, bytes, count, say};
use anyhow::bail;
use sibp::budget::{Budget, Part, Sizes};
use sibp::data::{ReadOptions, RowChunks};
use std::path::Path;

/// From this many bytes on the need is told unasked.
const LARGE: u64 = 1_000_000_000;

/// How much is said about memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Telling {
    /// Nothing but errors.
    Nothing,
    /// Large needs.
    Large,
    /// Every part.
    Parts,
}

/// Refuses a fit that does not fit into memory beside the `held` bytes that are counted in the need but allocated already.
pub fn check_fit(sizes: &Sizes, held: u64, telling: Telling) -> anyhow::Result<()> {
    let budget = Budget::new(sizes);
    let free = available_memory();
    if let Some(free) = free.filter(|free| budget.total().saturating_sub(held) > *free) {
        let largest = budget.largest();
        bail!(
            "{} of {} with {} need about {} of memory and {} are free; most of it is for {}: {}",
            count(sizes.n_objects, "object"),
            count(sizes.n_inputs, "input"),
            count(sizes.n_triplets, "triplet"),
            bytes(budget.total()),
            bytes(free),
            largest.name(),
            largest.remedy()
        );
    }
    if telling == Telling::Parts || telling == Telling::Large && budget.total() >= LARGE {
        let free = free.map_or(String::new(), |free| format!("; {} are free", bytes(free)));
        say(format!("needs about {}{free}", bytes(budget.total())));
    }
    if telling == Telling::Parts {
        for &(part, size) in budget.parts() {
            say(format!("  {}: {}", part.name(), bytes(size)));
        }
    }
    Ok(())
}

/// Refuses features that do not fit into memory, where their file tells its size beforehand.
pub fn check_features(path: &Path, options: &ReadOptions, sizes: impl Fn(usize, usize) -> Sizes) -> anyhow::Result<()> {
    // Text may come from a pipe, which cannot be looked at twice.
    if !path.extension().is_some_and(|ending| ending == "npy" || ending == "parquet") {
        return Ok(());
    }
    let rows = RowChunks::open(path, options, 1)?;
    let (Some(n_objects), Some(free)) = (rows.n_objects(), available_memory()) else { return Ok(()) };
    let budget = Budget::new(&sizes(n_objects, rows.n_inputs()));
    let needed = budget.of(Part::Inputs).saturating_add(budget.of(Part::Transformed));
    if needed > free {
        bail!(
            "{}: {} of {} need about {} of memory, {} as read and {} transformed, and {} are free; {}",
            path.display(),
            count(n_objects, "object"),
            count(rows.n_inputs(), "input"),
            bytes(needed),
            bytes(budget.of(Part::Inputs)),
            bytes(budget.of(Part::Transformed)),
            bytes(free),
            Part::Inputs.remedy()
        );
    }
    Ok(())
}

/// Refuses to make more triplets than memory holds.
pub fn check_triplets(n_triplets: u128) -> anyhow::Result<()> {
    let n_triplets = usize::try_from(n_triplets).unwrap_or(usize::MAX);
    let sizes = Sizes {
        model: sibp::model::ModelKind::Gaussian,
        n_objects: 0,
        n_inputs: 0,
        n_transformed: 0,
        n_triplets,
        chains: 0,
        draws: 0,
    };
    let needed = Budget::new(&sizes).total();
    match available_memory().filter(|free| needed > *free) {
        Some(free) => bail!(
            "{} would take about {} of memory and {} are free; {}",
            count(n_triplets, "triplet"),
            bytes(needed),
            bytes(free),
            Part::Triplets.remedy()
        ),
        None => Ok(()),
    }
}
