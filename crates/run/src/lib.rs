#![forbid(unsafe_code)]
//! The matrix of variants × seeds on all cores, live runs, cancellation, `reproduce` and `compare`.
//!
//! The command and the Python module are thin layers over this crate, which parses no flags and prints nothing.

pub mod clock;
mod compare;
mod complete;
mod durable;
pub mod estimate;
mod experiment;
pub mod explain;
pub mod guard;
mod keys;
#[cfg(feature = "live")]
pub mod live;
mod matrix;
#[cfg(feature = "memory")]
mod memory;
mod notice;
mod precision;
mod presets;
mod program;
mod projects;
pub mod rebuild;
pub mod reproduce;
mod situations;
pub mod steps;
pub mod value;
pub mod whatif;

pub use compare::{CompareError, Compared, compare};
pub use experiment::{RunError, RunOptions, StorePlace, column, describe, run_scenario};
pub use jettison_p4_projects::{Options as ProjectOptions, Pings, Project, is_project};
pub use keys::RunKeys;
pub use matrix::{Finished, Job, Progress, Work, default_threads, run_matrix};
#[cfg(feature = "memory")]
pub use memory::{MemoryOptions, run_in_memory};
pub use notice::Notice;
pub use precision::{Precision, PrecisionError, Widest};
pub use presets::{Preset, load};
pub use program::Program;
pub use projects::load_project;
pub use situations::Situation;
