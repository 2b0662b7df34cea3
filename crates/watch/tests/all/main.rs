//! The live page.

mod browser;
mod server;
