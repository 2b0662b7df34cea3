//! Synthetic data of a run: a queue that fills and drains, flows that share a link, a player, a ping. Computed from triangle
//! waves and a small generator, so that it is the same on every machine.

use jettison_watch::{FlowSnapshot, Lateness, Layout, QueueSnapshot, Snapshot};

/// Duration of a run in seconds.
pub const DURATION_S: f64 = 60.0;

/// A synthetic run.
pub struct Synthetic {
    run: u32,
    state: u64,
    dropped: [u64; 2],
    marks: u64,
    worst: f64,
}

impl Synthetic {
    /// Creates run number `run`, starting at 1.
    pub fn new(run: u32) -> Synthetic {
        Synthetic { run, state: u64::from(run), dropped: [0; 2], marks: 0, worst: 0.0 }
    }

    /// Layout of the run. Some names contain markup, which the page must show as text.
    pub fn layout(&self, runs: u32) -> Layout {
        let variant =
            if self.run % 2 == 1 { "queue=codel, load=<b>heavy</b>" } else { "queue=pi2, load=light" };
        Layout {
            name: "demo/synthetic".into(),
            variant: variant.into(),
            seed: u64::MAX,
            run: self.run,
            runs,
            duration_s: DURATION_S,
            queues: ["bottleneck.forward", "bottleneck.reverse", "access.forward", "access.reverse"]
                .map(String::from)
                .to_vec(),
            flows: ["bulk", "web <i>", "player", "ping"].map(String::from).to_vec(),
            open: vec![],
        }
    }

    /// Snapshot at `time_s`, one step after the previous one.
    pub fn snapshot(&mut self, time_s: f64) -> Snapshot {
        let wave = triangle(time_s / 7.0);
        let backlog = (wave * 60.0 + self.noise() * 8.0) as u64;
        // Higher backlogs add a second drop reason, so that the page gets a new line during the run.
        if backlog > 45 {
            self.dropped[0] += backlog - 45;
            self.marks += 1;
        }
        if backlog > 62 {
            self.dropped[1] += 1;
        }
        let mut drops = vec![("codel".to_string(), self.dropped[0])];
        if self.dropped[1] > 0 {
            drops.push(("buffer-full".into(), self.dropped[1]));
        }
        let p50 = 9.0 + self.noise();
        self.worst = f64::max(self.worst, 90.0 + 40.0 * self.noise());
        let share = 5.0 + 2.0 * triangle(time_s / 11.0);
        let queue = QueueSnapshot {
            backlog_packets: backlog,
            backlog_bytes: backlog * 1500,
            sojourn_ms: Some(backlog as f64 * 1.2 + self.noise()),
            throughput_mbit: 9.6 + 0.4 * self.noise(),
            drops,
            marks: self.marks,
        };
        let acks = QueueSnapshot {
            backlog_packets: 0,
            sojourn_ms: (self.noise() > 0.3).then_some(0.02),
            throughput_mbit: 0.35 + 0.05 * self.noise(),
            ..QueueSnapshot::default()
        };
        let delay = 20.0 + backlog as f64 * 1.2;
        let flows = vec![
            FlowSnapshot {
                goodput_mbit: share,
                owd_ms: Some(delay),
                rtt_ms: Some(delay + 20.0),
                buffer_s: None,
            },
            FlowSnapshot {
                goodput_mbit: 1.2 * self.noise(),
                owd_ms: Some(delay + 3.0 * self.noise()),
                ..FlowSnapshot::default()
            },
            FlowSnapshot {
                goodput_mbit: 8.5 - share,
                owd_ms: Some(delay + 1.0),
                rtt_ms: Some(delay + 25.0 + 2.0 * self.noise()),
                buffer_s: Some(4.0 + 16.0 * triangle(time_s / 20.0)),
            },
            // One ping per second, without values in between.
            FlowSnapshot {
                rtt_ms: (time_s.fract() < 0.15).then_some(delay + 18.0),
                ..FlowSnapshot::default()
            },
        ];
        let lateness_us = Lateness { p50, p99: 55.0 + 10.0 * self.noise(), max: self.worst };
        let idle = QueueSnapshot { throughput_mbit: queue.throughput_mbit, ..QueueSnapshot::default() };
        let queues = vec![queue, acks.clone(), idle, acks];
        Snapshot { run: self.run, time_s, queues, flows, lateness_us }
    }

    /// Pseudo-random number from 0 to 1 (Knuth's MMIX generator).
    fn noise(&mut self) -> f64 {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 40) as f64 / f64::from(1 << 24)
    }
}

/// Triangle wave with period 1: from 0 up to 1 and down again.
fn triangle(x: f64) -> f64 {
    1.0 - (2.0 * x.fract() - 1.0).abs()
}
