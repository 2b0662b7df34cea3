//! Event types of the stream. The same types are exchanged between processes and sent to the browser, as one JSON object per
//! line or per server-sent event; `web/page/protocol.js` declares them for the page.
//!
//! Numbers must be finite, since JSON has no others.

use serde::{Deserialize, Serialize};

/// An event for the page. In JSON the variant is the field `type`: `layout`, `snapshot`, `note`, `ended`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Event {
    /// Start of a run, with its names. The page discards the previous run.
    Layout(Layout),
    /// State of the run's queues and flows.
    Snapshot(Snapshot),
    /// A message for the user: real-time scheduling is not permitted, a program has restarted.
    Note {
        /// Text of the message, one sentence.
        text: String,
    },
    /// End of the run. Another run may follow, with its own [`Layout`].
    Ended {
        /// Result: `complete`, or the error.
        message: String,
    },
}

/// A run with the names of its queues and flows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// Name of the scenario.
    pub name: String,
    /// Name of the variant as in the results; empty if the scenario varies nothing.
    pub variant: String,
    /// Seed of the run.
    pub seed: u64,
    /// Number of the run, starting at 1. [`Snapshot::run`] repeats it.
    pub run: u32,
    /// Total number of runs.
    pub runs: u32,
    /// Duration of the run in seconds.
    pub duration_s: f64,
    /// Names of the queues as in the results (`bottleneck.forward`), in the order of [`Snapshot::queues`].
    pub queues: Vec<String>,
    /// Names of the flows, in the order of [`Snapshot::flows`].
    pub flows: Vec<String>,
    /// Indices of the queues whose cards are open at first: the bottlenecks. If empty, the first ones are.
    #[serde(default)]
    pub open: Vec<usize>,
}

/// State of a run, and changes since the previous snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Number of the run. The page ignores snapshots of other runs than the last layout's.
    pub run: u32,
    /// End of the interval in seconds since the start of the run.
    pub time_s: f64,
    /// State of each queue, in the order of [`Layout::queues`].
    pub queues: Vec<QueueSnapshot>,
    /// State of each flow, in the order of [`Layout::flows`].
    pub flows: Vec<FlowSnapshot>,
    /// Lateness of the router.
    pub lateness_us: Lateness,
}

/// State of a queue and its link.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct QueueSnapshot {
    /// Backlog in packets.
    pub backlog_packets: u64,
    /// Backlog in bytes.
    pub backlog_bytes: u64,
    /// Mean sojourn time of the packets that left in the interval, in milliseconds; `None` without packets.
    pub sojourn_ms: Option<f64>,
    /// Rate of the packets that left for the link in the interval, in Mbit/s.
    pub throughput_mbit: f64,
    /// Packets dropped since the start of the run, by reason. Reasons without drops may be missing.
    pub drops: Vec<(String, u64)>,
    /// Packets marked since the start of the run.
    pub marks: u64,
}

/// End-to-end state of a flow.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowSnapshot {
    /// Rate of new data for the receiving application in the interval, in Mbit/s.
    pub goodput_mbit: f64,
    /// Mean one-way delay of the packets that arrived in the interval, in milliseconds, if measured.
    pub owd_ms: Option<f64>,
    /// RTT in milliseconds, if measured.
    pub rtt_ms: Option<f64>,
    /// Buffer level of a player in seconds of media.
    pub buffer_s: Option<f64>,
}

/// Lateness of packets in microseconds, since the end of the warm-up, or since the start during the warm-up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Lateness {
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Maximum.
    pub max: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_survive_a_round_trip_through_json() {
        let events = [
            Event::Layout(Layout {
                name: "a".into(),
                variant: "queue=codel".into(),
                seed: u64::MAX,
                run: 1,
                runs: 2,
                duration_s: 60.0,
                queues: vec!["bottleneck.forward".into()],
                flows: vec!["bulk".into()],
                open: vec![],
            }),
            Event::Snapshot(Snapshot {
                run: 1,
                time_s: 0.2,
                queues: vec![QueueSnapshot {
                    backlog_packets: 3,
                    backlog_bytes: 4500,
                    sojourn_ms: None,
                    throughput_mbit: 9.5,
                    drops: vec![("codel".into(), 7)],
                    marks: 0,
                }],
                flows: vec![FlowSnapshot { rtt_ms: Some(20.5), ..FlowSnapshot::default() }],
                lateness_us: Lateness { p50: 1.0, p99: 2.0, max: 3.0 },
            }),
            Event::Note { text: "a line\nand another".into() },
            Event::Ended { message: "complete".into() },
        ];
        for event in events {
            let line = serde_json::to_string(&event).unwrap();
            assert!(!line.contains('\n'), "{line}");
            assert_eq!(serde_json::from_str::<Event>(&line).unwrap(), event);
        }
    }

    /// `web/page/protocol.js` relies on these names.
    #[test]
    fn json_names_match_the_pages_protocol() {
        let ended = serde_json::to_string(&Event::Ended { message: "complete".into() }).unwrap();
        assert_eq!(ended, r#"{"type":"ended","message":"complete"}"#);
        let queue = QueueSnapshot { drops: vec![("red-early".into(), 2)], ..QueueSnapshot::default() };
        assert_eq!(
            serde_json::to_string(&queue).unwrap(),
            concat!(
                r#"{"backlog_packets":0,"backlog_bytes":0,"sojourn_ms":null,"throughput_mbit":0.0,"#,
                r#""drops":[["red-early",2]],"marks":0}"#
            )
        );
    }
}
