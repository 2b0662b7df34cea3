//! Real packets, which two parties see: a router their headers and queues, the applications at both ends what they wrote and read.
//!
//! The router names what it can tell from headers alone (`seen.rs`): of TCP the place in the stream, counted from the first sequence
//! number, and whether those bytes came by before. With accounts it also keeps a log of the packets' ways, and the applications'
//! hosts keep one of their units ([`Told`]). [`Recorder::join`](crate::Recorder::join) puts both together after the run, by
//! five-tuple and sequence number or, of datagrams, by five-tuple and first bytes. Both logs have the times of one clock. What a kernel
//! does between the two is not seen.

mod datagram;
mod join;
mod log;
mod seen;
mod tells;
mod told;

pub use datagram::DatagramKey;
pub(crate) use join::join;
pub(crate) use log::SightLog;
pub(crate) use seen::Seen;
pub use tells::Tells;
pub use told::Told;

#[cfg(test)]
mod tests;
