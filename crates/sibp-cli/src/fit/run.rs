//! Runs the chains with progress, checkpoints and Ctrl-C, and saves the model.

use super::tune::lapse_text;
use crate::commands::fit::RunningArgs;
use crate::describe::{code_warnings, held_out_words, rate_error, satisfied_at};
use crate::interrupt;
use crate::output::{self, count, percent};
use crate::progress::{Bars, Waiting, waited};
use anyhow::{Context, anyhow};
use serde_json::json;
use sibp::data::AtomicFile;
use sibp::format::{Fitted, ModelInfo, ResumeError, TripletOrigin, checkpoint_path, load_for_resume, save};
use sibp::pipeline::{CodeParts, DrawChoice, Prepared};
use sibp::run::{Checkpoint, Clock, RunControl, RunEnd, Stage};
use sibp::trace::ChainRecord;
use sibp::trace::posterior::CodeChoice;
use std::path::Path;
use std::time::Duration;

/// Fits, and saves the model at `out`.
pub fn run(mut problem: Prepared, out: &Path, args: &RunningArgs, clock: Clock<'_>) -> anyhow::Result<()> {
    // A folder that is missing or read-only is reported now, not after an hour of sampling.
    AtomicFile::create(out).with_context(|| format!("{}: cannot write here", out.display()))?;
    let resume = match args.resume {
        true => match records_to_resume(&mut problem, out, args)? {
            Resume::From(records) => Some(records),
            Resume::Anew => None,
            Resume::Finished(model) => return summarise(&model, out, args, RunEnd::Finished, None),
        },
        false => None,
    };
    if resume.is_none() {
        settle(&mut problem, args)?;
    }
    let problem = &problem;
    if !args.quiet {
        output::say(describe(problem));
    }
    let is_new = resume.is_none();
    let (model, end) = sample(problem, out, args, resume, clock)?;
    if is_new && model.chains.iter().all(|chain| chain.sweeps_done == 0) {
        remove_checkpoint(out)?;
        return Err(no_sweep(end, clock.elapsed()));
    }
    model.save(out)?;
    remove_checkpoint(out)?;
    if end == RunEnd::Finished && problem.calibrates && model.info.calibration.is_none() && args.time_limit.is_some() {
        output::warn("no time was left to calibrate probabilities; codes do not depend on that");
    }
    summarise(&model, out, args, end, Some(clock.elapsed()))
}

/// Fixes the number of sweeps, where nobody did.
fn settle(problem: &mut Prepared, args: &RunningArgs) -> anyhow::Result<()> {
    let _waiting = Waiting::begin("learning without some triplets, to see how many sweeps pay", args.quiet);
    Ok(problem.settle(&RunControl { threads: args.threads, ..RunControl::default() })?)
}

fn remove_checkpoint(out: &Path) -> anyhow::Result<()> {
    let checkpoint = checkpoint_path(out);
    match checkpoint.exists() {
        true => std::fs::remove_file(&checkpoint).with_context(|| format!("{}: cannot remove", checkpoint.display())),
        false => Ok(()),
    }
}

/// A run without any sweep has learned nothing, so that its model would be of no use.
pub fn no_sweep(end: RunEnd, elapsed: Duration) -> anyhow::Error {
    match end {
        RunEnd::TimeLimit => anyhow!(
            "there was no time for a single sweep: reading and set-up alone take more than {}; nothing is written (a longer \
             --time-limit, or fewer inputs by --transform ...,pca:N, help)",
            waited(elapsed)
        ),
        _ => anyhow!("stopped before the first sweep; nothing is written"),
    }
}

fn sample(
    problem: &Prepared,
    out: &Path,
    args: &RunningArgs,
    resume: Option<Vec<ChainRecord>>,
    clock: Clock<'_>,
) -> anyhow::Result<(Fitted, RunEnd)> {
    let settings = &problem.info.settings;
    let has_triplets = !problem.observations.triplets.is_empty();
    let bars = Bars::new(settings.chains, settings.sweeps, has_triplets, args.quiet).until(clock, args.time_limit);
    if let Some(records) = &resume {
        bars.resume(&records.iter().map(|record| record.sweeps_done).collect::<Vec<_>>());
    }
    let checkpoint = checkpoint_path(out);
    let save_checkpoint =
        |records: &[&ChainRecord]| save(&checkpoint, &problem.info, records).map_err(|e| Box::new(e) as _);
    let control = RunControl {
        threads: args.threads,
        time_limit: args.time_limit,
        clock,
        on_stage: &|stage| {
            if stage == Stage::Sampling {
                interrupt::has_draws();
            }
            bars.stage(stage);
        },
        stop: interrupt::listen()?,
        on_progress: &|progress| bars.show(progress),
        checkpoint: Some(Checkpoint { every: args.checkpoint_every, save: &save_checkpoint }),
        ..RunControl::default()
    };
    let outcome = problem.run(&control, resume);
    bars.finish();
    Ok(outcome?)
}

