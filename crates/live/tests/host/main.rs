//! Built-in programs on the kernel's sockets: two namespaces joined by a pair of virtual Ethernet devices.

mod applications;
mod closing;
mod congestion;
mod harness;
mod sockets;
mod watched;
