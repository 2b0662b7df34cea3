//! Metrics: names, units and descriptions of measured quantities.

use jettison_core::Duration;

/// A measured quantity. [`metrics`] lists those of queues, flows, switches and hosts; components may add gauges
/// ([`jettison_core::Gauge`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Metric {
    /// Name in results, lower case with underscores.
    pub name: &'static str,
    /// Unit in results.
    pub unit: &'static str,
}

impl Metric {
    /// A metric with a name and unit.
    pub const fn new(name: &'static str, unit: &'static str) -> Metric {
        Metric { name, unit }
    }

    /// Converts `duration` to this metric's unit, or to milliseconds if the unit is not of time.
    pub fn of_duration(self, duration: Duration) -> f64 {
        let nanos = duration.as_nanos() as f64;
        match self.unit {
            "s" => nanos / 1e9,
            "us" => nanos / 1e3,
            _ => nanos / 1e6,
        }
    }

    /// Its declaration, if it is one of [`metrics`].
    pub fn declared(self) -> Option<&'static Declared> {
        Declared::named(self.name).filter(|declared| declared.metric == self)
    }
}

/// Declaration of a metric: a row of the table in [`metrics`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declared {
    /// Name and unit.
    pub metric: Metric,
    /// Title in headings, such as `sojourn time`; `None` for the name with spaces.
    pub title: Option<&'static str>,
    /// The kind of object measured.
    pub owner: Owner,
    /// Forms in the results.
    pub kept: &'static [Kept],
    /// The values it can take, if its unit does not tell.
    domain: Option<Domain>,
    /// Description in a sentence or two.
    pub description: &'static str,
}

/// The kind of object that a metric describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A queue with its link.
    Queue,
    /// A flow.
    Flow,
    /// All flows together.
    AllFlows,
    /// A switch.
    Switch,
    /// The machine of a live run.
    Machine,
}

/// Form of a metric in the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Series, on the sampling grid or off it.
    Series,
    /// Summary value: a mean or a count.
    Summary,
    /// Distribution, with percentiles in the summary.
    Distribution,
}

/// The values that a metric can take. The confidence interval of a mean depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Domain {
    /// All numbers: decibels, differences.
    Real,
    /// Numbers >= 0: counts, rates, times, sizes.
    NonNegative,
    /// Numbers between two bounds: shares, indices, scores.
    Between(u8, u8),
}

impl Domain {
    /// Percentages.
    pub const PERCENTAGE: Domain = Domain::Between(0, 100);
    /// Fractions.
    pub const FRACTION: Domain = Domain::Between(0, 1);

    /// The domain of a metric in a unit. Of a gauge only the unit is known; its times may be signed.
    pub fn of(metric: &str, unit: &str) -> Domain {
        match Declared::named(metric).filter(|declared| declared.metric.unit == unit) {
            Some(declared) => declared.domain(),
            None if matches!(unit, "packets" | "count" | "bytes" | "Mbit/s") => Domain::NonNegative,
            None => Domain::Real,
        }
    }

    /// The least and the greatest value; infinite without a bound.
    pub fn bounds(self) -> [f64; 2] {
        match self {
            Domain::Real => [f64::NEG_INFINITY, f64::INFINITY],
            Domain::NonNegative => [0.0, f64::INFINITY],
            Domain::Between(low, high) => [f64::from(low), f64::from(high)],
        }
    }
}

impl Declared {
    /// The declaration of a metric by name.
    pub fn named(name: &str) -> Option<&'static Declared> {
        metrics::DECLARED.iter().find(|declared| declared.metric.name == name)
    }

    /// The values that the metric can take: as declared, else by the unit.
    pub fn domain(&self) -> Domain {
        self.domain.unwrap_or(match self.metric.unit {
            "%" => Domain::PERCENTAGE,
            "1" => Domain::FRACTION,
            "MOS" => Domain::Between(1, 5),
            "dB" => Domain::Real,
            _ => Domain::NonNegative,
        })
    }
}

impl Owner {
    /// Name in results and in `jettison list`.
    pub const fn name(self) -> &'static str {
        match self {
            Owner::Queue => "queue",
            Owner::Flow => "flow",
            Owner::AllFlows => "all flows",
            Owner::Switch => "switch",
            Owner::Machine => "machine",
        }
    }
}

