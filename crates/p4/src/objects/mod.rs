//! Registers, counters, meters, and the hash functions.

use crate::ir::Program;

/// The extern objects of a program.
#[derive(Debug)]
pub struct Objects {}

impl Objects {
    /// All zero.
    pub fn new(_program: &Program) -> Objects {
        Objects {}
    }
}
