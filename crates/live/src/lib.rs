#![deny(unsafe_code)]
//! Real-time execution of scenarios: hosts are Linux network namespaces with TUN devices, programs are real processes.
//!
//! A run has its own process ([`process::Nursery`]), the first of its PID namespace. Only that process's file descriptors hold
//! the network namespaces, and programs are its descendants, so that nothing outlives it.
//!
//! The router ([`router::Router`]) is one thread that owns every TUN device and a `sim::World` with external hosts: the same
//! queues, links and switches as in virtual time, driven by a real clock. The built-in applications run on kernel sockets
//! ([`host::LiveHosts`]).

pub mod clock;
pub mod device;
mod error;
pub mod host;
pub mod load;
pub mod net;
mod netlink;
pub mod process;
pub mod router;
pub mod scheduling;

pub use clock::LiveClock;
pub use error::LiveError;
pub use scheduling::Scheduling;
