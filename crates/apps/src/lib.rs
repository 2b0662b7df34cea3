#![forbid(unsafe_code)]
//! Applications: loads, probes, real-time media, and the registry of all applications of flows.
//!
//! [`load`] holds bulk transfers, CBR, on/off, web-like load and ping; [`realtime`] media that lose their worth with delay
//! (video conferences, haptic streams). Adaptive streaming is in `jettison-dash`, video sent as messages in
//! `jettison-video`. To add an application: write its file, and add a line to [`registry::applications`].

pub mod load;
pub mod realtime;
pub mod registry;
#[cfg(test)]
mod testing;
