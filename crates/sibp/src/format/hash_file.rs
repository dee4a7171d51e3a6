//! Saves and loads stacks of hashes, with the remembered objects of those that can be extended.

use super::container::{Container, NamedTensor, Values};
use super::fitted::{bytes_of, load_bytes, save_container};
use super::read::{self, opened};
use super::tensors::Tensors;
use super::{FormatError, HASH_FORMAT, VERSION};
use crate::data::Inputs;
use crate::hash::{
    GrowingCode, Hash, HashBlock, HashStack, Lessons, LinearHash, Memory, Mode, Remembered, SpectralHash,
};
use crate::transform::Transform;
use crate::triplets::{Triplet, TripletSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The metadata of a block; its numbers are tensors.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BlockHead {
    source: String,
    transform: Transform,
    kind: Kind,
    n_bits: usize,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Linear,
    Spectral,
}

/// The JSON text of the metadata.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HashHead {
    blocks: Vec<BlockHead>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input_names: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryHead>,
}

/// The metadata of the remembered objects.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MemoryHead {
    n_batches: u64,
    n_objects: usize,
    /// Names of the classes; without them the objects are known by triplets.
    class_names: Option<Vec<String>>,
    n_triplets: usize,
}

impl GrowingCode {
    /// The bytes of the file; equal codes give equal bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FormatError> {
        Ok(bytes_of(&container(&self.stack, Some(&self.memory))?))
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(file: &[u8]) -> Result<Self, FormatError> {
        let (text, mut tensors) = opened(file, HASH_FORMAT, "hash")?;
        let head: HashHead = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let stack = read_stack(head.blocks, "", &mut tensors)?;
        let stack = stack.named(head.input_names).map_err(|error| wrong(error.to_string()))?;
        let memory = match head.memory {
            Some(head) => memory(head, stack.n_inputs(), &mut tensors)?,
            None => Memory::default(),
        };
        tensors.end()?;
        Ok(Self { stack, memory })
    }

    /// Saves the codes so that `path` holds either its old bytes or all of the new ones.
    pub fn save(&self, path: &Path) -> Result<(), FormatError> {
        save(path, container(&self.stack, Some(&self.memory)))
    }

    /// Loads codes, with or without remembered objects.
    pub fn load(path: &Path) -> Result<Self, FormatError> {
        load_bytes(path).and_then(|file| Self::from_bytes(&file)).map_err(|error| error.in_file(path))
    }
}

impl HashStack {
    /// The bytes of the file; equal stacks give equal bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FormatError> {
        Ok(bytes_of(&container(self, None)?))
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(file: &[u8]) -> Result<Self, FormatError> {
        GrowingCode::from_bytes(file).map(|code| code.stack)
    }

    /// Saves the stack so that `path` holds either its old bytes or all of the new ones.
    pub fn save(&self, path: &Path) -> Result<(), FormatError> {
        save(path, container(self, None))
    }

    /// Loads a stack.
    pub fn load(path: &Path) -> Result<Self, FormatError> {
        GrowingCode::load(path).map(|code| code.stack)
    }
}

fn save(path: &Path, container: Result<Container<'_>, FormatError>) -> Result<(), FormatError> {
    container.and_then(|container| save_container(path, &container)).map_err(|error| error.in_file(path))
}

fn container<'a>(stack: &'a HashStack, memory: Option<&'a Memory>) -> Result<Container<'a>, FormatError> {
    let memory = memory.filter(|memory| memory.n_batches > 0);
    let head = HashHead {
        blocks: heads(stack),
        input_names: stack.input_names().map(<[String]>::to_vec),
        memory: memory.map(memory_head),
    };
    let text = serde_json::to_string(&head).map_err(|error| wrong(error.to_string()))?;
    let metadata = BTreeMap::from([
        ("format", HASH_FORMAT.to_owned()),
        ("format_version", VERSION.to_string()),
        ("hash", text),
        ("sibp_version", env!("CARGO_PKG_VERSION").to_owned()),
    ]);
    let mut tensors = stack_tensors(stack, "");
    if let Some(sample) = memory.and_then(|memory| memory.sample.as_ref()) {
        memory_tensors(sample, &mut tensors);
    }
    Container::new(metadata, tensors)
}

