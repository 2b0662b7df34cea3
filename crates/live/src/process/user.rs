//! User identity of a program.

#![allow(unsafe_code, reason = "functions of the user database")]

use std::ffi::CString;
use std::fs;
use std::io;
use std::path::PathBuf;

use nix::unistd::{User, getgrouplist};

use crate::LiveError;

/// Resolved user, which a process can assume between fork and exec.
#[derive(Debug, Clone)]
pub(super) struct Identity {
    pub(super) uid: u32,
    pub(super) gid: u32,
    groups: Vec<u32>,
    pub(super) name: String,
    pub(super) home: String,
    pub(super) shell: String,
}

/// Whether the user exists on this machine.
pub fn has_user(name: &str) -> bool {
    User::from_name(name).is_ok_and(|found| found.is_some())
}

/// The number of the user that this process runs as.
pub fn own_uid() -> u32 {
    nix::unistd::geteuid().as_raw()
}

/// The name of the user that this process runs as, or else its number.
pub fn own_name() -> String {
    let uid = nix::unistd::geteuid();
    User::from_uid(uid).ok().flatten().map_or_else(|| format!("user {uid}"), |user| user.name)
}

/// Home of the user that this process runs as, by the machine's list of users. `HOME` may be another user's: sudo(8) can keep
/// it.
pub fn own_home() -> Option<PathBuf> {
    User::from_uid(nix::unistd::geteuid()).ok().flatten().map(|user| user.dir)
}

impl Identity {
    pub(super) fn of(flow: &str, user: &str) -> Result<Self, LiveError> {
        let unknown = || LiveError::NoSuchUser { flow: flow.to_owned(), user: user.to_owned() };
        let found = User::from_name(user).ok().flatten().ok_or_else(unknown)?;
        let current = nix::unistd::geteuid();
        if !(current.is_root() && is_mapped(found.uid.as_raw())) {
            return Err(LiveError::UserNeedsRoot { flow: flow.to_owned(), user: user.to_owned() });
        }
        let name = CString::new(user).map_err(|_| unknown())?;
        let groups = getgrouplist(&name, found.gid)
            .map_err(LiveError::system(format!("cannot read the groups of user {user}")))?;
        Ok(Self {
            uid: found.uid.as_raw(),
            gid: found.gid.as_raw(),
            groups: groups.into_iter().map(nix::unistd::Gid::as_raw).collect(),
            name: found.name,
            home: found.dir.display().to_string(),
            shell: found.shell.display().to_string(),
        })
    }

    /// Assumes the identity between fork and exec. Uses system calls only; the groups come first, while the process is still
    /// root.
    pub(super) fn assume(&self) -> io::Result<()> {
        // SAFETY: the groups outlive the call; all three are async-signal-safe.
        let done = unsafe {
            libc::setgroups(self.groups.len(), self.groups.as_ptr()) == 0
                && libc::setgid(self.gid) == 0
                && libc::setuid(self.uid) == 0
        };
        if done { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

/// Whether this process's user namespace maps the user (user_namespaces(7)); an unprivileged run maps only its own.
fn is_mapped(uid: u32) -> bool {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    map.lines().any(|line| {
        let numbers: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        matches!(numbers[..], [first, _, count] if (first..first + count).contains(&u64::from(uid)))
    })
}
