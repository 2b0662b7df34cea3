//! Applications and their quality measures.
//!
//! An [`Application`] is a plain state machine over [`Sockets`]: the simulator's host gives it modelled sockets,
//! `live` gives it the kernel's. It never learns which.
//!
//! `dash/` holds adaptive streaming, `load/` bulk transfers, CBR, on/off, web-like load and ping, `realtime/` what is worth
//! the less the later it comes: video conferences and haptic streams. [`command`] is no model: programs of the user's. To add an application: write its file, and add a line to
//! [`registry::applications`].

mod application;
mod choice;
pub mod command;
pub mod dash;
pub mod load;
pub mod message;
pub mod realtime;
pub mod registry;
mod socket_table;
mod sockets;
#[cfg(test)]
mod testing;

pub use application::Application;
pub use choice::{Choice, Choices};
pub use socket_table::SocketTable;
pub use sockets::{
    CloseReason, ControllerFactory, Datagram, EchoRequest, SocketEvent, SocketId, Sockets, TcpOptions,
};
