//! The event loop.

mod home;
mod idle;
mod impairments;
mod realtime;
mod world;
