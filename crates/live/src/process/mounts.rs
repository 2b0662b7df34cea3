//! Private mounts of a run: `/proc` and `/run/netns`.

#![allow(unsafe_code, reason = "fork, and system calls on mounts")]

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::Path;

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};

use crate::LiveError;
use crate::net::Namespace;

/// Directory of named network namespaces (ip-netns(8)).
pub(super) const NAMES: &str = "/run/netns";

const NOTHING: Option<&str> = None;

/// Creates the private mounts. Must be called in a new mount namespace.
pub(super) fn set_up() -> Result<(), LiveError> {
    mount(NOTHING, "/", NOTHING, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NOTHING)
        .map_err(LiveError::system("cannot make the mounts private"))?;
    let strict = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    match mount(Some("proc"), "/proc", Some("proc"), strict, NOTHING) {
        // Containers that hide parts of /proc do not allow a new one in a user namespace (user_namespaces(7)). The old one is
        // sufficient: it resolves `self` and `thread-self` for this PID namespace too, but also shows other processes.
        Ok(()) | Err(Errno::EPERM) => {}
        Err(errno) => return Err(LiveError::system("cannot mount /proc")(errno)),
    }
    set_up_names().map_err(LiveError::system(format!("cannot create a private {NAMES}")))
}

/// Binds `namespace` to a name.
pub(super) fn bind_name(namespace: &Namespace, name: &str) -> io::Result<()> {
    if name.is_empty() || name.contains('/') || name.starts_with('.') {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "a name must be a file name without `/` and leading dot",
        ));
    }
    let target = Path::new(NAMES).join(name);
    File::create_new(&target)?;
    bind(format!("/proc/self/fd/{}", namespace.fd().as_raw_fd()), &target, MsFlags::empty())
}

fn set_up_names() -> io::Result<()> {
    if !Path::new(NAMES).is_dir() {
        // Creating the directory in the machine's `/run` would leave a trace.
        replace_run()?;
        fs::create_dir(NAMES)?;
    }
    tmpfs(NAMES)
}

/// Mounts a private `/run` with the entries of the machine's.
fn replace_run() -> io::Result<()> {
    let run = Path::new("/run");
    // The descriptor keeps access to the old directory when the new mount covers it.
    let file = fs::OpenOptions::new().read(true).custom_flags(libc::O_DIRECTORY).open(run)?;
    let old = format!("/proc/self/fd/{}", file.as_raw_fd());
    let entries = fs::read_dir(&old)?.collect::<io::Result<Vec<_>>>()?;
    tmpfs("/run")?;
    for entry in entries {
        let target = run.join(entry.file_name());
        let source = Path::new(&old).join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_symlink() {
            symlink(fs::read_link(&source)?, &target)?;
            continue;
        }
        if kind.is_dir() {
            fs::create_dir(&target)?;
        } else {
            File::create(&target)?;
        }
        // An entry may have disappeared meanwhile, which only affects its users.
        let _ = bind(source, &target, MsFlags::MS_REC);
    }
    Ok(())
}

fn tmpfs(target: &str) -> io::Result<()> {
    Ok(mount(
        Some("jettison"),
        target,
        Some("tmpfs"),
        MsFlags::MS_NOSUID | MsFlags::MS_NODEV,
        Some("mode=755"),
    )?)
}

fn bind(source: impl AsRef<Path>, target: &Path, more: MsFlags) -> io::Result<()> {
    Ok(mount(Some(source.as_ref()), target, NOTHING, MsFlags::MS_BIND | more, NOTHING)?)
}

/// Mounts a `/sys` of the calling process's network namespace between fork and exec, as `ip netns exec` does. Uses system
/// calls only. Failure is harmless: few programs read it.
pub(super) fn mount_sys() {
    let sys = c"/sys".as_ptr();
    let none = c"none".as_ptr();
    // SAFETY: the strings are constants, and both calls are async-signal-safe.
    unsafe {
        let is_private = libc::unshare(libc::CLONE_NEWNS) == 0
            && libc::mount(
                none,
                c"/".as_ptr(),
                std::ptr::null(),
                libc::MS_REC | libc::MS_SLAVE,
                std::ptr::null(),
            ) == 0;
        if is_private {
            libc::mount(none, sys, c"sysfs".as_ptr(), 0, std::ptr::null());
        }
    }
}
