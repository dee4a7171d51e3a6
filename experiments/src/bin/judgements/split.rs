//! Cuts judgements into training and test parts, the same for every method.

use anyhow::{Result, ensure};
use clap::Args;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use sibp::data::{ReadOptions, read_table, write_npy};
use sibp::triplets::{Triplet, read_triplets};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Options {
    /// Folder with triplets.npy and features_pca50.npy.
    #[arg(long)]
    data: PathBuf,
    /// Folder for the splits and all results.
    #[arg(long)]
    out: PathBuf,
    /// Numbers of training judgements; those of a smaller training set are also in the larger ones.
    #[arg(long, value_delimiter = ',', default_value = "5000,40000")]
    sizes: Vec<usize>,
    /// Number of splits.
    #[arg(long, default_value_t = 5)]
    splits: u64,
    /// Judgements to test with, none of them in a training set of the same split.
    #[arg(long, default_value_t = 20_000)]
    test: usize,
}

pub fn run(options: &Options) -> Result<()> {
    let n_objects = read_table(&options.data.join("features_pca50.npy"), &ReadOptions::default())?.inputs.n_objects();
    let all = read_triplets(&options.data.join("triplets.npy"), n_objects)?;
    let largest = options.sizes.iter().copied().max().unwrap_or(0);
    ensure!(largest + options.test <= all.len(), "there are only {} judgements", all.len());
    std::fs::create_dir_all(&options.out)?;
    for split in 0..options.splits {
        let mut judgements = all.clone();
        judgements.shuffle(&mut ChaCha8Rng::seed_from_u64(split));
        let (test, rest) = judgements.split_at(options.test);
        write(&options.out.join(format!("test-{split}.npy")), test)?;
        for &size in &options.sizes {
            write(&options.out.join(format!("train-{size}-{split}.npy")), &rest[..size])?;
        }
    }
    Ok(())
}

fn write(path: &Path, judgements: &[Triplet]) -> Result<()> {
    let columns: Vec<u32> = judgements.iter().flat_map(|t| [t.anchor, t.near, t.far]).collect();
    Ok(write_npy(path, judgements.len(), 3, &columns)?)
}
