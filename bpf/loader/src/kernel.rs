//! The congestion controls in the kernel: loading and lookup.

#![allow(unsafe_code, reason = "functions of libbpf")]

#[allow(clippy::all, missing_docs, dead_code)]
mod skeleton {
    include!(concat!(env!("OUT_DIR"), "/newcwv.skel.rs"));
}

use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd};
use std::ptr;
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use libbpf_rs::btf::{Btf, types};
use libbpf_rs::query::{LinkInfoIter, LinkTypeInfo, MapInfoIter, ProgInfoIter, ProgInfoQueryOptions};
use libbpf_rs::skel::{OpenSkel, SkelBuilder};
use libbpf_rs::{Link, MapCore, MapFlags, MapHandle, PrintLevel, libbpf_sys};
use rustix::time::ClockId;

use crate::machine;
use crate::settings::Settings;
use crate::sockets::{self, Sockets};

/// Names of the controls, and of their structs in the BPF object.
pub const NAMES: [&str; 2] = ["newcwv", "newcwv_paced"];
/// One of the object's programs, which identifies it.
const PROGRAM: &str = "newcwv_init";
/// The object's map of sockets; the kernel cuts names after 15 characters.
const SOCKETS: &str = "newcwv_sockets";
/// Member of `tcp_congestion_ops` that some kernels call when sending starts; others call `cwnd_event`.
const TX_START: &str = "cwnd_event_tx_start";

/// Messages of libbpf, in particular the verifier's log.
static MESSAGES: Mutex<String> = Mutex::new(String::new());

/// References that keep the controls registered while the process exists.
pub enum Held {
    /// Links that this process created.
    Own { _links: [Link; NAMES.len()] },
    /// Links of another process or of a pin.
    Shared { _links: [OwnedFd; NAMES.len()] },
}

/// Loads and registers both controls. They exist until their links are dropped, or while the links are pinned.
pub fn load(settings: Settings) -> Result<[Link; NAMES.len()]> {
    let taken = machine::names_in_use()?;
    if !taken.is_empty() {
        bail!("another congestion control has the name {}; remove it first", taken.join(" and "));
    }
    libbpf_rs::set_print(Some((PrintLevel::Warn, record_message)));
    let mut storage = MaybeUninit::uninit();
    let mut open = skeleton::NewcwvSkelBuilder::default()
        .open(&mut storage)
        .map_err(|error| explain(error, "cannot read the BPF object"))?;
    let rodata = open.maps.rodata_data.as_deref_mut();
    let parameters = &mut rodata.context("the BPF object must have a section of parameters")?.parameters;
    parameters.validity_ms = settings.validity.millis();
    parameters.burst = settings.burst.packets();
    if !has_tx_start()? {
        open.struct_ops.newcwv_mut().cwnd_event_tx_start = ptr::null_mut();
        open.struct_ops.newcwv_paced_mut().cwnd_event_tx_start = ptr::null_mut();
        open.progs.newcwv_cwnd_event_tx_start.set_autoload(false);
    }
    let mut loaded = open.load().map_err(|error| explain(error, "the kernel rejected the BPF programs"))?;
    let mut register = |unpaced: bool| {
        let map = if unpaced { &mut loaded.maps.newcwv } else { &mut loaded.maps.newcwv_paced };
        map.attach_struct_ops().map_err(|error| explain(error, "the kernel rejected the congestion controls"))
    };
    Ok([register(true)?, register(false)?])
}

/// Whether the kernel has the member [`TX_START`].
fn has_tx_start() -> Result<bool> {
    let btf = Btf::from_vmlinux().context("cannot read the kernel's type information")?;
    let operations: types::Struct<'_> = btf
        .type_by_name("tcp_congestion_ops")
        .context("the kernel's type information must contain `tcp_congestion_ops`")?;
    Ok(operations.iter().any(|member| member.name.is_some_and(|name| name == TX_START)))
}

