//! The pins that keep what is loaded: one link a name, in the BPF file system.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use libbpf_rs::Link;
use rustix::mount::MountFlags;

use crate::kernel::NAMES;

const FILE_SYSTEM: &str = "/sys/fs/bpf";
/// Where the pins are.
pub const FOLDER: &str = "/sys/fs/bpf/jettison";
/// statfs(2).
const BPF_FS_MAGIC: u64 = 0xcafe_4a11;

/// Whether newCWV is pinned.
pub fn are_there() -> bool {
    NAMES.into_iter().all(|name| path(name).exists())
}

/// Pins both links, or neither.
pub fn pin(links: &mut [Link; NAMES.len()]) -> Result<()> {
    mount()?;
    let made = fs::create_dir(FOLDER).or_else(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Ok(()),
        _ => Err(error),
    });
    made.with_context(|| format!("cannot make {FOLDER}"))?;
    for (link, name) in links.iter_mut().zip(NAMES) {
        // What an earlier loader could not remove refers to nothing that is registered.
        if path(name).exists() {
            fs::remove_file(path(name))
                .with_context(|| format!("cannot remove an old {}", path(name).display()))?;
        }
        if let Err(error) = link.pin(path(name)) {
            let cleared = remove();
            return Err(anyhow::Error::new(error).context(format!("cannot pin {}", path(name).display())))
                .and_then(|()| cleared.map(drop));
        }
    }
    Ok(())
}

/// Removes the pins and their folder; whether there was one.
pub fn remove() -> Result<bool> {
    let mut any = false;
    for name in NAMES {
        match fs::remove_file(path(name)) {
            Ok(()) => any = true,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(error).with_context(|| format!("cannot remove {}", path(name).display()));
            }
        }
    }
    match fs::remove_dir(FOLDER) {
        Ok(()) => any = true,
        // Something of another's is in it: it is not ours to remove.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty) => {}
        Err(error) => return Err(error).with_context(|| format!("cannot remove {FOLDER}")),
    }
    Ok(any)
}

fn path(name: &str) -> PathBuf {
    Path::new(FOLDER).join(name)
}

/// Mounts the BPF file system where it belongs, if it is not.
fn mount() -> Result<()> {
    let there = rustix::fs::statfs(FILE_SYSTEM).with_context(|| format!("{FILE_SYSTEM} is missing"))?;
    if there.f_type as u64 == BPF_FS_MAGIC {
        return Ok(());
    }
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    rustix::mount::mount("bpf", FILE_SYSTEM, "bpf", flags, Some(c"mode=700"))
        .with_context(|| format!("cannot mount the BPF file system at {FILE_SYSTEM}"))
}
