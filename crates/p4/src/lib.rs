//! P4_16: a front end, compiled execution, and the v1model architecture with BMv2 `simple_switch`'s behaviour.
//!
//! Source text goes through [`syntax`] (preprocessor, tokens, tree) and [`types`] (checks and elaboration) to the
//! [`ir`], the elaborated program. [`exec`] runs it on packets; [`v1model`] makes a switch of it that the simulator and
//! the live router drive like any other; [`stf`] tests programs with packets.

pub mod diagnostic;
pub mod exec;
pub mod ir;
pub mod library;
pub mod objects;
pub mod reference;
pub mod source;
pub mod stf;
pub mod syntax;
pub mod table;
pub mod types;
pub mod v1model;
