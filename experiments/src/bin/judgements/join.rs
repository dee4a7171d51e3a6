//! Joins our results and those of cblearn into one table, and draws agreement against the number of judgements.

use anyhow::{Context, Result};
use clap::Args;
use sibp::eval::Summary;
use sibp_experiments::plot::{self, Curve};
use std::path::PathBuf;

#[derive(Args)]
pub struct Options {
    /// Folder with the result files; judgements.csv and judgements.svg are written there.
    #[arg(long)]
    out: PathBuf,
    /// Result files of the folder.
    #[arg(long, value_delimiter = ',', default_value = "ours.csv,reference.csv")]
    files: Vec<String>,
    /// Methods that the plot shows.
    #[arg(long, value_delimiter = ';', default_value = "sibp, posterior;sibp, distilled codes;SOE;t-STE;cosine")]
    plotted: Vec<String>,
}

/// One method with one number of training judgements; a list has one value a split.
struct Group {
    method: String,
    training: usize,
    /// Agreement, calibration error, Brier score, bits or dimensions, seconds.
    columns: [Vec<f64>; 5],
}

pub fn run(options: &Options) -> Result<()> {
    let groups = read(options)?;
    let mut file = csv::Writer::from_path(options.out.join("judgements.csv"))?;
    file.write_record(["method", "training", "splits", "agreement", "sd", "ece", "brier", "size", "seconds"])?;
    println!(
        "| judgements | method | agreement | ece | brier | bits or dimensions | seconds |\n|---|---|---|---|---|---|---|"
    );
    for Group { method, training, columns } in &groups {
        let agreement = Summary::of(&columns[0])?;
        let mean = |at: usize, digits: usize| {
            Summary::of(&columns[at]).map_or(String::new(), |summary| format!("{:.digits$}", summary.mean))
        };
        let rest = [mean(1, 3), mean(2, 3), mean(3, 1), mean(4, 1)];
        println!("| {training} | {method} | {agreement:.4} | {} |", rest.join(" | "));
        let sd = agreement.sd.map_or(String::new(), |sd| sd.to_string());
        let head = [method.clone(), training.to_string(), agreement.n.to_string(), agreement.mean.to_string(), sd];
        file.write_record(head.into_iter().chain(rest))?;
    }
    file.flush()?;
    let curve = |name: &String| {
        let of_method = groups.iter().filter(|group| group.method == *name);
        let points = of_method.map(|group| (group.training as f64, 100.0 * sibp::eval::mean(&group.columns[0])));
        Curve { name: name.clone(), points: points.collect() }
    };
    let curves: Vec<Curve> = options.plotted.iter().map(curve).filter(|curve| !curve.points.is_empty()).collect();
    let path = options.out.join("judgements.svg");
    let names = ("training judgements", "agreement with unseen judgements, %");
    plot::curves(&path, &curves, names, plot::Axis::Linear)?;
    println!("\n{}", path.display());
    Ok(())
}

/// All groups, by number of training judgements and then by agreement.
fn read(options: &Options) -> Result<Vec<Group>> {
    let mut groups: Vec<Group> = Vec::new();
    for name in &options.files {
        let path = options.out.join(name);
        let mut file = csv::Reader::from_path(&path).with_context(|| path.display().to_string())?;
        for row in file.records() {
            let row = row?;
            let (method, training) = (row[0].to_owned(), row[1].parse()?);
            let same = |group: &Group| group.method == method && group.training == training;
            let at = groups.iter().position(same).unwrap_or_else(|| {
                groups.push(Group { method: method.clone(), training, columns: Default::default() });
                groups.len() - 1
            });
            for (column, value) in groups[at].columns.iter_mut().zip(row.iter().skip(3)).filter(|(_, v)| !v.is_empty())
            {
                column.push(value.parse()?);
            }
        }
    }
    let mean = |group: &Group| sibp::eval::mean(&group.columns[0]);
    groups.sort_by(|a, b| a.training.cmp(&b.training).then(mean(b).total_cmp(&mean(a))));
    Ok(groups)
}
