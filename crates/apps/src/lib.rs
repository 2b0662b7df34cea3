#![forbid(unsafe_code)]
//! Applications: loads, probes, real-time media, and the list of all applications of flows.
//!
//! [`load`] holds bulk transfers, CBR, on/off, web-like load, web pages and ping; [`realtime`] media that lose their worth
//! with delay (video conferences, games, haptic streams). Adaptive streaming is in `jettison-dash`, video sent as messages in
//! `jettison-video`. To add an application, write its file and add a line to the list of its folder ([`load::loads`],
//! [`realtime::realtime_media`]).

pub mod load;
pub mod realtime;
#[cfg(test)]
mod testing;

use jettison_registry::Registry;
use jettison_sockets::{FlowApplication, command};
use jettison_video::video::videos;

/// All applications.
pub fn applications() -> Registry<FlowApplication> {
    let lists = [load::loads(), jettison_dash::players(), videos(), realtime::realtime_media()];
    let listed = lists.iter().flat_map(Registry::iter).cloned();
    listed.chain([command::entry()]).collect()
}
