//! All of GCC's parts but the pacer: from feedback to a target bitrate, and to probes.

use jettison_core::{Duration, Rate, Time};
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::acknowledged::{AcknowledgedRate, Throughput};
use super::aimd::Aimd;
use super::alr::AlrDetector;
use super::arrival::{ArrivalFilter, Filter, Rules};
use super::backoff::RttBackoff;
use super::cluster::{Cluster, ClusterResult, Probed};
use super::loss::{LossRate, LossState};
use super::marks::Marks;
use super::overuse::{Following, OveruseDetector, Signal};
use super::probe::{AfterDrop, Limit, ProbeContext, ProbeControl};
use super::trendline::Trendline;
use super::window::{CongestionWindow, EncoderTarget};

/// Maximum factor on the slope: the number of groups so far (WebRTC's).
const GROUPS: f64 = 60.0;
/// Clusters whose results may still come.
const OPEN_CLUSTERS: usize = 4;
/// Without feedback for this time, delays are measured anew (WebRTC's).
const STALE: Duration = Duration::from_secs(2);
/// A probe's result lowers the estimate to this share of the acknowledged bitrate, no further (WebRTC's).
const PROBED_LOW: f64 = 0.85;

/// Parameters of the estimator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EstimatorParameters {
    /// Initial target bitrate (WebRTC's).
    pub start_rate: Rate,
    /// Minimum target bitrate (WebRTC's for video).
    pub min_rate: Rate,
    /// Maximum target bitrate.
    pub max_rate: Rate,
    /// Highest rate of a probe.
    pub max_probe: Rate,
    /// Packets sent within this time form one group (draft-ietf-rmcat-gcc-02 §5.2, burst_time).
    pub burst_time: Duration,
    /// Factor on the acknowledged bitrate after an over-use (§5.5, beta).
    #[schemars(range(min = 0.5, max = 0.99))]
    pub beta: f64,
    /// Whether it probes for bandwidth.
    pub probing: bool,
    /// Whether it probes every 5 s in application-limited regions.
    pub periodic_probes: bool,
    /// When a large drop of the estimate is followed by a probe.
    pub after_drop: AfterDrop,
    /// Whether losses limit the rate.
    pub loss_based: bool,
    /// How the acknowledged bitrate is estimated.
    pub throughput: Throughput,
    /// Round trip above which the target falls; 0 for none.
    pub max_rtt: Duration,
    /// Whether data in flight push back on the encoder.
    pub congestion_window: bool,
    /// Time of queueing that the congestion window holds beside the round trip.
    pub window_queue: Duration,
    /// Whether the push-back also drops frames.
    pub window_drops_frames: bool,
}

impl Default for EstimatorParameters {
    fn default() -> EstimatorParameters {
        EstimatorParameters {
            start_rate: Rate::from_kbit(300),
            min_rate: Rate::from_kbit(30),
            max_rate: Rate::from_mbit(100),
            max_probe: Rate::from_mbit(5),
            burst_time: Duration::from_millis(5),
            beta: 0.85,
            probing: true,
            periodic_probes: false,
            after_drop: AfterDrop::Limited,
            loss_based: true,
            throughput: Throughput::Robust,
            max_rtt: Duration::from_secs(3),
            congestion_window: true,
            window_queue: Duration::from_millis(350),
            window_drops_frames: true,
        }
    }
}

impl EstimatorParameters {
    /// Checks the ranges.
    ///
    /// # Errors
    /// With the key that is out of range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::unless(!self.min_rate.is_zero(), "min_rate", || {
            "must be > 0 bit/s, got 0 bit/s".into()
        })?;
        ParameterError::unless(self.max_rate >= self.min_rate, "max_rate", || {
            format!("must be at least min_rate ({}), got {}", self.min_rate, self.max_rate)
        })?;
        let holds = (0.5..=0.99).contains(&self.beta);
        ParameterError::unless(holds, "beta", || format!("must be 0.5 to 0.99, got {}", self.beta))?;
        ParameterError::unless(!self.max_probe.is_zero(), "max_probe", || {
            "must be > 0 bit/s, got 0 bit/s".into()
        })?;
        let longest = Duration::from_secs(60);
        for (key, value) in [("max_rtt", self.max_rtt), ("window_queue", self.window_queue)] {
            ParameterError::unless(value <= longest, key, || format!("must be at most 60 s, got {value}"))?;
        }
        Ok(())
    }
}

