//! Ends a failed command with a message on stderr and an exit code.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// An invalid combination of options; its exit code is 2, as for an unknown option.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Shorthand for an error about options.
pub fn usage(text: impl Into<String>) -> anyhow::Error {
    anyhow::Error::new(Usage(text.into()))
}

/// Prints the error and returns the exit code: 0 when the reader of our output left early, 2 for wrong options.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        return ExitCode::SUCCESS;
    }
    // A closed stderr cannot be reported anywhere.
    let mut stderr = anstream::stderr();
    let red = anstyle_red();
    let _ = writeln!(stderr, "{red}error:{red:#} {error:#}");
    if error.is::<Usage>() {
        let _ = writeln!(stderr, "\nFor more information, try '--help'.");
        return ExitCode::from(2);
    }
    ExitCode::from(1)
}

fn anstyle_red() -> clap::builder::styling::Style {
    use clap::builder::styling::{AnsiColor, Style};
    Style::new().bold().fg_color(Some(AnsiColor::Red.into()))
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    };
    error.chain().any(broken)
}
