//! What the loader knows of each control.

use std::os::fd::OwnedFd;

use anyhow::{Context, Result, bail};
use libbpf_rs::Link;

use crate::dctcp::DCTCP;
use crate::list::{CONTROLS, Control};
use crate::newcwv::NEWCWV;
use crate::parameters::{Parameter, Values};
use crate::prague::PRAGUE;

/// The BPF object of a control.
pub struct Implementation {
    /// One of the object's programs, which identifies it.
    pub program: &'static str,
    /// The object's map of sockets; the kernel cuts names after 15 characters.
    pub sockets: &'static str,
    pub parameters: &'static [Parameter],
    /// Whether it asks for AccECN, which not all kernels have.
    pub requires_accurate_ecn: bool,
    /// Whether it has a program for packets that leave a device.
    pub marks_packets: bool,
    /// Loads the object and registers its names. They exist until the links are dropped, or while the links are pinned.
    pub load: fn(&Values) -> Result<Loaded>,
}

/// A control that this process has loaded.
pub struct Loaded {
    /// A link per name, which registers it.
    pub links: Vec<Link>,
    /// The program for packets that leave a device, if there is one.
    pub for_packets: Option<OwnedFd>,
}

/// The object of a control.
pub fn implementation(control: &Control) -> Result<&'static Implementation> {
    match control.id {
        "newcwv" => Ok(&NEWCWV),
        "dctcp" => Ok(&DCTCP),
        "prague" => Ok(&PRAGUE),
        other => bail!("`{other}` has no BPF object"),
    }
}

/// Finds a control by a name from the command line.
pub fn by_name(name: &str) -> Result<&'static Control> {
    let known = || CONTROLS.map(|control| control.id).join(", ");
    Control::find(name).with_context(|| format!("unknown congestion control `{name}`; known: {}", known()))
}
