//! Rebuilds a model from the bytes of a file, checking everything on the way.

use super::container::verify;
use super::info::{GivenHead, Head, UnsupervisedHead};
use super::tensors::Tensors;
use super::{
    ENCODER_FORMAT, FORMAT, Fitted, FormatError, GivenBits, HASH_FORMAT, MAX_HEADER, ModelInfo, UnsupervisedBits,
    VERSION, hash_file,
};
use crate::codes::Codes;
use crate::data::{Ids, Inputs, Labels};
use crate::trace::{ChainRecord, Draw, Tensor, Trace};
use safetensors::tensor::SafeTensors;
use std::collections::{BTreeMap, HashMap};

/// Reads a whole file.
pub(super) fn model_file(file: &[u8]) -> Result<Fitted, FormatError> {
    let (text, mut tensors) = opened(file, FORMAT, "model")?;
    let head: Head = serde_json::from_str(&text)
        .map_err(|error| FormatError::Metadata { key: "model", reason: error.to_string() })?;
    let info = info(head, &mut tensors)?;
    let chains: Result<Vec<_>, _> = (0..info.settings.chains).map(|ix| chain(ix, &info, &mut tensors)).collect();
    let chains = chains?;
    let distilled =
        if tensors.has("distilled/n_bits") { Some(single_draw("distilled", &info, &mut tensors)?) } else { None };
    tensors.end()?;
    Ok(Fitted { info, chains, distilled })
}

/// Opens a file of one of our formats: the JSON text under `key`, and the tensors.
pub(super) fn opened<'d>(
    file: &'d [u8],
    format: &'static str,
    key: &'static str,
) -> Result<(String, Tensors<'d>), FormatError> {
    let length = file.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
    if let Some(length) = length.filter(|&length| length > MAX_HEADER as u64) {
        let reason = format!("its header would have {length} bytes, above the limit of {MAX_HEADER}");
        return Err(FormatError::NotSafetensors { reason });
    }
    let not_ours = |error: safetensors::SafeTensorError| FormatError::NotSafetensors { reason: error.to_string() };
    let (_, header) = SafeTensors::read_metadata(file).map_err(not_ours)?;
    let text = text(file, header.metadata().as_ref(), format, key)?;
    Ok((text, Tensors::new(&SafeTensors::deserialize(file).map_err(not_ours)?)))
}

/// Checks kind, version and checksum, in this order, and takes out the JSON text.
fn text(
    file: &[u8],
    metadata: Option<&HashMap<String, String>>,
    format: &'static str,
    key: &'static str,
) -> Result<String, FormatError> {
    let get = |key: &'static str| {
        let text = metadata.and_then(|metadata| metadata.get(key)).map(String::as_str);
        text.ok_or(FormatError::Metadata { key, reason: "it is missing".to_owned() })
    };
    match get("format") {
        Ok(found) if found == format => {}
        Ok(found) if [FORMAT, HASH_FORMAT, ENCODER_FORMAT].contains(&found) => {
            return Err(FormatError::OtherKind { expected: format, found: found.to_owned() });
        }
        _ => return Err(FormatError::NotModel),
    }
    let version = get("format_version")?;
    match version.parse() {
        Ok(1..=VERSION) => verify(file)?,
        Ok(version) if version > VERSION => {
            let program = get("sibp_version").unwrap_or("of unknown version").to_owned();
            return Err(FormatError::Newer { version, program });
        }
        _ => {
            let reason = format!("it is {version:?}; it must be a whole number, at least 1");
            return Err(FormatError::Metadata { key: "format_version", reason });
        }
    }
    get(key).map(str::to_owned)
}

