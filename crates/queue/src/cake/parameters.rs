//! Parameters of CAKE, with the names of tc-cake(8).

use jettison_core::{Bytes, Duration, Rate};
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ack_filter::AckFilter;
use super::associative::WAYS;
use super::classes::Tins;
use super::cobalt::Aqm;
use super::hosts::Isolation;
use super::rtt::Rtt;
use crate::{Framing, Limit};

/// Parameters of CAKE.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CakeParameters {
    /// Rate of the shaper, in bytes on the wire (`overhead`). Unset: no shaper.
    pub bandwidth: Option<Rate>,
    /// Sets the shaper to 15/16 of the rate at which packets arrive; `bandwidth` is the first estimate.
    pub autorate_ingress: bool,
    /// Bytes on the wire of a packet, beyond its IP length: bytes, `atm`, `ptm`, or keywords of tc-cake(8).
    pub overhead: Framing,
    /// Round-trip time that flows are assumed to have, or its keyword: `interval`, and 20 times `target`.
    pub rtt: Rtt,
    /// Classification into tins.
    pub tins: Tins,
    /// What has a queue of its own, and among whom a tin is shared first.
    pub isolation: Isolation,
    /// Former name of `isolation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<HostFairness>,
    /// Takes hosts behind a NAT at this node by their own addresses.
    pub nat: bool,
    /// Clears the DSCP after the classification.
    pub wash: bool,
    /// Removal of redundant acknowledgements from the queues.
    pub ack_filter: AckFilter,
    /// Counts dropped packets as carried, and keeps two packets per flow queued: for a shaper behind the bottleneck.
    pub ingress: bool,
    /// Memory of all packets together, as Linux counts it. Unset: 4 × `bandwidth` × `rtt`, at least 4 MiB, at most 15.5 MB.
    pub memlimit: Option<Bytes>,
    /// Limit of all flows together in addition to `memlimit`, in packets, bytes or both.
    pub limit: Limit,
    /// Slots per tin for flows, source hosts and destination hosts: a multiple of 8, at most 65,536. Linux has 1,024.
    pub flows: u32,
    /// Bytes per round for a flow whose hosts have no other flow. Unset: what the tin's rate carries in 1/4,096 s, at least
    /// 300 bytes and at most `maxpacket`.
    pub quantum: Option<Bytes>,
    /// Acceptable standing sojourn time per flow. Unset: `rtt` / 20, at least 1.5 packets at the tin's rate.
    pub target: Option<Duration>,
    /// Time to the second signal of a flow, about the longest RTT. Unset: `rtt`, more where `target` is raised.
    pub interval: Option<Duration>,
    /// Largest packet on the wire.
    pub maxpacket: Bytes,
    /// Makes CoDel mark ECN-capable packets (RFC 3168) instead of dropping them. BLUE always drops.
    pub ecn: bool,
}

/// Former values of `isolation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum HostFairness {
    /// `triple-isolate`.
    Triple,
    /// `dual-srchost`.
    Source,
    /// `dual-dsthost`.
    Destination,
    /// `flows`.
    Flows,
}

impl Default for CakeParameters {
    fn default() -> CakeParameters {
        CakeParameters {
            bandwidth: None,
            autorate_ingress: false,
            overhead: Framing::RAW,
            rtt: Rtt(Duration::from_millis(100)),
            tins: Tins::Diffserv3,
            isolation: Isolation::TripleIsolate,
            hosts: None,
            nat: false,
            wash: false,
            ack_filter: AckFilter::Off,
            ingress: false,
            memlimit: None,
            limit: Limit::UNLIMITED,
            flows: 1024,
            quantum: None,
            target: None,
            interval: None,
            maxpacket: Bytes::new(1514),
            ecn: true,
        }
    }
}

/// Flow indices are 16 bits wide.
const MAX_FLOWS: u32 = 65_536;
const MAX_QUANTUM: u64 = 1_000_000_000;
/// Smallest quantum that CAKE gives a tin.
const LEAST_QUANTUM: u64 = 300;
/// Largest and smallest of the automatic memory limits.
const MEMORY: (u64, u64) = (4 << 20, 10_240 * 1_514);

