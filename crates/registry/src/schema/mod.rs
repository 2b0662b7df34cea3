//! Checking values against a JSON Schema, with messages for people.
//!
//! The schemas are those that schemars makes of parameter structs, and the scenario file's, which is made of them.

mod shape;
mod walk;
mod words;

pub use shape::{Branch, Shape};
pub use walk::{Aspect, Deprecated, Finding, Walked, walk};
pub use words::{describe, expected};
