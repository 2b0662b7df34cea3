//! Processes: isolation of a run, and the programs of its hosts.
//!
//! The command forks a nursery while it has no threads. The nursery forks one process per run, which is the first of its own
//! PID namespace and mount namespace, and stays its parent. Each process requests SIGKILL at its parent's death
//! (PR_SET_PDEATHSIG, prctl(2)); when the first process of a PID namespace ends, the kernel kills the rest
//! (pid_namespaces(7)).

pub mod command;
mod environment;
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
mod threads;
mod uplink;
mod user;

pub use environment::{Inherited, MINIMAL};
pub use link::Link;
pub use nursery::{Ended, Job, Nursery, Options, Work};
pub use privileges::{Privileges, check};
pub use threads::{Threads, ThreadsOutcome};
pub use uplink::Uplink;
pub use user::{has_user, own_home, own_name, own_uid};
