#![forbid(unsafe_code)]
//! Adaptive streaming over HTTP (DASH, ISO/IEC 23009-1): a server, players, and a load of many of them.
//!
//! `content/` holds titles, representations and segments; `abr/` the adaptation rules; `player/` the fetcher and
//! playout buffer; `profile/` the players that scenarios choose; `qoe/` the quality models. To add an adaptation rule, write
//! its file in `abr/` and add a line to the list there; `profile/` likewise for a player.

pub mod abr;
pub mod content;
pub mod http;
pub mod http2;
mod parameters;
pub mod player;
pub mod profile;
pub mod qoe;
mod resource;
mod server;

use jettison_sockets::FlowApplication;

jettison_registry::components! {
    /// All applications of DASH.
    pub fn players() -> Registry<FlowApplication>;
    pub mod client;
    pub mod generator;
}

pub use client::DashClient;
pub use generator::{DashLoad, Sinusoid};
pub use parameters::{DashLoadParameters, DashParameters};
pub use server::DashServer;
