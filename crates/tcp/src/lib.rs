#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]
//!
//! TCP (RFC 9293), sans-IO.
//!
//! A [`Connection`] contains both halves of one end. The sending half keeps a scoreboard of every segment and obtains
//! its window from a [`crate::congestion::CongestionController`]; the receiving half reassembles the stream and
//! decides when to acknowledge. Stream offsets have 64 bits internally, sequence numbers 32 bits on the wire, so only
//! the codec handles wrap-around.
//!
//! Supported: handshake and FIN, windows and their scaling, SACK recovery (RFC 2018, 6675) or NewReno's (RFC 6582),
//! proportional rate reduction (RFC 9937), RACK-TLP (RFC 8985), limited transmit (RFC 3042), RTO (RFC 6298), timestamps
//! with PAWS (RFC 7323), DSACK (RFC 2883), Eifel (RFC 3522, 4015), delayed ACKs, ECN (RFC 3168), accurate ECN (RFC 9768), DCTCP's echo
//! (RFC 8257 §3.2), window probes, pacing.
//!
//! Unsupported: simultaneous open, urgent data, Nagle's algorithm (each write leaves as soon as the windows permit),
//! Fast Open, path MTU discovery, keep-alives, automatic growth of receive buffers, F-RTO.

mod acc_ecn;
mod acknowledge;
pub mod congestion;
mod connection;
mod endpoint;
mod events;
mod handshake;
mod offload;
pub mod pacing;
mod parameters;
mod path_estimate;
mod payload;
mod prr;
mod quick_acks;
mod rack;
pub mod ranges;
mod reassembly;
mod receiver;
mod recovery;
mod rtt;
mod scoreboard;
mod send_buffer;
mod sender;
mod statistics;
mod timers;
mod trace;
mod transmit;
mod validation;

pub use connection::Connection;
pub use endpoint::Endpoint;
pub use events::{CloseReason, ConnectionEvent};
pub use parameters::{EcnOption, EcnSwitch, RestartRule, Switch, TcpParameters};
pub use path_estimate::PathEstimate;
pub use payload::Payload;
pub use rtt::MinRtoBounds;
pub use statistics::{TcpSample, TcpStatistics};
pub use trace::{Departure, Limit, Repair, TraceEvent};
