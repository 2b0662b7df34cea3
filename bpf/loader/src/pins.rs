//! Pins that keep controls loaded: links in the BPF file system.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rustix::mount::MountFlags;

use crate::codepoint::{self, Attached};
use crate::control::Loaded;
use crate::list::Control;

const FILE_SYSTEM: &str = "/sys/fs/bpf";
/// Folder of the pins.
pub const FOLDER: &str = "/sys/fs/bpf/jettison";
/// Type of the BPF file system (statfs(2)).
const BPF_FS_MAGIC: u64 = 0xcafe_4a11;

/// Whether a control is pinned.
pub fn exist(control: &Control) -> bool {
    control.names.iter().all(|name| path(name).exists())
}

/// Devices with a pinned program of a control, in alphabetical order, with `_` for a dot.
pub fn devices(control: &Control) -> Vec<String> {
    let pins = device_pins(control).into_iter().map(|(device, _)| device);
    let mut found: Vec<String> = pins.filter(|device| !device.is_empty()).collect();
    found.sort();
    found
}

/// Pins all links of a control or none.
pub fn pin(control: &Control, loaded: &mut Loaded, attached: &[Attached]) -> Result<()> {
    mount()?;
    let created = fs::create_dir(FOLDER).or_else(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Ok(()),
        _ => Err(error),
    });
    created.with_context(|| format!("cannot create {FOLDER}"))?;
    // Pins that an earlier loader could not remove refer to no registered control.
    remove_files(control)?;
    let pinned = pin_all(control, loaded, attached);
    if pinned.is_err() {
        remove(control)?;
    }
    pinned
}

fn pin_all(control: &Control, loaded: &mut Loaded, attached: &[Attached]) -> Result<()> {
    for (link, name) in loaded.links.iter_mut().zip(control.names) {
        link.pin(path(name)).with_context(|| format!("cannot pin {}", path(name).display()))?;
    }
    if let Some(program) = &loaded.for_packets {
        codepoint::pin(program, &path(&prefix(control)))?;
    }
    for program in attached {
        program.pin(&path(&format!("{}{}", prefix(control), program.device)))?;
    }
    Ok(())
}

/// Removes the pins of a control, and their folder if it is empty. Returns whether any existed.
pub fn remove(control: &Control) -> Result<bool> {
    let any = remove_files(control)?;
    match fs::remove_dir(FOLDER) {
        Ok(()) => {}
        // The folder contains pins of other controls, or files that are not ours to remove.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty) => {}
        Err(error) => return Err(error).with_context(|| format!("cannot remove {FOLDER}")),
    }
    Ok(any)
}

fn remove_files(control: &Control) -> Result<bool> {
    let mut any = false;
    let of_devices = device_pins(control).into_iter().map(|(_, path)| path);
    for path in control.names.iter().map(|name| path(name)).chain(of_devices) {
        match fs::remove_file(&path) {
            Ok(()) => any = true,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(error).with_context(|| format!("cannot remove {}", path.display()));
            }
        }
    }
    Ok(any)
}

fn device_pins(control: &Control) -> Vec<(String, PathBuf)> {
    let Ok(folder) = fs::read_dir(FOLDER) else { return Vec::new() };
    let pins = folder.filter_map(|entry| {
        let entry = entry.ok()?;
        let name = entry.file_name().into_string().ok()?;
        Some((name.strip_prefix(&prefix(control))?.to_owned(), entry.path()))
    });
    pins.collect()
}

/// Name of the pin of the program for packets, and beginning of the names for devices. A device's name has no `/`.
fn prefix(control: &Control) -> String {
    format!("{}@", control.id)
}

fn path(name: &str) -> PathBuf {
    // The BPF file system refuses a dot.
    Path::new(FOLDER).join(name.replace('.', "_"))
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
