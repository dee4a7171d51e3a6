//! Saves and loads stacks of hashes.

use super::container::{Container, NamedTensor, Values};
use super::model_file::{bytes_of, load_bytes, save_container};
use super::read::opened;
use super::tensors::Tensors;
use super::{FormatError, HASH_FORMAT, VERSION};
use crate::baseline::{LinearHash, Mode, SpectralHash};
use crate::data::Transform;
use crate::hash::{Hash, HashBlock, HashStack};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// What the metadata say about a block; its numbers are tensors.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockHead {
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

impl HashStack {
    /// The bytes of the file: the same stack gives the same bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FormatError> {
        Ok(bytes_of(&self.container()?))
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(file: &[u8]) -> Result<Self, FormatError> {
        let (text, mut tensors) = opened(file, HASH_FORMAT, "hash")?;
        let heads: Vec<BlockHead> = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let blocks = heads.into_iter().enumerate().map(|(at, head)| block(at, head, &mut tensors));
        let blocks = blocks.collect::<Result<Vec<_>, _>>()?;
        tensors.end()?;
        Self::new(blocks).map_err(|error| wrong(error.to_string()))
    }

    /// Saves the stack so that `path` holds either its old bytes or all of the new ones.
    pub fn save(&self, path: &Path) -> Result<(), FormatError> {
        self.container().and_then(|container| save_container(path, &container)).map_err(|error| error.in_file(path))
    }

    /// Loads a stack.
    pub fn load(path: &Path) -> Result<Self, FormatError> {
        load_bytes(path).and_then(|file| Self::from_bytes(&file)).map_err(|error| error.in_file(path))
    }

    fn container(&self) -> Result<Container<'_>, FormatError> {
        let heads: Vec<BlockHead> = self.blocks().iter().map(head).collect();
        let text = serde_json::to_string(&heads).map_err(|error| wrong(error.to_string()))?;
        let metadata = BTreeMap::from([
            ("format", HASH_FORMAT.to_owned()),
            ("format_version", VERSION.to_string()),
            ("hash", text),
            ("sibp_version", env!("CARGO_PKG_VERSION").to_owned()),
        ]);
        let tensors = self.blocks().iter().enumerate().flat_map(|(at, block)| tensors_of(at, block)).collect();
        Container::new(metadata, tensors)
    }
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

fn tensors_of(at: usize, block: &HashBlock) -> Vec<NamedTensor<'_>> {
    let list = |name: &str, values: Values<'static>, n: usize| NamedTensor {
        name: format!("block{at}/{name}"),
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

fn block(at: usize, head: BlockHead, tensors: &mut Tensors) -> Result<HashBlock, FormatError> {
    let n_inputs = head.transform.n_outputs();
    let name = |name: &str| format!("block{at}/{name}");
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
    let hash = hash.map_err(|error| wrong(format!("block {at}: {error}")))?;
    let weights = tensors.f64s(&name("bit_weights"), head.n_bits)?;
    Ok(HashBlock { source: head.source, transform: head.transform, hash, weights })
}
