#![forbid(unsafe_code)]
//! Scenario files: their schema, their checks and messages, and their variants.
//!
//! A scenario is a TOML file (see [`schema`] for its keys). [`Scenario::load`] reads it, lays over it what the
//! command asks for (`--set`, `--quick`), multiplies its axes of comparison, and checks every variant as a whole
//! before anything runs. All that is wrong is reported at once, each with its line and with what would be right
//! ([`CheckError`]); an unknown key gets the nearest known one. In this order values win: a `--set` option, an
//! arm of a `[[vary]]` axis, the `[quick]` table, the file.
//!
//! What a scenario may name beside its own keys (disciplines, transports, applications) is handed in as
//! [`Registries`]; [`schema_json`] merges their schemas into that of the file, and the same schema is what the
//! checker walks. A string property with the format `input-file` names an input of the scenario: it must be readable, its
//! hash is among [`Scenario::inputs`] and its content among [`Scenario::contents`], from which a world is built.

mod axes_in_text;
pub mod build;
mod check;
mod defaults;
mod deprecated;
mod error;
mod gauges;
mod input_cache;
mod inputs;
mod json_schema;
mod load;
mod origin;
mod overrides;
mod p4_control;
mod p4_program;
mod read;
mod registries;
mod scenario;
pub mod schema;
mod source;
mod validate;
mod vary;

pub use axes_in_text::{WithAxis, with_axis, with_some_arms};
pub use error::{CheckError, Place, ScenarioError};
pub use gauges::GaugesOf;
pub use inputs::{Contents, Files, Folder, InputHash, NoFiles, WithData};
pub use jettison_registry::{KeyPath, PathError, Step};
pub use json_schema::schema_json;
pub use p4_program::P4Program;
pub use registries::{
    Fits, InitiatorOf, Kind, Kinds, ReadFile, Registries, TraceCheck, TraceProblem, UsualTransport,
};
pub use scenario::{Changes, Scenario, Variant};
pub use schema::Settings;
pub use source::value_or_string as option_value;
