//! Chooses settings before a fit (`--tune`), with a progress bar and a table of the results.

use super::problem::{Choices, names};
use crate::commands::fit::Args;
use crate::failure::usage;
use crate::interrupt;
use crate::output::{self, Table, percent, seconds};
use crate::progress::steps;
use sibp::data::Table as Objects;
use sibp::format::GivenBits;
use sibp::model::{LapsePrior, PreferencePrior, Preset};
use sibp::pipeline::FitError;
use sibp::triplets::{Judgements, Teacher};
use sibp::tune::{AlreadySet, Candidate, Grid, TuneError, TuneSettings, Tuned, Tuner};

/// Replaces the settings that the user left open by those that serve held-out objects best.
pub fn choose(
    args: &Args,
    choices: &mut Choices,
    objects: &Objects,
    judgements: Option<&Judgements>,
    given: Option<&GivenBits>,
) -> anyhow::Result<()> {
    if !choices.options.kind.about().tunable {
        return Err(usage(format!("--tune is for the model {}", names(|kind| kind.about().tunable).join(" or "))));
    }
    let suited = Preset::suited_to(args.triplets.is_some());
    let preset = *choices.options.preset.get_or_insert(suited);
    let preference = choices.options.preference(PreferencePrior::preset(preset));
    let start = Candidate {
        transform: choices.likely_transform()?,
        pseudo_weight: preference.pseudo_weight,
        lapse: preference.lapse,
        per_object: choices.from_labels.per_object,
    };
    let teacher = match (judgements, &objects.labels) {
        (Some(judgements), _) => Teacher::Triplets(&judgements.triplets),
        (None, Some(labels)) => Teacher::Labels(labels, choices.from_labels),
        (None, None) => return Err(usage("give --labels, --label-column or --triplets")),
    };
    let grid = Grid::for_inputs(&objects.inputs).left_open(already_set(args), &preference);
    let settings = TuneSettings { threads: args.running.threads, ..TuneSettings::new(args.sampling.seed) };
    let (inputs, options) = (&objects.inputs, &choices.options);
    let tuner = Tuner { options, inputs, teacher, given, settings, stop: interrupt::listen()? };
    let bar = steps("tuning", grid.n_trials(), args.running.quiet);
    let tuned = tuner.tune(start, &grid, &mut |trial| {
        bar.set_message(format!("{} {}  ", percent(trial.served()), trial.candidate.transform));
        bar.inc(1);
    });
    bar.finish_and_clear();
    let tuned = tuned.map_err(explain)?;
    if !args.running.quiet {
        show(&tuned, args.triplets.is_none());
    }
    let best = &tuned.best().candidate;
    choices.transform = Some(best.transform.clone());
    choices.options.pseudo_weight = Some(best.pseudo_weight);
    choices.options.lapse = Some(best.lapse);
    choices.from_labels.per_object = best.per_object;
    Ok(())
}

/// Reports an invalid setting as a usage error.
fn explain(error: TuneError) -> anyhow::Error {
    match error {
        TuneError::Fit(error @ (FitError::Model(_) | FitError::Settings(_))) => usage(error.to_string()),
        error => error.into(),
    }
}

/// What the command line sets.
fn already_set(args: &Args) -> AlreadySet {
    AlreadySet {
        transform: args.transform.is_some(),
        pseudo_weight: args.sampling.pseudo_weight.is_some(),
        lapse: args.sampling.lapse.is_some(),
        per_object: args.from_labels.per_object.is_some() || args.triplets.is_some(),
    }
}

fn show(tuned: &Tuned, has_labels: bool) {
    let mut table = Table::new(&[
        "<transform",
        ">pseudo-weight",
        ">lapse",
        ">per object",
        if has_labels { ">held-out 15-NN" } else { ">held-out triplets" },
        ">bits",
        ">time",
        "<",
    ]);
    for (at, trial) in tuned.trials.iter().enumerate() {
        let candidate = &trial.candidate;
        table.row([
            candidate.transform.to_string(),
            candidate.pseudo_weight.to_string(),
            lapse_text(candidate.lapse),
            if has_labels { candidate.per_object.to_string() } else { "-".to_owned() },
            percent(trial.served()),
            format!("{:.0}", trial.n_bits),
            seconds(trial.seconds),
            if at == tuned.best_ix { "chosen".to_owned() } else { String::new() },
        ]);
    }
    let mut text = Vec::new();
    if table.write(&mut text).is_ok() {
        output::say(String::from_utf8_lossy(&text).trim_end());
    }
}

/// Writes a lapse prior in the syntax of `--lapse`.
pub fn lapse_text(lapse: LapsePrior) -> String {
    match lapse {
        LapsePrior::Fixed(rate) => rate.to_string(),
        LapsePrior::Beta { a, b } => format!("beta:{a},{b}"),
    }
}
