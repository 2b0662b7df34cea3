//! The matrix of variants × seeds over the cores, cancellation, `reproduce` and `bench`.
//!
//! What the command and the Python module are thin over: no flags and no printing here.

pub mod bench;
pub mod clock;
mod experiment;
mod matrix;
pub mod reproduce;

pub use experiment::{RunError, RunOptions, run_scenario};
pub use matrix::{Finished, Job, Progress, default_threads, run_matrix};
