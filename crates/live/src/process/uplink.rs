//! Access from a run's network to external networks through this machine (NAT).
//!
//! This requires two changes to the machine's network: forwarding on its default device, and a rule that masquerades the run's
//! addresses. A *keeper* process makes both changes and reverts them when the last process of the run has ended for any
//! reason: it waits on a pipe whose other end these processes hold, and ignores the terminal's signals. The rule is in a
//! table owned by the keeper's `nft` (nft(8): `flags owner`), so the kernel removes it with that process.

#![allow(unsafe_code, reason = "fork")]

use std::fs;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use nix::fcntl::OFlag;
use nix::mount::{MsFlags, mount};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigHandler, Signal, signal};
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, fork, pipe2, setsid};

use super::privileges;
use crate::LiveError;

/// External access for a host of the run. Lasts as long as this value exists in this process or in a forked one.
#[derive(Debug)]
pub struct Uplink {
    /// Write end of the pipe that the keeper watches.
    _held: OwnedFd,
}

impl Uplink {
    /// Enables packets from `inside` to leave through the machine's default device.
    ///
    /// Must be called before the runs' parent is forked, while the process has one thread: the forked processes share the pipe.
    ///
    /// # Errors
    /// If the process is not root, `nft` is missing, there is no default route, or the kernel rejects a change.
    pub fn start(inside: Ipv4Addr) -> Result<Uplink, LiveError> {
        if !privileges::has_admin_caps() {
            return Err(LiveError::Setup("--nat requires root".to_owned()));
        }
        let nft = find_program("nft").ok_or_else(|| {
            LiveError::Setup("--nat requires `nft` (Debian: apt-get install nftables)".to_owned())
        })?;
        let device = default_device()?;
        if is_routed(inside) {
            return Err(LiveError::Setup(format!(
                "--nat: this machine already has a route to {inside}; only one command at a time can use --nat"
            )));
        }
        let (watched, held) = pipe2(OFlag::O_CLOEXEC).map_err(LiveError::system("cannot create a pipe"))?;
        let (told, tell) = pipe2(OFlag::O_CLOEXEC).map_err(LiveError::system("cannot create a pipe"))?;
        // SAFETY: the caller has one thread, so no lock is held in the child. The child forks once more, so that no process has to
        // wait for the keeper.
        match unsafe { fork() }.map_err(LiveError::system("cannot fork the uplink's keeper"))? {
            ForkResult::Parent { child } => {
                waitpid(child, None).map_err(LiveError::system("cannot wait for the uplink's keeper"))?;
            }
            ForkResult::Child => {
                drop((held, told));
                // SAFETY: as above.
                if matches!(unsafe { fork() }, Ok(ForkResult::Child)) {
                    keeper_main(inside, &device, &nft, watched, tell);
                }
                // SAFETY: ends this process without the parent's exit handlers.
                unsafe { nix::libc::_exit(0) }
            }
        }
        drop((watched, tell));
        // The keeper answers within its own timeout, or ends.
        let mut answer = String::new();
        fs::File::from(told)
            .read_to_string(&mut answer)
            .map_err(LiveError::system("cannot read from the uplink's keeper"))?;
        match answer.as_str() {
            "ok" => Ok(Uplink { _held: held }),
            "" => Err(LiveError::Setup("the uplink's keeper ended without an answer".to_owned())),
            why => Err(LiveError::Setup(why.to_owned())),
        }
    }

    /// Gives this run's programs reachable name servers where the machine uses a resolver on its loopback: the upstream
    /// servers of systemd-resolved(8). Must be called in the run's own mount namespace.
    pub fn reachable_name_servers() -> Result<(), LiveError> {
        if has_reachable_server(RESOLV_CONF) || !has_reachable_server(UPSTREAM) {
            return Ok(());
        }
        let nothing: Option<&str> = None;
        mount(Some(UPSTREAM), RESOLV_CONF, nothing, MsFlags::MS_BIND, nothing)
            .map_err(LiveError::system(format!("cannot replace {RESOLV_CONF}")))
    }

