//! Checks values against a JSON Schema, with readable messages.
//!
//! Schemas come from schemars (parameter structs), or are composed of such schemas (the scenario file).

mod shape;
mod walk;
mod words;

pub use shape::{Branch, Shape};
pub use walk::{Aspect, Deprecated, Finding, Walked, walk};
pub use words::{describe, expected};