impl CakeParameters {
    /// Checks the ranges.
    ///
    /// # Errors
    /// With the key of the parameter.
    pub fn check(&self) -> Result<(), ParameterError> {
        let whole_sets = self.flows.is_multiple_of(WAYS as u32);
        let in_range = whole_sets && (1..=MAX_FLOWS).contains(&self.flows);
        ParameterError::require(in_range, "flows", "be a multiple of 8 in [8, 65536]", self.flows)?;
        if let Some(quantum) = self.quantum {
            // Its share by weights in sixteenths must not be zero.
            let in_range = (16..=MAX_QUANTUM).contains(&quantum.get());
            ParameterError::require(in_range, "quantum", "be in [16 bytes, 1 GB]", quantum)?;
        }
        if let Some(bandwidth) = self.bandwidth {
            let help = "be > 0; leave it out for no shaper";
            ParameterError::require(!bandwidth.is_zero(), "bandwidth", help, bandwidth)?;
        }
        ParameterError::unless(
            !self.autorate_ingress || self.bandwidth.is_some(),
            "autorate_ingress",
            || "requires `bandwidth`, the first estimate".to_owned(),
        )?;
        ParameterError::unless(
            self.hosts.is_none() || self.isolation == Isolation::TripleIsolate,
            "hosts",
            || "must be left out beside `isolation`, its present name".to_owned(),
        )?;
        ParameterError::require(!self.rtt.0.is_zero(), "rtt", "be > 0", self.rtt)?;
        for (key, time) in [("target", self.target), ("interval", self.interval)] {
            if let Some(time) = time {
                ParameterError::require(!time.is_zero(), key, "be > 0", time)?;
            }
        }
        if let Some(memlimit) = self.memlimit {
            ParameterError::require(memlimit.get() > 0, "memlimit", "be above 0 bytes", memlimit)?;
        }
        Ok(())
    }

    /// The isolation mode, by its present or its former name.
    pub fn isolation(&self) -> Isolation {
        match self.hosts {
            None => self.isolation,
            Some(HostFairness::Triple) => Isolation::TripleIsolate,
            Some(HostFairness::Source) => Isolation::DualSrchost,
            Some(HostFairness::Destination) => Isolation::DualDsthost,
            Some(HostFairness::Flows) => Isolation::Flows,
        }
    }

    /// COBALT's constants for a tin with this rate. At low rates the target is 1.5 packets, and the interval grows with it to at
    /// least two targets. The rule for the interval was measured with Linux 6.1.
    pub fn aqm(&self, rate: Option<Rate>) -> Aqm {
        let mtu_time = rate.map_or(Duration::ZERO, |rate| rate.time_for(self.maxpacket));
        let nominal = self.rtt.0 / 20;
        let raised = nominal.max(mtu_time + mtu_time / 2);
        let target = self.target.unwrap_or(raised).max(Duration::from_nanos(1));
        let grown = self.rtt.0.saturating_add(raised.saturating_sub(nominal)).max(raised.saturating_mul(2));
        Aqm { target, interval: self.interval.unwrap_or(grown), mtu_time }
    }

    /// Bytes per round of a flow in a tin with this rate.
    pub fn quantum(&self, rate: Option<Rate>) -> u64 {
        let most = self.maxpacket.get().max(LEAST_QUANTUM);
        let by_rate = rate.map_or(most, |rate| (rate.as_bits() / 8 / 4096).clamp(LEAST_QUANTUM, most));
        self.quantum.map_or(by_rate, Bytes::get)
    }

    /// Memory limit at this rate.
    pub fn memory(&self, rate: Option<Rate>) -> u64 {
        let by_rate = rate.map_or(u64::MAX, |rate| {
            let (bytes, interval) =
                (u128::from(rate.as_bits() / 8), u128::from(self.aqm(Some(rate)).interval.as_nanos()));
            u64::try_from(4 * bytes * interval / 1_000_000_000).unwrap_or(u64::MAX)
        });
        self.memlimit.map_or(by_rate.clamp(MEMORY.0, MEMORY.1), Bytes::get)
    }
}

/// Memory of a packet in Linux: its buffer, a power of two, and the descriptor. Measured with UDP on Linux 6.1: 768 bytes for up
/// to 162 bytes of IP length, 1,280 up to 674, 2,304 up to 1,698.
#[inline]
pub fn memory_of(length: u16) -> u64 {
    (u64::from(length) + 350).next_power_of_two() + 256
}

#[cfg(test)]
#[path = "parameter_tests.rs"]
mod tests;
