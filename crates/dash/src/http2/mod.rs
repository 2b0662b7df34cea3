//! The subset of HTTP/2 (RFC 9113) that a player and a server need, over cleartext TCP with prior knowledge (section 3.3).
//!
//! Heads of frames, field blocks and control frames are real bytes; contents of DATA frames are byte counts. Left out: push,
//! priorities, PING, GOAWAY, padding, CONTINUATION, and changes of settings after the first ones.

pub mod client;
mod fields;
mod frames;
pub mod server;
#[cfg(test)]
mod tests;

pub use client::Http2Client;
pub use server::Http2Server;

/// Start of a client's connection preface (section 3.4).
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Flow-control windows before any setting or update (section 6.9.2).
const INITIAL_WINDOW: u32 = 65_535;
