//! Names what each bit stands for: the inputs that drive it, the classes that own it, and objects that have it.

use super::page::card;
use crate::model::Model;
use crate::output::percent;
use sibp::codes::Codes;
use sibp::data::Labels;
use sibp::trace::{Draw, REFIT_COEFFICIENTS};
use sibp::transform::FittedStep;
use sibp_paper::drawing::escaped;

/// Bits, inputs, classes and objects that are named, at most.
const BITS: usize = 100;
const INPUTS: usize = 3;
const CLASSES: usize = 3;
const OWNERS: usize = 5;

/// The table of the learned bits, those of most objects first.
pub fn section(model: &Model, draw: &Draw) -> Option<String> {
    let n_bits = draw.bits.n_bits();
    let owners: Vec<Vec<usize>> = (0..n_bits).map(|bit| owners(&draw.bits, bit)).collect();
    let mut order: Vec<usize> = (0..n_bits).collect();
    order.sort_by_key(|&bit| std::cmp::Reverse(owners[bit].len()));
    order.truncate(BITS);
    let info = &model.file.info;
    let n_given = info.given.as_ref().map_or(0, |given| given.codes.n_bits());
    let drivers = Drivers::of(model, draw);
    let row = |&bit: &usize| {
        let owners = &owners[bit];
        let share = percent(owners.len() as f64 / draw.bits.n_objects().max(1) as f64);
        let mut cells = vec![(n_given + bit).to_string(), share];
        cells.extend(drivers.as_ref().map(|drivers| drivers.words(bit)));
        cells.extend(info.labels.as_ref().map(|labels| classes(labels, owners)));
        cells.push(names(model, owners));
        let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
        format!("<tr>{cells}</tr>")
    };
    let rows: String = order.iter().map(row).collect();
    let mut titles = vec!["bit", "share"];
    titles.extend(drivers.as_ref().map(|_| "inputs that drive it"));
    titles.extend(info.labels.as_ref().map(|_| "share of its classes that own it"));
    titles.push("some of its owners");
    let titles: String = titles.iter().map(|title| format!("<th>{title}</th>")).collect();
    let how = match (&drivers, info.n_inputs()) {
        (Some(_), _) => "Inputs stand by the size of their coefficient, with its sign.",
        (None, 0) => "",
        (None, _) => {
            "Bits of this model are no sums over single inputs; <code>sibp explain</code> tells what drives them."
        }
    };
    let shown = if n_bits > BITS { format!(" {BITS} of {n_bits} bits are shown.") } else { String::new() };
    let table = format!("<div class=\"scroll\"><table><tr>{titles}</tr>{rows}</table></div>");
    (n_bits > 0).then(|| card("What the bits stand for", &format!("<p class=\"soft\">{how}{shown}</p>{table}")))
}

fn owners(codes: &Codes, bit: usize) -> Vec<usize> {
    (0..codes.n_objects()).filter(|&row| codes.get(row, bit)).collect()
}

/// The classes of which the largest share own a bit.
fn classes(labels: &Labels, owners: &[usize]) -> String {
    let mut counts = vec![(0, 0); labels.names().len()];
    labels.class_of().iter().for_each(|&class| counts[class as usize].1 += 1);
    owners.iter().for_each(|&row| counts[labels.class_of()[row] as usize].0 += 1);
    let share = |(own, all): (usize, usize)| own as f64 / all.max(1) as f64;
    let mut order: Vec<usize> = (0..counts.len()).filter(|&class| counts[class].0 > 0).collect();
    order.sort_by(|&a, &b| share(counts[b]).total_cmp(&share(counts[a])));
    let word = |&class: &usize| format!("{} {}", labels.names()[class], percent(share(counts[class])));
    order.iter().take(CLASSES).map(word).collect::<Vec<_>>().join(", ")
}

/// Some objects by id, or by row.
fn names(model: &Model, rows: &[usize]) -> String {
    let ids = model.file.info.ids.as_ref();
    let name = |&row: &usize| ids.map_or_else(|| format!("row {row}"), |ids| ids.texts()[row].clone());
    rows.iter().take(OWNERS).map(name).collect::<Vec<_>>().join(", ")
}

/// Coefficients of inputs, where every coefficient belongs to one input.
struct Drivers<'a> {
    coefficients: &'a [f64],
    names: Vec<String>,
}

impl<'a> Drivers<'a> {
    fn of(model: &Model, draw: &'a Draw) -> Option<Self> {
        let info = &model.file.info;
        let n_inputs = info.n_inputs();
        let mixes = |step: &FittedStep| {
            matches!(step, FittedStep::Principal(_) | FittedStep::Anchors(_) | FittedStep::Fourier(_))
        };
        if n_inputs == 0 || info.transform.steps().iter().any(mixes) {
            return None;
        }
        let coefficients = draw.tensor(REFIT_COEFFICIENTS, &[draw.bits.n_bits(), n_inputs]).ok()?;
        let unnamed = || (0..n_inputs).map(|input| format!("column {input}")).collect();
        Some(Self { coefficients, names: info.input_names.clone().unwrap_or_else(unnamed) })
    }

    fn words(&self, bit: usize) -> String {
        let row = &self.coefficients[bit * self.names.len()..(bit + 1) * self.names.len()];
        let mut order: Vec<usize> = (0..row.len()).filter(|&input| row[input] != 0.0).collect();
        order.sort_by(|&a, &b| row[b].abs().total_cmp(&row[a].abs()));
        let word = |&input: &usize| format!("{}{}", if row[input] > 0.0 { '+' } else { '-' }, self.names[input]);
        order.iter().take(INPUTS).map(word).collect::<Vec<_>>().join(" ")
    }
}
