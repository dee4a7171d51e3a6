//! Names the tensors and metadata that a model is written as.

use super::container::{Container, NamedTensor, Values};
use super::hash_file::stack_tensors;
use super::{FORMAT, FormatError, GivenBits, ModelInfo, UnsupervisedBits, VERSION};
use crate::codes::Codes;
use crate::trace::{ChainRecord, Draw, Trace};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Lays out a whole file.
pub(super) fn container<'a>(
    info: &'a ModelInfo,
    chains: &[&'a ChainRecord],
    distilled: Option<&'a Draw>,
) -> Result<Container<'a>, FormatError> {
    info.check()?;
    let (expected, found) = (info.settings.chains, chains.len());
    if expected != found {
        return Err(FormatError::Count { what: "records of chains", expected, found });
    }
    let model = serde_json::to_string(&info.head())
        .map_err(|error| FormatError::Metadata { key: "model", reason: error.to_string() })?;
    let metadata = BTreeMap::from([
        ("format", FORMAT.to_owned()),
        ("format_version", VERSION.to_string()),
        ("model", model),
        ("sibp_version", env!("CARGO_PKG_VERSION").to_owned()),
    ]);
    let mut tensors = Vec::new();
    training_objects(info, &mut tensors);
    let plan = info.settings.plan();
    for (chain_ix, record) in chains.iter().enumerate() {
        record.check(&plan).map_err(|problem| FormatError::Record { chain_ix, problem })?;
        chain(chain_ix, record, info.n_objects, &mut tensors)?;
    }
    if let Some(draw) = distilled {
        single_draw("distilled", draw, &mut tensors);
    }
    Container::new(metadata, tensors)
}

fn training_objects<'a>(info: &'a ModelInfo, out: &mut Vec<NamedTensor<'a>>) {
    let mut push =
        |name: &str, n: usize, values| out.push(NamedTensor { name: name.to_owned(), shape: vec![n], values });
    if let Some(labels) = &info.labels {
        push("labels", labels.len(), Values::U32(labels.class_of().into()));
    }
    if !info.digests.rows.is_empty() {
        push("row_digests", info.digests.rows.len(), Values::U64(info.digests.rows.as_slice().into()));
    }
    if let Some(ids) = &info.ids {
        let bytes: Vec<u8> = ids.texts().iter().flat_map(|text| text.bytes()).collect();
        let ends = ids.texts().iter().scan(0, |end, text| {
            *end += text.len() as u64;
            Some(*end)
        });
        push("ids/ends", ids.len(), Values::U64(ends.collect()));
        push("ids/texts", bytes.len(), Values::U8(bytes.into()));
    }
    if let Some(inputs) = &info.inputs {
        out.push(NamedTensor {
            name: "inputs".to_owned(),
            shape: vec![inputs.n_objects(), inputs.n_inputs()],
            values: Values::F64(inputs.values()),
        });
    }
    let bits = |name: &str, codes: &'a Codes| NamedTensor {
        name: name.to_owned(),
        shape: vec![codes.n_objects(), codes.n_bytes()],
        values: Values::U8(codes.bytes().into()),
    };
    if let Some(GivenBits { codes, predictor, .. }) = &info.given {
        out.push(bits("given", codes));
        out.extend(predictor.iter().flat_map(|stack| stack_tensors(stack, "given/")));
    }
    if let Some(UnsupervisedBits { codes, hash, .. }) = &info.unsupervised {
        out.push(bits("unsupervised", codes));
        out.extend(stack_tensors(hash, "unsupervised/"));
    }
}

fn chain<'a>(
    chain_ix: usize,
    record: &'a ChainRecord,
    n_objects: usize,
    out: &mut Vec<NamedTensor<'a>>,
) -> Result<(), FormatError> {
    let at = format!("chain{chain_ix}");
    let draws: Vec<&Draw> = record.all_draws().collect();
    let column = |name: String, values: Values<'a>| NamedTensor { name, shape: vec![draws.len()], values };
    out.push(column(format!("{at}/sweep"), Values::U64(draws.iter().map(|draw| draw.sweep).collect())));
    out.push(column(format!("{at}/n_bits"), Values::U64(draws.iter().map(|draw| draw.bits.n_bits() as u64).collect())));
    for name in record.last.scalars.keys() {
        let values: Result<Vec<f64>, _> = draws.iter().map(|draw| draw.scalar(name)).collect();
        let values = values.map_err(|error| FormatError::Metadata { key: "model", reason: error.to_string() })?;
        out.push(column(format!("{at}/scalar/{name}"), Values::F64(values.into())));
    }
    for (draw_ix, draw) in draws.iter().enumerate() {
        let (expected, found) = (n_objects, draw.bits.n_objects());
        if expected != found {
            return Err(FormatError::Count { what: "codes of a draw", expected, found });
        }
        one_draw(&format!("{at}/draw{draw_ix}"), draw, out);
    }
    trace(&format!("{at}/trace"), &record.trace, out);
    Ok(())
}

/// A draw outside any chain, with its numbers.
fn single_draw<'a>(at: &str, draw: &'a Draw, out: &mut Vec<NamedTensor<'a>>) {
    let mut push = |name: String, values| out.push(NamedTensor { name, shape: vec![1], values });
    push(format!("{at}/sweep"), Values::U64(vec![draw.sweep].into()));
    push(format!("{at}/n_bits"), Values::U64(vec![draw.bits.n_bits() as u64].into()));
    for (name, &value) in &draw.scalars {
        push(format!("{at}/scalar/{name}"), Values::F64(vec![value].into()));
    }
    one_draw(at, draw, out);
}

fn one_draw<'a>(at: &str, draw: &'a Draw, out: &mut Vec<NamedTensor<'a>>) {
    for (name, codes) in [("bits", Some(&draw.bits)), ("encoded", draw.encoded.as_ref())] {
        out.extend(codes.map(|codes| NamedTensor {
            name: format!("{at}/{name}"),
            shape: vec![codes.n_objects(), codes.n_bytes()],
            values: Values::U8(codes.bytes().into()),
        }));
    }
    out.push(NamedTensor {
        name: format!("{at}/weights"),
        shape: vec![draw.weights.len()],
        values: Values::F64(Cow::Borrowed(&draw.weights)),
    });
    for (name, tensor) in &draw.tensors {
        out.push(NamedTensor {
            name: format!("{at}/tensor/{name}"),
            shape: tensor.shape.clone(),
            values: Values::F64(Cow::Borrowed(&tensor.values)),
        });
    }
}

fn trace<'a>(at: &str, trace: &'a Trace, out: &mut Vec<NamedTensor<'a>>) {
    let mut push = |name: String, values| out.push(NamedTensor { name, shape: vec![trace.len()], values });
    push(format!("{at}/n_bits"), Values::U32(Cow::Borrowed(&trace.n_bits)));
    push(format!("{at}/log_joint"), Values::F64(Cow::Borrowed(&trace.log_joint)));
    push(format!("{at}/log_likelihood"), Values::F64(Cow::Borrowed(&trace.log_likelihood)));
    push(format!("{at}/satisfied"), Values::F64(Cow::Borrowed(&trace.satisfied)));
    for (name, values) in &trace.scalars {
        push(format!("{at}/scalar/{name}"), Values::F64(Cow::Borrowed(values)));
    }
}
