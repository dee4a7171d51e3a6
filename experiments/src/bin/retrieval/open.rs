//! Learns from half of the classes, and retrieves objects of these and of classes that were never taught.

use crate::digits::Mnist;
use crate::mnist::{COLUMNS, Fits, Which, of_inputs};
use crate::table::Table;
use anyhow::Result;
use clap::Args;

#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    fits: Fits,
}

pub fn run(Options { fits }: &Options) -> Result<()> {
    let Some(mnist) = Mnist::read(&fits.data, fits.development)? else { return Ok(()) };
    let (taught, others): (Vec<u32>, Vec<u32>) = ((0..5).collect(), (5..10).collect());
    let mut tables = [(&taught, "digits 0-4, taught"), (&others, "digits 5-9, never taught")]
        .map(|(among, title)| (among, Table::new(title, &COLUMNS)));
    let mut file = fits.results("open.csv")?;
    for seed in 0..fits.seeds {
        let (inputs, labels) = fits.training(&mnist, seed, &taught)?;
        let models = fits.models((&inputs, &labels), seed)?;
        let references = fits.references((&inputs, &labels), &[64], &models, seed)?;
        for (among, table) in &mut tables {
            let set = mnist.search_set(seed, among);
            let mut rows = Vec::new();
            for model in &models {
                rows.extend(model.rows(&set)?);
            }
            for hashes in &references {
                rows.extend(hashes.rows(&set)?);
            }
            rows.extend(fits.wants(Which::Raw).then(|| of_inputs(&set)));
            rows.into_iter().try_for_each(|row| table.push(seed, row, &mut file))?;
        }
    }
    for (_, table) in &tables {
        table.print()?;
        fits.print_tests(table)?;
    }
    Ok(())
}