impl Kept {
    /// Name in `jettison list`.
    pub const fn name(self) -> &'static str {
        match self {
            Kept::Series => "series",
            Kept::Summary => "summary",
            Kept::Distribution => "distribution",
        }
    }
}

/// The metrics of queues, links, flows and switches.
///
/// The table below is the only list. `jettison list metrics` and the headings of the report and of Python's plots are derived
/// from it; the table of the book is tested against it. Recorded values become series, summary values and distributions under
/// the metric's name: [`crate::Recorder::point`] adds values of series, [`crate::QueueMeter::count`] and
/// [`crate::QueueMeter::record`] (and those of [`crate::FlowMeter`]) add counts and times.
pub mod metrics {
    use super::{Declared, Domain, Kept, Metric, Owner};

    /// `/// Description.` above `CONSTANT = "name" ("unit" in Domain) Owner: Kept Kept, "title";`. The domain defaults to that of
    /// the unit, the title to the name.
    macro_rules! metrics {
        ($(
            $(#[doc = $doc:literal])+
            $id:ident = $name:literal ($unit:literal $(in $domain:ident)?) $owner:ident: $($kept:ident)+ $(, $title:literal)?;
        )*) => {
            $($(#[doc = $doc])+ pub const $id: Metric = Metric::new($name, $unit);)*
            /// All metrics.
            pub const ALL: &[Metric] = &[$($id),*];
            /// The declaration of each metric.
            pub const DECLARED: &[Declared] = &[$(Declared {
                metric: $id,
                title: metrics!(@title $($title)?),
                owner: Owner::$owner,
                kept: &[$(Kept::$kept),+],
                domain: metrics!(@domain $($domain)?),
                description: concat!($($doc),+).trim_ascii(),
            }),*];
        };
        (@domain) => { None };
        (@domain $domain:ident) => { Some(Domain::$domain) };
        (@title) => { None };
        (@title $title:literal) => { Some($title) };
    }
    metrics! {
        /// Packets that wait, at the sample.
        BACKLOG = "backlog" ("packets") Queue: Series Summary, "backlog";
        /// Bytes that wait, at the sample.
        BACKLOG_BYTES = "backlog_bytes" ("bytes") Queue: Series, "backlog";
        /// Time in the queue; the series holds the mean of the interval.
        SOJOURN = "sojourn" ("ms") Queue: Series Summary Distribution, "sojourn time";
        /// The longest time in the queue of the interval.
        SOJOURN_MAX = "sojourn_max" ("ms") Queue: Series, "longest sojourn time";
        /// Bytes that left for the link, overhead included.
        THROUGHPUT = "throughput" ("Mbit/s") Queue: Series Summary, "throughput";
        /// Throughput over the link's capacity. It may exceed 100 by the packet that was under way as the warm-up ended.
        UTILISATION = "utilisation" ("%") Queue: Summary;
        /// Packets dropped; the `part` is the reason, and without one it is the total. Losses on the link behind the queue
        /// count (`link-loss`, `scheduled-loss`). Clones (`clone-consumed`, `clone-lost`) are no flow's packets and count in no
        /// total.
        DROPS = "drops" ("packets") Queue: Series Summary;
        /// Drops of what was offered to the queue, clones left out.
        DROP_RATE = "drop_rate" ("%") Queue: Summary;
        /// Packets marked; the `part` is the reason.
        MARKS = "marks" ("packets") Queue: Series Summary;
        /// Packets that left for the link.
        PACKETS = "packets" ("packets") Queue: Summary;

        /// New bytes for the receiving application, each counted when it arrives at the host for the first time, except those
        /// behind a gap that is never filled; of `all flows` the sum.
        GOODPUT = "goodput" ("Mbit/s") Flow: Series Summary, "goodput";
        /// Congestion window of the TCP sender of `bulk` and `segments`, and of the server of `dash`.
        CWND = "cwnd" ("bytes") Flow: Series, "congestion window";
        /// Slow-start threshold of the TCP sender, from the first congestion on.
        SSTHRESH = "ssthresh" ("bytes") Flow: Series, "slow-start threshold";
        /// Smoothed RTT of the TCP sender, or of a sender of messages.
        SRTT = "srtt" ("ms") Flow: Series, "smoothed RTT";
        /// Round trips measured by the transport, or by `ping`, of which alone there is a series.
        RTT = "rtt" ("ms") Flow: Series Summary Distribution, "RTT";
        /// Bytes in flight of the TCP sender, or of a sender of messages.
        IN_FLIGHT = "in_flight" ("bytes") Flow: Series, "in flight";
        /// Pacing rate of the TCP sender, if it paces.
        PACING_RATE = "pacing_rate" ("Mbit/s") Flow: Series;
        /// Packets that the flow's senders sent again.
        RETRANSMITS = "retransmits" ("packets") Flow: Summary;
        /// Retransmission timeouts of the flow's senders.
        TIMEOUTS = "timeouts" ("count") Flow: Summary;
        /// One-way delay of datagrams; the series holds the mean of those that arrived in the interval.
        OWD = "owd" ("ms") Flow: Series Summary Distribution, "one-way delay";
        /// Standard deviation of the one-way delays of datagrams: iPerf 2's `stdev` of latency.
        OWD_DEVIATION = "owd_deviation" ("ms") Flow: Summary, "deviation of the one-way delay";
        /// Of datagrams: payload received over the time from the first one received to the last one received or dropped, which is
        /// about when iPerf 2's end mark arrives, with which its server ends its report, however long the flow sends and the run
        /// lasts.
        RECEIVE_RATE = "receive_rate" ("Mbit/s") Flow: Summary, "rate while receiving";
        /// Interarrival jitter, smoothed as RFC 3550 §6.4.1 says.
        JITTER = "jitter" ("ms") Flow: Summary, "jitter";
        /// Of `haptic` and `game`: samples or updates that arrived later than a deadline, which is the `part` (`5 ms`), of those
        /// that were sent from the first to the last one received. Lost ones are in `loss`, over the same number.
        DEADLINE_MISS = "deadline_miss" ("%") Flow: Summary, "deadlines missed";
        /// Of `haptic` and `game`: the longest time between two arrivals one after the other, the sender's own silences included.
        LONGEST_GAP = "longest_gap" ("ms") Flow: Summary;
        /// Datagrams or echo requests that are missing between the first and the last one received (RFC 3550 appendix A.3), so
        /// that what is still under way is not lost. The series holds the loss of the interval, once something later arrives.
        LOSS = "loss" ("%") Flow: Series Summary;
        /// Datagrams or echo replies that arrived after one that was sent later, of those received, copies left
        /// out; left out if there were none.
        REORDERED = "reordered" ("%") Flow: Summary, "packets reordered";
        /// Copies of datagrams or echo replies that had arrived before. They count in `received`, and in no other metric; left
        /// out if there were none.
        DUPLICATES = "duplicates" ("packets") Flow: Summary;
        /// Datagrams or echo requests that were sent.
        SENT = "sent" ("packets") Flow: Summary;
        /// Datagrams or echo replies that were received.
        RECEIVED = "received" ("packets") Flow: Summary;
        /// Of a `conference` that adapts: payload bits a second, at its start and at each report.
        SEND_RATE = "send_rate" ("Mbit/s") Flow: Series;
        /// What the transport of messages tells its sender.
        BANDWIDTH_ESTIMATE = "bandwidth_estimate" ("Mbit/s") Flow: Series, "bandwidth estimate";
        /// Of a sender of video in messages: bytes that wait to be sent.
        SEND_BUFFER = "send_buffer" ("bytes") Flow: Series;
        /// Frames; the `part` is `sent`, and of `conference` `complete`, of video in messages `decoded`. Each is counted where it
        /// happens.
        FRAMES = "frames" ("count") Flow: Summary;
        /// Of `conference`: frames that never came whole, of those from the first to the last one of which anything came.
        FRAME_LOSS = "frame_loss" ("%") Flow: Summary;
        /// Of `conference`: from a frame's sending to the arrival of its last packet, of those that came whole.
        FRAME_DELAY = "frame_delay" ("ms") Flow: Summary Distribution;
        /// How long transfers took that ended.
        COMPLETION = "completion_time" ("ms") Flow: Summary Distribution, "completion time";
        /// Transfers of `bulk` with a size that were not complete at their stop or the end of the run, and pages of `page` that
        /// were begun before its stop and not complete at the end of the run; left out if there were none.
        UNFINISHED = "unfinished_transfers" ("count") Flow: Summary;
        /// Transfers of `web` that ended with all bytes acknowledged.
        TRANSFERS = "transfers" ("count") Flow: Summary;
        /// Transfers of `web` that ended otherwise.
        FAILED_TRANSFERS = "failed_transfers" ("count") Flow: Summary;
        /// Of `page`: from the click to the arrival of the last object of the page, of those that were loaded.
        PAGE_LOAD_TIME = "page_load_time" ("ms") Flow: Summary Distribution, "page-load time";
        /// Of `page`: pages that were loaded.
        PAGES = "pages" ("count") Flow: Summary, "pages loaded";
        /// Of `game`: from the sending of a player's command to the arrival of the first update that takes it into account, with
        /// the wait for the server's tick and for the repetition of what was lost.
        RESPONSE_TIME = "response_time" ("ms") Flow: Summary Distribution, "response time";
        /// Jain's fairness index over the goodputs of the flows that carry data, of whatever kind, those that got nothing
        /// included, where these are two or more.
        FAIRNESS = "jain_index" ("1") AllFlows: Summary, "Jain's fairness index";
        /// Of two entries of `[flows]` that `rate_ratios` names, which are the `part` (`prague/cubic`): the goodput per flow of
        /// the first over that of the second. Left out if the second has no flows, or got nothing.
        RATE_RATIO = "rate_ratio" ("1" in NonNegative) AllFlows: Summary, "rate ratio";
        /// Round trips of all flows of an entry that `rate_ratios` names, which is the `part`, in one distribution.
        GROUP_RTT = "group_rtt" ("ms") AllFlows: Summary, "RTT of a group";

        /// Of `dash` and `dash-load`: media time that waits to be played, at each second of a player's life; the series of
        /// `dash-load` holds the mean of its players.
        BUFFER = "buffer" ("s") Flow: Series Summary, "playout buffer";
        /// Of `dash` and `dash-load`: frames played in each of these seconds, none while playing stands still; in the series the
        /// same mean.
        FRAMES_PER_SECOND = "frames_per_second" ("1/s") Flow: Series Summary, "frames per second";
        /// Nominal bitrate of the video segments fetched, weighted by media time; the series of `dash` has a point a segment,
        /// when it is whole.
        REPRESENTATION_RATE = "representation_rate" ("kbit/s") Flow: Series Summary, "representation";
        /// Rate at which a video segment came, from its request to its last byte; the mean counts each segment alike, and the
        /// series of `dash` has a point each.
        SEGMENT_RATE = "segment_rate" ("kbit/s") Flow: Series Summary, "segment rate";
        /// From the first to the last byte of a video segment's response.
        BURST_TIME = "burst_time" ("ms") Flow: Summary Distribution, "burst time";
        /// Video segments of another representation than the one before.
        SWITCHES = "switches" ("count") Flow: Summary;
        /// Requests given up for one of less quality; left out if there were none.
        ABANDONED = "abandoned" ("count") Flow: Summary;
        /// From a session's begin to its first frame; the mean over the sessions that had one, each as a whole, the warm-up
        /// included.
        START_UP_DELAY = "start_up_delay" ("s") Flow: Summary;
        /// Times that the buffer ran empty after the first frame.
        STALLS = "stalls" ("count") Flow: Summary;
        /// Time without frames since the first one.
        STALL_TIME = "stall_time" ("s") Flow: Summary;
        /// Stall time of the time watched, which is the time played and the stall time.
        STALL_RATIO = "stall_ratio" ("%") Flow: Summary, "time stalled";
        /// Linear quality of experience of Yin et al. 2015, a segment: its bitrate, less the change from the one before, less
        /// stalls and start-up by their weights; the sum over all sessions by the number of segments played in them, each
        /// session as a whole, the warm-up included.
        LINEAR_QOE = "linear_qoe" ("kbit/s" in Real) Flow: Summary, "linear QoE";
        /// ITU-T P.1203 mode 0 from 1 to 5, without its random forest; the mean over the sessions for which it could be
        /// computed, each as a whole.
        P1203_PARAMETRIC = "p1203_parametric" ("MOS") Flow: Summary, "P.1203 score";
        /// Sessions that were scored, where there was more than one.
        SESSIONS = "sessions" ("count") Flow: Summary;
        /// Sessions that ended, or were cut off by the end of the run, without a single frame.
        UNSEEN = "unseen_sessions" ("count") Flow: Summary;
        /// Of `dash-load`: players at the sample.
        ACTIVE_PLAYERS = "active_players" ("count") Flow: Series Summary, "active players";
        /// Jain's fairness index over the mean representation rates of all sessions, of whatever flow.
        RATE_FAIRNESS = "representation_rate_jain_index" ("1") AllFlows: Summary, "Jain's index of representation rates";

        /// Age of the newest frame just before each delivery of a newer one.
        AGE_OF_INFORMATION = "age_of_information" ("ms") Flow: Series Summary Distribution, "age of information";
        /// From a frame's capture to the arrival of its highest decoded layer, of shown frames alone; in the series by time of
        /// capture.
        FRAME_LATENCY = "frame_latency" ("ms") Flow: Series Summary Distribution, "frame latency of shown frames";
        /// SSIM of what was on the screen for each frame, decaying where it could not be shown; in the series by time of
        /// capture.
        SQI_SSIM = "sqi_ssim" ("dB") Flow: Series Summary, "SQI-SSIM";
        /// SSIM of what was on the screen for each frame, as a number from 0 to 1.
        SSIM = "ssim" ("1") Flow: Series Summary, "SSIM";
        /// Frames that could be shown.
        FRAMES_DECODED = "frames_decoded" ("%") Flow: Summary;
        /// Captured frames that could be shown within a playout deadline, which is the `part` (`200 ms`), with whatever layers
        /// were decoded by then.
        FRAMES_IN_TIME = "frames_in_time" ("%") Flow: Summary, "frames in time";
        /// As `sqi_ssim`, with what was decoded within a playout deadline, which is the `part` (`200 ms`).
        SQI_AT_DEADLINE = "sqi_at_deadline" ("dB") Flow: Summary, "SQI-SSIM at a deadline";
        /// Freezes of the picture by W3C's rule for WebRTC: intervals between rendered frames of at least max(3 × average,
        /// average + 150 ms), with the average over the last 30.
        FREEZE_RATE = "freeze_rate" ("1/min") Flow: Summary, "freezes";
        /// Of `webrtc`: frames that its encoder dropped, because they were over its budget or the pacer's queue was too long.
        ENCODER_DROPS = "encoder_drops" ("frames") Flow: Summary, "frames dropped by the encoder";
        /// Of `webrtc`: key frames that the receiver asked for, because it could not decode.
        KEY_FRAME_REQUESTS = "key_frame_requests" ("count") Flow: Summary, "requests for key frames";
        /// Time within freezes.
        FREEZE_RATIO = "freeze_ratio" ("%") Flow: Summary, "time frozen";
        /// Frames by their highest decoded layer, which is the `part`.
        LAYER_SHARE = "layer_share" ("%") Flow: Summary;
        /// Messages that the sender took.
        MESSAGES = "messages" ("count") Flow: Summary;
        /// Messages that the sender dropped; the `part` is the reason.
        MESSAGE_DROPS = "message_drops" ("count") Flow: Summary;
        /// Messages that found the send buffer full.
        REFUSED_MESSAGES = "refused_messages" ("count") Flow: Summary;
        /// Messages that came after their frame was scored.
        LATE_MESSAGES = "late_messages" ("count") Flow: Summary;

        /// Clones that the switch made.
        CLONES = "clones" ("packets") Switch: Summary;
        /// Packets that took the recirculation port.
        RECIRCULATIONS = "recirculations" ("packets") Switch: Summary;
        /// IP bytes of the packets that took the recirculation port.
        RECIRCULATED_BYTES = "recirculated_bytes" ("bytes") Switch: Summary;
        /// Recirculations over the packets that the switch received on its links, in all directions.
        RECIRCULATED_SHARE = "recirculated_share" ("%") Switch: Summary;
        /// Of a switch with a service model: CPU time of its passes over that of its processors. The object `r.ingress` is the
        /// thread `ingress` of the switch `r`, whose time is over that of one processor.
        SWITCH_CPU = "switch_cpu" ("%") Switch: Summary, "switch's CPU time";
        /// Of a switch with a service model: packets from links that found no room before its receive thread.
        INPUT_DROPS = "input_drops" ("packets") Switch: Summary, "drops before ingress";

        /// Of real players: pictures skipped because they came after their time.
        LATE_FRAMES = "late_frames" ("count") Flow: Summary;
        /// Of real players: pictures that the decoder dropped for lack of processor time.
        DECODER_DROPPED_FRAMES = "decoder_dropped_frames" ("count") Flow: Summary, "frames dropped by the decoder";
        /// Of real players: times that no new picture was shown although there was media ahead.
        DECODER_STALLS = "decoder_stalls" ("count") Flow: Summary;
        /// Of real players: time that no new picture was shown although there was media ahead.
        DECODER_STALL_TIME = "decoder_stall_time" ("s") Flow: Summary;

        /// Live only: how late a packet was written behind the instant that its link gives it.
        LATENESS = "lateness" ("us") Queue: Summary Distribution, "lateness";
        /// Live only: how late the threads of the hosts ran: of `hosts`, the built-in applications, behind their timers; of
        /// `programs`, the time that their threads waited for a processor, by turns on one.
        HOST_LATENESS = "host_lateness" ("us") Machine: Summary, "hosts' lateness";
        /// Live only: 1 if the router or the hosts were later than the limit for what was measured, else 0.
        LATE_RUN = "late_run" ("1") Machine: Summary;
        /// Live only: time for which at least one task of the machine waited for a processor.
        CPU_PRESSURE = "cpu_pressure" ("%") Machine: Summary, "CPU pressure";
        /// Live only: time of the processors that the hypervisor gave to other machines.
        STEAL = "steal" ("%") Machine: Summary, "stolen CPU time";
        /// Live only: packets that the kernel dropped, by its own counters.
        KERNEL_DROPS = "kernel_drops" ("packets") Machine: Summary;
        /// Live only: CPU time of the router's thread, of one core.
        ROUTER_CPU = "router_cpu" ("%") Machine: Summary, "router's CPU time";
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_metric_is_declared_once_and_in_sentences() {
        let names: HashSet<_> = metrics::ALL.iter().map(|metric| metric.name).collect();
        assert_eq!(names.len(), metrics::ALL.len());
        for declared in metrics::DECLARED {
            let text = declared.description;
            assert!(text.ends_with('.') && !text.starts_with(' ') && !text.contains("  "), "{text}");
            assert!(declared.title.is_none_or(|title| !title.is_empty() && !title.contains('_')));
            assert_eq!(declared.metric.declared(), Some(declared));
        }
        assert_eq!(Metric::new("sojourn", "s").declared(), None, "the unit is another");
    }

    #[test]
    fn a_domain_suits_its_unit() {
        for declared in metrics::DECLARED {
            let [low, high] = declared.domain().bounds();
            let bounds = match declared.metric.unit {
                "%" => [0.0, 100.0],
                _ if declared.metric == metrics::RATE_RATIO => [0.0, f64::INFINITY],
                "1" => [0.0, 1.0],
                "MOS" => [1.0, 5.0],
                "dB" => [f64::NEG_INFINITY, f64::INFINITY],
                _ if declared.metric == metrics::LINEAR_QOE => [f64::NEG_INFINITY, f64::INFINITY],
                _ => [0.0, f64::INFINITY],
            };
            assert_eq!([low, high], bounds, "{}", declared.metric.name);
        }
        assert_eq!(Domain::of("drop_rate", "%"), Domain::PERCENTAGE);
        assert_eq!(Domain::of("red_average", "packets"), Domain::NonNegative);
        assert_eq!(Domain::of("gcc_gradient", "ms"), Domain::Real, "a gauge may be negative");
    }

    #[test]
    fn a_distribution_is_one_of_times() {
        for declared in metrics::DECLARED.iter().filter(|d| d.kept.contains(&Kept::Distribution)) {
            assert!(["ms", "us", "s"].contains(&declared.metric.unit), "{}", declared.metric.name);
            assert!(declared.kept.contains(&Kept::Summary), "{}", declared.metric.name);
        }
    }
}
