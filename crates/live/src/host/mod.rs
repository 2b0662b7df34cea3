//! Built-in applications on kernel sockets.
//!
//! The applications of `jettison-apps` are state machines on top of [`jettison_sockets::Sockets`]. This module implements that
//! trait with kernel sockets: one thread ([`LiveHosts`]) runs all programs of all hosts, each with sockets in its host's
//! network namespace, and sleeps in `epoll_pwait2` until a socket or a program is due. Programs have the same view as on a
//! simulated host. Differences between the kernel's TCP and ours are listed by [`unsupported`] and in the notes of a run.
//!
//! `stack.rs` holds the sockets and their events; `tcp.rs`, `udp.rs` and `echo.rs` implement one kind of socket each;
//! `runtime.rs` is the event loop. `diag.rs` reads the state of TCP sockets that other programs opened.

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
mod witness;
mod zeros;

use std::net::IpAddr;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use jettison_core::Time;
use jettison_measure::wire::Told;
use jettison_measure::{Distribution, Recorder};
use jettison_sockets::Application;
use jettison_wire::FlowId;

pub use congestion::{
    NewCwvSettings, kernel_congestion, newcwv_settings, prague_codepoint, sysctls, unsupported,
};
pub use diag::{DiagSampler, SocketRule};
pub use options::{check_congestion, has_congestion};
pub(crate) use readings::latest;
pub use readings::{Reading, Readings};
pub use runtime::LiveHosts;
pub use stop::Stop;
pub use tcp_info::{TcpInfo, TcpReading};

use crate::scheduling::Scheduling;

/// A host that runs programs.
#[derive(Debug, Clone)]
pub struct HostSockets {
    /// Name in the scenario.
    pub name: String,
    /// Address that its sockets are bound to.
    pub address: IpAddr,
    /// Network namespace, opened from `/proc/…/ns/net`.
    pub namespace: Arc<OwnedFd>,
}

/// A built-in program of a host.
pub struct LiveProgram {
    /// Flow of the program's meter.
    pub flow: FlowId,
    /// Index of the host.
    pub host: usize,
    /// The application.
    pub application: Box<dyn Application>,
    /// Start time.
    pub start: Time,
    /// Stop time; [`Time::MAX`] for never.
    pub stop: Time,
}

/// TCP sockets of other programs, and the flow that gets their series.
#[derive(Debug, Clone)]
pub struct Watched {
    /// The flow.
    pub flow: FlowId,
    /// Index of the host with the sending sockets.
    pub host: usize,
    /// Filter for the sockets of that host.
    pub rule: SocketRule,
}

/// Results of the hosts after a run.
#[derive(Debug)]
pub struct HostsOutcome {
    /// The measurements, of flows only.
    pub recorder: Recorder,
    /// Messages for the user, each once: parameters and datagrams that the kernel rejected.
    pub notes: Vec<String>,
    /// Scheduling of the hosts' thread.
    pub scheduling: Scheduling,
    /// Time from the instant at which a program, a sample or a poll was due until the thread ran, since the warm-up.
    pub lateness: Distribution,
    /// What the programs told of their units, in a run with accounts.
    pub told: Option<Told>,
}
