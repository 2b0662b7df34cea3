//! Privileges of this process, checked before a run is set up.

#![allow(unsafe_code, reason = "fork")]

use std::fs;
use std::io;
use std::path::Path;
use std::thread;

use nix::errno::Errno;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, fork};

use super::isolate;
use crate::LiveError;

/// Privileges of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Privileges {
    /// Whether runs need no user namespace: programs can run as other users, and the machine's network is reachable.
    pub root: bool,
    /// Whether SCHED_FIFO is permitted.
    pub real_time: bool,
    /// Reason why it is not.
    pub real_time_error: Option<String>,
}

/// Checks whether this process can start runs. The check leaves nothing behind.
///
/// # Errors
/// If the TUN device is missing or not accessible, or if the process is neither root nor able to create user namespaces.
pub fn check() -> Result<Privileges, LiveError> {
    tun()?;
    let root = has_admin_caps();
    if !root {
        user_namespaces()?;
    }
    let real_time_error = real_time().err();
    Ok(Privileges { root, real_time: real_time_error.is_none(), real_time_error })
}

/// Whether this process has CAP_SYS_ADMIN and CAP_NET_ADMIN, the capabilities of root that runs require (capabilities(7)).
pub(super) fn has_admin_caps() -> bool {
    const NET_ADMIN: u64 = 1 << 12;
    const SYS_ADMIN: u64 = 1 << 21;
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = effective.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or(0);
    effective & NET_ADMIN != 0 && effective & SYS_ADMIN != 0
}

fn tun() -> Result<(), LiveError> {
    let Err(why) = fs::OpenOptions::new().read(true).write(true).open("/dev/net/tun") else { return Ok(()) };
    let remedy = match why.kind() {
        io::ErrorKind::PermissionDenied => {
            "this user must have read and write access (`chmod 666 /dev/net/tun` sets the usual mode)"
        }
        _ => "load the module with `modprobe tun`; a container requires `--device /dev/net/tun`",
    };
    Err(LiveError::NoTun { why, remedy })
}

/// Tries in a forked child to create a user namespace and the namespaces of a run in it.
fn user_namespaces() -> Result<(), LiveError> {
    // SAFETY: after the fork the child only makes two system calls and accesses neither locks nor the heap.
    let status = match unsafe { fork() }.map_err(LiveError::system("cannot fork a process"))? {
        ForkResult::Child => {
            // SAFETY: as above.
            let made = unsafe {
                libc::unshare(libc::CLONE_NEWUSER) == 0
                    && libc::unshare(libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWNET) == 0
            };
            isolate::exit(if made { 0 } else { Errno::last_raw() })
        }
        ForkResult::Parent { child } => waitpid(child, None),
    };
    match status {
        Ok(WaitStatus::Exited(_, 0)) => Ok(()),
        Ok(WaitStatus::Exited(_, errno)) => {
            let (why, remedy) = (io::Error::from_raw_os_error(errno).to_string(), remedy(errno));
            Err(LiveError::NoUserNamespaces { why, remedy })
        }
        _ => Err(LiveError::NoUserNamespaces {
            why: "the test process was killed".into(),
            remedy: "run as root".into(),
        }),
    }
}

/// Remedy by the settings of the common distributions.
fn remedy(errno: i32) -> String {
    let has_value =
        |path: &str, value: &str| fs::read_to_string(path).is_ok_and(|current| current.trim() == value);
    let set = |sysctl: &str| format!("run as root, or set sysctl {sysctl}");
    if errno == libc::ENOSPC {
        return set("user.max_user_namespaces to a number above those in use");
    }
    if has_value("/proc/sys/kernel/unprivileged_userns_clone", "0") {
        return set("kernel.unprivileged_userns_clone to 1");
    }
    if has_value("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1") {
        return set("kernel.apparmor_restrict_unprivileged_userns to 0");
    }
    if !Path::new("/proc/self/ns/user").exists() {
        return "run as root: this kernel has no user namespaces".to_owned();
    }
    "run as root, or, in a container, allow the system call unshare".to_owned()
}

/// Tries SCHED_FIFO in a short-lived thread.
fn real_time() -> Result<(), String> {
    let tried = thread::spawn(|| {
        let parameters = libc::sched_param { sched_priority: 1 };
        // SAFETY: the parameters outlive the call; 0 is the calling thread.
        Errno::result(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters) })
    });
    match tried.join() {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(errno)) => Err(format!(
            "SCHED_FIFO is not permitted ({}); it requires root (CAP_SYS_NICE) or RLIMIT_RTPRIO > 0",
            errno.desc()
        )),
        Err(_) => Err("the thread that tests SCHED_FIFO panicked".to_owned()),
    }
}
