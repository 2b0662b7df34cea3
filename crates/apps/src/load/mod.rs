//! Loads: traffic that causes congestion, and measuring probes.

mod bandwidth;
mod echo;
pub mod message_bulk;
pub(crate) mod normal;
pub mod probe;
pub mod sink;

pub use bandwidth::Tool;
use jettison_sockets::FlowApplication;

jettison_registry::components! {
    /// All loads and probes.
    pub fn loads() -> Registry<FlowApplication>;
    pub mod bulk;
    pub mod cbr;
    pub mod frames;
    pub mod on_off;
    pub mod page;
    pub mod ping;
    pub mod segments;
    pub mod web;
}
