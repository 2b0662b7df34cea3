#![forbid(unsafe_code)]
//! Scenario files: schema, checks, messages and variants; [`build`] makes worlds of them.
//!
//! A scenario is a TOML file (see [`schema`] for its keys). [`Scenario::load`] reads it, applies the overrides of the
//! command (`--set`, `--quick`), multiplies its axes of comparison, and checks every variant completely before anything
//! runs. All errors are reported at once, each with its line and its remedy ([`CheckError`]); an unknown key gets the
//! nearest known one. Precedence of values, highest first: a `--set` option, an arm of a `[[vary]]` axis, the `[quick]`
//! table, the file. Without that table, `--quick` shortens the runs ([`Shortened`]).
//!
//! The caller passes in the components that a scenario may name (disciplines, transports, applications) as
//! [`Registries`]. [`schema_json`] merges their schemas into the file's, and the checker walks that same schema. A string
//! property with the format `input-file` names an input of the scenario: the file must be readable. Its hash is in
//! [`Scenario::inputs`] and its content in [`Scenario::contents`], from which worlds are built.

mod axes_in_text;
mod baseline;
pub mod build;
mod check;
mod column_name;
mod defaults;
mod deprecated;
mod error;
pub mod export;
mod gauges;
mod input_cache;
mod inputs;
mod json_schema;
mod load;
mod names;
mod origin;
mod overrides;
mod p4_control;
mod p4_entities;
mod p4_program;
mod paths;
mod read;
mod registries;
mod scenario;
pub mod schema;
mod shorten;
mod source;
mod validate;
mod vary;

pub use axes_in_text::{WithAxis, with_axis, with_some_arms};
pub use column_name::{ColumnName, UnknownColumn};
pub use error::{CheckError, Place, ScenarioError};
pub use gauges::GaugesOf;
pub use inputs::{Contents, Files, Folder, InputHash, NoFiles, WithData};
pub use jettison_registry::{KeyPath, PathError, Step};
pub use json_schema::schema_json;
pub use p4_program::P4Program;
pub use paths::Hop;
pub use registries::{
    Fits, InitiatorOf, Kind, Kinds, ReadFile, Registries, TraceCheck, TraceProblem, UsualTransport,
};
pub use scenario::{Changes, Scenario, Variant};
pub use schema::Settings;
pub use shorten::Shortened;
pub use source::value_or_string as option_value;
