//! A way from a run's network to the world, through this machine.
//!
//! The machine's own network must be touched for that: forwarding on its default device, and a rule that hides the run's
//! addresses behind the machine's. A *keeper* process does both and undoes them when the last process of the run is gone,
//! whichever way it went: it waits on a pipe whose other end they hold, and no signal of a terminal reaches it. The rule is in a
//! table that belongs to the keeper's `nft` (nft(8): `flags owner`), so the kernel itself removes it with that process.

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

/// Lets a host of the run out into the world for as long as it, or any process that it was forked into, is there.
#[derive(Debug)]
pub struct Uplink {
    /// The keeper reads the other end.
    _held: OwnedFd,
}

impl Uplink {
    /// Lets packets from `inside` out through the machine's default device.
    ///
    /// Must be called while the process has one thread, before the runs' parent is forked, so that they hold it too.
    ///
    /// # Errors
    /// If this is not root, `nft` is missing, there is no default route, or the kernel refuses.
    pub fn start(inside: Ipv4Addr) -> Result<Uplink, LiveError> {
        if !privileges::administrates() {
            return Err(LiveError::Setup("only root can give a run a way to the world (--nat)".to_owned()));
        }
        let nft = program("nft").ok_or_else(|| {
            LiveError::Setup("--nat wants `nft` (Debian: apt-get install nftables)".to_owned())
        })?;
        let device = default_device()?;
        if is_routed(inside) {
            return Err(LiveError::Setup(format!(
                "--nat: this machine knows another way to {inside}: is another command running with --nat? One at a time can"
            )));
        }
        let (watched, held) = pipe2(OFlag::O_CLOEXEC).map_err(LiveError::system("pipe"))?;
        let (told, tell) = pipe2(OFlag::O_CLOEXEC).map_err(LiveError::system("pipe"))?;
        // SAFETY: the caller has one thread, so no lock is held in the child. It forks once more, so that the keeper is
        // nobody's child to be waited for.
        match unsafe { fork() }.map_err(LiveError::system("fork"))? {
            ForkResult::Parent { child } => {
                waitpid(child, None).map_err(LiveError::system("waitpid"))?;
            }
            ForkResult::Child => {
                drop((held, told));
                // SAFETY: as above.
                if matches!(unsafe { fork() }, Ok(ForkResult::Child)) {
                    keep(inside, &device, &nft, watched, tell);
                }
                // SAFETY: ends this process alone, without what the parent registered for its own end.
                unsafe { nix::libc::_exit(0) }
            }
        }
        drop((watched, tell));
        // The keeper answers or ends: it waits for nobody longer than its own patience.
        let mut answer = String::new();
        fs::File::from(told).read_to_string(&mut answer).map_err(LiveError::system("the uplink's keeper"))?;
        match answer.as_str() {
            "ok" => Ok(Uplink { _held: held }),
            "" => Err(LiveError::Setup("the uplink's keeper died".to_owned())),
            why => Err(LiveError::Setup(why.to_owned())),
        }
    }

    /// Shows this run's programs name servers that they can reach, where the machine asks one on its own loopback: those that
    /// systemd-resolved(8) asks in turn. Called in a mount namespace of the run's own.
    pub fn reachable_name_servers() -> Result<(), LiveError> {
        if reachable(USUAL) || !reachable(BEHIND) {
            return Ok(());
        }
        let nothing: Option<&str> = None;
        mount(Some(BEHIND), USUAL, nothing, MsFlags::MS_BIND, nothing).map_err(LiveError::system(USUAL))
    }

    /// A sentence for people if names cannot be looked up from a run: all the machine's name servers are on its own loopback,
    /// and nothing says whom they ask.
    pub fn unreachable_name_servers() -> Option<String> {
        (!reachable(USUAL) && !reachable(BEHIND)).then(|| {
            format!(
                "names cannot be looked up behind --nat: {USUAL} names no server but on this machine's loopback, where the \
                 command is not; addresses work"
            )
        })
    }
}

/// Where name servers are named.
const USUAL: &str = "/etc/resolv.conf";
/// Whom systemd-resolved(8) asks.
const BEHIND: &str = "/run/systemd/resolve/resolv.conf";

/// Whether a name server in that file is elsewhere than on loopback.
fn reachable(file: &str) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    let mut servers = text.lines().filter_map(|line| line.trim().strip_prefix("nameserver"));
    servers.any(|server| server.trim().parse().is_ok_and(|address: IpAddr| !address.is_loopback()))
}

/// The keeper's life.
fn keep(inside: Ipv4Addr, device: &str, nft: &PathBuf, watched: OwnedFd, tell: OwnedFd) {
    let _ = setsid();
    for each in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGPIPE] {
        // SAFETY: ignoring a signal installs no handler.
        let _ = unsafe { signal(each, SigHandler::SigIgn) };
    }
    let mut tell = fs::File::from(tell);
    let forwarding = format!("/proc/sys/net/ipv4/conf/{device}/forwarding");
    let before = fs::read_to_string(&forwarding).unwrap_or_default();
    let mut rule = match open(&forwarding, inside, device, nft, &watched) {
        Ok(rule) => rule,
        Err(why) => {
            let _ = fs::write(&forwarding, before.trim());
            let _ = tell.write_all(why.as_bytes());
            return;
        }
    };
    let _ = tell.write_all(b"ok");
    drop(tell);
    // Ends when nobody holds the other end any more.
    let _ = fs::File::from(watched).read(&mut [0]);
    let _ = rule.child.kill();
    let _ = rule.child.wait();
    let _ = fs::write(&forwarding, before.trim());
}

