//! Builds triplets from labels by the options that `fit` and `triplets from-labels` share.

use crate::output::{grouped, warn};
use clap::ValueEnum;
use sibp::data::{Inputs, Labels};
use sibp::triplets::{FarChoice, FromLabels, FromLabelsReport, LabelTriplets, NearChoice, Scheme};

/// How triplets are made from labels.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Triplets from labels")]
pub struct FromLabelsArgs {
    /// Join the first near object with the first far one and so on (paired, the default), or all with all (product)
    #[arg(long, value_enum)]
    pub scheme: Option<SchemeArg>,
    /// Near and far objects for each object [default: 30]
    #[arg(long, value_name = "L")]
    pub per_object: Option<usize>,
    /// Which objects of the same class are near [default: random]
    #[arg(long, value_enum)]
    pub near: Option<NearArg>,
    /// Which objects of other classes are far [default: random]
    #[arg(long, value_enum)]
    pub far: Option<FarArg>,
}

/// Scheme on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemeArg {
    /// L triplets per object
    Paired,
    /// L x L triplets per object
    Product,
}

/// Near objects on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NearArg {
    /// The nearest in the inputs
    Nearest,
    /// Any
    Random,
}

/// Far objects on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FarArg {
    /// Any
    Random,
    /// Those of other classes that are nearest in the inputs
    #[value(alias = "nearest-impostor")]
    Impostor,
}

impl FromLabelsArgs {
    /// The library's options.
    pub fn options(&self, seed: u64) -> FromLabels {
        let defaults = FromLabels::default();
        FromLabels {
            scheme: match self.scheme {
                Some(SchemeArg::Paired) => Scheme::Paired,
                Some(SchemeArg::Product) => Scheme::Product,
                None => defaults.scheme,
            },
            per_object: self.per_object.unwrap_or(defaults.per_object),
            near: match self.near {
                Some(NearArg::Nearest) => NearChoice::Nearest,
                Some(NearArg::Random) => NearChoice::Random,
                None => defaults.near,
            },
            far: match self.far {
                Some(FarArg::Random) => FarChoice::Random,
                Some(FarArg::Impostor) => FarChoice::NearestImpostor,
                None => defaults.far,
            },
            seed,
        }
    }

    /// Whether the choice of objects looks at inputs.
    pub fn needs_inputs(&self) -> bool {
        self.near == Some(NearArg::Nearest) || self.far == Some(FarArg::Impostor)
    }

    /// The first option that was set, for a message where none has a meaning.
    pub fn first_set(&self) -> Option<&'static str> {
        let set = [
            ("--scheme", self.scheme.is_some()),
            ("--per-object", self.per_object.is_some()),
            ("--near", self.near.is_some()),
            ("--far", self.far.is_some()),
        ];
        set.iter().find(|(_, is_set)| *is_set).map(|(name, _)| *name)
    }
}

/// Builds triplets and warns of classes too small for what was asked.
pub fn triplets_from_labels(options: &FromLabels, labels: &Labels, inputs: &Inputs) -> anyhow::Result<LabelTriplets> {
    super::memory::check_triplets(options.n_triplets(labels))?;
    let built = options.build(labels, inputs)?;
    warn_of_small_classes(&built.report, Some(options.per_object));
    Ok(built)
}

/// Warns of small classes: of those too small for a number of near objects only where somebody asked for it.
pub fn warn_of_small_classes(report: &FromLabelsReport, asked: Option<usize>) {
    if report.n_alone > 0 {
        let n = grouped(report.n_alone);
        warn(format!("objects alone in their class: {n}; they are only ever far"));
    }
    if let (Some(asked), n @ 1..) = (asked, report.n_short_of_near) {
        let n = grouped(n);
        warn(format!("objects with fewer than {asked} others in their class: {n}; all of those others are near"));
    }
}