/// What became of a packet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PacketResult {
    /// Departure.
    pub sent_at: Time,
    /// Arrival by the receiver's clock; `None` if it is lost.
    pub arrived_at: Option<Time>,
    /// Bytes.
    pub bytes: u64,
    /// The probe that it belongs to.
    pub cluster: Option<u32>,
    /// Whether it arrived with Congestion Experienced.
    pub is_marked: bool,
}

/// GCC at the sender.
#[derive(Debug, Clone)]
pub struct Estimator {
    // Parameters.
    start_rate: f64,
    bounds: (f64, f64),
    burst_time: Duration,
    probing: bool,
    loss_based: bool,
    // State.
    filter: ArrivalFilter,
    detector: OveruseDetector,
    /// What the detector said last.
    signal: Signal,
    reported_at: Option<Time>,
    acknowledged: AcknowledgedRate,
    by_delay: Aimd,
    by_loss: LossRate,
    backoff: Option<RttBackoff>,
    window: Option<CongestionWindow>,
    marks: Option<Marks>,
    alr: AlrDetector,
    probes: ProbeControl,
    /// What limits the estimate, as probes know it; and the target, the push-back and the state of losses when that was looked at.
    limit: Limit,
    looked: (f64, f64, LossState),
    open: Vec<Cluster>,
    results: Vec<ClusterResult>,
    asked: Vec<Cluster>,
}

impl Estimator {
    /// Creates an estimator; `responds_to_marks` for packets that carry ECT(1).
    pub fn new(parameters: &EstimatorParameters, responds_to_marks: bool) -> Estimator {
        let bits = |rate: Rate| rate.as_bits() as f64;
        let bounds = (bits(parameters.min_rate), bits(parameters.max_rate));
        let start_rate = bits(parameters.start_rate).clamp(bounds.0, bounds.1);
        let mut alr = AlrDetector::default();
        alr.set_target(start_rate);
        let max_probe = bounds.1.min(bits(parameters.max_probe));
        let probes = ProbeControl::new(max_probe, parameters.periodic_probes, parameters.after_drop);
        let window =
            || CongestionWindow::new(parameters.window_queue, bounds.0, parameters.window_drops_frames);
        Estimator {
            start_rate,
            bounds,
            burst_time: parameters.burst_time,
            probing: parameters.probing,
            loss_based: parameters.loss_based,
            filter: delay_filter(parameters.burst_time),
            detector: delay_detector(),
            signal: Signal::Normal,
            reported_at: None,
            acknowledged: AcknowledgedRate::new(parameters.throughput),
            by_delay: Aimd::new(start_rate, parameters.beta, bounds),
            by_loss: LossRate::default(),
            backoff: (!parameters.max_rtt.is_zero()).then(|| RttBackoff::new(parameters.max_rtt)),
            window: parameters.congestion_window.then(window),
            marks: responds_to_marks.then(Marks::default),
            alr,
            probes,
            limit: Limit::Delay,
            looked: (0.0, 0.0, LossState::Delay),
            open: Vec::new(),
            results: Vec::new(),
            asked: Vec::new(),
        }
    }

    /// Media begins: the first probes.
    pub fn start(&mut self, now: Time) {
        if self.probing {
            self.probes.start(now, self.start_rate, &mut self.asked);
        }
    }

    /// The probes that the sender is to make, since the last call.
    pub fn take_probes(&mut self, mut probe: impl FnMut(Cluster)) {
        for cluster in self.asked.drain(..) {
            if self.open.len() == OPEN_CLUSTERS {
                self.open.remove(0);
            }
            self.open.push(cluster);
            probe(cluster);
        }
    }