/// The metadata of a stack's blocks.
pub(super) fn heads(stack: &HashStack) -> Vec<BlockHead> {
    stack.blocks().iter().map(head).collect()
}

/// The tensors of a stack, their names behind `prefix`.
pub(super) fn stack_tensors<'a>(stack: &'a HashStack, prefix: &str) -> Vec<NamedTensor<'a>> {
    stack.blocks().iter().enumerate().flat_map(|(at, b)| tensors_of(&format!("{prefix}block{at}"), b)).collect()
}

/// Reads a stack back.
pub(super) fn read_stack(heads: Vec<BlockHead>, prefix: &str, tensors: &mut Tensors) -> Result<HashStack, FormatError> {
    let blocks = heads.into_iter().enumerate().map(|(at, head)| block(&format!("{prefix}block{at}"), head, tensors));
    HashStack::new(blocks.collect::<Result<Vec<_>, _>>()?).map_err(|error| wrong(error.to_string()))
}

fn memory_head(memory: &Memory) -> MemoryHead {
    let lessons = memory.sample.as_ref().map(|sample| &sample.lessons);
    MemoryHead {
        n_batches: memory.n_batches,
        n_objects: memory.n_objects(),
        class_names: match lessons {
            Some(Lessons::Labels { labels, .. }) => Some(labels.names().to_vec()),
            _ => None,
        },
        n_triplets: match lessons {
            Some(Lessons::Triplets { triplets, .. }) => triplets.len(),
            _ => 0,
        },
    }
}

fn memory_tensors<'a>(sample: &'a Remembered, out: &mut Vec<NamedTensor<'a>>) {
    let inputs = &sample.inputs;
    let mut push = |name: &str, shape: Vec<usize>, values: Values<'a>| {
        out.push(NamedTensor { name: format!("memory/{name}"), shape, values });
    };
    push("features", vec![inputs.n_objects(), inputs.n_inputs()], Values::F64(inputs.values()));
    match &sample.lessons {
        Lessons::Labels { labels, keys } => {
            push("labels", vec![labels.len()], Values::U32(labels.class_of().into()));
            push("keys", vec![keys.len()], Values::U64(keys.into()));
        }
        Lessons::Triplets { triplets, keys } => {
            let members: Vec<u32> = triplets.iter().flat_map(|t| [t.anchor, t.near, t.far]).collect();
            push("triplets", vec![members.len()], Values::U32(members.into()));
            push("keys", vec![keys.len()], Values::U64(keys.into()));
        }
    }
}

fn memory(head: MemoryHead, n_inputs: usize, tensors: &mut Tensors) -> Result<Memory, FormatError> {
    let MemoryHead { n_batches, n_objects, class_names, n_triplets } = head;
    if n_objects == 0 {
        return Ok(Memory { n_batches, sample: None });
    }
    let bad = |reason: String| wrong(format!("memory: {reason}"));
    if n_batches == 0 {
        return Err(bad(format!("{n_objects} objects are remembered, but of no batch")));
    }
    let values = tensors.array("memory/features")?;
    if values.shape != [n_objects, n_inputs] {
        let expected = format!("[{n_objects}, {n_inputs}]");
        return Err(FormatError::TensorShape { name: "memory/features".to_owned(), expected, found: values.shape });
    }
    let inputs = Inputs::new(n_objects, n_inputs, values.values).map_err(|error| bad(error.to_string()))?;
    let lessons = match class_names {
        Some(names) => Lessons::Labels {
            labels: read::labels("memory/labels", names, n_objects, tensors)?,
            keys: tensors.u64s("memory/keys", n_objects)?,
        },
        None => {
            let members = tensors.u32s("memory/triplets", n_triplets.saturating_mul(3))?;
            let triplet = |t: &[u32]| Triplet { anchor: t[0], near: t[1], far: t[2] };
            let triplets: Vec<Triplet> = members.chunks_exact(3).map(triplet).collect();
            TripletSet::new(n_objects, triplets.clone()).map_err(|error| bad(error.to_string()))?;
            Lessons::Triplets { triplets, keys: tensors.u64s("memory/keys", n_triplets)? }
        }
    };
    Ok(Memory { n_batches, sample: Some(Remembered { inputs, lessons }) })
}