/// Turns forwarding on and adds the rule; gives the process that owns the rule.
fn open(
    forwarding: &str,
    inside: Ipv4Addr,
    device: &str,
    nft: &PathBuf,
    watched: &OwnedFd,
) -> Result<Rule, String> {
    fs::write(forwarding, "1").map_err(|error| format!("{forwarding}: {error}"))?;
    // What it prints and what it complains of come the same way.
    let (heard, said) = pipe2(OFlag::O_CLOEXEC).map_err(|error| format!("pipe: {error}"))?;
    let complaints = said.try_clone().map_err(|error| format!("pipe: {error}"))?;
    let child = Command::new(nft)
        .arg("-i")
        .stdin(Stdio::piped())
        .stdout(Stdio::from(said))
        .stderr(complaints)
        .spawn();
    let mut child = child.map_err(|error| format!("nft: {error}"))?;
    let table = format!("jettison_{}", std::process::id());
    let script = format!(
        "add table ip {table} {{ flags owner; }}\n\
         add chain ip {table} post {{ type nat hook postrouting priority srcnat; }}\n\
         add rule ip {table} post ip saddr {inside} oifname \"{device}\" masquerade\n\
         list table ip {table}\n"
    );
    let mut input = child.stdin.take().ok_or("nft takes no input")?;
    input
        .write_all(script.as_bytes())
        .and_then(|()| input.flush())
        .map_err(|error| format!("nft: {error}"))?;
    // Without its input nft would end, and without a reader of its output it would die of what it still has to say: the table
    // would go with it.
    child.stdin = Some(input);
    match answer(&heard, watched) {
        Ok(()) => Ok(Rule { child, _heard: heard }),
        Err(why) => {
            let _ = child.kill();
            let _ = child.wait();
            Err(format!("nft would not add a rule for {inside}: {why}"))
        }
    }
}

/// A rule that is there as long as its `nft` is.
struct Rule {
    child: Child,
    _heard: OwnedFd,
}

/// Waits until nft has listed the rule. The error is what it said instead, or that nobody wants it any more.
fn answer(heard: &OwnedFd, watched: &OwnedFd) -> Result<(), String> {
    let mut said = String::new();
    let mut buffer = [0; 4096];
    for _ in 0..50 {
        let mut fds =
            [PollFd::new(heard.as_fd(), PollFlags::POLLIN), PollFd::new(watched.as_fd(), PollFlags::POLLIN)];
        let _ = poll(&mut fds, PollTimeout::from(100_u8));
        if fds[1].any() == Some(true) {
            return Err("the run is gone".to_owned());
        }
        if fds[0].any() != Some(true) {
            continue;
        }
        match nix::unistd::read(heard, &mut buffer) {
            Ok(0) | Err(_) => return Err(format!("it ended: {}", said.trim())),
            Ok(length) => said.push_str(&String::from_utf8_lossy(&buffer[..length])),
        }
        // Complaints name what they complain of, so they are looked for first.
        if said.contains("Error") {
            return Err(said.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        if said.contains("masquerade") {
            return Ok(());
        }
    }
    Err(format!("no answer within 5 s {}", said.trim()))
}

/// Whether the machine has a route to exactly that address.
fn is_routed(address: Ipv4Addr) -> bool {
    let table = fs::read_to_string("/proc/net/route").unwrap_or_default();
    // Addresses are numbers in the machine's order of bytes.
    let wanted = format!("{:08X}", u32::from_ne_bytes(address.octets()));
    table.lines().any(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.get(1) == Some(&wanted.as_str()) && words.get(7) == Some(&"FFFFFFFF")
    })
}

/// The device of the machine's default route.
fn default_device() -> Result<String, LiveError> {
    let table = fs::read_to_string("/proc/net/route").map_err(LiveError::system("/proc/net/route"))?;
    let default = |line: &&str| line.split_whitespace().nth(1) == Some("00000000");
    let found = table.lines().skip(1).find(default).and_then(|line| line.split_whitespace().next());
    found.map(str::to_owned).ok_or_else(|| {
        LiveError::Setup("--nat: this machine has no default route that packets could go out by".to_owned())
    })
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let places = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]);
    places.map(|folder| folder.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(text: &str) -> Result<(), String> {
        let (heard, said) = pipe2(OFlag::O_CLOEXEC).expect("a pipe can be made");
        let (watched, _held) = pipe2(OFlag::O_CLOEXEC).expect("a pipe can be made");
        fs::File::from(said).write_all(text.as_bytes()).expect("the pipe has room");
        answer(&heard, &watched)
    }

    #[test]
    fn an_nft_that_complains_or_ends_is_no_rule() {
        assert_eq!(heard("table ip t {\n chain post {\n masquerade\n }\n}\n"), Ok(()));
        let complaint =
            heard("Error: Could not process rule: Operation not permitted\nadd rule .. masquerade\n");
        assert!(complaint.is_err_and(|why| why.contains("not permitted")));
        assert!(heard("").is_err_and(|why| why.contains("ended")));
    }

    #[test]
    fn an_nft_whose_run_is_gone_is_not_waited_for() {
        let (heard, _said) = pipe2(OFlag::O_CLOEXEC).expect("a pipe can be made");
        let (watched, held) = pipe2(OFlag::O_CLOEXEC).expect("a pipe can be made");
        drop(held);
        assert!(answer(&heard, &watched).is_err_and(|why| why.contains("gone")));
    }
}