    /// Records a packet that left, with which so many bytes are in flight.
    pub fn on_sent(&mut self, bytes: u64, in_flight: u64, now: Time) {
        self.alr.sent(bytes, now);
        if let Some(backoff) = &mut self.backoff {
            backoff.sent(now);
        }
        if let Some(window) = &mut self.window {
            window.sent(in_flight);
        }
    }

    /// Takes feedback on packets, in the order of their numbers, after which so many bytes are in flight.
    pub fn on_feedback(&mut self, packets: &[PacketResult], in_flight: u64, now: Time, rtt: Duration) {
        if self.reported_at.replace(now).is_some_and(|at| now.since(at) > STALE) {
            (self.filter, self.detector) = (delay_filter(self.burst_time), delay_detector());
            self.signal = Signal::Normal;
        }
        let (mut has_recovered, mut probed) = (false, None);
        for packet in packets {
            if self.loss_based {
                self.by_loss.packet(packet.sent_at, packet.bytes, packet.arrived_at.is_none());
            }
            let Some(at) = packet.arrived_at else { continue };
            if let Some(marks) = &mut self.marks {
                marks.packet(packet.is_marked);
            }
            self.acknowledged.arrived(packet.sent_at, at, packet.bytes);
            if let Some(gradient) = self.filter.arrived(packet.sent_at, at)
                && let Some(signal) = self.detector.detect(gradient)
            {
                let before = std::mem::replace(&mut self.signal, signal);
                has_recovered |= before == Signal::Underuse && signal == Signal::Normal;
            }
            if let Some(rate) = packet.cluster.and_then(|id| self.probed(id, packet, at)) {
                probed = Some(rate);
            }
        }
        let before = self.by_delay.rate();
        let acknowledged = self.acknowledged.rate();
        match probed.filter(|_| self.signal != Signal::Overuse) {
            Some(rate) => {
                let least = acknowledged.map_or(0.0, |rate| (PROBED_LOW * rate).min(before));
                self.by_delay.set(rate.max(least), now);
            }
            None => {
                self.by_delay.update(self.signal, acknowledged, now, rtt);
            }
        }
        self.respond_to_marks(before, now, rtt);
        self.by_loss.update(self.by_delay.rate(), acknowledged, self.alr.since().is_some());
        self.note_round_trips(packets, in_flight, now);
        self.update_probes(has_recovered, now);
    }

    /// Round trips of a report: the longest, which has waited for it, and the shortest without that wait.
    fn note_round_trips(&mut self, packets: &[PacketResult], in_flight: u64, now: Time) {
        let arrived = || packets.iter().filter_map(|packet| Some((packet.sent_at, packet.arrived_at?)));
        let Some(newest) = arrived().map(|(_, at)| at).max() else { return };
        let longest = arrived().map(|(sent, _)| now.since(sent)).max().unwrap_or_default();
        let waits = |(sent, at): (Time, Time)| now.since(sent).saturating_sub(newest.since(at));
        let shortest = arrived().map(waits).min().unwrap_or_default();
        if let Some(backoff) = &mut self.backoff {
            backoff.reported(shortest, now);
        }
        let target = self.target_bits();
        if let Some(window) = &mut self.window {
            window.reported(longest, in_flight, target, now);
        }
    }

    /// Called at times without feedback.
    pub fn tick(&mut self, now: Time) {
        let target = self.target_bits();
        if let Some(window) = &mut self.window {
            window.tick(target, now);
        }
        self.update_probes(false, now);
    }

    fn update_probes(&mut self, has_recovered: bool, now: Time) {
        let unbounded = self.unbounded_target();
        if let Some(backoff) = &mut self.backoff {
            backoff.update(unbounded, now);
        }
        let target = self.target_bits();
        self.alr.set_target(target);
        if !self.probing {
            return;
        }
        // WebRTC tells its probes of over-use only together with a new target.
        let ratio = self.window.as_ref().map_or(1.0, CongestionWindow::ratio);
        let looked = (target, ratio, self.by_loss.state());
        if std::mem::replace(&mut self.looked, looked) != looked {
            self.limit = self.limit();
        }
        let context = ProbeContext {
            now,
            estimate: target,
            limited_since: self.alr.since(),
            limited_until: self.alr.ended_at(),
            has_recovered,
            limit: self.limit,
        };
        self.probes.update(&context, &mut self.asked);
    }

