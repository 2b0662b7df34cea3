#![forbid(unsafe_code)]
//! What others made: input files, and text for terminals.
//!
//! Everything that reads a file which a user or a scenario names reads it with [`mod@file`]; everything that shows text of
//! such a file shows it with [`text`].

pub mod file;
pub mod text;
