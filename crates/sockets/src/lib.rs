#![forbid(unsafe_code)]
//! The contract between applications and hosts.
//!
//! An [`Application`] is a plain state machine over [`Sockets`]: the simulator's host gives it modelled sockets,
//! `live` gives it the kernel's. It never learns which. [`ApplicationEntry`] describes one to the registry, and a
//! [`FlowContext`] is what it is built from.

mod application;
mod choice;
pub mod command;
mod entry;
mod file_error;
mod octopus;
mod socket_table;
mod sockets;
mod transports;
mod udp;

pub use application::Application;
pub use choice::{Choice, Choices};
pub use entry::{ApplicationEntry, FlowApplications, FlowContext, FlowTransport, Initiator};
pub use file_error::{FileError, Lines};
pub use octopus::OctopusOptions;
pub use socket_table::SocketTable;
pub use sockets::{
    CloseReason, ControllerFactory, Datagram, EchoRequest, SocketEvent, SocketId, Sockets, TcpOptions,
};
pub use transports::{TransportEntry, transports};
pub use udp::{EcnCodepoint, UdpParameters};