    /// Warning for the user if a run cannot resolve names: all the machine's name servers are on its own loopback, and their
    /// upstream servers are unknown.
    pub fn unreachable_name_servers() -> Option<String> {
        (!has_reachable_server(RESOLV_CONF) && !has_reachable_server(UPSTREAM)).then(|| {
            format!(
                "names cannot be resolved behind --nat: all servers in {RESOLV_CONF} are on this machine's loopback, \
                 which the run cannot reach; addresses work"
            )
        })
    }
}

/// The machine's list of name servers.
const RESOLV_CONF: &str = "/etc/resolv.conf";
/// Upstream name servers of systemd-resolved(8).
const UPSTREAM: &str = "/run/systemd/resolve/resolv.conf";

/// Whether a file lists a name server outside the loopback network.
fn has_reachable_server(file: &str) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    let mut servers = text.lines().filter_map(|line| line.trim().strip_prefix("nameserver"));
    servers.any(|server| server.trim().parse().is_ok_and(|address: IpAddr| !address.is_loopback()))
}

/// Main function of the keeper.
fn keeper_main(inside: Ipv4Addr, device: &str, nft: &PathBuf, watched: OwnedFd, tell: OwnedFd) {
    let _ = setsid();
    for ignored in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGPIPE] {
        // SAFETY: ignoring a signal installs no handler.
        let _ = unsafe { signal(ignored, SigHandler::SigIgn) };
    }
    let mut tell = fs::File::from(tell);
    let forwarding = format!("/proc/sys/net/ipv4/conf/{device}/forwarding");
    let before = fs::read_to_string(&forwarding).unwrap_or_default();
    let mut rule = match add_rule(&forwarding, inside, device, nft, &watched) {
        Ok(rule) => rule,
        Err(why) => {
            let _ = fs::write(&forwarding, before.trim());
            let _ = tell.write_all(why.as_bytes());
            return;
        }
    };
    let _ = tell.write_all(b"ok");
    drop(tell);
    // Returns once no process holds the other end.
    let _ = fs::File::from(watched).read(&mut [0]);
    let _ = rule.child.kill();
    let _ = rule.child.wait();
    let _ = fs::write(&forwarding, before.trim());
}

/// Enables forwarding and adds the rule. Returns the process that owns the rule.
fn add_rule(
    forwarding: &str,
    inside: Ipv4Addr,
    device: &str,
    nft: &PathBuf,
    watched: &OwnedFd,
) -> Result<Rule, String> {
    fs::write(forwarding, "1").map_err(|error| format!("cannot write {forwarding}: {error}"))?;
    // One pipe carries both output and errors, so that their order is kept.
    let (output, writer) =
        pipe2(OFlag::O_CLOEXEC).map_err(|error| format!("cannot create a pipe: {error}"))?;
    let errors = writer.try_clone().map_err(|error| format!("cannot duplicate a descriptor: {error}"))?;
    let child =
        Command::new(nft).arg("-i").stdin(Stdio::piped()).stdout(Stdio::from(writer)).stderr(errors).spawn();
    let mut child = child.map_err(|error| format!("cannot start nft: {error}"))?;
    let table = format!("jettison_{}", std::process::id());
    let script = format!(
        "add table ip {table} {{ flags owner; }}\n\
         add chain ip {table} post {{ type nat hook postrouting priority srcnat; }}\n\
         add rule ip {table} post ip saddr {inside} oifname \"{device}\" masquerade\n\
         list table ip {table}\n"
    );
    let mut input = child.stdin.take().ok_or("nft has no standard input")?;
    input
        .write_all(script.as_bytes())
        .and_then(|()| input.flush())
        .map_err(|error| format!("cannot write to nft: {error}"))?;
    // nft ends when its input is closed, and is killed when it writes to a closed output. Either would remove the table, so
    // both stay open.
    child.stdin = Some(input);
    match wait_for_rule(&output, watched) {
        Ok(()) => Ok(Rule { child, _output: output }),
        Err(why) => {
            let _ = child.kill();
            let _ = child.wait();
            Err(format!("nft cannot add a rule for {inside}: {why}"))
        }
    }
}

