//! The congestion controls in this machine's kernel, between two network namespaces. Requires root and the loader's build dependencies.

#![expect(clippy::disallowed_methods, reason = "the tests follow real traffic")]

mod burst;
mod controls;
mod life;
mod limit;
mod loss;
mod network;
mod pacing;
mod scalable;
mod socket;
mod window;

use std::path::Path;
use std::sync::{Once, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

/// The kernel has one set of names per machine: a test uses them exclusively, or shares them with tests of the same parameters.
static NAMES_IN_USE: RwLock<()> = RwLock::new(());

/// The same for DCTCP and Prague, whose names newCWV does not share.
static SCALABLE_IN_USE: RwLock<()> = RwLock::new(());

/// Permission to run a test.
enum Turn {
    Exclusive { _turn: RwLockWriteGuard<'static, ()> },
    Shared { _turn: RwLockReadGuard<'static, ()> },
}

/// Admits a test that requires exclusive use of the names. Reports a skipped test and returns `None` if it cannot run.
fn admit(test: &str) -> Option<Turn> {
    let turn = NAMES_IN_USE.write().unwrap_or_else(PoisonError::into_inner);
    let loaded = || ours().first().map(|name| format!("{name} is already loaded"));
    can_run(test, reason_to_skip().or_else(loaded)).then_some(Turn::Exclusive { _turn: turn })
}

/// Admits a test that loads the default parameters and can share the names with other such tests.
fn admit_sharing(test: &str) -> Option<Turn> {
    let turn = NAMES_IN_USE.read().unwrap_or_else(PoisonError::into_inner);
    can_run(test, reason_to_skip()).then_some(Turn::Shared { _turn: turn })
}

/// Admits a test of DCTCP or Prague, with exclusive use of their names or not.
fn admit_scalable(test: &str, exclusive: bool) -> Option<Turn> {
    remove_own_dctcp();
    let own =
        || kernels().iter().any(|name| name == "dctcp").then(|| "the kernel has its own dctcp".to_owned());
    if exclusive {
        let turn = SCALABLE_IN_USE.write().unwrap_or_else(PoisonError::into_inner);
        return can_run(test, reason_to_skip().or_else(own)).then_some(Turn::Exclusive { _turn: turn });
    }
    let turn = SCALABLE_IN_USE.read().unwrap_or_else(PoisonError::into_inner);
    can_run(test, reason_to_skip()).then_some(Turn::Shared { _turn: turn })
}

/// Removes the kernel's own module where the environment permits it, as `in-vm` does, so that ours can be tested.
fn remove_own_dctcp() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if std::env::var_os("JETTISON_REMOVE_MODULES").is_some() {
            // SAFETY: the string is NUL-terminated.
            unsafe { libc::syscall(libc::SYS_delete_module, c"tcp_dctcp".as_ptr(), libc::O_NONBLOCK) };
        }
    });
}

/// Whether the kernel's TCP has AccECN, without which it cannot have Prague.
fn has_accurate_ecn() -> bool {
    Path::new("/proc/sys/net/ipv4/tcp_ecn_option").exists()
}

/// The kernel's congestion controls.
fn kernels() -> Vec<String> {
    jettison_cc::available().expect("the kernel lists its congestion controls")
}

fn can_run(test: &str, reason: Option<String>) -> bool {
    if let Some(reason) = &reason {
        println!("left out: {test} ({reason})");
    }
    reason.is_none()
}

fn reason_to_skip() -> Option<String> {
    if let Some(missing) = jettison_cc::missing() {
        return Some(missing.to_owned());
    }
    // SAFETY: the call only returns a number.
    if unsafe { libc::geteuid() } != 0 {
        return Some("requires root".to_owned());
    }
    for path in ["/dev/net/tun", "/sys/kernel/btf/vmlinux"] {
        if !Path::new(path).exists() {
            return Some(format!("requires {path}"));
        }
    }
    None
}

/// Names of newCWV.
const NAMES: [&str; 2] = ["newcwv", "newcwv_paced"];

/// Names of newCWV among the kernel's congestion controls.
fn ours() -> Vec<String> {
    kernels().into_iter().filter(|name| NAMES.contains(&name.as_str())).collect()
}

/// Waits at most 10 s for a condition; panics with its description otherwise.
fn wait_for(condition: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(Instant::now() < end, "not within 10 s: {condition}");
        std::thread::sleep(Duration::from_millis(1));
    }
}
