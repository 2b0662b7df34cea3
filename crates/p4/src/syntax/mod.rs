//! From source text to a syntax tree.

pub mod ast;
