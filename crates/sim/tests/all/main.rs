//! The event loop.

mod home;
mod idle;
mod realtime;
mod world;
