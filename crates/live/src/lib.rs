//! Scenarios in real time: hosts are Linux network namespaces, their packets come from TUN devices, their programs are real.
//!
//! A run lives in a process of its own ([`process::Nursery`]), the first of its own PID namespace. Network namespaces are held
//! by that process's file descriptors only, and programs are its descendants, so that nothing outlives it.
//!
//! The router ([`router::Router`]) is one thread that owns every TUN device and a `sim::World` whose hosts lie outside: the
//! same queues, links and switches as in virtual time, told the time of a clock. The built-in applications run on the kernel's
//! sockets ([`host::LiveHosts`]).

pub mod clock;
pub mod device;
mod error;
pub mod host;
pub mod net;
mod netlink;
pub mod process;
pub mod router;

pub use clock::LiveClock;
pub use error::LiveError;
