//! Processes: the one that keeps a run, and the programs of its hosts.
//!
//! `P0`, the command, forks a nursery while it has no threads. The nursery forks one process for each run, the first of a
//! PID namespace and a mount namespace of its own, and stays its parent. Each is told to die with its parent
//! (PR_SET_PDEATHSIG, prctl(2)), and when the first process of a PID namespace dies, the kernel kills the rest
//! (pid_namespaces(7)).

pub mod command;
mod find;
mod frame;
mod isolate;
mod keeper;
mod link;
mod log;
mod mounts;
mod nursery;
mod privileges;
pub mod ready;
mod uplink;
mod user;

pub use link::Link;
pub use nursery::{Ended, Job, Nursery, Options, Work};
pub use privileges::{Privileges, check};
pub use uplink::Uplink;
pub use user::has_user;
