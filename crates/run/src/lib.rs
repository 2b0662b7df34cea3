#![forbid(unsafe_code)]
//! The matrix of variants × seeds on all cores, live runs, cancellation, `reproduce` and `compare`.
//!
//! The command and the Python module are thin layers over this crate, which parses no flags and prints nothing.

pub mod clock;
mod compare;
pub mod estimate;
mod experiment;
pub mod guard;
#[cfg(feature = "live")]
pub mod live;
mod matrix;
#[cfg(feature = "memory")]
mod memory;
pub mod reproduce;

pub use compare::{CompareError, compare};
pub use experiment::{RunError, RunOptions, describe, run_scenario};
pub use matrix::{Finished, Job, Progress, default_threads, run_matrix};
#[cfg(feature = "memory")]
pub use memory::{MemoryOptions, run_in_memory};
