//! Fits our model as users do, and measures its codes on the same databases and queries.

use crate::encoding::{in_chunks, n_distinct};
use crate::mnist::of_codes;
use crate::search_set::SearchSet;
use crate::table::Row;
use anyhow::Result;
use clap::Parser;
use sibp::data::{Inputs, Labels, Table};
use sibp::model::{ModelKind, ModelOptions, Preset};
use sibp::pipeline::{DrawChoice, Fit, Fitted};
use sibp::run::RunControl;
use sibp::transform::InputTransform;
use sibp::triplets::FromLabels;
use sibp_experiments::as_floats;
use std::time::Instant;

/// A fit with some settings of its own; the others are the product's defaults.
#[derive(Debug, Clone, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
pub struct Variant {
    /// Name in tables
    pub name: String,
    /// Input transform
    #[arg(long)]
    transform: Option<InputTransform>,
    /// Sweeps of each chain
    #[arg(long)]
    sweeps: Option<u64>,
    /// Chains
    #[arg(long)]
    chains: Option<usize>,
    /// Near and far objects for each anchor
    #[arg(long)]
    per_object: Option<usize>,
    /// Unsupervised bits, beside the learned ones
    #[arg(long)]
    unsupervised_bits: Option<usize>,
    /// Largest number of bits
    #[arg(long)]
    max_bits: Option<usize>,
    /// The preset `open`
    #[arg(long)]
    open: bool,
}

impl Variant {
    /// Reads a variant from one argument, such as "sibp-kernel --transform standardise,fourier:1000 --chains 4".
    pub fn from_words(text: &str) -> Result<Self, String> {
        Self::try_parse_from(text.split_whitespace()).map_err(|error| error.to_string())
    }

    /// Fits to labelled inputs, without the rehearsal that codes do not need.
    pub fn fit(&self, inputs: &Inputs, labels: &Labels, seed: u64) -> Result<Model> {
        let began = Instant::now();
        let table = Table { labels: Some(labels.clone()), ..inputs.clone().into() };
        let mut triplets = FromLabels { seed, ..FromLabels::default() };
        if let Some(per_object) = self.per_object {
            triplets.per_object = per_object;
        }
        let mut fit = Fit::new(table, triplets)
            .transform(self.transform.clone())
            .seed(seed)
            .calibrates(false)
            .max_bits(self.max_bits);
        fit = fit.unsupervised_bits(self.unsupervised_bits);
        if self.open {
            fit = fit.model(ModelOptions::new(ModelKind::default(), Preset::Open));
        }
        if let Some(sweeps) = self.sweeps {
            fit = fit.sweeps(sweeps);
        }
        if let Some(chains) = self.chains {
            fit = fit.chains(chains);
        }
        let fitted = fit.run(&RunControl::default())?;
        Ok(Model { name: self.name.clone(), fitted, seconds: began.elapsed().as_secs_f64() })
    }
}

/// A fitted variant.
pub struct Model {
    /// Name in tables.
    pub name: String,
    fitted: Fitted,
    seconds: f64,
}

impl Model {
    /// Bits of the code that the product gives by default.
    pub fn n_bits(&self) -> Result<usize> {
        Ok(self.fitted.coder(DrawChoice::default())?.n_bits())
    }

    /// Rows of the default code and, of several chains, of their bits side by side; by the Hamming distance and by
    /// expected distances.
    pub fn rows(&self, set: &SearchSet) -> Result<Vec<Row>> {
        let mut rows = self.rows_of(set, DrawChoice::default(), &self.name)?;
        if self.fitted.chains.len() > 1 {
            rows.extend(self.rows_of(set, DrawChoice::Concatenate, &format!("{}, side by side", self.name))?);
        }
        Ok(rows)
    }

    fn rows_of(&self, set: &SearchSet, draws: DrawChoice, name: &str) -> Result<Vec<Row>> {
        let coder = self.fitted.coder(draws)?;
        let encode = |inputs: &Inputs| in_chunks(inputs, |x, first| Ok(vec![coder.encode_rows(x, None, first, 1)?]));
        let (database, queries) = (encode(&set.database)?.remove(0), encode(&set.queries)?.remove(0));
        let sizes = (coder.n_bits(), n_distinct(&database), self.seconds);
        let soft = as_floats(&coder.probabilities(&set.queries, None)?);
        let expected = set.by_probabilities(&database, &soft, &as_floats(coder.weights()))?;
        Ok(vec![
            of_codes(name, set.by_codes(&database, &queries)?, sizes),
            of_codes(format!("{name}, expected distances"), expected, sizes),
        ])
    }
}
