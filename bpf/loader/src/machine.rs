//! What the machine must have, and what it says.

use std::fs::{self, File};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::fs::FlockOperation;

use crate::kernel::NAMES;

/// The kernel's own types, by which the programs are fitted to it.
const BTF: &str = "/sys/kernel/btf/vmlinux";
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/// The capabilities that are wanted, with their numbers (capabilities(7)).
const CAPABILITIES: [(&str, u32); 3] = [("CAP_NET_ADMIN", 12), ("CAP_SYS_ADMIN", 21), ("CAP_BPF", 39)];

/// Whether newCWV can be loaded here at all; the message says what is wrong.
pub fn check() -> Result<()> {
    let lacking = lacking_capabilities()?;
    if !rustix::process::geteuid().is_root() && !lacking.is_empty() {
        bail!("this needs root: run it with sudo");
    }
    if !lacking.is_empty() {
        bail!(
            "root lacks {} here, as in a container: loading into the kernel needs it",
            lacking.join(" and ")
        );
    }
    if !is_initial_user_namespace() {
        bail!("this is a user namespace, whose root may not load into the kernel: run it outside, as root");
    }
    if !Path::new(BTF).exists() {
        bail!(
            "{BTF} is missing: the kernel was built without BTF (CONFIG_DEBUG_INFO_BTF), which tells its types"
        );
    }
    Ok(())
}

/// One loader at a time. The lock is on a file that is there anyway, so that none is left.
pub fn lock() -> Result<File> {
    let file = File::open(BTF).with_context(|| format!("cannot read {BTF}"))?;
    let is_locked = wait_until(Duration::from_secs(20), || {
        Ok(rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok())
    })?;
    if !is_locked {
        bail!("another process has been loading or unloading for 20 s; try again when it has ended");
    }
    Ok(file)
}

/// Our names that the kernel has in its list, whoever registered them.
pub fn names_in_use() -> Result<Vec<&'static str>> {
    let available = fs::read_to_string(AVAILABLE).with_context(|| format!("cannot read {AVAILABLE}"))?;
    Ok(NAMES.into_iter().filter(|name| available.split_whitespace().any(|other| other == *name)).collect())
}

/// Whether it became so within `patience`.
pub fn wait_until(patience: Duration, mut is_so: impl FnMut() -> Result<bool>) -> Result<bool> {
    let end = Instant::now() + patience;
    loop {
        if is_so()? {
            return Ok(true);
        }
        if Instant::now() >= end {
            return Ok(false);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn lacking_capabilities() -> Result<Vec<&'static str>> {
    let status = fs::read_to_string("/proc/self/status").context("cannot read /proc/self/status")?;
    let effective = status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .context("/proc/self/status does not name capabilities")?;
    Ok(CAPABILITIES
        .into_iter()
        .filter(|(_, bit)| effective & (1 << bit) == 0)
        .map(|(name, _)| name)
        .collect())
}

/// user_namespaces(7): only the initial namespace maps all ids onto themselves.
fn is_initial_user_namespace() -> bool {
    fs::read_to_string("/proc/self/uid_map")
        .is_ok_and(|map| map.split_whitespace().eq(["0", "0", "4294967295"]))
}
