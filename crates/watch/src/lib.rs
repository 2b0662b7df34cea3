#![forbid(unsafe_code)]
//! Live page: a run's queues and flows in a browser on this machine, updated several times per second.
//!
//! [`Watch`] serves a page and a stream of [`Event`]s on loopback, from its own thread. Its user publishes a [`Layout`] at the
//! start of a run and [`Snapshot`]s during it. Browsers never block the user.
//!
//! | path | content |
//! | --- | --- |
//! | `/` | page, `web/page` |
//! | `/events` | events as server-sent events, beginning with the history of the run |
//! | `/api/state` | layout and newest snapshot of the run as JSON |
//!
//! This crate neither measures nor depends on scenarios.

mod history;
mod pages;
mod routes;
mod server;
mod snapshot;

pub use server::Watch;
pub use snapshot::{Event, FlowSnapshot, Lateness, Layout, QueueSnapshot, Snapshot};