/// What `--resume` found to continue from.
enum Resume {
    From(Vec<ChainRecord>),
    Finished(Box<Fitted>),
    Anew,
}

fn records_to_resume(problem: &mut Prepared, out: &Path, args: &RunningArgs) -> anyhow::Result<Resume> {
    let file = match load_for_resume(out) {
        Ok(file) => file,
        Err(ResumeError::Nothing { .. }) => {
            if !args.quiet {
                output::say("nothing was left to resume; starting from the beginning");
            }
            return Ok(Resume::Anew);
        }
        Err(error) => return Err(error.into()),
    };
    problem.settle_as(&file.info.settings);
    check_same(file.info_for(&problem.info.settings), &problem.info)?;
    if file.finished() && file.info.settings == problem.info.settings {
        return Ok(Resume::Finished(Box::new(file)));
    }
    let records = file.records_for(&problem.info)?;
    if !args.quiet {
        let done: Vec<String> = records.iter().map(|chain| chain.sweeps_done.to_string()).collect();
        output::say(format!("resuming after {} sweeps of the chains", done.join(", ")));
    }
    Ok(Resume::From(records))
}

/// Refuses to go on with anything changed, and names the cause rather than its consequences: triplets made from labels
/// change with the seed, and priors with the transform.
fn check_same(before: ModelInfo, now: &ModelInfo) -> Result<(), ResumeError> {
    let mut probe = ModelInfo { settings: now.settings, ..before.clone() };
    if let (TripletOrigin::Labels { options: before, .. }, TripletOrigin::Labels { options: now, .. }) =
        (&mut probe.triplets, &now.triplets)
    {
        *before = *now;
    }
    before.check_resume(&probe)?;
    probe.digests = now.digests.clone();
    before.check_resume(&probe)?;
    probe.transform = now.transform.clone();
    before.check_resume(&probe)?;
    before.check_resume(now)
}

fn describe(problem: &Prepared) -> String {
    let info = &problem.info;
    let triplets = match problem.observations.triplets.len() {
        0 => String::new(),
        n => format!(", {}", count(n, "triplet")),
    };
    let continued = match &info.continues {
        Some(earlier) => format!(", after {} of the earlier fit", output::grouped(earlier.sweeps as usize)),
        None => String::new(),
    };
    format!(
        "{} of {}{triplets}; model {}, {} of {}{continued}",
        count(info.n_objects, "object"),
        count(info.n_inputs(), "input"),
        info.model.about().name,
        match &info.part {
            Some(part) => format!("chain {} of {}", part.chain, part.of),
            None => count(info.settings.chains, "chain"),
        },
        count(info.settings.sweeps as usize, "sweep"),
    ) + &reasons(problem)
}

/// What the fit chose and why, a line each.
fn reasons(problem: &Prepared) -> String {
    let transform = problem.chosen_transform.as_ref();
    let transform = transform.map(|chosen| format!("\ntransform {}: it {}", chosen.steps, chosen.reason));
    let looks = problem.looked.iter().map(|look| format!("{} after {}", percent(look.agreement), look.sweeps));
    let looks: Vec<String> = looks.collect();
    let sweeps = match looks.split_last() {
        Some((last, before)) if !before.is_empty() => {
            Some(format!("\nsweeps by agreement with held-out triplets: {}, {last}", before.join(", ")))
        }
        _ => None,
    };
    transform.into_iter().chain(sweeps).collect()
}

/// Says what merged parts have become.
pub fn summarise_merged(model: &Fitted, out: &Path, quiet: bool, json: bool) -> anyhow::Result<()> {
    let parts = model.code_parts(DrawChoice::Suited)?;
    let chains = model.chains.len();
    if json {
        return output::print_json(&json!({ "model": out.display().to_string(), "chains": chains,
            "objects": model.info.n_objects, "bits": parts.total(), "learned_bits": parts.learned,
            "held_out_agreement": model.info.calibration.map(|found| found.agreement) }));
    }
    if quiet {
        return Ok(());
    }
    let mut words = vec![count(chains, "chain"), bit_words(parts)];
    words.extend(model.info.calibration.as_ref().map(held_out_words));
    output::say(format!("{}: {}", out.display(), words.join(", ")));
    for warning in code_warnings(model, DrawChoice::Suited) {
        output::warn(warning);
    }
    Ok(())
}

