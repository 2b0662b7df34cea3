//! Built-in programs on kernel sockets: two namespaces connected by a pair of virtual Ethernet devices.

#![expect(clippy::disallowed_methods, reason = "the tests follow real traffic")]

mod applications;
mod closing;
mod congestion;
mod harness;
mod sockets;
mod watched;