    fn limit(&self) -> Limit {
        let is_far = self.backoff.as_ref().is_some_and(RttBackoff::is_above_limit);
        match self.by_loss.state() {
            _ if self.signal != Signal::Normal || is_far => Limit::Congestion,
            LossState::Delay => Limit::Delay,
            LossState::Decreasing => Limit::Congestion,
            LossState::Increasing => Limit::Losses,
        }
    }

    fn respond_to_marks(&mut self, before: f64, now: Time, rtt: Duration) {
        let Some(marks) = &mut self.marks else { return };
        // Where over-use or a probe has changed the rate, that holds; GCC's growth is replaced.
        let rate = self.by_delay.rate();
        let has_grown = rate > before && rate < 1.1 * before;
        let rate = if has_grown { before } else { rate };
        let may_grow = self.alr.since().is_none() && self.by_delay.direction() >= 0.0;
        let next = marks.update(rate, may_grow, now, rtt).unwrap_or(rate);
        self.by_delay.adjust(next);
    }

    /// Adds a packet to its cluster; returns the cluster's result, as soon as and as long as it has one.
    fn probed(&mut self, id: u32, packet: &PacketResult, arrived_at: Time) -> Option<f64> {
        let probed = Probed { sent_at: packet.sent_at, arrived_at, bytes: packet.bytes };
        if let Some(result) = self.results.iter_mut().find(|result| result.id() == id) {
            result.add(probed);
            return result.rate();
        }
        let cluster = self.open.iter().find(|cluster| cluster.id == id)?;
        if self.results.len() == OPEN_CLUSTERS {
            self.results.remove(0);
        }
        self.results.push(ClusterResult::new(*cluster, probed));
        None
    }

    /// The smaller of both rates (§6).
    fn unbounded_target(&self) -> f64 {
        let by_delay = self.by_delay.rate();
        self.loss_rate().map_or(by_delay, |by_loss| by_loss.min(by_delay))
    }

    fn target_bits(&self) -> f64 {
        let rate = self.unbounded_target();
        let by_rtt = self.backoff.as_ref().and_then(RttBackoff::rate);
        by_rtt.map_or(rate, |by_rtt| by_rtt.min(rate)).clamp(self.bounds.0, self.bounds.1)
    }

    /// What the encoder is asked for: the target, less what data in flight push back.
    pub fn encoder_target(&self) -> EncoderTarget {
        let rate = self.target_bits();
        let window = self.window.as_ref();
        window.map_or(EncoderTarget { rate, drop_one_of: None }, |window| window.encoder_target(rate))
    }

    /// The congestion window in bytes; `None` without one, and before the first report.
    pub fn window(&self) -> Option<f64> {
        self.window.as_ref()?.bytes()
    }

    /// The target bitrate: the smaller of both rates (§6), and less after very long round trips.
    pub fn target(&self) -> Rate {
        Rate::from_bits(self.target_bits() as u64)
    }

    /// The rate by delay, in bit/s.
    pub fn delay_rate(&self) -> f64 {
        self.by_delay.rate()
    }

    /// The rate by losses, in bit/s, once there is one.
    pub fn loss_rate(&self) -> Option<f64> {
        self.by_loss.rate().filter(|_| self.loss_based)
    }

    /// The acknowledged bitrate in bit/s; `None` before there are enough packets.
    pub fn acknowledged_rate(&self) -> Option<f64> {
        self.acknowledged.rate()
    }

    /// The gradient that was last compared with the threshold, and the threshold, in ms.
    pub fn gradient(&self) -> (Option<f64>, f64) {
        (self.detector.gradient(), self.detector.threshold())
    }

    /// -1 if the rate by delay decreases, 0 if it is held, 1 if it increases.
    pub fn direction(&self) -> f64 {
        self.by_delay.direction()
    }

