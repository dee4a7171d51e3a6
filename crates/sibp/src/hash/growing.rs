//! Joins bits that may be extended with a reservoir sample of the objects they were learned from.

use super::{HashStack, Memory};

/// Codes that can be extended repeatedly.
#[derive(Debug, Clone, PartialEq)]
pub struct GrowingCode {
    /// All bits.
    pub stack: HashStack,
    /// Reservoir sample of the objects seen before.
    pub memory: Memory,
}

impl GrowingCode {
    /// Codes that have seen no objects yet.
    pub fn new(stack: HashStack) -> Self {
        Self { stack, memory: Memory::default() }
    }
}