fn wrong(reason: String) -> FormatError {
    FormatError::Metadata { key: "hash", reason }
}

fn head(block: &HashBlock) -> BlockHead {
    let kind = match block.hash {
        Hash::Linear(_) => Kind::Linear,
        Hash::Spectral(_) => Kind::Spectral,
    };
    BlockHead { source: block.source.clone(), transform: block.transform.clone(), kind, n_bits: block.hash.n_bits() }
}

fn tensors_of<'a>(at: &str, block: &'a HashBlock) -> Vec<NamedTensor<'a>> {
    let list = |name: &str, values: Values<'static>, n: usize| NamedTensor {
        name: format!("{at}/{name}"),
        shape: vec![n],
        values,
    };
    let numbers = |name: &str, values: &[f64]| list(name, Values::F64(values.to_vec().into()), values.len());
    let bit_weights = numbers("bit_weights", &block.weights);
    match &block.hash {
        Hash::Linear(hash) => {
            vec![bit_weights, numbers("thresholds", hash.thresholds()), numbers("weights", hash.weights())]
        }
        Hash::Spectral(hash) => {
            let modes: Vec<u64> =
                hash.modes().iter().flat_map(|mode| [mode.direction as u64, mode.n_half_waves as u64]).collect();
            let n_modes = modes.len();
            vec![
                bit_weights,
                numbers("directions", hash.directions()),
                numbers("lows", hash.lows()),
                list("modes", Values::U64(modes.into()), n_modes),
                numbers("ranges", hash.ranges()),
            ]
        }
    }
}

fn block(at: &str, head: BlockHead, tensors: &mut Tensors) -> Result<HashBlock, FormatError> {
    let n_inputs = head.transform.n_outputs();
    let name = |name: &str| format!("{at}/{name}");
    let hash = match head.kind {
        Kind::Linear => {
            let n_weights =
                head.n_bits.checked_mul(n_inputs).ok_or_else(|| wrong("it has too many bits".to_owned()))?;
            let thresholds = tensors.f64s(&name("thresholds"), head.n_bits)?;
            LinearHash::new(n_inputs, tensors.f64s(&name("weights"), n_weights)?, thresholds).map(Hash::Linear)
        }
        Kind::Spectral => {
            let modes = tensors.u64s(&name("modes"), head.n_bits.saturating_mul(2))?;
            let number = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
            let modes = modes.chunks_exact(2);
            let modes = modes.map(|pair| Mode { direction: number(pair[0]), n_half_waves: number(pair[1]) }).collect();
            let lows = tensors.array(&name("lows"))?.values;
            let n_weights = lows.len().saturating_mul(n_inputs);
            let directions = tensors.f64s(&name("directions"), n_weights)?;
            let ranges = tensors.f64s(&name("ranges"), lows.len())?;
            SpectralHash::from_parts(n_inputs, directions, lows, ranges, modes).map(Hash::Spectral)
        }
    };
    let hash = hash.map_err(|error| wrong(format!("{at}: {error}")))?;
    let weights = tensors.f64s(&name("bit_weights"), head.n_bits)?;
    Ok(HashBlock { source: head.source, transform: head.transform, hash, weights })
}
