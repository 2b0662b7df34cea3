//! Tests of a P4Runtime device: entities and streams without I/O, and the gRPC server with a client.
#![allow(clippy::unwrap_used)]

mod client;
mod entities;
mod grpc;
mod malformed;
mod pipelines;
mod roles;
mod streams;
mod support;
mod translation;
