//! When packets leave: at a multiple of the target, in bursts, and at a probe's rate within a cluster.
//!
//! WebRTC's pacer: what was sent is a debt that the pacing rate pays off. Packets leave while the debt is paid within the burst
//! interval, and then none until all of it is paid, so that a queue leaves in bursts. A queue has a limit of time: the rate rises to what empties it within what the limit leaves to packets that
//! have waited for the mean of those in it.

use jettison_core::{Duration, Time};

use super::cluster::Cluster;

/// Most bits of a burst (WebRTC's).
const MOST_BURST: f64 = 63_000.0 * 8.0;
/// Least time that the limit leaves, in seconds.
const LEAST_LEFT: f64 = 1e-3;
/// A cluster that does not start within this time is dropped: its moment has passed.
const CLUSTER_AGE: Duration = Duration::from_secs(1);

/// Within a cluster packets leave in batches of at least what its rate carries in this time, in seconds (WebRTC's).
const BATCH: f64 = 2e-3;

/// A cluster in progress.
#[derive(Debug, Clone, Copy)]
struct Running {
    cluster: Cluster,
    asked_at: Time,
    started_at: Option<Time>,
    /// Batches that have left; a cluster's least packets are batches (WebRTC's).
    batches: u32,
    bytes: u64,
    /// Bytes of the batch that is leaving.
    batch: u64,
}

/// The pacer. It holds no packets: it says when the next one may leave.
#[derive(Debug, Clone)]
pub struct Pacer {
    // Parameters.
    factor: f64,
    burst: Duration,
    longest: Duration,
    // State.
    /// Pacing rate in bit/s.
    rate: f64,
    /// Bits.
    debt: f64,
    at: Time,
    clusters: Vec<Running>,
}

impl Pacer {
    /// Creates a pacer with its factor on the target, its burst interval, and the longest time that packets should wait.
    pub fn new(factor: f64, burst: Duration, longest: Duration) -> Pacer {
        Pacer { factor, burst, longest, rate: 0.0, debt: 0.0, at: Time::ZERO, clusters: Vec::new() }
    }

    /// Sets the target bitrate in bit/s, with so many bytes in the queue, which have waited for `waited` in the mean.
    pub fn set_target(&mut self, target: f64, queued: u64, waited: Duration, now: Time) {
        self.pay(now);
        let left = self.longest.saturating_sub(waited).as_secs_f64().max(LEAST_LEFT);
        self.rate = (self.factor * target).max(queued as f64 * 8.0 / left);
    }

    /// Whether so many queued bytes need longer than packets should wait.
    pub fn is_overfull(&self, queued: u64) -> bool {
        queued as f64 * 8.0 > self.rate * self.longest.as_secs_f64()
    }

    /// Adds a probe, behind others.
    pub fn probe(&mut self, cluster: Cluster, now: Time) {
        self.clusters.push(Running {
            cluster,
            asked_at: now,
            started_at: None,
            batches: 0,
            bytes: 0,
            batch: 0,
        });
    }

    /// The cluster that the next packet belongs to, with the least bytes that should leave at once (2 ms of the probe's rate): if
    /// there is no media, padding fills it.
    pub fn cluster(&self) -> Option<Cluster> {
        self.clusters.first().map(|running| running.cluster)
    }

    /// When the next packet may leave; `None` if no rate is set. Packets of a probe do not wait for the debt.
    pub fn next(&self) -> Option<Time> {
        if let Some(running) = self.clusters.first() {
            let Some(started) = running.started_at.filter(|_| running.batch == 0) else {
                return Some(self.at);
            };
            let after = running.bytes as f64 * 8.0 / running.cluster.rate;
            return Some(started.saturating_add(Duration::from_secs_f64(after)));
        }
        if self.rate <= 0.0 {
            return None;
        }
        let wait = self.debt / self.rate;
        let burst = self.burst.as_secs_f64().min(MOST_BURST / self.rate);
        Some(if wait < burst { self.at } else { self.at.saturating_add(Duration::from_secs_f64(wait)) })
    }

    /// Records a packet that leaves; returns the number of the cluster that it belongs to.
    pub fn sent(&mut self, bytes: u64, now: Time) -> Option<u32> {
        self.pay(now);
        self.debt += bytes as f64 * 8.0;
        // The debt of a probe is not held against media for longer than half a second.
        self.debt = self.debt.min(self.rate.max(1.0) * 0.5);
        let running = self.clusters.first_mut()?;
        running.started_at.get_or_insert(now);
        running.bytes += bytes;
        running.batch += bytes;
        let id = running.cluster.id;
        if running.batch as f64 * 8.0 < BATCH * running.cluster.rate {
            return Some(id);
        }
        (running.batches, running.batch) = (running.batches + 1, 0);
        if running.batches >= running.cluster.packets && running.bytes >= running.cluster.bytes {
            self.clusters.remove(0);
        }
        Some(id)
    }

