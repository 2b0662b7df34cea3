//! The services on a switch, their bytes, and their socket.
#![allow(clippy::unwrap_used)]

mod codec;
mod damaged;
mod description;
mod objects;
mod profiles;
mod replication;
mod server;
mod support;
mod tables;
