//! Loads: traffic that causes congestion, and measuring probes.

pub mod bulk;
pub mod cbr;
pub mod message_bulk;
pub mod on_off;
pub mod ping;
pub mod probe;
pub mod segments;
pub mod sink;
pub mod web;