    /// Forgets probes that have waited for too long.
    pub fn expire(&mut self, now: Time) {
        self.clusters
            .retain(|running| running.started_at.is_some() || now.since(running.asked_at) < CLUSTER_AGE);
    }

    fn pay(&mut self, now: Time) {
        let elapsed = now.since(self.at).as_secs_f64();
        self.at = self.at.max(now);
        self.debt = (self.debt - self.rate * elapsed).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_secs(2);

    /// Departures in ms of packets of 1,250 bytes that all wait from the start.
    fn departures(pacer: &mut Pacer, count: usize) -> Vec<f64> {
        let mut now = Time::ZERO;
        let mut depart = || {
            now = now.max(pacer.next().expect("it has a rate"));
            pacer.sent(1250, now);
            now.as_nanos() as f64 / 1e6
        };
        (0..count).map(|_| depart()).collect()
    }

    #[test]
    fn bursts_of_40_ms_leave_at_once_at_2_5_times_the_target() {
        let mut pacer = Pacer::new(2.5, Duration::from_millis(40), LONGEST);
        pacer.set_target(1e6, 0, Duration::ZERO, Time::ZERO);
        // 40 ms of 2.5 Mbit/s are ten packets.
        let left = departures(&mut pacer, 25);
        let bursts: Vec<u64> = left.iter().map(|at| (at / 40.0).round() as u64).collect();
        assert_eq!(bursts, (0..25).map(|n| n / 10).collect::<Vec<_>>(), "{left:?}");
        assert!(left.iter().all(|at| (at / 40.0).fract() < 1e-3), "{left:?}");
    }

    #[test]
    fn a_queue_leaves_within_two_seconds() {
        let mut pacer = Pacer::new(2.5, Duration::ZERO, LONGEST);
        pacer.set_target(100e3, 250_000, Duration::ZERO, Time::ZERO);
        assert!(!pacer.is_overfull(250_000) && pacer.is_overfull(251_000));
        // 1 Mbit/s.
        let left = departures(&mut pacer, 3);
        assert!((left[2] - 20.0).abs() < 0.1, "{left:?}");
        // Packets that have waited for 1 s leave within the other one.
        pacer.set_target(100e3, 250_000, Duration::from_secs(1), Time::ZERO);
        let left = departures(&mut pacer, 3);
        assert!((left[2] - left[1] - 5.0).abs() < 0.1, "{left:?}");
    }

    #[test]
    fn a_cluster_leaves_at_its_own_rate() {
        let mut pacer = Pacer::new(2.5, Duration::from_millis(40), LONGEST);
        pacer.set_target(300e3, 0, Duration::ZERO, Time::ZERO);
        pacer.probe(Cluster { id: 7, rate: 1e6, packets: 5, bytes: 1875 }, Time::ZERO);
        let mut now = Time::ZERO;
        for n in 0..5 {
            now = now.max(pacer.next().expect("a probe waits"));
            assert_eq!(now.as_nanos() / 1_000_000, 10 * n);
            assert_eq!(pacer.sent(1250, now), Some(7));
        }
        assert_eq!(pacer.sent(1250, now), None, "five packets, and more than 1,875 bytes");
    }

    #[test]
    fn packets_of_a_fast_cluster_leave_in_batches_of_2_ms() {
        let mut pacer = Pacer::new(2.5, Duration::from_millis(40), LONGEST);
        pacer.set_target(300e3, 0, Duration::ZERO, Time::ZERO);
        // 2 ms are 2,500 bytes, so that three packets of 1,000 make a batch.
        pacer.probe(Cluster { id: 1, rate: 10e6, packets: 5, bytes: 9000 }, Time::ZERO);
        let mut now = Time::ZERO;
        let mut left = Vec::new();
        while pacer.cluster().is_some() {
            now = now.max(pacer.next().expect("a probe waits"));
            assert_eq!(pacer.sent(1000, now), Some(1));
            left.push(now.as_nanos() / 1000);
        }
        // Batches of 3,000 bytes, 2.4 ms each, and at least five of them.
        let expected: Vec<u64> = (0..15).map(|n| n / 3 * 2400).collect();
        assert_eq!(left, expected);
    }

    #[test]
    fn a_cluster_that_does_not_start_in_a_second_is_dropped() {
        let mut pacer = Pacer::new(2.5, Duration::from_millis(40), LONGEST);
        pacer.probe(Cluster { id: 0, rate: 1e6, packets: 5, bytes: 1875 }, Time::ZERO);
        pacer.expire(Time::from_millis(999));
        assert!(pacer.cluster().is_some());
        pacer.expire(Time::from_secs(1));
        assert!(pacer.cluster().is_none());
    }
}
