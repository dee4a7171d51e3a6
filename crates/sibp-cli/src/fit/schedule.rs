//! Prints a schedule as text that `--schedule` reads back.
//!
//! Steps are separated by commas, in order: `rows,neighbourhoods:10:30,weights*2`. A name, for neighbourhoods the
//! number of births and of flips, and how often a sweep repeats the step.

use crate::failure::usage;
use anyhow::Context;
use sibp::kernel::{Kernel, Schedule, Step};
use std::path::Path;

const PLAIN: [(&str, Kernel); 6] = [
    ("rows", Kernel::Rows),
    ("weights", Kernel::Weights),
    ("weight-scale", Kernel::WeightScale),
    ("lapse", Kernel::Lapse),
    ("concentration", Kernel::Concentration),
    ("variances", Kernel::Variances),
];

/// The text of a schedule.
pub fn text(schedule: &Schedule) -> String {
    let step = |step: &Step| {
        let name = match step.kernel {
            Kernel::Neighbourhoods { births, flips } => format!("neighbourhoods:{births}:{flips}"),
            kernel => PLAIN.iter().find(|(_, k)| *k == kernel).map_or("?", |(name, _)| name).to_owned(),
        };
        if step.times == 1 { name } else { format!("{name}*{}", step.times) }
    };
    schedule.steps.iter().map(step).collect::<Vec<_>>().join(",")
}

/// Reads a schedule from its text, or from a `.json` file.
pub fn read(argument: &str) -> anyhow::Result<Schedule> {
    if argument.ends_with(".json") {
        let path = Path::new(argument);
        let text = std::fs::read_to_string(path).with_context(|| format!("{argument}: cannot read"))?;
        return serde_json::from_str(&text)
            .with_context(|| format!("{argument}: not a schedule; --print-schedule --json prints one"));
    }
    let steps = argument.split(',').map(|step| parse_step(step.trim())).collect::<Result<_, _>>();
    Ok(Schedule { steps: steps.map_err(usage)? })
}

fn parse_step(text: &str) -> Result<Step, String> {
    let wrong = |why: &str| format!("--schedule: '{text}' {why}");
    let (name, times) = match text.split_once('*') {
        None => (text, 1),
        Some((name, times)) => (name, times.parse().map_err(|_| wrong("must end in * and a whole number"))?),
    };
    if let Some((_, kernel)) = PLAIN.iter().find(|(known, _)| *known == name) {
        return Ok(Step { kernel: *kernel, times });
    }
    let Some(numbers) = name.strip_prefix("neighbourhoods") else {
        let known = PLAIN.map(|(name, _)| name).join(", ");
        return Err(wrong(&format!("is no step; the steps are {known} and neighbourhoods:BIRTHS:FLIPS")));
    };
    let numbers: Option<Vec<usize>> = numbers.split(':').skip(1).map(|n| n.parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[births, flips]) => Ok(Step { kernel: Kernel::Neighbourhoods { births, flips }, times }),
        _ => Err(wrong("needs two whole numbers: neighbourhoods:BIRTHS:FLIPS")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back_as_the_same_schedule() {
        for schedule in [Schedule::gaussian(), Schedule::ibp()] {
            assert_eq!(read(&text(&schedule)).unwrap(), schedule);
        }
        let twice = read("rows, weights*2").unwrap();
        assert_eq!(text(&twice), "rows,weights*2");
        for (bad, why) in [("row", "is no step"), ("rows*x", "whole number"), ("neighbourhoods:1", "two whole numbers")] {
            assert!(read(bad).unwrap_err().to_string().contains(why), "{bad}");
        }
    }
}
