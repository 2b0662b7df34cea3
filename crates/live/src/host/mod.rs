//! The built-in applications on the kernel's sockets.
//!
//! The applications of `jettison-apps` are state machines over [`jettison_sockets::Sockets`]. Here that trait stands over the
//! kernel's own sockets: one thread ([`LiveHosts`]) runs all programs of all hosts, each with sockets of its host's network
//! namespace, and sleeps in `epoll_pwait2` until a socket or a program has something to do. What a program can see is as
//! in the simulator's host; where the kernel knows less or other things than our own TCP, [`unsupported`] says so, and the
//! notes of a run.
//!
//! `stack.rs` holds the sockets and what happens at them, `tcp.rs`, `udp.rs` and `echo.rs` one kind each, `runtime.rs` the
//! loop. `diag.rs` reads the state of TCP sockets that other programs opened.

mod congestion;
mod diag;
mod echo;
mod namespace;
mod options;
mod owner;
mod poller;
mod readings;
mod runtime;
mod send_queue;
mod stack;
mod stop;
mod tcp;
mod tcp_info;
mod udp;
mod view;
mod watch;
mod zeros;

use std::net::IpAddr;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use jettison_core::Time;
use jettison_measure::Recorder;
use jettison_sockets::Application;
use jettison_wire::FlowId;

pub use congestion::{kernel_congestion, sysctls, unsupported};
pub use diag::{DiagSampler, SocketRule};
pub use options::check_congestion;
pub(crate) use readings::latest;
pub use readings::{Reading, Readings};
pub use runtime::LiveHosts;
pub use stop::Stop;
pub use tcp_info::{TcpInfo, TcpReading};

/// A host that programs run at.
#[derive(Debug, Clone)]
pub struct HostSockets {
    /// Its name in the scenario.
    pub name: String,
    /// Its address: what its sockets are bound to.
    pub address: IpAddr,
    /// Its network namespace, as `/proc/…/ns/net` opens it.
    pub namespace: Arc<OwnedFd>,
}

/// A program at a host.
pub struct LiveProgram {
    /// The flow whose meter it fills.
    pub flow: FlowId,
    /// Which host, by its place in the list.
    pub host: usize,
    /// What it does.
    pub application: Box<dyn Application>,
    /// When it starts.
    pub start: Time,
    /// When it is told to stop; [`Time::MAX`] for never.
    pub stop: Time,
}

/// TCP sockets that others opened, and the flow whose series they make.
#[derive(Debug, Clone)]
pub struct Watched {
    /// The flow.
    pub flow: FlowId,
    /// At which host its sending sockets are, by its place in the list.
    pub host: usize,
    /// Which of that host's sockets.
    pub rule: SocketRule,
}

/// What the hosts left when the run was over.
#[derive(Debug)]
pub struct HostsOutcome {
    /// What was measured: flows only.
    pub recorder: Recorder,
    /// What the user should know, each once: parameters that the kernel would not take, datagrams it refused.
    pub notes: Vec<String>,
}
