//! The mounts of a run: its own `/proc`, and its own `/run/netns`.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::Path;

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};

use crate::LiveError;
use crate::net::Namespace;

/// Where ip-netns(8) looks for names.
pub(super) const NAMES: &str = "/run/netns";

const NOTHING: Option<&str> = None;

/// Called in a mount namespace of its own. What is mounted here is seen by nobody else.
pub(super) fn set_up() -> Result<(), LiveError> {
    mount(NOTHING, "/", NOTHING, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NOTHING)
        .map_err(LiveError::system("the mounts could not be made private"))?;
    let strict = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    match mount(Some("proc"), "/proc", Some("proc"), strict, NOTHING) {
        // A container that hides parts of /proc allows no fresh one to a user namespace (user_namespaces(7)). The old one
        // serves: it resolves `self` and `thread-self` for this PID namespace too, and shows other processes besides.
        Ok(()) | Err(Errno::EPERM) => {}
        Err(errno) => return Err(LiveError::system("/proc could not be mounted")(errno)),
    }
    names().map_err(LiveError::system(format!("{NAMES} could not be made private")))
}

/// Binds `namespace` to its name.
pub(super) fn name(namespace: &Namespace, name: &str) -> io::Result<()> {
    if name.is_empty() || name.contains('/') || name.starts_with('.') {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file's name"));
    }
    let target = Path::new(NAMES).join(name);
    File::create_new(&target)?;
    bind(format!("/proc/self/fd/{}", namespace.fd().as_raw_fd()), &target, MsFlags::empty())
}

fn names() -> io::Result<()> {
    if !Path::new(NAMES).is_dir() {
        // Making the directory would leave a trace on the machine.
        own_run()?;
        fs::create_dir(NAMES)?;
    }
    tmpfs(NAMES)
}

/// A `/run` of our own that shows what the machine's shows now.
fn own_run() -> io::Result<()> {
    let run = Path::new("/run");
    // The descriptor leads to the old directory after the new one covers it.
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
        // What can't be shown (it went away meanwhile) is missed by nobody but its users.
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

/// For the time between fork and exec: a `/sys` that shows the network namespace that the calling process is in, as
/// `ip netns exec` has it. Only system calls. Failure is harmless: few programs look there.
pub(super) fn own_sys() {
    let sys = c"/sys".as_ptr();
    let none = c"none".as_ptr();
    // SAFETY: the strings are constants, and both calls are async-signal-safe.
    unsafe {
        let alone = libc::unshare(libc::CLONE_NEWNS) == 0
            && libc::mount(
                none,
                c"/".as_ptr(),
                std::ptr::null(),
                libc::MS_REC | libc::MS_SLAVE,
                std::ptr::null(),
            ) == 0;
        if alone {
            libc::mount(none, sys, c"sysfs".as_ptr(), 0, std::ptr::null());
        }
    }
}
