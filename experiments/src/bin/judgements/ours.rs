//! Fits our models as users do, and measures what comes out.

use anyhow::Result;
use clap::Args;
use sibp::codes::Codes;
use sibp::data::{Inputs, ReadOptions, Table, read_table};
use sibp::eval::{brier_score, calibration_error, euclidean_agreement, hamming_agreement, probability_agreement};
use sibp::model::{Link, ModelOptions};
use sibp::pipeline::{Asking, Fit, Fitted, Objects};
use sibp::run::RunControl;
use sibp::transform::{InputTransform, Transform};
use sibp::triplets::{Triplet, TripletSet};
use std::path::PathBuf;
use std::time::Instant;

/// The inputs and the changes of the default settings.
#[derive(Args)]
pub struct Settings {
    /// Folder with triplets.npy and the inputs.
    #[arg(long)]
    pub data: PathBuf,
    /// Inputs file in that folder.
    #[arg(long, default_value = "features_pca50.npy")]
    inputs: String,
    /// Input transform; by default that of the model.
    #[arg(long)]
    transform: Option<InputTransform>,
    /// Sweeps of each chain; by default those of a fit to triplets.
    #[arg(long)]
    sweeps: Option<u64>,
    /// Chains; by default those of a fit to triplets.
    #[arg(long)]
    chains: Option<usize>,
    /// Link: ratio, logistic or logistic:SLOPE; by default that of the model.
    #[arg(long)]
    link: Option<Link>,
    /// Bits of the distilled code.
    #[arg(long, default_value_t = Fit::DISTILLED_BITS)]
    distil: usize,
    /// Leave the inputs out of the fit.
    #[arg(long)]
    no_inputs: bool,
    /// Seed of the chains.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Threads; 0 takes all cores.
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

/// What was measured of one reading of a model.
pub struct Measured {
    pub agreement: f64,
    /// Calibration error and Brier score, of probabilities.
    pub calibration: Option<(f64, f64)>,
}

impl Settings {
    pub fn inputs(&self) -> Result<Inputs> {
        Ok(read_table(&self.data.join(&self.inputs), &ReadOptions::default())?.inputs)
    }

    /// The fitted model and the seconds that it took.
    pub fn fit(&self, inputs: Inputs, judgements: Vec<Triplet>) -> Result<(Fitted, f64)> {
        let began = Instant::now();
        let inputs = if self.no_inputs { Inputs::none(inputs.n_objects()) } else { inputs };
        let mut fit = Fit::new(Table::from(inputs), judgements)
            .model(ModelOptions { link: self.link, ..ModelOptions::default() })
            .transform(self.transform.clone())
            .distils(self.distil)
            .seed(self.seed);
        if let Some(sweeps) = self.sweeps {
            fit = fit.sweeps(sweeps);
        }
        if let Some(chains) = self.chains {
            fit = fit.chains(chains);
        }
        let fitted = fit.run(&RunControl { threads: self.threads, ..RunControl::default() })?;
        Ok((fitted, began.elapsed().as_secs_f64()))
    }

    /// Agreement and calibration of the posterior's probabilities.
    pub fn posterior(&self, fitted: &Fitted, objects: Objects<'_>, asked: &TripletSet) -> Result<Measured> {
        let asking = Asking { threads: self.threads, ..Asking::default() };
        let p = fitted.preferences(objects, asked.triplets(), &asking)?.probabilities;
        let calibration = Some((calibration_error(&p), brier_score(&p)));
        Ok(Measured { agreement: probability_agreement(&p), calibration })
    }
}

/// Agreement of codes by Hamming distance, ties counting half.
pub fn of_codes(asked: &TripletSet, codes: &Codes) -> Result<Measured> {
    Ok(Measured { agreement: hamming_agreement(asked, codes)?.share_with_half_ties(), calibration: None })
}

/// Agreement of the Euclidean distance and of the cosine.
pub fn of_inputs(asked: &TripletSet, inputs: &Inputs) -> Result<[Measured; 2]> {
    let (_, unit) = Transform::fit_apply(&"unit".parse()?, inputs)?;
    let of = |inputs: &Inputs| -> Result<Measured> {
        Ok(Measured { agreement: euclidean_agreement(asked, inputs)?.share_with_half_ties(), calibration: None })
    };
    Ok([of(inputs)?, of(&unit)?])
}
