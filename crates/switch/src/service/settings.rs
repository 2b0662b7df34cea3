//! Settings of the service model.

use jettison_core::Duration;
use jettison_queue::PacketsPerSecond;
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Packets;

/// Service model of a software switch: the CPU time of each pass, the threads that make the passes, the processors that the
/// threads share, and the queues between them. The threads and limits are those of BMv2's `simple_switch`; the default times
/// are those measured of it (`docs/src/appendix/software-switch.md`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ServiceSettings {
    /// Number of processors. With fewer processors than threads, a free processor takes the ready thread with the least CPU
    /// time so far, see `slice`.
    pub cpus: u32,
    /// Number of egress workers. Worker n serves the ports p with p % `egress_workers` = n.
    pub egress_workers: u16,
    /// CPU time of the receive thread per packet from a link.
    pub receive: Duration,
    /// CPU time of a pass through parser and ingress.
    pub ingress: Duration,
    /// CPU time of a pass through egress and deparser.
    pub egress: Duration,
    /// Additional CPU time of a pass that makes a clone, per clone.
    pub clone: Duration,
    /// Additional CPU time of an egress pass that recirculates its packet.
    pub recirculation: Duration,
    /// CPU time of the transmit thread per packet to a link.
    pub transmit: Duration,
    /// Additional CPU time per 1,000 bytes of IP length in `receive`, `clone`, `recirculation` and `transmit` each, which copy
    /// the packet.
    pub per_kilobyte: Duration,
    /// Lead in CPU time up to which a thread keeps its processor while others are ready: the granularity of the operating
    /// system's scheduler. `"0 s"`: the ready thread with the least CPU time makes the next pass.
    pub slice: Duration,
    /// Maximum rate of the egress queue of each port, as BMv2's `set_queue_rate` sets it. Unset: the queues are served as fast
    /// as the workers can.
    pub queue_rate: Option<PacketsPerSecond>,
    /// Limit of packets per port that wait for the receive thread; excess packets are dropped as `input-full`.
    pub capture_buffer: Packets,
    /// Limit of packets from links that wait for ingress. While it is reached, the receive thread waits.
    pub input_buffer: Packets,
    /// Limit of recirculated packets that wait for ingress, which takes them first; excess packets are dropped as
    /// `recirculation-full`.
    pub recirculation_buffer: Packets,
    /// Limit of packets that wait for the transmit thread. While it is reached, egress workers with a packet to send wait.
    pub output_buffer: Packets,
    /// Limit of packets per port that wait for the link. While it is reached, the transmit thread waits.
    pub device_buffer: Packets,
    /// Variation of all CPU times. Unset: none.
    pub slowdown: Option<SlowdownSettings>,
}

/// Variation of the CPU times: a random factor that is constant for a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlowdownSettings {
    /// Quantiles of the factor, as pairs of probability and factor in ascending order. Between two of them the factor is
    /// interpolated linearly; below the first and above the last it is constant.
    pub quantiles: Vec<[f64; 2]>,
    /// Time for which a factor holds.
    pub hold: Duration,
}

/// The shortest `hold`. Every factor is drawn, also while the switch is idle, so that runs of the same seed share the series.
const SHORTEST_HOLD: Duration = Duration::from_micros(10);

impl Default for ServiceSettings {
    fn default() -> ServiceSettings {
        ServiceSettings {
            cpus: 1,
            egress_workers: 4,
            receive: Duration::from_micros(12),
            ingress: Duration::from_micros(7),
            egress: Duration::from_micros(5),
            clone: Duration::from_micros(12),
            recirculation: Duration::from_nanos(2_500),
            transmit: Duration::from_micros(9),
            per_kilobyte: Duration::from_nanos(200),
            slice: Duration::from_micros(700),
            queue_rate: None,
            capture_buffer: Packets(32),
            input_buffer: Packets(1_024),
            recirculation_buffer: Packets(1_024),
            output_buffer: Packets(128),
            device_buffer: Packets(70),
            slowdown: None,
        }
    }
}

impl ServiceSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// If a number of processors, workers or packets, or the time of a pass, is zero, or the slowdown is no distribution.
    pub fn check(&self) -> Result<(), ParameterError> {
        ParameterError::require(self.cpus > 0, "cpus", "be >= 1", self.cpus)?;
        ParameterError::require(self.egress_workers > 0, "egress_workers", "be >= 1", self.egress_workers)?;
        // Without these two, a clone that recirculates for ever would take no time.
        for (key, cost) in [("ingress", self.ingress), ("egress", self.egress)] {
            ParameterError::require(!cost.is_zero(), key, "be > 0", cost)?;
        }
        for (key, limit) in [
            ("capture_buffer", self.capture_buffer),
            ("input_buffer", self.input_buffer),
            ("recirculation_buffer", self.recirculation_buffer),
            ("output_buffer", self.output_buffer),
            ("device_buffer", self.device_buffer),
        ] {
            ParameterError::require(limit.0 > 0, key, "be >= 1 packet", limit)?;
        }
        self.slowdown.as_ref().map_or(Ok(()), |slowdown| slowdown.check().map_err(|e| e.under("slowdown")))
    }
}

impl ServiceSettings {
    /// Upper bound of the rate of full-sized packets that cross the switch once, in packets/s, without clones and slowdown.
    pub fn packet_rate(&self) -> f64 {
        let copy = self.per_kilobyte.as_secs_f64() * 1.5;
        let passes = [
            self.receive.as_secs_f64() + copy,
            self.ingress.as_secs_f64(),
            self.egress.as_secs_f64(),
            self.transmit.as_secs_f64() + copy,
        ];
        let longest = passes.iter().copied().fold(0.0, f64::max);
        (f64::from(self.cpus) / passes.iter().sum::<f64>()).min(1.0 / longest)
    }
}

impl SlowdownSettings {
    fn check(&self) -> Result<(), ParameterError> {
        let requirement = format!("be >= {SHORTEST_HOLD}");
        ParameterError::require(self.hold >= SHORTEST_HOLD, "hold", &requirement, self.hold)?;
        let written = || {
            let pairs: Vec<String> = self.quantiles.iter().map(|[p, f]| format!("[{p}, {f}]")).collect();
            format!("[{}]", pairs.join(", "))
        };
        let must = |holds: bool, requirement: &str| {
            if holds { Ok(()) } else { Err(ParameterError::must("quantiles", requirement, written())) }
        };
        must(!self.quantiles.is_empty(), "have at least one pair")?;
        let in_range = |[p, f]: &[f64; 2]| (0.0..=1.0).contains(p) && *f > 0.0 && f.is_finite();
        must(self.quantiles.iter().all(in_range), "have probabilities in [0, 1] and factors > 0")?;
        let ascending = |pair: &[[f64; 2]]| pair[0][0] < pair[1][0] && pair[0][1] <= pair[1][1];
        must(self.quantiles.windows(2).all(ascending), "ascend")
    }
}
