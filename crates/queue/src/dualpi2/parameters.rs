//! Parameters of DualPI2: RFC 9332's, and Linux's as a preset.

use jettison_core::{Bytes, Duration};
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::Treatment;
use crate::{Dscp, Hertz, Limit};

/// Parameters of DualPI2, with RFC 9332's names. Keys that a table leaves out have the values of its `preset`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DualPi2Parameters {
    /// Values of the keys that are not given: RFC 9332's (appendix A.1) or those of Linux's `dualpi2` (tc-dualpi2(8)).
    pub preset: Preset,
    /// Target queueing delay of the Classic queue.
    pub target: Duration,
    /// Time between two updates of p' (Tupdate).
    pub t_update: Duration,
    /// Integral gain: change of p' per update and per second of delay above target.
    pub alpha: Hertz,
    /// Proportional gain: change of p' per update and per second of delay growth.
    pub beta: Hertz,
    /// Largest RTT to be stable for. With it or `typical_rtt`, `target`, `t_update`, `alpha` and `beta` follow from the RTTs
    /// (RFC 9332 appendix A.1; tc-dualpi2(8)). Unset: six times `typical_rtt`.
    pub max_rtt: Option<Duration>,
    /// Typical RTT, which becomes the `target`. Unset: a sixth of `max_rtt`.
    pub typical_rtt: Option<Duration>,
    /// Coupling factor, > 0: L is marked with at least k · p'.
    pub k: f64,
    /// Delay of the L queue at which the marking ramp starts (minTh).
    pub min_th: Duration,
    /// Width of the ramp: at `min_th` + `range` every packet is marked. Zero makes it a step.
    pub range: Duration,
    /// The ramp applies only while the L queue holds more packets than this (Th_len).
    pub th_len: u64,
    /// Probabilities of p' apply only while both queues together hold at least this much, before the packet arrives or leaves.
    pub min_backlog: Bytes,
    /// ECN fields that are L's: ECT(1) and CE, or those and ECT(0).
    pub ect: Ect,
    /// DSCPs whose packets are in L too, whatever their ECN field (RFC 9331 §5.4.1.1), such as "NQB". Without ECT(1) or CE
    /// they are signalled as Classic packets, with (p_L / k)².
    pub l_dscp: Vec<Dscp>,
    /// Drops Not-ECT packets of `l_dscp` with that probability. False if something else protects L from flows that build a
    /// queue (RFC 9332 §2.5.1.1).
    pub l_dscp_drop: bool,
    /// Answer to saturated marking: p'² drops in both queues, or probabilities are capped and queues grow.
    pub overload: Overload,
    /// Where the probabilities of p' are applied. L's ramp is always applied at departures.
    pub aqm_at: AqmAt,
    /// Scheduler between the two queues.
    pub scheduler: Scheduler,
    /// Share of the bytes for the Classic queue under `wrr` while both queues have a backlog, in (0, 1).
    pub classic_share: f64,
    /// Head start of the L queue under `ts-fifo`.
    pub t_shift: Duration,
    /// Limit of both queues together, in packets, bytes or both; arrivals that exceed it are dropped.
    pub limit: Limit,
}

/// Values of the keys that are not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Preset {
    /// RFC 9332, appendix A.1.
    #[default]
    Rfc,
    /// Linux's `dualpi2`, by its manual page.
    Linux,
}

/// ECN fields that belong to the L queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Ect {
    /// ECT(1) and CE (RFC 9332 §2.3).
    L4s,
    /// Every ECN-capable packet, for DCTCP with ECT(0) in a data centre.
    Any,
}

/// Answer to saturated marking (RFC 9332 §4.2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Overload {
    /// Drops packets of both queues with p'², ECN-capable or not.
    Drop,
    /// Caps p' at 1/k: the queues grow until the buffer is full.
    Overflow,
}

/// Where the probabilities of p' are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum AqmAt {
    /// At departures.
    Dequeue,
    /// At arrivals.
    Enqueue,
}

/// Scheduler between the two queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Scheduler {
    /// Weighted round robin: L has priority, but C is guaranteed its share (conditional priority).
    Wrr,
    /// Time-shifted FIFO: serves the packet with the longest sojourn time; `t_shift` is added to those in L.
    TsFifo,
}

