//! Requirements on the machine, and its state.

use std::fs::{self, File};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::fs::FlockOperation;
use rustix::net::{AddressFamily, SocketType};

use crate::list::Control;

/// Type information of the kernel (BTF), to which the programs are relocated.
const BTF: &str = "/sys/kernel/btf/vmlinux";
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/// Required capabilities with their numbers (capabilities(7)).
const CAPABILITIES: [(&str, u32); 3] = [("CAP_NET_ADMIN", 12), ("CAP_SYS_ADMIN", 21), ("CAP_BPF", 39)];

/// Checks the requirements for loading a congestion control; the error names the missing one.
pub fn check() -> Result<()> {
    let missing = missing_capabilities()?;
    if !rustix::process::geteuid().is_root() && !missing.is_empty() {
        bail!("requires root; run the command with sudo");
    }
    if !missing.is_empty() {
        bail!("requires {}, which root lacks here (as in a container)", missing.join(" and "));
    }
    if !is_initial_user_namespace() {
        bail!("requires the initial user namespace; run the command as root outside this user namespace");
    }
    if !Path::new(BTF).exists() {
        bail!("requires {BTF}: the kernel must be built with BTF (CONFIG_DEBUG_INFO_BTF)");
    }
    Ok(())
}

/// First version of Linux with links for congestion controls, which the pins refer to.
const OLDEST: (u32, u32) = (6, 4);

/// The requirement on the kernel's version if this kernel is older. Distributions add features to old versions, so this
/// explains a failure instead of preventing an attempt.
pub fn version_requirement() -> Option<String> {
    let release = release();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else { return None };
    ((major, minor) < OLDEST)
        .then(|| format!("requires Linux {}.{} or later, this is {release}", OLDEST.0, OLDEST.1))
}

/// The kernel's version.
pub fn release() -> String {
    rustix::system::uname().release().to_string_lossy().into_owned()
}

/// Serialises loaders. The lock is on an existing file, so that no file is left behind.
pub fn lock() -> Result<File> {
    let file = File::open(BTF).with_context(|| format!("cannot read {BTF}"))?;
    let is_locked = wait_until(Duration::from_secs(20), || {
        Ok(rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok())
    })?;
    if !is_locked {
        bail!(
            "another process has held the lock for loading and unloading for 20 s; try again when it has ended"
        );
    }
    Ok(file)
}

/// Names of a control in the kernel's list, whatever registered them.
pub fn names_in_use(control: &Control) -> Result<Vec<&'static str>> {
    let available = fs::read_to_string(AVAILABLE).with_context(|| format!("cannot read {AVAILABLE}"))?;
    let is_there = |name: &&str| available.split_whitespace().any(|other| other == *name);
    Ok(control.names.iter().copied().filter(is_there).collect())
}

/// Lets the kernel load its own module for the names of a control, if it has one.
pub fn load_own_module(control: &Control) {
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None);
    let Ok(socket) = socket else { return };
    for name in control.names {
        // Refused where there is no such module.
        let _ = rustix::net::sockopt::set_tcp_congestion(&socket, name);
    }
}

/// Waits for a condition; returns whether it became true within `timeout`.
pub fn wait_until(timeout: Duration, mut condition: impl FnMut() -> Result<bool>) -> Result<bool> {
    let end = Instant::now() + timeout;
    loop {
        if condition()? {
            return Ok(true);
        }
        if Instant::now() >= end {
            return Ok(false);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn missing_capabilities() -> Result<Vec<&'static str>> {
    let status = fs::read_to_string("/proc/self/status").context("cannot read /proc/self/status")?;
    let effective = status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .context("/proc/self/status must list the capabilities")?;
    Ok(CAPABILITIES
        .into_iter()
        .filter(|(_, bit)| effective & (1 << bit) == 0)
        .map(|(name, _)| name)
        .collect())
}

/// Whether this is the initial user namespace, the only one that maps all ids to themselves (user_namespaces(7)).
fn is_initial_user_namespace() -> bool {
    fs::read_to_string("/proc/self/uid_map")
        .is_ok_and(|map| map.split_whitespace().eq(["0", "0", "4294967295"]))
}
