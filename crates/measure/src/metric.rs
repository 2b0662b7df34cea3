//! What is measured: a name and a unit.

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
}

/// The metrics of queues, links and flows.
#[allow(missing_docs)] // name and unit say it all
pub mod metrics {
    use super::Metric;

    pub const BACKLOG: Metric = Metric::new("backlog", "packets");
    pub const BACKLOG_BYTES: Metric = Metric::new("backlog_bytes", "bytes");
    pub const SOJOURN: Metric = Metric::new("sojourn", "ms");
    pub const SOJOURN_MAX: Metric = Metric::new("sojourn_max", "ms");
    pub const THROUGHPUT: Metric = Metric::new("throughput", "Mbit/s");
    pub const UTILISATION: Metric = Metric::new("utilisation", "%");
    pub const DROPS: Metric = Metric::new("drops", "packets");
    pub const DROP_RATE: Metric = Metric::new("drop_rate", "%");
    pub const MARKS: Metric = Metric::new("marks", "packets");
    pub const PACKETS: Metric = Metric::new("packets", "packets");

    pub const GOODPUT: Metric = Metric::new("goodput", "Mbit/s");
    pub const CWND: Metric = Metric::new("cwnd", "bytes");
    pub const SSTHRESH: Metric = Metric::new("ssthresh", "bytes");
    pub const SRTT: Metric = Metric::new("srtt", "ms");
    pub const RTT: Metric = Metric::new("rtt", "ms");
    pub const IN_FLIGHT: Metric = Metric::new("in_flight", "bytes");
    pub const PACING_RATE: Metric = Metric::new("pacing_rate", "Mbit/s");
    pub const RETRANSMITS: Metric = Metric::new("retransmits", "packets");
    pub const TIMEOUTS: Metric = Metric::new("timeouts", "count");
    pub const OWD: Metric = Metric::new("owd", "ms");
    pub const JITTER: Metric = Metric::new("jitter", "ms");
    pub const DEADLINE_MISS: Metric = Metric::new("deadline_miss", "%");
    pub const LONGEST_GAP: Metric = Metric::new("longest_gap", "ms");
    pub const LOSS: Metric = Metric::new("loss", "%");
    pub const SENT: Metric = Metric::new("sent", "packets");
    pub const RECEIVED: Metric = Metric::new("received", "packets");
    pub const SEND_RATE: Metric = Metric::new("send_rate", "Mbit/s");
    pub const BANDWIDTH_ESTIMATE: Metric = Metric::new("bandwidth_estimate", "Mbit/s");
    pub const SEND_BUFFER: Metric = Metric::new("send_buffer", "bytes");
    pub const FRAMES: Metric = Metric::new("frames", "count");
    pub const FRAME_LOSS: Metric = Metric::new("frame_loss", "%");
    pub const FRAME_DELAY: Metric = Metric::new("frame_delay", "ms");
    pub const COMPLETION: Metric = Metric::new("completion_time", "ms");
    pub const TRANSFERS: Metric = Metric::new("transfers", "count");
    pub const FAILED_TRANSFERS: Metric = Metric::new("failed_transfers", "count");
    pub const FAIRNESS: Metric = Metric::new("jain_index", "1");

    pub const BUFFER: Metric = Metric::new("buffer", "s");
    pub const FRAMES_PER_SECOND: Metric = Metric::new("frames_per_second", "1/s");
    pub const REPRESENTATION_RATE: Metric = Metric::new("representation_rate", "kbit/s");
    pub const SEGMENT_RATE: Metric = Metric::new("segment_rate", "kbit/s");
    pub const BURST_TIME: Metric = Metric::new("burst_time", "ms");
    pub const SWITCHES: Metric = Metric::new("switches", "count");
    pub const ABANDONED: Metric = Metric::new("abandoned", "count");
    pub const START_UP_DELAY: Metric = Metric::new("start_up_delay", "s");
    pub const STALLS: Metric = Metric::new("stalls", "count");
    pub const STALL_TIME: Metric = Metric::new("stall_time", "s");
    pub const STALL_RATIO: Metric = Metric::new("stall_ratio", "%");
    pub const LINEAR_QOE: Metric = Metric::new("linear_qoe", "kbit/s");
    pub const P1203_PARAMETRIC: Metric = Metric::new("p1203_parametric", "MOS");
    pub const SESSIONS: Metric = Metric::new("sessions", "count");
    pub const UNSEEN: Metric = Metric::new("unseen_sessions", "count");
    pub const ACTIVE_PLAYERS: Metric = Metric::new("active_players", "count");
    pub const RATE_FAIRNESS: Metric = Metric::new("representation_rate_jain_index", "1");

    pub const AGE_OF_INFORMATION: Metric = Metric::new("age_of_information", "ms");
    pub const FRAME_LATENCY: Metric = Metric::new("frame_latency", "ms");
    pub const SQI_SSIM: Metric = Metric::new("sqi_ssim", "dB");
    pub const SSIM: Metric = Metric::new("ssim", "1");
    pub const FRAMES_DECODED: Metric = Metric::new("frames_decoded", "%");
    pub const LAYER_SHARE: Metric = Metric::new("layer_share", "%");
    pub const MESSAGES: Metric = Metric::new("messages", "count");
    pub const MESSAGE_DROPS: Metric = Metric::new("message_drops", "count");
    pub const REFUSED_MESSAGES: Metric = Metric::new("refused_messages", "count");
    pub const LATE_MESSAGES: Metric = Metric::new("late_messages", "count");

    pub const CLONES: Metric = Metric::new("clones", "packets");
    pub const RECIRCULATIONS: Metric = Metric::new("recirculations", "packets");
    pub const RECIRCULATED_BYTES: Metric = Metric::new("recirculated_bytes", "bytes");
    pub const RECIRCULATED_SHARE: Metric = Metric::new("recirculated_share", "%");
}
