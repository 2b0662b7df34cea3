//! Entities by names instead of ids, as plain data for JSON.
//!
//! [`Named`] is an entity as a controller inside a run writes it; [`Names`] translates it to P4Runtime's messages and back, by
//! a program's P4Info. A name may be the whole name or its alias. Numbers are hexadecimal text ([`value`]), so that those of
//! any width pass.

mod entity;
mod names;
mod read;
pub mod value;
mod write;

pub use entity::{Criterion, Datum, Named, NamedAction, NamedEntry, WeightedAction};
pub use names::Names;

#[cfg(test)]
mod tests;
