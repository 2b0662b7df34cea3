//! What is measured: a name and a unit.

use jettison_core::Duration;

/// A measured quantity. Any crate may define more; [`metrics`] holds those of queues and flows in general.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Metric {
    /// Name in results, lower case with underscores.
    pub name: &'static str,
    /// Unit in results.
    pub unit: &'static str,
}

impl Metric {
    /// A metric of that name and unit.
    pub const fn new(name: &'static str, unit: &'static str) -> Metric {
        Metric { name, unit }
    }

    /// `duration` as a number in this metric's unit; in milliseconds if that is no unit of time.
    pub fn of_duration(self, duration: Duration) -> f64 {
        let nanos = duration.as_nanos() as f64;
        match self.unit {
            "s" => nanos / 1e9,
            "us" => nanos / 1e3,
            _ => nanos / 1e6,
        }
    }
}

/// The metrics of queues, links and flows.
#[allow(missing_docs)] // name and unit say it all
pub mod metrics {
    use super::Metric;

    macro_rules! metrics {
        ($($(#[$doc:meta])* $id:ident = $name:literal, $unit:literal;)*) => {
            $($(#[$doc])* pub const $id: Metric = Metric::new($name, $unit);)*
            /// All of them.
            pub const ALL: &[Metric] = &[$($id),*];
        };
    }
    metrics! {
        BACKLOG = "backlog", "packets";
        BACKLOG_BYTES = "backlog_bytes", "bytes";
        SOJOURN = "sojourn", "ms";
        SOJOURN_MAX = "sojourn_max", "ms";
        THROUGHPUT = "throughput", "Mbit/s";
        UTILISATION = "utilisation", "%";
        DROPS = "drops", "packets";
        DROP_RATE = "drop_rate", "%";
        MARKS = "marks", "packets";
        PACKETS = "packets", "packets";

        GOODPUT = "goodput", "Mbit/s";
        CWND = "cwnd", "bytes";
        SSTHRESH = "ssthresh", "bytes";
        SRTT = "srtt", "ms";
        RTT = "rtt", "ms";
        IN_FLIGHT = "in_flight", "bytes";
        PACING_RATE = "pacing_rate", "Mbit/s";
        RETRANSMITS = "retransmits", "packets";
        TIMEOUTS = "timeouts", "count";
        OWD = "owd", "ms";
        JITTER = "jitter", "ms";
        DEADLINE_MISS = "deadline_miss", "%";
        LONGEST_GAP = "longest_gap", "ms";
        LOSS = "loss", "%";
        SENT = "sent", "packets";
        RECEIVED = "received", "packets";
        SEND_RATE = "send_rate", "Mbit/s";
        BANDWIDTH_ESTIMATE = "bandwidth_estimate", "Mbit/s";
        SEND_BUFFER = "send_buffer", "bytes";
        FRAMES = "frames", "count";
        FRAME_LOSS = "frame_loss", "%";
        FRAME_DELAY = "frame_delay", "ms";
        COMPLETION = "completion_time", "ms";
        TRANSFERS = "transfers", "count";
        FAILED_TRANSFERS = "failed_transfers", "count";
        FAIRNESS = "jain_index", "1";

        BUFFER = "buffer", "s";
        FRAMES_PER_SECOND = "frames_per_second", "1/s";
        REPRESENTATION_RATE = "representation_rate", "kbit/s";
        SEGMENT_RATE = "segment_rate", "kbit/s";
        BURST_TIME = "burst_time", "ms";
        SWITCHES = "switches", "count";
        ABANDONED = "abandoned", "count";
        START_UP_DELAY = "start_up_delay", "s";
        STALLS = "stalls", "count";
        STALL_TIME = "stall_time", "s";
        STALL_RATIO = "stall_ratio", "%";
        LINEAR_QOE = "linear_qoe", "kbit/s";
        P1203_PARAMETRIC = "p1203_parametric", "MOS";
        SESSIONS = "sessions", "count";
        UNSEEN = "unseen_sessions", "count";
        ACTIVE_PLAYERS = "active_players", "count";
        RATE_FAIRNESS = "representation_rate_jain_index", "1";

        AGE_OF_INFORMATION = "age_of_information", "ms";
        FRAME_LATENCY = "frame_latency", "ms";
        SQI_SSIM = "sqi_ssim", "dB";
        SSIM = "ssim", "1";
        FRAMES_DECODED = "frames_decoded", "%";
        LAYER_SHARE = "layer_share", "%";
        MESSAGES = "messages", "count";
        MESSAGE_DROPS = "message_drops", "count";
        REFUSED_MESSAGES = "refused_messages", "count";
        LATE_MESSAGES = "late_messages", "count";

        CLONES = "clones", "packets";
        RECIRCULATIONS = "recirculations", "packets";
        RECIRCULATED_BYTES = "recirculated_bytes", "bytes";
        RECIRCULATED_SHARE = "recirculated_share", "%";

        // Of real players: frames that came too late, and what the machine had no time for.
        LATE_FRAMES = "late_frames", "count";
        DECODER_DROPPED_FRAMES = "decoder_dropped_frames", "count";
        DECODER_STALLS = "decoder_stalls", "count";
        DECODER_STALL_TIME = "decoder_stall_time", "s";

        // In real time alone.
        LATENESS = "lateness", "us";
        KERNEL_DROPS = "kernel_drops", "packets";
        ROUTER_CPU = "router_cpu", "%";
    }
}
