//! DCTCP: its object, without parameters.

#[allow(unsafe_code, clippy::all, missing_docs, dead_code, reason = "generated")]
mod skeleton {
    include!(concat!(env!("OUT_DIR"), "/dctcp.skel.rs"));
}

use std::mem::MaybeUninit;

use anyhow::Result;
use libbpf_rs::skel::{OpenSkel, SkelBuilder};

use crate::control::{Implementation, Loaded};
use crate::kernel::{open_error, register, rejected};
use crate::parameters::Values;

pub const DCTCP: Implementation = Implementation {
    program: "dctcp_init",
    sockets: "dctcp_sockets",
    parameters: &[],
    requires_accurate_ecn: false,
    marks_packets: false,
    load,
};

fn load(_: &Values) -> Result<Loaded> {
    let mut storage = MaybeUninit::uninit();
    let open = skeleton::DctcpSkelBuilder::default().open(&mut storage).map_err(open_error)?;
    let mut loaded = open.load().map_err(rejected)?;
    Ok(Loaded { links: vec![register(&mut loaded.maps.dctcp)?], for_packets: None })
}
