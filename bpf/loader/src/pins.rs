//! Pins that keep the controls loaded: one link per name in the BPF file system.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use libbpf_rs::Link;
use rustix::mount::MountFlags;

use crate::kernel::NAMES;

const FILE_SYSTEM: &str = "/sys/fs/bpf";
/// Folder of the pins.
pub const FOLDER: &str = "/sys/fs/bpf/jettison";
/// Type of the BPF file system (statfs(2)).
const BPF_FS_MAGIC: u64 = 0xcafe_4a11;

/// Whether newCWV is pinned.
pub fn exist() -> bool {
    NAMES.into_iter().all(|name| path(name).exists())
}

/// Pins both links or none.
pub fn pin(links: &mut [Link; NAMES.len()]) -> Result<()> {
    mount()?;
    let created = fs::create_dir(FOLDER).or_else(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Ok(()),
        _ => Err(error),
    });
    created.with_context(|| format!("cannot create {FOLDER}"))?;
    for (link, name) in links.iter_mut().zip(NAMES) {
        // A pin that an earlier loader could not remove refers to no registered control.
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

/// Removes the pins and their folder. Returns whether any existed.
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
        // The folder contains other files, which are not ours to remove.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty) => {}
        Err(error) => return Err(error).with_context(|| format!("cannot remove {FOLDER}")),
    }
    Ok(any)
}

fn path(name: &str) -> PathBuf {
    Path::new(FOLDER).join(name)
}

/// Mounts the BPF file system at its usual place, unless it is mounted.
fn mount() -> Result<()> {
    let statistics = rustix::fs::statfs(FILE_SYSTEM).with_context(|| format!("cannot read {FILE_SYSTEM}"))?;
    if statistics.f_type as u64 == BPF_FS_MAGIC {
        return Ok(());
    }
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    rustix::mount::mount("bpf", FILE_SYSTEM, "bpf", flags, Some(c"mode=700"))
        .with_context(|| format!("cannot mount the BPF file system at {FILE_SYSTEM}"))
}