fn info(head: Head, tensors: &mut Tensors) -> Result<ModelInfo, FormatError> {
    let labels = head.class_names.map(|names| labels("labels", names, head.n_objects, tensors)).transpose()?;
    let ids = if tensors.has("ids/ends") { Some(ids(head.n_objects, tensors)?) } else { None };
    let inputs = if tensors.has("inputs") { Some(inputs(tensors)?) } else { None };
    let given = head.given.map(|given| given_bits(given, head.n_objects, tensors)).transpose()?;
    let n_objects = head.n_objects;
    let unsupervised = head.unsupervised.map(|bits| unsupervised_bits(bits, n_objects, tensors)).transpose()?;
    let mut digests = head.digests;
    if tensors.has("row_digests") {
        digests.rows = tensors.u64s("row_digests", head.n_objects)?;
    }
    let info = ModelInfo {
        model: head.model,
        settings: head.settings,
        transform: head.transform,
        n_objects: head.n_objects,
        input_names: head.input_names,
        triplets: head.triplets,
        digests,
        labels,
        ids,
        given,
        unsupervised,
        inputs,
        calibration: head.calibration,
        continues: head.continues,
        judges: head.judges,
        part: head.part,
    };
    info.check()?;
    Ok(info)
}

fn inputs(tensors: &mut Tensors) -> Result<Inputs, FormatError> {
    let Tensor { shape, values } = tensors.array("inputs")?;
    let shaped = match shape[..] {
        [n_objects, n_inputs] => Inputs::new(n_objects, n_inputs, values).map_err(|error| error.to_string()),
        _ => Err(format!("their shape is {shape:?}")),
    };
    shaped.map_err(|reason| FormatError::Inputs { reason })
}

fn given_bits(head: GivenHead, n_objects: usize, tensors: &mut Tensors) -> Result<GivenBits, FormatError> {
    let codes = codes("given".to_owned(), n_objects, head.n_bits, tensors)?;
    let predictor = head.predictor.map(|heads| hash_file::read_stack(heads, "given/", tensors)).transpose()?;
    Ok(GivenBits { source: head.source, codes, predictor })
}

fn unsupervised_bits(
    head: UnsupervisedHead,
    n_objects: usize,
    tensors: &mut Tensors,
) -> Result<UnsupervisedBits, FormatError> {
    let codes = codes("unsupervised".to_owned(), n_objects, head.n_bits, tensors)?;
    let hash = hash_file::read_stack(head.hash, "unsupervised/", tensors)?;
    Ok(UnsupervisedBits { codes, hash, fills_to: head.fills_to })
}

fn codes(name: String, n_objects: usize, n_bits: usize, tensors: &mut Tensors) -> Result<Codes, FormatError> {
    let bytes = tensors.bytes(&name, &[n_objects, n_bits.div_ceil(8)])?;
    Codes::from_bytes(n_objects, n_bits, bytes).map_err(|problem| FormatError::Codes { name, problem })
}

pub(super) fn labels(
    name: &str,
    names: Vec<String>,
    n_objects: usize,
    tensors: &mut Tensors,
) -> Result<Labels, FormatError> {
    let class_of = tensors.u32s(name, n_objects)?;
    let n_classes = names.len();
    match class_of.iter().position(|&class| class as usize >= n_classes) {
        Some(object_ix) => Err(FormatError::Class { object_ix, class: class_of[object_ix], n_classes }),
        None => Ok(Labels::from_classes(names, class_of)),
    }
}

fn ids(n_objects: usize, tensors: &mut Tensors) -> Result<Ids, FormatError> {
    let ends = tensors.u64s("ids/ends", n_objects)?;
    let n_bytes = ends.last().and_then(|&end| usize::try_from(end).ok()).unwrap_or(0);
    let bytes = tensors.bytes("ids/texts", &[n_bytes])?;
    let mut begin = 0;
    let text = |end: u64| {
        let end = usize::try_from(end).unwrap_or(usize::MAX);
        let text = bytes.get(begin..end).ok_or("their ends do not ascend")?;
        begin = end;
        std::str::from_utf8(text).map(str::to_owned).map_err(|_| "one is not UTF-8")
    };
    let texts: Result<Vec<String>, &str> = ends.into_iter().map(text).collect();
    let texts = texts.map_err(|reason| FormatError::Ids { reason: reason.to_owned() })?;
    Ids::new(texts).map_err(|error| FormatError::Ids { reason: error.to_string() })
}