impl Default for DualPi2Parameters {
    fn default() -> DualPi2Parameters {
        DualPi2Parameters {
            preset: Preset::Rfc,
            target: Duration::from_millis(15),
            t_update: Duration::from_millis(15),
            alpha: Hertz::new(0.15),
            beta: Hertz::new(3.0),
            max_rtt: None,
            typical_rtt: None,
            k: 2.0,
            min_th: Duration::from_micros(800),
            range: Duration::from_micros(400),
            th_len: 1,
            min_backlog: Bytes::new(0),
            ect: Ect::L4s,
            l_dscp: Vec::new(),
            l_dscp_drop: true,
            overload: Overload::Drop,
            aqm_at: AqmAt::Dequeue,
            scheduler: Scheduler::Wrr,
            classic_share: 1.0 / 16.0,
            t_shift: Duration::from_millis(50),
            limit: Limit::packets(10_000),
        }
    }
}

/// What follows from the RTTs (RFC 9332 appendix A.1, figure 2).
struct Derived {
    target: Duration,
    t_update: Duration,
    alpha: f64,
    beta: f64,
}

impl Derived {
    /// `None` if neither RTT is given.
    fn of(max_rtt: Option<Duration>, typical_rtt: Option<Duration>) -> Option<Derived> {
        let (max, typical) = match (max_rtt, typical_rtt) {
            (Some(max), Some(typical)) => (max, typical),
            (Some(max), None) => (max, max / 6),
            (None, Some(typical)) => (typical.saturating_mul(6), typical),
            (None, None) => return None,
        };
        let (t_update, seconds) = (typical.min(max / 3), max.as_secs_f64());
        let alpha = 0.1 * t_update.as_secs_f64() / (seconds * seconds);
        Some(Derived { target: typical, t_update, alpha, beta: 0.3 / seconds })
    }
}

impl DualPi2Parameters {
    /// The defaults of a preset. Linux's are those of tc-dualpi2(8); `min_backlog` is what RFC 9332 appendix A.1 reports of the
    /// Linux reference implementation, two MTUs of 1,500 bytes.
    pub fn preset(preset: Preset) -> DualPi2Parameters {
        let rfc = DualPi2Parameters::default();
        match preset {
            Preset::Rfc => rfc,
            Preset::Linux => DualPi2Parameters {
                preset,
                t_update: Duration::from_millis(16),
                alpha: Hertz::new(0.16),
                beta: Hertz::new(3.2),
                min_th: Duration::from_millis(1),
                range: Duration::ZERO,
                th_len: 0,
                min_backlog: Bytes::new(3000),
                classic_share: 0.1,
                ..rfc
            },
        }
    }

    pub(super) fn check(&self) -> Result<(), ParameterError> {
        for (key, rtt) in [("max_rtt", self.max_rtt), ("typical_rtt", self.typical_rtt)] {
            ParameterError::require(rtt.is_none_or(|rtt| !rtt.is_zero()), key, "be > 0", "0 ms")?;
        }
        self.check_derived()?;
        ParameterError::require(!self.t_update.is_zero(), "t_update", "be > 0", self.t_update)?;
        let in_range = self.k.is_finite() && self.k > 0.0;
        ParameterError::require(in_range, "k", "be finite and > 0", self.k)?;
        let in_range = self.classic_share > 0.0 && self.classic_share < 1.0;
        ParameterError::require(in_range, "classic_share", "be in (0, 1)", self.classic_share)?;
        let is_linux = self.preset == Preset::Linux;
        ParameterError::unless(!is_linux || self.range.is_zero(), "range", || {
            let range = self.range;
            format!(
                "must be 0 ms with `preset = \"linux\"`, whose L queue has a step at `min_th`, got {range}"
            )
        })?;
        ParameterError::unless(!is_linux || self.scheduler == Scheduler::Wrr, "scheduler", || {
            "must be \"wrr\" with `preset = \"linux\"`, which has no time-shifted FIFO, got \"ts-fifo\""
                .to_owned()
        })
    }

