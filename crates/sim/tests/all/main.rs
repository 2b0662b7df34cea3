//! The event loop.

mod idle;
mod realtime;
mod world;
