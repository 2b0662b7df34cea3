#![forbid(unsafe_code)]
//! The live page: a run's queues and flows in a browser on this machine, several times a second.
//!
//! [`Watch`] serves a page and a stream of [`Event`]s on loopback, from a thread of its own. Whoever runs something
//! publishes a [`Layout`] when a run begins and a [`Snapshot`] every so often, and is never held up by a browser.
//!
//! | path | what |
//! | --- | --- |
//! | `/` | the page, `web/page` |
//! | `/events` | the events, as server-sent events; begins with what is kept of the run |
//! | `/api/state` | the run's layout and newest snapshot, as JSON |
//!
//! Nothing here measures anything, and nothing here knows scenarios.

mod history;
mod pages;
mod routes;
mod server;
mod snapshot;

pub use server::Watch;
pub use snapshot::{Event, FlowSnapshot, Lateness, Layout, QueueSnapshot, Snapshot};
