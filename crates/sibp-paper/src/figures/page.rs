//! Lays a figure's numbers out as Markdown, from its CSV files.

use super::Figure;
use super::learn::System;
use super::results::{About, Line};
use crate::csv_file::read;
use crate::kept::save;
use crate::words::{percent, seconds};
use anyhow::bail;
use std::fmt::Write as _;
use std::path::Path;

/// Reads NAME.csv and NAME-about.csv, writes NAME.md, and returns it.
pub fn render(figure: Figure, folder: &Path) -> anyhow::Result<String> {
    let file = |end: &str| folder.join(format!("{}{end}", figure.name()));
    let lines: Vec<Line> = read(&file(".csv"))?;
    let about = read::<About>(&file("-about.csv"))?.remove(0);
    if let Some(line) = lines.iter().find(|line| line.build != about.build) {
        bail!("{}: numbers of build {} among those of build {}", file(".csv").display(), line.build, about.build);
    }
    let text =
        format!("# {}\n\n{}\n{}\n\n{}", title(figure), table(figure, &lines), remarks(figure, &lines), words(&about));
    save(&file(".md"), text.as_bytes())?;
    Ok(text)
}

fn title(figure: Figure) -> &'static str {
    match figure {
        Figure::Two => "Figure 2: codes of five models for points of ten categories",
        Figure::Three => "Figure 3: extension of five given bits",
    }
}

fn table(figure: Figure, lines: &[Line]) -> String {
    let (more, rule) = match figure {
        Figure::Two => ("", ""),
        Figure::Three => (" distance of 1 and 2 | least distance of two categories |", "---|---|"),
    };
    let mut text = format!(
        "| model | bits | Hamming distance within | between | triplets satisfied |{more} time |\n|---|---|---|---|---|{rule}---|\n"
    );
    for one in lines {
        let bits = match one.given_bits {
            0 => one.learned_bits.to_string(),
            n_given => format!("{n_given} + {}", one.learned_bits),
        };
        let more = match figure {
            Figure::Two => String::new(),
            Figure::Three => format!(" {} | {} |", one.first_two, one.least),
        };
        let _ = writeln!(
            text,
            "| {} | {bits} | {:.2} | {:.2} | {} |{more} {} |",
            one.system,
            one.within,
            one.between,
            percent(one.satisfied),
            seconds(one.seconds)
        );
    }
    text
}

/// The paper's claims, and how this run compares.
fn remarks(figure: Figure, lines: &[Line]) -> String {
    match figure {
        Figure::Two => {
            let supervised = [System::SuperGaussian, System::SuperProbit].map(System::name);
            let is_supervised = |line: &&Line| supervised.contains(&line.system.as_str());
            let least = lines.iter().filter(is_supervised).map(|line| line.satisfied).fold(1.0, f64::min);
            let most = lines.iter().filter(|line| !is_supervised(line)).map(|line| line.satisfied).fold(0.0, f64::max);
            let verdict = if least > most { "Confirmed" } else { "Not confirmed" };
            format!(
                "The paper: the codes of both supervised models have a notable structure for all categories, unlike those of \
                 the other three. {verdict}: the supervised models satisfy at least {} of the triplets, the others at most {}.",
                percent(least),
                percent(most)
            )
        }
        Figure::Three => {
            let parted = if lines.iter().all(|line| line.first_two >= 1) { "Confirmed" } else { "Not confirmed" };
            format!(
                "The paper: the given bits are the same for categories 1 and 2, 3 and 4, 5 and 6, and 7 to 10; the learned bits \
                 separate them by a distance of at least one. {parted} for categories 1 and 2, by the most frequent code of each bit."
            )
        }
    }
}

fn words(about: &About) -> String {
    format!(
        "Data: {} points of {} categories in the plane (section 6.1), seed {}; {} triplets, all pairs of {} near and far objects \
         of an anchor. Chains: {} of {} sweeps a model, seed {}; the draw with the highest score is shown. Unit weights, no \
         pseudo-weight, lapse rate 0.01; dd-IBP with exponential decay that suits the data. Distances are plain Hamming; a \
         triplet with equal distances is not satisfied. Build {}.\n",
        about.points,
        about.categories,
        about.seed,
        about.triplets,
        about.per_object,
        about.chains,
        about.sweeps,
        about.seed,
        about.build
    )
}
