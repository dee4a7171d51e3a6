//! Saves and loads encoders: what gives codes to objects, without draws and training objects.

use super::container::{Container, NamedTensor, Values};
use super::fitted::{bytes_of, load_bytes, save_container};
use super::hash_file::{self, BlockHead, stack_tensors};
use super::info::GivenHead;
use super::read::opened;
use super::tensors::Tensors;
use super::{ENCODER_FORMAT, FormatError, VERSION};
use crate::codes::Codes;
use crate::encode::{Candidates, Hyperplanes, StoredEncoder};
use crate::fingerprint::Fingerprint;
use crate::hash::HashStack;
use crate::model::ModelKind;
use crate::transform::Transform;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// All that is needed to give codes of a model to objects: kilobytes, whatever the model was fitted to.
#[derive(Debug, Clone, PartialEq)]
pub struct PortableEncoder {
    /// The kind of model that it was taken from.
    pub model: ModelKind,
    /// Transform of the inputs before learned bits are taken from them; it knows the rule for missing values.
    pub transform: Transform,
    /// What gives the learned bits, one part for each draw.
    pub learned: Vec<StoredEncoder>,
    /// Bits that stand before the learned ones.
    pub given: Option<PortableGiven>,
    /// Gives the unsupervised bits, which stand last.
    pub unsupervised: Option<HashStack>,
    /// Weight of each bit.
    pub weights: Vec<f64>,
    /// What the bits mean: that of the model, so that codes of both can be compared.
    pub fingerprint: Fingerprint,
    /// Names of the inputs, before the transform.
    pub input_names: Option<Vec<String>>,
}

/// Bits that objects have already, or that are predicted.
#[derive(Debug, Clone, PartialEq)]
pub struct PortableGiven {
    /// Description of their origin.
    pub source: String,
    /// How many they are.
    pub n_bits: usize,
    /// Predicts them from inputs as they are read.
    pub predictor: Option<HashStack>,
}

/// The JSON text of the metadata; numbers are tensors.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EncoderHead {
    model: ModelKind,
    fingerprint: String,
    transform: Transform,
    learned: Vec<LearnedHead>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    given: Option<GivenHead>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unsupervised: Option<Vec<BlockHead>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input_names: Option<Vec<String>>,
}

/// The metadata of what gives the learned bits of one draw.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LearnedHead {
    kind: LearnedKind,
    n_bits: usize,
    /// Codes to choose from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    n_codes: Option<usize>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LearnedKind {
    Probit,
    Linear,
    BestCode,
}

impl PortableEncoder {
    /// Inputs that an object must have, before the transform.
    pub fn n_inputs(&self) -> usize {
        self.transform.n_inputs()
    }

    /// The bytes of the file; equal encoders give equal bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FormatError> {
        Ok(bytes_of(&self.container()?))
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(file: &[u8]) -> Result<Self, FormatError> {
        let (text, mut tensors) = opened(file, ENCODER_FORMAT, "parts")?;
        let head: EncoderHead = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let encoder = Self::of(head, &mut tensors)?;
        tensors.end()?;
        encoder.check()?;
        Ok(encoder)
    }

    /// Saves the encoder so that `path` holds either its old bytes or all of the new ones.
    pub fn save(&self, path: &Path) -> Result<(), FormatError> {
        let saved = self.container().and_then(|container| save_container(path, &container));
        saved.map_err(|error| error.in_file(path))
    }

    /// Loads an encoder.
    pub fn load(path: &Path) -> Result<Self, FormatError> {
        load_bytes(path).and_then(|file| Self::from_bytes(&file)).map_err(|error| error.in_file(path))
    }

