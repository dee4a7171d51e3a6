//! Prints a schedule as text that `--schedule` reads back.
//!
//! Steps are separated by commas, in order: `rows,neighbourhoods:births=10:flips=30,regressions:elliptical,weights*2`.
//! A step is its name, its numbers or its kind if it has any, and how often a sweep repeats it. All words are those of
//! the library's JSON, so a new kernel needs nothing here.

use crate::failure::usage;
use anyhow::Context;
use serde_json::{Map, Value, json};
use sibp::kernel::{Kernel, Schedule, Step};

/// The text of a schedule.
pub fn text(schedule: &Schedule) -> String {
    schedule.steps.iter().map(step_text).collect::<Vec<_>>().join(",")
}

fn step_text(step: &Step) -> String {
    let name = match json!(step.kernel) {
        Value::String(name) => name,
        Value::Object(map) => map.iter().map(|(name, numbers)| format!("{name}{}", numbers_text(numbers))).collect(),
        other => other.to_string(),
    };
    let name = name.replace('_', "-");
    if step.times == 1 { name } else { format!("{name}*{}", step.times) }
}

fn numbers_text(value: &Value) -> String {
    match value {
        Value::Object(numbers) => numbers.iter().map(|(name, value)| format!(":{name}={value}")).collect(),
        Value::String(kind) => format!(":{kind}"),
        other => format!(":{other}"),
    }
}

/// Reads a schedule from its text, or from a `.json` file.
pub fn read(argument: &str) -> anyhow::Result<Schedule> {
    if argument.ends_with(".json") {
        let text = std::fs::read_to_string(argument).with_context(|| format!("{argument}: cannot read"))?;
        return serde_json::from_str(&text)
            .with_context(|| format!("{argument}: not a schedule; --print-schedule --json prints one"));
    }
    let steps = argument.split(',').map(|step| parse_step(step.trim())).collect::<Result<_, _>>();
    Ok(Schedule { steps: steps.map_err(usage)? })
}

fn parse_step(text: &str) -> Result<Step, String> {
    let wrong = |why: &str| format!("--schedule: '{text}' {why}; --print-schedule shows the default");
    let (kernel, times) = match text.split_once('*') {
        None => (text, 1),
        Some((kernel, times)) => (kernel, times.parse().map_err(|_| wrong("must end in * and a whole number"))?),
    };
    let (name, rest) = kernel.split_once(':').map_or((kernel, None), |(name, rest)| (name, Some(rest)));
    let name = name.replace('-', "_");
    let value = match rest {
        None => json!(name),
        Some(kind) if !kind.contains('=') => json!({ name: kind.replace('-', "_") }),
        Some(numbers) => {
            let numbers: Option<Map<String, Value>> = numbers.split(':').map(number).collect();
            json!({ name: numbers.ok_or_else(|| wrong("must give numbers as in births=10:flips=30"))? })
        }
    };
    let kernel: Kernel = serde_json::from_value(value).map_err(|error| wrong(&format!("is no step: {error}")))?;
    Ok(Step { kernel, times })
}

fn number(text: &str) -> Option<(String, Value)> {
    let (name, value) = text.split_once('=')?;
    Some((name.replace('-', "_"), json!(value.parse::<u64>().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back_as_the_same_schedule() {
        for schedule in [Schedule::gaussian(), Schedule::ibp(), Schedule::probit(), Schedule::probit_slice()] {
            assert_eq!(read(&text(&schedule)).unwrap(), schedule);
        }
        let changed = "rows,neighbourhoods:births=1:flips=2*3,weight-scale";
        assert_eq!(text(&read(changed).unwrap()), changed);
        let bad = [
            ("row", "is no step"),
            ("rows*x", "whole number"),
            ("neighbourhoods:births=1", "flips"),
            ("neighbourhoods:births=x", "must give numbers"),
        ];
        for (bad, why) in bad {
            let error = read(bad).unwrap_err().to_string();
            assert!(error.contains(why), "{bad}: {error}");
        }
    }

    #[test]
    fn a_damaged_text_is_an_error_or_a_schedule() {
        let whole = text(&Schedule::gaussian());
        let (mut n_read, mut n_refused) = (0, 0);
        for at in 0..whole.len() {
            let cut = whole[..at].to_owned();
            let changed = [",", ":", "=", "*", "-", "9", "\0", "é"].map(|c| format!("{cut}{c}{}", &whole[at + 1..]));
            for damaged in changed.into_iter().chain([cut]) {
                match read(&damaged) {
                    Ok(schedule) => {
                        assert_eq!(read(&text(&schedule)).unwrap(), schedule, "{damaged}");
                        n_read += 1;
                    }
                    Err(_) => n_refused += 1,
                }
            }
        }
        assert!(n_read > 0 && n_refused > whole.len(), "{n_read} read, {n_refused} refused");
    }
}
