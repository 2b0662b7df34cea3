//! newCWV: its object and parameters.

#[allow(unsafe_code, clippy::all, missing_docs, dead_code, reason = "generated")]
mod skeleton {
    include!(concat!(env!("OUT_DIR"), "/newcwv.skel.rs"));
}

use std::mem::MaybeUninit;
use std::ptr;

use anyhow::{Context, Result};
use libbpf_rs::skel::{OpenSkel, SkelBuilder};

use crate::control::{Implementation, Loaded};
use crate::kernel::{has_tx_start, open_error, register, rejected};
use crate::parameters::{Parameter, Values};
use crate::validity::Validity;

pub const NEWCWV: Implementation = Implementation {
    program: "newcwv_init",
    sockets: "newcwv_sockets",
    parameters: &[
        Parameter {
            option: "--validity",
            name: "non-validated period",
            default: Validity::LONGEST_MS,
            parse: |text| Ok(text.parse::<Validity>()?.millis()),
            show: |millis| Ok(Validity::of_millis(millis)?.to_string()),
        },
        Parameter {
            option: "--burst",
            name: "burst limit",
            // An initial window (RFC 6928), as in the simulator.
            default: 10,
            parse: parse_burst,
            show: |packets| {
                Ok(match packets {
                    0 => "none".to_owned(),
                    1 => "1 packet".to_owned(),
                    packets => format!("{packets} packets"),
                })
            },
        },
    ],
    requires_accurate_ecn: false,
    marks_packets: false,
    load,
};

/// Packets that one ACK or write may release in the non-validated phase without pacing (RFC 7661 §4.4.2); 0 for no limit.
fn parse_burst(text: &str) -> Result<u64> {
    let packets = text.trim().parse::<u32>();
    let packets = packets.with_context(|| {
        format!("`--burst` must be a number of packets from 0 (no limit) to {}, got `{text}`", u32::MAX)
    })?;
    Ok(u64::from(packets))
}

fn load(values: &Values) -> Result<Loaded> {
    let mut storage = MaybeUninit::uninit();
    let mut open = skeleton::NewcwvSkelBuilder::default().open(&mut storage).map_err(open_error)?;
    let rodata = open.maps.rodata_data.as_deref_mut();
    let parameters = &mut rodata.context("the BPF object must have a section of parameters")?.parameters;
    if let [validity, burst] = values.0[..] {
        parameters.validity_ms = validity;
        parameters.burst = burst;
    }
    if !has_tx_start()? {
        open.struct_ops.newcwv_mut().cwnd_event_tx_start = ptr::null_mut();
        open.struct_ops.newcwv_paced_mut().cwnd_event_tx_start = ptr::null_mut();
        open.progs.newcwv_cwnd_event_tx_start.set_autoload(false);
    }
    let mut loaded = open.load().map_err(rejected)?;
    let links = vec![register(&mut loaded.maps.newcwv)?, register(&mut loaded.maps.newcwv_paced)?];
    Ok(Loaded { links, for_packets: None })
}
