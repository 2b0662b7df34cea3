#![forbid(unsafe_code)]
//! The contract between applications and hosts.
//!
//! An [`Application`] is a state machine over [`Sockets`]: the simulator provides modelled sockets, `live` those of
//! the kernel, and the application cannot tell them apart. [`ApplicationEntry`] describes an application to the
//! registry; it is built from a [`FlowContext`].

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
