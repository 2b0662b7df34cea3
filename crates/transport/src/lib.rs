//! Sans-IO transport endpoints and their congestion controllers.
//!
//! A [`tcp::Connection`] is a plain state machine: packets go in by `handle_packet`, come out by `poll_transmit`,
//! and `next_wakeup` says when it wants to be called again. It knows neither a clock nor a socket, so the same code
//! runs in virtual and in real time.
//!
//! [`congestion`] holds one file per congestion controller behind one trait; [`transports`] and
//! [`congestion::controllers`] list what a scenario may name.

pub mod congestion;
mod endpoint;
pub mod octopus;
pub mod path;
mod payload;
mod registry;
pub mod tcp;

pub use endpoint::Endpoint;
pub use payload::Payload;
pub use registry::{EcnCodepoint, TransportEntry, UdpParameters, transports};
