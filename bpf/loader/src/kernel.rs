//! The congestion controls in the kernel: loading and lookup.

#![allow(unsafe_code, reason = "functions of libbpf")]

use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use libbpf_rs::btf::{Btf, types};
use libbpf_rs::query::{LinkInfoIter, LinkTypeInfo, MapInfoIter, ProgInfoIter, ProgInfoQueryOptions};
use libbpf_rs::{Link, MapCore, MapFlags, MapHandle, MapMut, PrintLevel, libbpf_sys};
use rustix::time::ClockId;

use crate::control::{Implementation, Loaded, implementation};
use crate::list::Control;
use crate::machine;
use crate::parameters::Values;
use crate::sockets::{self, Sockets};

/// Member of `tcp_congestion_ops` that some kernels call when sending starts; others call `cwnd_event`.
const TX_START: &str = "cwnd_event_tx_start";
/// Member of `tcp_sock` in kernels with AccECN.
const ACCURATE: &str = "received_ce";

/// Messages of libbpf, in particular the verifier's log.
static MESSAGES: Mutex<String> = Mutex::new(String::new());

/// References that keep a control registered while the process exists.
pub enum Held {
    /// Links that this process created.
    Own { _loaded: Loaded },
    /// Links of another process or of a pin.
    Shared { _links: Vec<OwnedFd>, _for_packets: Option<OwnedFd> },
}

/// Loads and registers a control. It exists until its links are dropped, or while the links are pinned.
pub fn load(control: &Control, values: &Values) -> Result<Loaded> {
    let taken = machine::names_in_use(control)?;
    if !taken.is_empty() {
        bail!(
            "this kernel has another congestion control of the name {}, which is used; nothing was loaded",
            taken.join(" and ")
        );
    }
    let object = implementation(control)?;
    if object.requires_accurate_ecn && !has_member("tcp_sock", ACCURATE)? {
        bail!(
            "{} requires accurate ECN (AccECN, RFC 9768), which this kernel, Linux {}, lacks; Linux 6.18 has it",
            control.id,
            machine::release()
        );
    }
    libbpf_rs::set_print(Some((PrintLevel::Warn, record_message)));
    (object.load)(values)
}

/// The error of an object that cannot be opened.
pub fn open_error(error: libbpf_rs::Error) -> anyhow::Error {
    explain(error, "cannot read the BPF object")
}

/// The error of an object that the kernel rejected.
pub fn rejected(error: libbpf_rs::Error) -> anyhow::Error {
    explain(error, "the kernel rejected the BPF programs")
}

/// Registers a name.
pub fn register(map: &mut MapMut<'_>) -> Result<Link> {
    map.attach_struct_ops().map_err(|error| explain(error, "the kernel rejected the congestion control"))
}

/// Whether the kernel has the member [`TX_START`].
pub fn has_tx_start() -> Result<bool> {
    has_member("tcp_congestion_ops", TX_START)
}

/// Whether a struct of the kernel has a member.
fn has_member(of: &str, name: &str) -> Result<bool> {
    let btf = Btf::from_vmlinux().context("cannot read the kernel's type information")?;
    let members: types::Struct<'_> =
        btf.type_by_name(of).with_context(|| format!("the kernel's type information must contain `{of}`"))?;
    Ok(members.iter().any(|member| member.name.is_some_and(|member| member == name)))
}

/// Finds a control that a pin or a process keeps registered; `None` if there is none of ours.
pub fn find(control: &'static Control) -> Result<Option<Controller>> {
    let program = implementation(control)?.program;
    let mut found = None;
    // A process that ends releases its links one by one, so a partial result is retried. Without one of our programs the
    // names belong to another control.
    machine::wait_until(Duration::from_millis(500), || {
        found = find_all(control)?;
        let is_over = || Ok(machine::names_in_use(control)?.is_empty() || newest_program(program).is_none());
        if found.is_some() { Ok(true) } else { is_over() }
    })?;
    Ok(found)
}

fn find_all(control: &'static Control) -> Result<Option<Controller>> {
    let object = implementation(control)?;
    let mut links: Vec<Option<OwnedFd>> = control.names.iter().map(|_| None).collect();
    for link in LinkInfoIter::default() {
        let LinkTypeInfo::StructOps(info) = link.info else { continue };
        // A link whose controller was unregistered has no map.
        let map = MapInfoIter::default().find(|map| map.id == info.map_id);
        let index = map.and_then(|map| control.names.iter().position(|name| map.name == *name));
        if let Some(index) = index {
            links[index] = link_by_id(link.id);
        }
    }
    let Some(links) = links.into_iter().collect::<Option<Vec<OwnedFd>>>() else { return Ok(None) };
    // Programs can outlive their links while sockets use them, but the newest program is the registered one.
    let Some(program) = newest_program(object.program) else { return Ok(None) };
    Ok(Some(Controller { control, object, links, maps: program.map_ids, load_time: program.load_time }))
}

/// The program of that name that was loaded last.
pub fn newest_program(name: &str) -> Option<libbpf_rs::query::ProgramInfo> {
    let programs = ProgInfoIter::with_query_opts(ProgInfoQueryOptions::default().include_map_ids(true));
    programs.filter(|program| program.name == name).max_by_key(|program| program.id)
}

/// A registered control.
pub struct Controller {
    pub control: &'static Control,
    object: &'static Implementation,
    links: Vec<OwnedFd>,
    maps: Vec<u32>,
    load_time: Duration,
}

impl Controller {
    /// Returns the links, which keep the control registered.
    pub fn into_links(self) -> Vec<OwnedFd> {
        self.links
    }

    /// Parameters of the loaded control.
    pub fn values(&self) -> Result<Values> {
        if self.object.parameters.is_empty() {
            return Ok(Values(Vec::new()));
        }
        let map = self.map(|name| name.ends_with(".rodata"))?;
        let bytes = map.lookup(&0u32.to_ne_bytes(), MapFlags::ANY)?.unwrap_or_default();
        Values::decode(self.object.parameters, &bytes)
    }

    /// One line per parameter.
    pub fn lines(&self) -> Result<Vec<String>> {
        self.values()?.lines(self.object.parameters)
    }

    /// Checks that the parameters are the `wanted` ones.
    pub fn must_have(&self, wanted: &Values) -> Result<()> {
        self.values()?.must_be(wanted, self.control, self.object.parameters)
    }

    /// Counts the sockets that currently use the control.
    pub fn sockets(&self) -> Result<Sockets> {
        sockets::count(&self.map(|name| name == self.object.sockets)?)
    }

    /// Time since the control was loaded.
    pub fn age(&self) -> Duration {
        let now = rustix::time::clock_gettime(ClockId::Boottime);
        let since_boot = Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0));
        since_boot.saturating_sub(self.load_time)
    }

    /// The map of the control with a matching name.
    fn map(&self, is_wanted: impl Fn(&str) -> bool) -> Result<MapHandle> {
        for id in &self.maps {
            let map = MapHandle::from_map_id(*id).context("cannot open a map of the congestion control")?;
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
