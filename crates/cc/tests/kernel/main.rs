//! newCWV in this machine's kernel, between two network namespaces. Needs root, and the parts that the loader is built of.

#![expect(clippy::disallowed_methods, reason = "the tests follow real traffic")]

mod life;
mod limit;
mod loss;
mod network;
mod pacing;
mod socket;
mod window;

use std::path::Path;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

/// The names are the kernel's, one for the machine: a test has them alone, or shares them with others that load the same.
static NAMES_IN_USE: RwLock<()> = RwLock::new(());

/// What a test is let in with.
enum Turn {
    Alone { _turn: RwLockWriteGuard<'static, ()> },
    Shared { _turn: RwLockReadGuard<'static, ()> },
}

/// Lets a test in that has the names to itself; `None`, and a line that says so, where it cannot be run.
fn admit(test: &str) -> Option<Turn> {
    let turn = NAMES_IN_USE.write().unwrap_or_else(PoisonError::into_inner);
    let taken = || (!ours().is_empty()).then(|| "newcwv is loaded already".to_owned());
    is_possible(test, reason_to_leave_out().or_else(taken)).then_some(Turn::Alone { _turn: turn })
}

/// Lets a test in that only loads what is usual, and may do so beside others.
fn admit_sharing(test: &str) -> Option<Turn> {
    let turn = NAMES_IN_USE.read().unwrap_or_else(PoisonError::into_inner);
    is_possible(test, reason_to_leave_out()).then_some(Turn::Shared { _turn: turn })
}

fn is_possible(test: &str, why_not: Option<String>) -> bool {
    if let Some(why_not) = &why_not {
        println!("left out: {test} ({why_not})");
    }
    why_not.is_none()
}

fn reason_to_leave_out() -> Option<String> {
    if let Some(missing) = jettison_cc::missing() {
        return Some(missing.to_owned());
    }
    // SAFETY: it only tells a number.
    if unsafe { libc::geteuid() } != 0 {
        return Some("not root".to_owned());
    }
    for path in ["/dev/net/tun", "/sys/kernel/btf/vmlinux"] {
        if !Path::new(path).exists() {
            return Some(format!("no {path}"));
        }
    }
    None
}

/// Which of our names the kernel has.
fn ours() -> Vec<String> {
    let all = jettison_cc::available().expect("the kernel has a list");
    all.into_iter().filter(|name| jettison_cc::NAMES.contains(&name.as_str())).collect()
}

/// Waits until it is so; panics with `what` if it does not become so in 10 s.
fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(10);
    while !is_so() {
        assert!(Instant::now() < end, "{what} did not happen in 10 s");
        std::thread::sleep(Duration::from_millis(1));
    }
}
