//! Joins bits that may grow with a memory of the objects they were learned from.

use super::{HashStack, Memory};

/// Codes that can be extended again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct GrowingCode {
    /// All bits.
    pub stack: HashStack,
    /// Objects seen before.
    pub memory: Memory,
}

impl GrowingCode {
    /// Codes that have seen nothing yet.
    pub fn new(stack: HashStack) -> Self {
        Self { stack, memory: Memory::default() }
    }
}
