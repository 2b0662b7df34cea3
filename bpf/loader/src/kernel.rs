//! The congestion controls in the kernel: loading them, and finding them there.

#[allow(clippy::all, missing_docs, dead_code)]
mod skeleton {
    include!(concat!(env!("OUT_DIR"), "/newcwv.skel.rs"));
}

use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use libbpf_rs::query::{LinkInfoIter, LinkTypeInfo, MapInfoIter, ProgInfoIter, ProgInfoQueryOptions};
use libbpf_rs::skel::{OpenSkel, SkelBuilder};
use libbpf_rs::{Link, MapCore, MapFlags, MapHandle, PrintLevel, libbpf_sys};
use rustix::time::ClockId;

use crate::machine;
use crate::validity::Validity;

/// The names, which are the structs' in the BPF object too.
pub const NAMES: [&str; 2] = ["newcwv", "newcwv_paced"];
/// One of its programs, to know the object by.
const PROGRAM: &str = "newcwv_init";

/// What libbpf says when it cannot; most of all the verifier's log.
static COMPLAINTS: Mutex<String> = Mutex::new(String::new());

/// What keeps the controls registered while a process lives.
pub enum Held {
    /// Links of our own.
    Own { _links: [Link; NAMES.len()] },
    /// Another's, or the pinned ones.
    Shared { _links: [OwnedFd; NAMES.len()] },
}

/// Loads and registers both controls; they are there until their links are dropped, unless these are pinned.
pub fn load(validity: Validity) -> Result<[Link; NAMES.len()]> {
    let taken = machine::names_in_use()?;
    if !taken.is_empty() {
        bail!("another congestion control has the name {}: it must be removed first", taken.join(" and "));
    }
    libbpf_rs::set_print(Some((PrintLevel::Warn, remember)));
    let mut storage = MaybeUninit::uninit();
    let mut open = skeleton::NewcwvSkelBuilder::default()
        .open(&mut storage)
        .map_err(|error| explain(error, "the BPF object cannot be read"))?;
    open.maps.rodata_data.as_deref_mut().context("the BPF object has no parameters")?.validity_ms =
        validity.millis();
    let mut loaded =
        open.load().map_err(|error| explain(error, "the kernel does not take the BPF programs"))?;
    let mut register = |unpaced: bool| {
        let map = if unpaced { &mut loaded.maps.newcwv } else { &mut loaded.maps.newcwv_paced };
        map.attach_struct_ops()
            .map_err(|error| explain(error, "the kernel does not take the congestion controls"))
    };
    Ok([register(true)?, register(false)?])
}

/// What is registered now, by a pin or a process; `None` if nothing of ours is.
pub fn find() -> Result<Option<Controllers>> {
    let mut found = None;
    // A process that ends gives back one link after the other, so half of it is no answer yet.
    machine::wait_until(Duration::from_millis(500), || {
        found = find_both()?;
        Ok(found.is_some() || machine::names_in_use()?.is_empty())
    })?;
    Ok(found)
}

fn find_both() -> Result<Option<Controllers>> {
    let mut links = [None, None];
    for link in LinkInfoIter::default() {
        let LinkTypeInfo::StructOps(info) = link.info else { continue };
        // A link whose controller was taken out has no map.
        let map = MapInfoIter::default().find(|map| map.id == info.map_id);
        let Some(index) = map.and_then(|map| NAMES.into_iter().position(|name| map.name == name)) else {
            continue;
        };
        links[index] = link_by_id(link.id);
    }
    let [Some(unpaced), Some(paced)] = links else { return Ok(None) };
    // Programs that sockets still use outlive their links, but none is newer than what is registered.
    let programs = ProgInfoIter::with_query_opts(ProgInfoQueryOptions::default().include_map_ids(true));
    let program = programs.filter(|program| program.name == PROGRAM).max_by_key(|program| program.id);
    let Some(program) = program else { return Ok(None) };
    Ok(Some(Controllers { links: [unpaced, paced], maps: program.map_ids, load_time: program.load_time }))
}

/// The controls that are registered.
pub struct Controllers {
    links: [OwnedFd; NAMES.len()],
    maps: Vec<u32>,
    load_time: Duration,
}

impl Controllers {
    /// Keeps them registered.
    pub fn into_links(self) -> [OwnedFd; NAMES.len()] {
        self.links
    }

    /// The non-validated period that they were loaded with.
    pub fn validity(&self) -> Result<Validity> {
        Validity::of_millis(self.first_word(".rodata")?)
    }

    /// Says what to do if it is not `wanted`.
    pub fn must_have(&self, wanted: Validity) -> Result<()> {
        let validity = self.validity()?;
        if validity != wanted {
            bail!(
                "loaded already, with a non-validated period of {validity}, not {wanted}: unload it first (jettison cc unload)"
            );
        }
        Ok(())
    }

    /// Sockets that use one of them now.
    pub fn sockets(&self) -> Result<u64> {
        self.first_word(".bss")
    }

    /// Since they were loaded.
    pub fn age(&self) -> Duration {
        let now = rustix::time::clock_gettime(ClockId::Boottime);
        let since_boot = Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0));
        since_boot.saturating_sub(self.load_time)
    }

    /// Both the constants and the variables of newcwv.bpf.c are one word.
    fn first_word(&self, section: &str) -> Result<u64> {
        for id in &self.maps {
            let map =
                MapHandle::from_map_id(*id).context("a map of the congestion controls cannot be opened")?;
            if !map.name().to_string_lossy().ends_with(section) {
                continue;
            }
            let value = map.lookup(&0u32.to_ne_bytes(), MapFlags::ANY)?.unwrap_or_default();
            let word = value.first_chunk().context("a map of the congestion controls is too short")?;
            return Ok(u64::from_ne_bytes(*word));
        }
        Err(anyhow!("the congestion controls that are loaded are of another version: unload them first"))
    }
}

/// `None` if the link is gone meanwhile.
fn link_by_id(id: u32) -> Option<OwnedFd> {
    // SAFETY: a system call on a number; it gives a descriptor, or a negative error.
    let descriptor = unsafe { libbpf_sys::bpf_link_get_fd_by_id(id) };
    // SAFETY: the descriptor is new, and nobody else's.
    (descriptor >= 0).then(|| unsafe { OwnedFd::from_raw_fd(descriptor) })
}

fn remember(_: PrintLevel, line: String) {
    if let Ok(mut complaints) = COMPLAINTS.lock() {
        complaints.push_str(&line);
    }
}

/// The error with the last lines that libbpf said.
fn explain(error: libbpf_rs::Error, what: &str) -> anyhow::Error {
    const LINES: usize = 20;
    let complaints = COMPLAINTS.lock().map(|all| all.clone()).unwrap_or_default();
    let lines: Vec<&str> = complaints.lines().collect();
    let last = lines[lines.len().saturating_sub(LINES)..].join("\n");
    match last.is_empty() {
        true => anyhow::Error::new(error).context(what.to_owned()),
        false => anyhow!("{what}: {error}\n{last}"),
    }
}
