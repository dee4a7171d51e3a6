//! Prints a schedule as text, and parses it.
//!
//! Steps are separated by commas, in order: `rows,neighbourhoods:births=10:flips=30,regressions:elliptical,weights*2`.
//! A step of a schedule is its kernel's name, its numbers or its variant if it has any, and how often a sweep repeats
//! it. All words are those of the JSON, so a new kernel needs no change here.

use super::{Kernel, Schedule, Step};
use serde_json::{Map, Value, json};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The error for a text that is not a schedule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{step}' {problem}")]
pub struct ScheduleError {
    /// The step that cannot be read.
    pub step: String,
    /// What is wrong with it.
    pub problem: String,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.steps.iter().map(step_text).collect::<Vec<_>>().join(","))
    }
}

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Self, ScheduleError> {
        let steps = text.split(',').map(|step| parse_step(step.trim())).collect::<Result<_, _>>()?;
        Ok(Self { steps })
    }
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

fn parse_step(text: &str) -> Result<Step, ScheduleError> {
    let wrong = |why: &str| ScheduleError { step: text.to_owned(), problem: why.to_owned() };
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
            assert_eq!(schedule.to_string().parse::<Schedule>().unwrap(), schedule);
        }
        let changed = "rows,neighbourhoods:births=1:flips=2*3,weight-scale";
        assert_eq!(changed.parse::<Schedule>().unwrap().to_string(), changed);
        let bad = [
            ("row", "is no step"),
            ("rows*x", "whole number"),
            ("neighbourhoods:births=1", "flips"),
            ("neighbourhoods:births=x", "must give numbers"),
        ];
        for (bad, why) in bad {
            let error = bad.parse::<Schedule>().unwrap_err().to_string();
            assert!(error.contains(why), "{bad}: {error}");
        }
    }

    #[test]
    fn a_damaged_text_is_an_error_or_a_schedule() {
        let whole = Schedule::gaussian().to_string();
        let (mut n_read, mut n_refused) = (0, 0);
        for at in 0..whole.len() {
            let cut = whole[..at].to_owned();
            let changed = [",", ":", "=", "*", "-", "9", "\0", "é"].map(|c| format!("{cut}{c}{}", &whole[at + 1..]));
            for damaged in changed.into_iter().chain([cut]) {
                match damaged.parse::<Schedule>() {
                    Ok(schedule) => {
                        assert_eq!(schedule.to_string().parse(), Ok(schedule), "{damaged}");
                        n_read += 1;
                    }
                    Err(_) => n_refused += 1,
                }
            }
        }
        assert!(n_read > 0 && n_refused > whole.len(), "{n_read} read, {n_refused} refused");
    }
}