/// Finds the controls that a pin or a process keeps registered; `None` if there are none of ours.
pub fn find() -> Result<Option<Controllers>> {
    let mut found = None;
    // A process that ends releases its links one by one, so a partial result is retried.
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
        // A link whose controller was unregistered has no map.
        let map = MapInfoIter::default().find(|map| map.id == info.map_id);
        let Some(index) = map.and_then(|map| NAMES.into_iter().position(|name| map.name == name)) else {
            continue;
        };
        links[index] = link_by_id(link.id);
    }
    let [Some(unpaced), Some(paced)] = links else { return Ok(None) };
    // Programs can outlive their links while sockets use them, but the newest program is the registered one.
    let programs = ProgInfoIter::with_query_opts(ProgInfoQueryOptions::default().include_map_ids(true));
    let program = programs.filter(|program| program.name == PROGRAM).max_by_key(|program| program.id);
    let Some(program) = program else { return Ok(None) };
    Ok(Some(Controllers { links: [unpaced, paced], maps: program.map_ids, load_time: program.load_time }))
}

/// The registered controls.
pub struct Controllers {
    links: [OwnedFd; NAMES.len()],
    maps: Vec<u32>,
    load_time: Duration,
}

impl Controllers {
    /// Returns the links, which keep the controls registered.
    pub fn into_links(self) -> [OwnedFd; NAMES.len()] {
        self.links
    }

    /// Parameters of the loaded controls.
    pub fn settings(&self) -> Result<Settings> {
        let map = self.map(|name| name.ends_with(".rodata"))?;
        let bytes = map.lookup(&0u32.to_ne_bytes(), MapFlags::ANY)?.unwrap_or_default();
        Settings::decode(&bytes)
    }

    /// Counts the sockets that currently use one of the controls.
    pub fn sockets(&self) -> Result<Sockets> {
        sockets::count(&self.map(|name| name == SOCKETS)?)
    }

    /// Time since the controls were loaded.
    pub fn age(&self) -> Duration {
        let now = rustix::time::clock_gettime(ClockId::Boottime);
        let since_boot = Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0));
        since_boot.saturating_sub(self.load_time)
    }

    /// The map of the controls with a matching name.
    fn map(&self, is_wanted: impl Fn(&str) -> bool) -> Result<MapHandle> {
        for id in &self.maps {
            let map = MapHandle::from_map_id(*id).context("cannot open a map of the congestion controls")?;
            if is_wanted(&map.name().to_string_lossy()) {
                return Ok(map);
            }
        }
        Err(anyhow!("another version of the congestion controls is loaded; unload it first"))
    }
}

/// Opens a link; `None` if it has disappeared in the meantime.
fn link_by_id(id: u32) -> Option<OwnedFd> {
    // SAFETY: the system call takes a number and returns a descriptor or a negative error.
    let descriptor = unsafe { libbpf_sys::bpf_link_get_fd_by_id(id) };
    // SAFETY: the descriptor is new and owned by us.
    (descriptor >= 0).then(|| unsafe { OwnedFd::from_raw_fd(descriptor) })
}

fn record_message(_: PrintLevel, line: String) {
    if let Ok(mut messages) = MESSAGES.lock() {
        messages.push_str(&line);
    }
}

/// Adds the last lines of libbpf's messages to an error.
pub fn explain(error: libbpf_rs::Error, action: &str) -> anyhow::Error {
    const LINES: usize = 20;
    let messages = MESSAGES.lock().map(|all| all.clone()).unwrap_or_default();
    let lines: Vec<&str> = messages.lines().collect();
    let last = lines[lines.len().saturating_sub(LINES)..].join("\n");
    if let Some(requirement) = machine::version_requirement() {
        return anyhow!("{requirement}: {action}: {error}\n{last}");
    }
    match last.is_empty() {
        true => anyhow::Error::new(error).context(action.to_owned()),
        false => anyhow!("{action}: {error}\n{last}"),
    }
}
