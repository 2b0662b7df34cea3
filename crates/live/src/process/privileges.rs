//! What this process may do, found out before anything is made.

use std::fs;
use std::io;
use std::path::Path;
use std::thread;

use nix::errno::Errno;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, fork};

use super::isolate;
use crate::LiveError;

/// What runs can count on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Privileges {
    /// Runs are made without a user namespace: programs can run as other users, and the machine's network can be reached.
    pub root: bool,
    /// SCHED_FIFO is permitted.
    pub real_time: bool,
    /// Why not, if not.
    pub why_not_real_time: Option<String>,
}

/// Finds out whether runs can be made here. Nothing is left of the attempt.
///
/// # Errors
/// The TUN device is missing or not accessible; or this is not root and the kernel makes no user namespaces.
pub fn check() -> Result<Privileges, LiveError> {
    tun()?;
    let root = administrates();
    if !root {
        user_namespaces()?;
    }
    let why_not_real_time = real_time().err();
    Ok(Privileges { root, real_time: why_not_real_time.is_none(), why_not_real_time })
}

/// Whether this process has CAP_SYS_ADMIN and CAP_NET_ADMIN, which are what root is needed for (capabilities(7)).
pub(super) fn administrates() -> bool {
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
            "the device must be readable and writable by this user (`chmod 666 /dev/net/tun` is the usual mode)"
        }
        _ => "load it with `modprobe tun`; a container needs `--device /dev/net/tun`",
    };
    Err(LiveError::NoTun { why, remedy })
}

/// A forked child tries it: a user namespace, and in it what a run needs.
fn user_namespaces() -> Result<(), LiveError> {
    // SAFETY: between fork and its end the child makes two system calls and touches no lock or memory.
    let status = match unsafe { fork() }.map_err(LiveError::system("a process could not be forked"))? {
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
            why: "the attempt was killed".into(),
            remedy: "run as root".into(),
        }),
    }
}

/// The switches that the kernels of the distributions have.
fn remedy(errno: i32) -> String {
    let off = |path: &str, value: &str| fs::read_to_string(path).is_ok_and(|now| now.trim() == value);
    let set = |sysctl: &str| format!("run as root, or set sysctl {sysctl}");
    if errno == libc::ENOSPC {
        return set("user.max_user_namespaces to more than are in use");
    }
    if off("/proc/sys/kernel/unprivileged_userns_clone", "0") {
        return set("kernel.unprivileged_userns_clone to 1");
    }
    if off("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1") {
        return set("kernel.apparmor_restrict_unprivileged_userns to 0");
    }
    if !Path::new("/proc/self/ns/user").exists() {
        return "run as root: this kernel has no user namespaces".to_owned();
    }
    "run as root, or, in a container, allow the system call unshare".to_owned()
}

/// A thread that ends at once tries it.
fn real_time() -> Result<(), String> {
    let tried = thread::spawn(|| {
        let parameters = libc::sched_param { sched_priority: 1 };
        // SAFETY: the parameters outlive the call; 0 is the calling thread.
        Errno::result(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters) })
    });
    match tried.join() {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(errno)) => Err(format!(
            "SCHED_FIFO is not permitted ({}); it needs root (CAP_SYS_NICE) or a limit RLIMIT_RTPRIO above 0",
            errno.desc()
        )),
        Err(_) => Err("the attempt to use SCHED_FIFO failed".to_owned()),
    }
}
