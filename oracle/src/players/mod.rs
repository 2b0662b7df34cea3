//! Real players beside the modelled ones: the same networks and the same bytes.
//!
//! `scenarios/live/players.toml` runs dash.js and VLC, `players-modelled.toml` the models of them. [`store`] reads figures from
//! results of the first, [`simulate`] runs the second, and [`compare`] judges each difference by stated bounds.
//! What exceeds a bound is explained in `players.toml`.

pub mod compare;
pub mod figures;
pub mod page;
pub mod session;
pub mod simulate;
pub mod store;

use std::path::PathBuf;

use crate::folder;

/// The flow with the player.
pub const FLOW: &str = "video";

/// The scenario with the real players.
pub fn live_scenario() -> PathBuf {
    folder().join("../scenarios/live/players.toml")
}

/// The scenario with the modelled ones.
pub fn modelled_scenario() -> PathBuf {
    folder().join("../scenarios/live/players-modelled.toml")
}