fn chain(chain_ix: usize, info: &ModelInfo, tensors: &mut Tensors) -> Result<ChainRecord, FormatError> {
    let at = format!("chain{chain_ix}");
    let sweeps = tensors.list_u64(&format!("{at}/sweep"))?;
    let n_bits = tensors.u64s(&format!("{at}/n_bits"), sweeps.len())?;
    let scalars = columns(&format!("{at}/scalar/"), sweeps.len(), tensors)?;
    let mut draws = Vec::with_capacity(sweeps.len());
    for (draw_ix, (&sweep, &n_bits)) in sweeps.iter().zip(&n_bits).enumerate() {
        let scalars = scalars.iter().map(|(name, column)| (name.clone(), column[draw_ix])).collect();
        draws.push(draw(&format!("{at}/draw{draw_ix}"), (sweep, n_bits), scalars, info.n_objects, tensors)?);
    }
    let Some(last) = draws.last().cloned() else {
        let expected = "a list that is not empty".to_owned();
        return Err(FormatError::TensorShape { name: format!("{at}/sweep"), expected, found: vec![0] });
    };
    let plan = info.settings.plan();
    draws.pop_if(|last| !plan.keeps(last.sweep));
    let trace = trace(&format!("{at}/trace"), last.sweep, tensors)?;
    let record = ChainRecord { sweeps_done: last.sweep, last, draws, trace };
    record.check(&plan).map_err(|problem| FormatError::Record { chain_ix, problem })?;
    Ok(record)
}

/// A draw outside any chain, with its numbers.
fn single_draw(at: &str, info: &ModelInfo, tensors: &mut Tensors) -> Result<Draw, FormatError> {
    let (sweeps, n_bits) = (tensors.u64s(&format!("{at}/sweep"), 1)?, tensors.u64s(&format!("{at}/n_bits"), 1)?);
    let scalars = columns(&format!("{at}/scalar/"), 1, tensors)?;
    let scalars = scalars.into_iter().map(|(name, column)| (name, column[0])).collect();
    draw(at, (sweeps[0], n_bits[0]), scalars, info.n_objects, tensors)
}

fn draw(
    at: &str,
    (sweep, n_bits): (u64, u64),
    scalars: BTreeMap<String, f64>,
    n_objects: usize,
    tensors: &mut Tensors,
) -> Result<Draw, FormatError> {
    let n_bits = usize::try_from(n_bits).unwrap_or(usize::MAX);
    let has_encoded = tensors.has(&format!("{at}/encoded"));
    let weights = tensors.f64s(&format!("{at}/weights"), n_bits)?;
    let mut codes = |name: &str| codes(format!("{at}/{name}"), n_objects, n_bits, tensors);
    let bits = codes("bits")?;
    let encoded = if has_encoded { Some(codes("encoded")?) } else { None };
    let prefix = format!("{at}/tensor/");
    let mut named = BTreeMap::new();
    for name in tensors.names_under(&prefix) {
        let tensor = tensors.array(&format!("{prefix}{name}"))?;
        named.insert(name, tensor);
    }
    Ok(Draw { sweep, bits, encoded, weights, scalars, tensors: named })
}

fn trace(at: &str, sweeps_done: u64, tensors: &mut Tensors) -> Result<Trace, FormatError> {
    let n = usize::try_from(sweeps_done).unwrap_or(usize::MAX);
    Ok(Trace {
        n_bits: tensors.u32s(&format!("{at}/n_bits"), n)?,
        log_joint: tensors.f64s(&format!("{at}/log_joint"), n)?,
        log_likelihood: match tensors.has(&format!("{at}/log_likelihood")) {
            true => tensors.f64s(&format!("{at}/log_likelihood"), n)?,
            // A file of version 1; `n` is what the column before this one has.
            false => vec![f64::NAN; n],
        },
        satisfied: tensors.f64s(&format!("{at}/satisfied"), n)?,
        scalars: columns(&format!("{at}/scalar/"), n, tensors)?,
    })
}

fn columns(prefix: &str, n: usize, tensors: &mut Tensors) -> Result<BTreeMap<String, Vec<f64>>, FormatError> {
    let names = tensors.names_under(prefix).into_iter();
    names.map(|name| tensors.f64s(&format!("{prefix}{name}"), n).map(|column| (name, column))).collect()
}
