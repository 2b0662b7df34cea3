#![forbid(unsafe_code)]
//! The contract between applications and hosts.
//!
//! An [`Application`] is a state machine over [`Sockets`]: the simulator provides modelled sockets, `live` those of
//! the kernel, and the application cannot tell them apart. [`FlowApplication`] is the kind of
//! applications in registries; one is built from a [`FlowContext`].

mod accounts;
mod application;
pub mod command;
pub mod entry;
mod file_error;
mod octopus;
mod socket_table;
mod sockets;
mod steering;
mod tcp;
pub mod transport;
mod transports;
mod udp;

pub use accounts::{limit_component, repair_component};
pub use application::Application;
pub use entry::{FlowApplication, FlowApplications, FlowContext, FlowFacts, Initiator};
pub use file_error::{FileError, Lines};
pub use octopus::OctopusOptions;
pub use socket_table::SocketTable;
pub use sockets::{
    CloseReason, ControllerFactory, Datagram, EchoRequest, SocketEvent, SocketId, Sockets, TcpOptions,
};
pub use steering::{Fetched, Question};
pub use transport::{FlowTransport, Transport, TransportContext};
pub use transports::transports;
pub use udp::{EcnCodepoint, UdpParameters};
