//! Live runs: namespaces, processes, the router's loop, built-in applications on kernel sockets.

mod common;
mod host;
mod namespaces;
mod processes;
mod programs;
mod router;
