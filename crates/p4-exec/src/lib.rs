#![forbid(unsafe_code)]
//! P4 execution: compiled machine, tables and extern objects.
//!
//! A [`Machine`] holds the state of one packet and runs the blocks of the pipeline on it. The [`Plane`] holds all state
//! that outlives a packet: tables, registers, counters and meters. Requests of a block to the architecture, such as a
//! clone or a resubmission, are collected in the plane's [`Effects`].
//!
//! The production machine is [`compiled::Compiled`]. The crate `jettison-p4-oracle` contains the slow reference machine
//! that follows the specification step by step; tests compare the two.

pub mod compiled;
mod effects;
mod machine;
pub mod objects;
mod plane;
pub mod table;

pub use effects::{CloneRequest, Digest, Effects, Message};
pub use machine::{Block, Frame, Machine, Parsed, Standard};
pub use plane::Plane;