    /// Whether the application limits the sender.
    pub fn is_limited_by_application(&self) -> bool {
        self.alr.since().is_some()
    }
}

fn delay_filter(burst_time: Duration) -> ArrivalFilter {
    ArrivalFilter::new(burst_time, Rules::Webrtc, Filter::Trendline(Trendline::default()))
}

fn delay_detector() -> OveruseDetector {
    OveruseDetector::new(GROUPS, Following::WEBRTC)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sender of 1,250-byte packets at the target over a queue of a link, with feedback every 50 ms; `max` bounds what the
    /// application sends.
    struct Toy {
        estimator: Estimator,
        now: f64,
        link_free: f64,
        base: f64,
        waiting: Vec<(f64, PacketResult)>,
        next_feedback: f64,
        probes: Vec<(Cluster, u32, u64)>,
        in_flight: u64,
        /// Sum and count of the packets' waits.
        waits: (f64, u32),
    }

    impl Toy {
        fn new(parameters: &EstimatorParameters, marks: bool) -> Toy {
            let mut estimator = Estimator::new(parameters, marks);
            estimator.start(Time::ZERO);
            Toy {
                estimator,
                now: 0.0,
                link_free: 0.0,
                base: 0.025,
                waiting: Vec::new(),
                next_feedback: 0.05,
                probes: Vec::new(),
                in_flight: 0,
                waits: (0.0, 0),
            }
        }

        /// Runs until `until` s over a link of `capacity`; marks packets that wait for more than a ms. Returns the longest wait.
        fn run(&mut self, until: f64, capacity: f64, max: f64) -> f64 {
            let time = |secs: f64| Time::from_nanos((secs * 1e9) as u64);
            let mut longest: f64 = 0.0;
            while self.now < until {
                let probes = &mut self.probes;
                self.estimator.take_probes(|cluster| probes.push((cluster, 0, 0)));
                let cluster = self.probes.first_mut().map(|(cluster, packets, bytes)| {
                    *packets += 1;
                    *bytes += 1250;
                    (*cluster, *packets >= cluster.packets && *bytes >= cluster.bytes)
                });
                if cluster.is_some_and(|(_, is_over)| is_over) {
                    self.probes.remove(0);
                }
                let target = self.estimator.target_bits().min(max);
                let rate = cluster.map_or(target, |(cluster, _)| cluster.rate);
                let wait = (self.link_free - self.now).max(0.0);
                longest = longest.max(wait);
                self.waits = (self.waits.0 + wait, self.waits.1 + 1);
                self.link_free = self.now + wait + 1e4 / capacity;
                let packet = PacketResult {
                    sent_at: time(self.now),
                    arrived_at: Some(time(self.link_free + self.base)),
                    bytes: 1250,
                    cluster: cluster.map(|(cluster, _)| cluster.id),
                    is_marked: wait > 1e-3,
                };
                self.in_flight += 1250;
                self.estimator.on_sent(1250, self.in_flight, time(self.now));
                self.waiting.push((self.link_free + self.base, packet));
                self.now += 1e4 / rate;
                while self.next_feedback < self.now {
                    let at = self.next_feedback;
                    let arrived = self.waiting.partition_point(|(arrival, _)| *arrival <= at);
                    let batch: Vec<PacketResult> = self.waiting.drain(..arrived).map(|(_, p)| p).collect();
                    self.in_flight -= 1250 * batch.len() as u64;
                    let rtt = Duration::from_millis(50);
                    self.estimator.on_feedback(&batch, self.in_flight, time(at + self.base), rtt);
                    self.next_feedback += 0.05;
                }
            }
            longest
        }

        fn target(&self) -> f64 {
            self.estimator.target_bits() / 1e6
        }
    }

    #[test]
    fn probes_find_a_link_of_five_megabits_within_two_seconds() {
        let mut toy = Toy::new(&EstimatorParameters::default(), false);
        toy.run(2.0, 5e6, f64::INFINITY);
        assert!((3.5..5.5).contains(&toy.target()), "{}", toy.target());
        let mut without = Toy::new(&EstimatorParameters { probing: false, ..Default::default() }, false);
        without.run(2.0, 5e6, f64::INFINITY);
        assert!(without.target() < 0.5, "{}", without.target());
    }

    #[test]
    fn a_link_is_used_with_a_short_queue() {
        let mut toy = Toy::new(&EstimatorParameters::default(), false);
        toy.run(10.0, 2e6, f64::INFINITY);
        let wait = toy.run(60.0, 2e6, f64::INFINITY);
        assert!((1.5..2.2).contains(&toy.target()), "{}", toy.target());
        assert!(wait < 0.15, "{wait}");
    }

    #[test]
    fn it_falls_with_the_link_and_comes_back() {
        let mut toy = Toy::new(&EstimatorParameters::default(), false);
        toy.run(20.0, 4e6, f64::INFINITY);
        toy.run(30.0, 1e6, f64::INFINITY);
        assert!(toy.target() < 1.2, "{}", toy.target());
        toy.run(60.0, 4e6, f64::INFINITY);
        assert!(toy.target() > 1.5, "{}", toy.target());
    }

    #[test]
    fn an_application_limited_sender_learns_by_its_probes() {
        let parameters = EstimatorParameters { periodic_probes: true, ..Default::default() };
        let mut toy = Toy::new(&parameters, false);
        toy.run(5.0, 1e6, 0.2e6);
        assert!(toy.target() < 1.2, "{}", toy.target());
        toy.run(30.0, 10e6, 0.2e6);
        assert!(toy.estimator.is_limited_by_application());
        assert!(toy.target() > 4.0, "{}", toy.target());
    }

    #[test]
    fn after_a_step_down_the_encoder_is_asked_for_half_of_the_target_until_the_queue_is_gone() {
        let lowest = |congestion_window| {
            let parameters = EstimatorParameters { congestion_window, ..Default::default() };
            let mut toy = Toy::new(&parameters, false);
            toy.run(20.0, 4e6, f64::INFINITY);
            let mut lowest: f64 = 1.0;
            for tenth in 201..260 {
                toy.run(f64::from(tenth) / 10.0, 0.4e6, f64::INFINITY);
                let EncoderTarget { rate, drop_one_of } = toy.estimator.encoder_target();
                lowest = lowest.min(rate / toy.estimator.target_bits());
                assert_eq!(drop_one_of.is_some(), rate < toy.estimator.target_bits());
            }
            lowest
        };
        assert_eq!((lowest(true), lowest(false)), (0.5, 1.0));
    }

    #[test]
    fn marks_keep_the_queue_at_a_few_packets_and_the_link_in_use() {
        // Packets of 5 ms each, marked when they wait for more than one; without marks the rate would grow on.
        let mut toy = Toy::new(&EstimatorParameters::default(), true);
        toy.run(10.0, 2e6, f64::INFINITY);
        toy.waits = (0.0, 0);
        let longest = toy.run(60.0, 2e6, f64::INFINITY);
        let mean = toy.waits.0 / f64::from(toy.waits.1);
        assert!(mean < 0.015 && longest < 0.1, "{mean} {longest}");
        let rate = f64::from(toy.waits.1) * 1e4 / 50.0;
        assert!((1.4e6..2.05e6).contains(&rate), "{rate}");
    }

    #[test]
    fn parameters_are_checked() {
        let zero = EstimatorParameters { max_probe: Rate::ZERO, ..Default::default() };
        let long = EstimatorParameters { max_rtt: Duration::from_secs(61), ..Default::default() };
        let key = |parameters: EstimatorParameters| parameters.validate().expect_err("refused").to_string();
        let default = EstimatorParameters::default;
        assert!(key(EstimatorParameters { beta: 0.3, ..default() }).starts_with("beta: "));
        assert!(key(EstimatorParameters { min_rate: Rate::ZERO, ..default() }).starts_with("min_rate: "));
        let inverted = EstimatorParameters { max_rate: Rate::from_kbit(1), ..default() };
        assert!(key(inverted).starts_with("max_rate: "));
        assert!(key(zero).starts_with("max_probe: ") && key(long).starts_with("max_rtt: "));
    }
}