    fn container(&self) -> Result<Container<'_>, FormatError> {
        self.check()?;
        let text = serde_json::to_string(&self.head()).map_err(|error| wrong(error.to_string()))?;
        let metadata = BTreeMap::from([
            ("parts", text),
            ("format", ENCODER_FORMAT.to_owned()),
            ("format_version", VERSION.to_string()),
            ("sibp_version", env!("CARGO_PKG_VERSION").to_owned()),
        ]);
        let mut tensors = vec![numbers("weights".to_owned(), vec![self.weights.len()], &self.weights)];
        let n_inputs = self.transform.n_outputs();
        for (at, part) in self.learned.iter().enumerate() {
            learned_tensors(&format!("learned{at}"), part, n_inputs, &mut tensors);
        }
        let predictor = self.given.as_ref().and_then(|given| given.predictor.as_ref());
        tensors.extend(predictor.iter().flat_map(|stack| stack_tensors(stack, "given/")));
        tensors.extend(self.unsupervised.iter().flat_map(|stack| stack_tensors(stack, "unsupervised/")));
        Container::new(metadata, tensors)
    }

    fn head(&self) -> EncoderHead {
        let given = |given: &PortableGiven| GivenHead {
            source: given.source.clone(),
            n_bits: given.n_bits,
            predictor: given.predictor.as_ref().map(hash_file::heads),
        };
        EncoderHead {
            model: self.model,
            fingerprint: self.fingerprint.hex(),
            transform: self.transform.clone(),
            learned: self.learned.iter().map(learned_head).collect(),
            given: self.given.as_ref().map(given),
            unsupervised: self.unsupervised.as_ref().map(hash_file::heads),
            input_names: self.input_names.clone(),
        }
    }

    fn of(head: EncoderHead, tensors: &mut Tensors) -> Result<Self, FormatError> {
        let n_inputs = head.transform.n_outputs();
        let fingerprint = Fingerprint::from_hex(&head.fingerprint);
        let parts = head.learned.iter().enumerate();
        let mut given = |given: GivenHead| {
            let predictor = given.predictor.map(|heads| hash_file::read_stack(heads, "given/", tensors)).transpose()?;
            Ok::<_, FormatError>(PortableGiven { source: given.source, n_bits: given.n_bits, predictor })
        };
        Ok(Self {
            model: head.model,
            given: head.given.map(&mut given).transpose()?,
            learned: parts
                .map(|(at, part)| learned(&format!("learned{at}"), part, n_inputs, tensors))
                .collect::<Result<_, _>>()?,
            unsupervised: head
                .unsupervised
                .map(|heads| hash_file::read_stack(heads, "unsupervised/", tensors))
                .transpose()?,
            weights: tensors.list_f64("weights")?,
            fingerprint: fingerprint
                .ok_or_else(|| wrong("its fingerprint has not 64 hexadecimal digits".to_owned()))?,
            input_names: head.input_names,
            transform: head.transform,
        })
    }

    /// Refuses parts that do not belong together.
    fn check(&self) -> Result<(), FormatError> {
        if self.learned.is_empty() {
            return Err(wrong("nothing gives learned bits".to_owned()));
        }
        for part in &self.learned {
            part.check(self.transform.n_outputs()).map_err(|error| wrong(error.to_string()))?;
        }
        let predictor = self.given.as_ref().and_then(|given| given.predictor.as_ref());
        let n_given = self.given.as_ref().map_or(0, |given| given.n_bits);
        let n_last = self.unsupervised.as_ref().map_or(0, HashStack::n_bits);
        let n_learned: usize = self.learned.iter().map(StoredEncoder::n_bits).sum();
        let n_bits = n_learned.saturating_add(n_given).saturating_add(n_last);
        let counts = [
            ("weights", n_bits, Some(self.weights.len())),
            ("input names", self.n_inputs(), self.input_names.as_ref().map(Vec::len)),
            ("bits of the predictor of given bits", n_given, predictor.map(HashStack::n_bits)),
            ("inputs of the predictor of given bits", self.n_inputs(), predictor.map(HashStack::n_inputs)),
            ("inputs of unsupervised bits", self.n_inputs(), self.unsupervised.as_ref().map(HashStack::n_inputs)),
        ];
        for (what, expected, found) in counts {
            if let Some(found) = found.filter(|&found| found != expected) {
                return Err(FormatError::Count { what, expected, found });
            }
        }
        match self.weights.iter().all(|weight| weight.is_finite()) {
            true => Ok(()),
            false => Err(wrong("a weight is not a finite number".to_owned())),
        }
    }
}

