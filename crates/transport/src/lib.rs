//! Sans-IO transport endpoints and their congestion controllers.
//!
//! A [`tcp::Connection`] is a plain state machine: packets go in by `handle_packet`, come out by `poll_transmit`,
//! and `next_wakeup` says when it wants to be called again. It knows neither a clock nor a socket, so the same code
//! runs in virtual and in real time. So is an [`octopus::Connection`], which carries messages instead of a byte stream.
//!
//! [`congestion`] holds one file per congestion controller behind one trait; [`path`] those of the message transport, where
//! TCP's serve too. [`transports`], [`congestion::controllers`] and [`path::path_controllers`] list what a scenario may name.

pub mod congestion;
mod endpoint;
pub mod octopus;
mod pacing;
pub mod path;
mod payload;
mod ranges;
mod registry;
pub mod tcp;

pub use endpoint::Endpoint;
pub use payload::Payload;
pub use registry::{EcnCodepoint, TransportEntry, UdpParameters, transports};
