//! The event loop.

mod forks;
mod home;
mod idle;
mod impairments;
mod realtime;
mod world;
