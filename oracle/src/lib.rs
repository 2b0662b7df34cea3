//! The oracle for TCP and queue disciplines: a Linux kernel in a virtual machine.
//!
//! `cases.toml` lists cases: a path, a discipline, a congestion control and a load. `oracle measure` runs each case in a kernel
//! under QEMU, in virtual time, and stores what TCP and the discipline did in `figures/`. [`simulate`] runs the same case in
//! the simulator, and [`compare`] judges each difference by stated bounds. What exceeds a bound is explained in
//! `cases.toml`; a test holds the explanations to the comparison in both directions. [`players`] does the same for DASH players,
//! with real ones that ran live.

#![forbid(unsafe_code)]

pub mod case;
pub mod compare;
pub mod exported;
pub mod figures;
pub mod job;
pub mod machine;
pub mod order;
pub mod page;
pub mod players;
pub mod scenario;
pub mod simulate;

use std::path::{Path, PathBuf};

/// The folder of this crate, with cases and figures.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}