fn wrong(reason: String) -> FormatError {
    FormatError::Metadata { key: "parts", reason }
}

fn numbers(name: String, shape: Vec<usize>, values: &[f64]) -> NamedTensor<'_> {
    NamedTensor { name, shape, values: Values::F64(values.into()) }
}

fn learned_head(part: &StoredEncoder) -> LearnedHead {
    let (kind, n_codes) = match part {
        StoredEncoder::Probit(_) => (LearnedKind::Probit, None),
        StoredEncoder::Linear(_) => (LearnedKind::Linear, None),
        StoredEncoder::BestCode(candidates) => (LearnedKind::BestCode, Some(candidates.codes.n_objects())),
    };
    LearnedHead { kind, n_bits: part.n_bits(), n_codes }
}

fn learned_tensors<'a>(at: &str, part: &'a StoredEncoder, n_inputs: usize, out: &mut Vec<NamedTensor<'a>>) {
    match part {
        StoredEncoder::Probit(planes) | StoredEncoder::Linear(planes) => {
            let n_bits = planes.offsets.len();
            out.push(numbers(format!("{at}/coefficients"), vec![n_bits, n_inputs], &planes.coefficients));
            out.push(numbers(format!("{at}/thresholds"), vec![n_bits], &planes.offsets));
        }
        StoredEncoder::BestCode(Candidates { codes, images, log_constants, precisions }) => {
            let n_codes = codes.n_objects();
            out.push(numbers(format!("{at}/images"), vec![codes.n_bits(), n_inputs], images));
            out.push(numbers(format!("{at}/log_constants"), vec![n_codes], log_constants));
            out.push(numbers(format!("{at}/precisions"), vec![n_codes], precisions));
            out.push(NamedTensor {
                name: format!("{at}/codes"),
                shape: vec![n_codes, codes.n_bytes()],
                values: Values::U8(codes.bytes().into()),
            });
        }
    }
}

fn learned(at: &str, head: &LearnedHead, n_inputs: usize, tensors: &mut Tensors) -> Result<StoredEncoder, FormatError> {
    let name = |name: &str| format!("{at}/{name}");
    let n_bits = head.n_bits;
    let mut planes = || {
        Ok::<_, FormatError>(Hyperplanes {
            coefficients: tensors.matrix_f64(&name("coefficients"), [n_bits, n_inputs])?,
            offsets: tensors.f64s(&name("thresholds"), n_bits)?,
        })
    };
    Ok(match (head.kind, head.n_codes) {
        (LearnedKind::Probit, None) => StoredEncoder::Probit(planes()?),
        (LearnedKind::Linear, None) => StoredEncoder::Linear(planes()?),
        (LearnedKind::BestCode, Some(n_codes)) => {
            let bytes = tensors.bytes(&name("codes"), &[n_codes, n_bits.div_ceil(8)])?;
            let codes = Codes::from_bytes(n_codes, n_bits, bytes)
                .map_err(|problem| FormatError::Codes { name: name("codes"), problem })?;
            StoredEncoder::BestCode(Candidates {
                codes,
                images: tensors.matrix_f64(&name("images"), [n_bits, n_inputs])?,
                log_constants: tensors.f64s(&name("log_constants"), n_codes)?,
                precisions: tensors.f64s(&name("precisions"), n_codes)?,
            })
        }
        _ => return Err(wrong(format!("{at}: codes to choose from go with the kind best-code, and with no other"))),
    })
}
