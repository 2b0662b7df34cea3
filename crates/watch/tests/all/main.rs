//! Tests of the live page.

mod browser;
mod server;
