//! What is streamed. The same types travel between processes and to the browser, as one JSON object a line or a
//! server-sent event; `web/src/protocol.ts` has them in TypeScript.
//!
//! Numbers must be finite: JSON has no others.

use serde::{Deserialize, Serialize};

/// One thing to tell whoever watches. In JSON the variant is the field `type`: `layout`, `snapshot`, `note`, `ended`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Event {
    /// A run begins, and these are its names. What was shown of the run before it goes.
    Layout(Layout),
    /// The state of the run's queues and flows.
    Snapshot(Snapshot),
    /// Something that a person should know: real-time scheduling is not permitted, a program has restarted.
    Note {
        /// One sentence.
        text: String,
    },
    /// The run is over. Another one may follow, with a [`Layout`] of its own.
    Ended {
        /// How it ended: `complete`, or what went wrong.
        message: String,
    },
}

/// A run and the names of what it consists of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// The scenario's name.
    pub name: String,
    /// The variant, as results name it; empty if the scenario varies nothing.
    pub variant: String,
    /// The run's seed.
    pub seed: u64,
    /// Which run it is, from 1. [`Snapshot::run`] repeats it.
    pub run: u32,
    /// How many runs there will be.
    pub runs: u32,
    /// How long the run will take, in seconds.
    pub duration_s: f64,
    /// Names of the queues, as results have them (`bottleneck.forward`), in the order of [`Snapshot::queues`].
    pub queues: Vec<String>,
    /// Names of the flows, in the order of [`Snapshot::flows`].
    pub flows: Vec<String>,
}

/// The interval since the snapshot before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The run that it is of. A snapshot of another run than the last layout's is ignored by the page.
    pub run: u32,
    /// The end of the interval, in seconds since the run began.
    pub time_s: f64,
    /// Of each queue, in the order of [`Layout::queues`].
    pub queues: Vec<QueueSnapshot>,
    /// Of each flow, in the order of [`Layout::flows`].
    pub flows: Vec<FlowSnapshot>,
    /// How late the router was.
    pub lateness_us: Lateness,
}

/// A queue and the link behind it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct QueueSnapshot {
    /// Packets that wait now.
    pub backlog_packets: u64,
    /// Their bytes.
    pub backlog_bytes: u64,
    /// Mean sojourn time of the packets that left in the interval, in milliseconds; none if none left.
    pub sojourn_ms: Option<f64>,
    /// What left for the link in the interval, in Mbit/s.
    pub throughput_mbit: f64,
    /// Packets dropped since the run began, by reason. A reason that has not occurred may be missing.
    pub drops: Vec<(String, u64)>,
    /// Packets marked since the run began.
    pub marks: u64,
}

/// A flow, end to end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowSnapshot {
    /// New bytes that the receiving application got in the interval, in Mbit/s.
    pub goodput_mbit: f64,
    /// Mean one-way delay of the packets that arrived in the interval, in milliseconds, where it is measured.
    pub owd_ms: Option<f64>,
    /// Round-trip time, in milliseconds, where it is measured.
    pub rtt_ms: Option<f64>,
    /// A player's buffer, in seconds of media.
    pub buffer_s: Option<f64>,
}

/// How long after its instant a packet was handed over, in microseconds, since the end of the warm-up, or before it since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Lateness {
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
    /// The worst.
    pub max: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_survives_its_json_line() {
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

    /// `web/src/protocol.ts` relies on these names.
    #[test]
    fn names_in_json_are_those_that_the_page_reads() {
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