/// A rule that exists as long as its `nft` process.
struct Rule {
    child: Child,
    _output: OwnedFd,
}

/// Waits until nft has listed the rule. Fails with nft's error, or if the run has ended.
fn wait_for_rule(output: &OwnedFd, watched: &OwnedFd) -> Result<(), String> {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    for _ in 0..50 {
        let mut fds =
            [PollFd::new(output.as_fd(), PollFlags::POLLIN), PollFd::new(watched.as_fd(), PollFlags::POLLIN)];
        let _ = poll(&mut fds, PollTimeout::from(100_u8));
        if fds[1].any() == Some(true) {
            return Err("the run has ended".to_owned());
        }
        if fds[0].any() != Some(true) {
            continue;
        }
        match nix::unistd::read(output, &mut buffer) {
            Ok(0) | Err(_) => return Err(format!("nft ended: {}", text.trim())),
            Ok(length) => text.push_str(&String::from_utf8_lossy(&buffer[..length])),
        }
        // An error message may quote the rule, so errors are checked first.
        if text.contains("Error") {
            return Err(text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        if text.contains("masquerade") {
            return Ok(());
        }
    }
    Err(format!("no answer within 5 s: {}", text.trim()))
}

/// Whether the machine has a host route to that address.
fn is_routed(address: Ipv4Addr) -> bool {
    let table = fs::read_to_string("/proc/net/route").unwrap_or_default();
    // The file shows addresses as numbers in the machine's byte order.
    let wanted = format!("{:08X}", u32::from_ne_bytes(address.octets()));
    table.lines().any(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.get(1) == Some(&wanted.as_str()) && words.get(7) == Some(&"FFFFFFFF")
    })
}

/// Returns the device of the machine's default route.
fn default_device() -> Result<String, LiveError> {
    let table =
        fs::read_to_string("/proc/net/route").map_err(LiveError::system("cannot read /proc/net/route"))?;
    let default = |line: &&str| line.split_whitespace().nth(1) == Some("00000000");
    let found = table.lines().skip(1).find(default).and_then(|line| line.split_whitespace().next());
    found
        .map(str::to_owned)
        .ok_or_else(|| LiveError::Setup("--nat requires a default route on this machine".to_owned()))
}

fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]);
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule_after(text: &str) -> Result<(), String> {
        let (output, writer) = pipe2(OFlag::O_CLOEXEC).expect("a pipe can be made");
        let (watched, _held) = pipe2(OFlag::O_CLOEXEC).expect("a pipe can be made");
        fs::File::from(writer).write_all(text.as_bytes()).expect("the pipe has room");
        wait_for_rule(&output, &watched)
    }

    #[test]
    fn an_error_or_the_end_of_nft_is_reported() {
        assert_eq!(rule_after("table ip t {\n chain post {\n masquerade\n }\n}\n"), Ok(()));
        let rejected =
            rule_after("Error: Could not process rule: Operation not permitted\nadd rule .. masquerade\n");
        assert!(rejected.is_err_and(|why| why.contains("not permitted")));
        assert!(rule_after("").is_err_and(|why| why.contains("ended")));
    }

    #[test]
    fn the_end_of_the_run_stops_the_wait_for_nft() {
        let (output, _writer) = pipe2(OFlag::O_CLOEXEC).expect("a pipe can be made");
        let (watched, held) = pipe2(OFlag::O_CLOEXEC).expect("a pipe can be made");
        drop(held);
        assert!(wait_for_rule(&output, &watched).is_err_and(|why| why.contains("has ended")));
    }
}