fn summarise(
    model: &Fitted,
    out: &Path,
    args: &RunningArgs,
    end: RunEnd,
    elapsed: Option<Duration>,
) -> anyhow::Result<()> {
    let posterior = model.posterior();
    let (draw, chain_ix) = posterior.chosen(CodeChoice::default());
    let satisfied = satisfied_at(&model.chains[chain_ix], draw.sweep);
    let satisfied = satisfied.filter(|_| model.info.triplets.n_triplets() > 0);
    let parts = model.code_parts(DrawChoice::Suited)?;
    if args.json {
        let chains: Vec<_> = model
            .chains
            .iter()
            .map(|c| json!({ "sweeps": c.sweeps_done, "bits": c.last.bits.n_bits(), "log_likelihood": c.trace.log_likelihood.last(),
                "score": c.mean_score() }))
            .collect();
        return output::print_json(&json!({
            "model": out.display().to_string(),
            "finished": model.finished(),
            "end": end_name(end),
            "objects": model.info.n_objects,
            "triplets": model.info.triplets.n_triplets(),
            "bits": parts.total(),
            "learned_bits": parts.learned,
            "satisfied": satisfied,
            "held_out_agreement": model.info.calibration.map(|found| found.agreement),
            "held_out_triplets": model.info.calibration.map(|found| found.n_triplets),
            "chain": chain_ix,
            "sweep": draw.sweep,
            "rate_error": rate_error(model),
            "chains": chains,
            "seconds": elapsed.map(|time| time.as_secs_f64()),
        }));
    }
    if args.quiet {
        return Ok(());
    }
    let mut words = vec![bit_words(parts)];
    words.push(match (&model.info.calibration, satisfied) {
        (Some(found), _) => held_out_words(found),
        (None, Some(share)) => format!("{} of the triplets that it learned from satisfied", percent(share)),
        (None, None) => String::new(),
    });
    words.retain(|words| !words.is_empty());
    words.extend(elapsed.map(waited));
    match end {
        RunEnd::Finished if elapsed.is_none() => words.push("was finished already".into()),
        RunEnd::Finished => {}
        RunEnd::Stopped => words.push("stopped early".into()),
        RunEnd::TimeLimit => words.push("stopped by the time limit".into()),
    }
    output::say(format!("{}: {}", out.display(), words.join(", ")));
    if let Some(part) = &model.info.part {
        output::say(format!("a part: when all {} chains are there, `sibp merge` makes one model of them", part.of));
    }
    for warning in code_warnings(model, DrawChoice::Suited) {
        output::warn(warning);
    }
    if end != RunEnd::Finished {
        output::say(format!("the model can be used as it is; to go on: {}", resume_command(&model.info)));
    }
    Ok(())
}

/// Bits of a code, and of what kinds they are where there are several.
fn bit_words(parts: CodeParts) -> String {
    let kinds = [(parts.given, "given"), (parts.learned, "learned"), (parts.unsupervised, "of the inputs")];
    let named: Vec<String> =
        kinds.iter().filter(|kind| kind.0 > 0).map(|(n_bits, kind)| format!("{n_bits} {kind}")).collect();
    match named.len() {
        0 | 1 => count(parts.total(), "bit"),
        _ => format!("{} ({})", count(parts.total(), "bit"), named.join(", ")),
    }
}

fn end_name(end: RunEnd) -> &'static str {
    match end {
        RunEnd::Finished => "finished",
        RunEnd::Stopped => "stopped",
        RunEnd::TimeLimit => "time-limit",
    }
}

/// This command with `--resume`, ready to paste into a shell. Settings that were tuned are fixed, not tuned again.
fn resume_command(info: &ModelInfo) -> String {
    let mut words: Vec<String> = vec!["sibp".into()];
    let tuned = std::env::args().any(|word| word == "--tune");
    let same = std::env::args().skip(1).filter(|word| !["--resume", "--tune", "--force"].contains(&word.as_str()));
    words.extend(same.map(|word| shell_word(&word)));
    if tuned {
        words.extend(tuned_words(info).iter().map(|word| shell_word(word)));
    }
    words.push("--resume".into());
    words.join(" ")
}

fn tuned_words(info: &ModelInfo) -> Vec<String> {
    let has = |option: &str| std::env::args().any(|word| word == option || word.starts_with(&format!("{option}=")));
    let mut options = vec![("--transform", info.transform.chosen().to_string())];
    if let Some(preference) = info.model.preference() {
        options.push(("--pseudo-weight", preference.pseudo_weight.to_string()));
        options.push(("--lapse", lapse_text(preference.lapse)));
    }
    if let TripletOrigin::Labels { options: from_labels, .. } = &info.triplets {
        options.push(("--per-object", from_labels.per_object.to_string()));
    }
    options.retain(|(option, _)| !has(option));
    options.into_iter().flat_map(|(option, value)| [option.to_owned(), value]).collect()
}

fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=*+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) && !word.contains('*') {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_survive_a_shell() {
        assert_eq!(super::shell_word("a/b.npy"), "a/b.npy");
        assert_eq!(super::shell_word("it's"), "'it'\\''s'");
        assert_eq!(super::shell_word("rows,weights*2"), "'rows,weights*2'");
        assert_eq!(super::shell_word(""), "''");
    }
}
