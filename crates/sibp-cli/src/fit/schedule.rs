//! Reads the schedule that `--schedule` names.

use crate::failure::usage;
use anyhow::Context;
use sibp::model::Schedule;

/// A schedule from its text, or from a `.json` file.
pub fn read(argument: &str) -> anyhow::Result<Schedule> {
    if argument.ends_with(".json") {
        let text = std::fs::read_to_string(argument).with_context(|| format!("{argument}: cannot read"))?;
        return serde_json::from_str(&text)
            .with_context(|| format!("{argument}: not a schedule; --print-schedule --json prints one"));
    }
    let schedule = argument.parse();
    schedule.map_err(|error| usage(format!("--schedule: {error}; --print-schedule shows the default")))
}