    /// Keys that follow from the RTTs have no other value.
    fn check_derived(&self) -> Result<(), ParameterError> {
        let Some(derived) = Derived::of(self.max_rtt, self.typical_rtt) else { return Ok(()) };
        let follows = |holds: bool, key: &str, expected: String, found: String| {
            ParameterError::unless(holds, key, || {
                format!(
                    "must be left out with `max_rtt` or `typical_rtt`, from which it follows as {expected}, got {found}"
                )
            })
        };
        let equal = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs();
        let (alpha, beta) = (self.alpha.get(), self.beta.get());
        let time = |expected: Duration, found: Duration, key: &str| {
            follows(expected == found, key, expected.to_string(), found.to_string())
        };
        time(derived.target, self.target, "target")?;
        time(derived.t_update, self.t_update, "t_update")?;
        let gain = |expected: f64, found: f64, key: &str| {
            follows(
                equal(found, expected),
                key,
                Hertz::new(expected).to_string(),
                Hertz::new(found).to_string(),
            )
        };
        gain(derived.alpha, alpha, "alpha")?;
        gain(derived.beta, beta, "beta")
    }

    /// The treatment of packets with a traffic class byte.
    pub(super) fn treatment(&self, traffic_class: u8) -> Treatment {
        const ECT0: u8 = 2;
        let is_scalable = traffic_class & 1 == 1 || (traffic_class & 3 == ECT0 && self.ect == Ect::Any);
        if is_scalable {
            Treatment::Scalable
        } else if self.l_dscp.iter().any(|dscp| dscp.get() == traffic_class >> 2) {
            Treatment::Guest
        } else {
            Treatment::Classic
        }
    }
}

/// A table of parameters, in which `preset` gives the values of the keys that are left out.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    preset: Option<Preset>,
    target: Option<Duration>,
    t_update: Option<Duration>,
    alpha: Option<Hertz>,
    beta: Option<Hertz>,
    max_rtt: Option<Duration>,
    typical_rtt: Option<Duration>,
    k: Option<f64>,
    min_th: Option<Duration>,
    range: Option<Duration>,
    th_len: Option<u64>,
    min_backlog: Option<Bytes>,
    ect: Option<Ect>,
    l_dscp: Option<Vec<Dscp>>,
    l_dscp_drop: Option<bool>,
    overload: Option<Overload>,
    aqm_at: Option<AqmAt>,
    scheduler: Option<Scheduler>,
    classic_share: Option<f64>,
    t_shift: Option<Duration>,
    limit: Option<Limit>,
}

impl<'de> Deserialize<'de> for DualPi2Parameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<DualPi2Parameters, D::Error> {
        let given = Table::deserialize(deserializer)?;
        let mut base = DualPi2Parameters::preset(given.preset.unwrap_or_default());
        if let Some(derived) = Derived::of(given.max_rtt, given.typical_rtt) {
            (base.target, base.t_update) = (derived.target, derived.t_update);
            (base.alpha, base.beta) = (Hertz::new(derived.alpha), Hertz::new(derived.beta));
        }
        Ok(DualPi2Parameters {
            preset: base.preset,
            target: given.target.unwrap_or(base.target),
            t_update: given.t_update.unwrap_or(base.t_update),
            alpha: given.alpha.unwrap_or(base.alpha),
            beta: given.beta.unwrap_or(base.beta),
            max_rtt: given.max_rtt,
            typical_rtt: given.typical_rtt,
            k: given.k.unwrap_or(base.k),
            min_th: given.min_th.unwrap_or(base.min_th),
            range: given.range.unwrap_or(base.range),
            th_len: given.th_len.unwrap_or(base.th_len),
            min_backlog: given.min_backlog.unwrap_or(base.min_backlog),
            ect: given.ect.unwrap_or(base.ect),
            l_dscp: given.l_dscp.unwrap_or(base.l_dscp),
            l_dscp_drop: given.l_dscp_drop.unwrap_or(base.l_dscp_drop),
            overload: given.overload.unwrap_or(base.overload),
            aqm_at: given.aqm_at.unwrap_or(base.aqm_at),
            scheduler: given.scheduler.unwrap_or(base.scheduler),
            classic_share: given.classic_share.unwrap_or(base.classic_share),
            t_shift: given.t_shift.unwrap_or(base.t_shift),
            limit: given.limit.unwrap_or(base.limit),
        })
    }
}
