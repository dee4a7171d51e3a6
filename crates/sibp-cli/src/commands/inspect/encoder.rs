//! Says what an encoder gives codes by (`sibp inspect m.sibe`).

use crate::output::{self, Table};
use serde_json::json;
use sibp::data::Filling;
use sibp::encode::StoredEncoder;
use sibp::format::PortableEncoder;
use std::io::Write;
use std::path::Path;

/// Prints the bits of an encoder and where they come from.
pub fn run(path: &Path, as_json: bool) -> anyhow::Result<()> {
    let encoder = PortableEncoder::load(path)?;
    let (parts, filling) = (encoder.code_parts(), encoder.transform.filling().map(rule));
    let (n_inputs, transform) = (encoder.n_inputs(), encoder.transform.chosen().to_string());
    let ways: Vec<&str> = encoder.learned.iter().map(way).collect();
    if as_json {
        return output::print_json(&json!({ "file": path.display().to_string(), "model": encoder.model.name(),
            "inputs": n_inputs, "input_names": encoder.input_names, "transform": transform, "missing": filling,
            "code": { "bits": parts.total(), "given_bits": parts.given, "learned_bits": parts.learned,
                "unsupervised_bits": parts.unsupervised },
            "encoders": ways, "weights": encoder.weights, "fingerprint": encoder.fingerprint.hex() }));
    }
    let mut out = output::stdout();
    writeln!(out, "{}", path.display())?;
    let mut facts = Table::new(&["<", "<"]);
    let mut fact = |name: &str, value: String| facts.row([format!("  {name}"), value]);
    fact("encoder of", encoder.model.about().sentence());
    fact("inputs", output::count(n_inputs, "input"));
    fact("transform", transform);
    fact("missing values", filling.unwrap_or("an error").to_owned());
    fact("codes", output::count(parts.total(), "bit"));
    for (name, n_bits) in [("given", parts.given), ("learned", parts.learned), ("unsupervised", parts.unsupervised)] {
        if n_bits > 0 {
            fact(&format!("  {name}"), output::count(n_bits, "bit"));
        }
    }
    fact("learned bits by", ways.join(", "));
    fact("fingerprint", encoder.fingerprint.to_string());
    facts.write(&mut out)?;
    match encoder.transform.anchors().len() {
        0 => writeln!(out, "It holds no draws and no training objects.")?,
        n => writeln!(
            out,
            "It holds no draws; of training objects, the inputs of the {} of its transform.",
            output::count(n, "anchor")
        )?,
    }
    out.flush()?;
    Ok(())
}

fn rule(filling: &Filling) -> &'static str {
    match filling {
        Filling::Mean { .. } => "mean",
        Filling::Median { .. } => "median",
        Filling::Drop => "drop",
    }
}

fn way(part: &StoredEncoder) -> &'static str {
    match part {
        StoredEncoder::Probit(_) => "one threshold a bit",
        StoredEncoder::Linear(_) => "a linear estimate, cut at one half",
        StoredEncoder::BestCode(_) => "the code under which the object is most probable",
    }
}
