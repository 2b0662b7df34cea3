//! Prague: its object and parameters.

#[allow(unsafe_code, clippy::all, missing_docs, dead_code, reason = "generated")]
mod skeleton {
    include!(concat!(env!("OUT_DIR"), "/prague.skel.rs"));
}

use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::ptr;

use anyhow::{Context, Result, bail};
use libbpf_rs::skel::{OpenSkel, SkelBuilder};

use crate::control::{Implementation, Loaded};
use crate::kernel::{has_tx_start, open_error, register, rejected};
use crate::parameters::{Parameter, Values};

const ECT_0: u64 = 0;
const ECT_1: u64 = 1;
/// Flag of `tcp_congestion_ops` for an ECT(1) SYN.
const ECT_1_NEGOTIATION: u32 = 8;

pub const PRAGUE: Implementation = Implementation {
    program: "prague_init",
    sockets: "prague_sockets",
    parameters: &[Parameter {
        option: "--codepoint",
        name: "codepoint",
        default: ECT_1,
        parse: |text| match text {
            "ect0" => Ok(ECT_0),
            "ect1" => Ok(ECT_1),
            _ => bail!("`--codepoint` must be ect1 or ect0, got `{text}`"),
        },
        show: |value| match value {
            ECT_0 => Ok("ect0".to_owned()),
            ECT_1 => Ok("ect1".to_owned()),
            _ => bail!("another version of the congestion controls is loaded; unload it first"),
        },
    }],
    requires_accurate_ecn: true,
    marks_packets: true,
    load,
};

fn load(values: &Values) -> Result<Loaded> {
    let mut storage = MaybeUninit::uninit();
    let mut open = skeleton::PragueSkelBuilder::default().open(&mut storage).map_err(open_error)?;
    let rodata = open.maps.rodata_data.as_deref_mut();
    let parameters = &mut rodata.context("the BPF object must have a section of parameters")?.parameters;
    let codepoint = values.0.first().copied().unwrap_or(ECT_1);
    parameters.codepoint = codepoint;
    if codepoint == ECT_0 {
        open.struct_ops.prague_mut().flags &= !ECT_1_NEGOTIATION;
    }
    if !has_tx_start()? {
        open.struct_ops.prague_mut().cwnd_event_tx_start = ptr::null_mut();
        open.progs.prague_cwnd_event_tx_start.set_autoload(false);
    }
    let mut loaded = open.load().map_err(rejected)?;
    let for_packets = loaded.progs.prague_codepoint.as_fd().try_clone_to_owned()?;
    Ok(Loaded { links: vec![register(&mut loaded.maps.prague)?], for_packets: Some(for_packets) })
}

/// Whether data shall be ECT(1) with these parameters, which requires the program on the devices.
pub fn wants_ect_1(values: &Values) -> bool {
    values.0.first() == Some(&ECT_1)
}
