#![forbid(unsafe_code)]
//! Running a program: what executors share.
//!
//! A [`Machine`] holds the state of one packet and runs the blocks of the pipeline on it. Everything that outlives a
//! packet (tables, registers, counters, meters) is in the [`Plane`], and what a block asks of the architecture (a clone,
//! a resubmission) is left in the plane's [`Effects`]. There are two machines, the reference one that follows the
//! specification word by word and the compiled one, and a test that holds the second to the first.

pub mod compiled;
mod effects;
mod machine;
pub mod objects;
mod plane;
pub mod table;

pub use effects::{CloneRequest, Digest, Effects, Message};
pub use machine::{Block, Frame, Machine, Parsed, Standard};
pub use plane::Plane;
