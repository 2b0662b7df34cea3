//! ABC's sender: one packet more per echoed "accelerate", one packet less per "brake".
//!
//! Goyal et al., *ABC: A Simple Explicit Congestion Controller for Wireless Networks*, NSDI 2020. Packets are sent as
//! accelerate, ECT(1); an ABC router changes some to brake, ECT(0) (§3.1). With w the window in packets
//! (§3.1.3, equation 3):
//!
//! ```text
//! w ← w + 1 + 1/w   on accelerate
//! w ← w − 1 + 1/w   on brake
//! ```
//!
//! The term 1/w is an additive increase of one packet per RTT, which makes flows converge to fairness.
//!
//! Losses and CE reveal a bottleneck that is not an ABC router. A second window follows CUBIC (RFC 9438) for it, and
//! the smaller of the two applies. Both are limited to twice the flight, so that the one that does not limit cannot
//! grow without bound (§4.1).

use jettison_core::{Bytes, Gauge, Gauges, Rate, Time};
use jettison_registry::style::{BRICK, Line::Dashed};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Ecn;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{MessageController, PathContext};
use super::{PathAck, PathController, PathSent};
use jettison_tcp::congestion::{
    AckSample, CongestionController, CongestionEvent, CongestionKind, ControllerContext, Cubic,
    CubicParameters, Growth, HyStart, Phase, RecoveryEnd, ReduceFrom, RtoEvent, SlowStart,
};

/// What it reports of its state.
const GAUGES: &[Gauge] = &[WINDOW, CUBIC_WINDOW];

const WINDOW: Gauge = Gauge::new("abc_window", "bytes", "w_abc, the window that marks of ABC routers move.");
const CUBIC_WINDOW: Gauge = Gauge::new(
    "abc_cubic_window",
    "bytes",
    "w_nonabc, the window for other bottlenecks; none without `dual_window`.",
);

/// Parameters of `abc`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AbcParameters {
    /// Additive increase of the window in packets per RTT, independent of marks (§3.1.3; 0 for none, without fairness).
    #[schemars(range(min = 0.0, max = 10.0))]
    pub additive_increase: f64,
    /// Minimum window in packets.
    #[schemars(range(min = 1, max = 1000))]
    pub min_window: u32,
    /// Whether a second window follows CUBIC for bottlenecks that are not ABC routers (§4.1).
    pub dual_window: bool,
    /// Maximum ratio of a window to the bytes in flight (§4.1).
    #[schemars(range(min = 1.1, max = 100.0))]
    pub cap: f64,
}

impl Default for AbcParameters {
    fn default() -> AbcParameters {
        AbcParameters { additive_increase: 1.0, min_window: 2, dual_window: true, cap: 2.0 }
    }
}

impl AbcParameters {
    /// Checks the values; the error names the key and the valid range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::unless((0.0..=10.0).contains(&self.additive_increase), "additive_increase", || {
            format!("must be 0 to 10 packets, got {}", self.additive_increase)
        })?;
        ParameterError::unless((1..=1000).contains(&self.min_window), "min_window", || {
            format!("must be 1 to 1,000 packets, got {}", self.min_window)
        })?;
        ParameterError::unless((1.1..=100.0).contains(&self.cap), "cap", || {
            format!("must be 1.1 to 100, got {}", self.cap)
        })
    }
}

/// The controller.
#[derive(Debug, Clone)]
pub struct Abc {
    // Parameters.
    parameters: AbcParameters,
    packet: u64,
    // State.
    /// w_abc, in packets.
    window: f64,
    /// w_nonabc.
    cubic: Option<Cubic>,
    /// During a reduction of CUBIC's window: the first sequence number whose loss would be a new congestion.
    recovery: Option<Recovery>,
    next_sequence: u64,
    has_timed_out: bool,
    bandwidth: Option<Rate>,
}

#[derive(Debug, Clone, Copy)]
struct Recovery {
    ends_at: u64,
    kind: CongestionKind,
}

impl Abc {
    /// A controller with its initial window.
    pub fn new(parameters: AbcParameters, context: &PathContext<'_>) -> Abc {
        let packet = context.packet.max(1);
        let initial_window = context.initial_window.max(u64::from(parameters.min_window) * packet);
        let cubic = parameters.dual_window.then(|| {
            let context = ControllerContext {
                mss: packet,
                initial_window,
                growth: Growth::PerByte,
                reduce_from: ReduceFrom::Flight,
                hystart: HyStart::Rfc9406,
                paced: false,
                random: None,
            };
            Cubic::new(CubicParameters::default(), SlowStart::new(&context, HyStart::Rfc9406), &context)
        });
        Abc {
            window: initial_window as f64 / packet as f64,
            parameters,
            packet,
            cubic,
            recovery: None,
            next_sequence: 0,
            has_timed_out: false,
            bandwidth: None,
        }
    }

    fn least(&self) -> f64 {
        f64::from(self.parameters.min_window)
    }

    /// §3.1.3, equation 3, for a packet or, if `bytes` is less, for that part of one.
    fn echoed(&mut self, mark: Ecn, bytes: u64) {
        let direction = match mark {
            Ecn::Ect1 => 1.0,
            Ecn::Ect0 => -1.0,
            // CE applies to the other window; a cleared field carries no information.
            Ecn::Ce | Ecn::NotEct => return,
        };
        let part = (bytes as f64 / self.packet as f64).min(1.0);
        let change = direction + self.parameters.additive_increase / self.window;
        self.window = (self.window + part * change).max(self.least());
    }

    /// §4.1: the limit for a window that does not limit the sender.
    fn cap_bytes(&self, in_flight: u64) -> f64 {
        (self.parameters.cap * in_flight as f64).max(self.least() * self.packet as f64)
    }

    fn follow_cubic(&mut self, ack: &PathAck<'_>) {
        let cap = self.cap_bytes(ack.sample.in_flight_before);
        let Some(cubic) = &mut self.cubic else { return };
        let sample = ack.sample;
        if let Some(recovery) = self.recovery
            && ack.arrived.iter().any(|arrived| arrived.sequence >= recovery.ends_at)
        {
            self.recovery = None;
            cubic.on_recovery_end(&RecoveryEnd {
                now: sample.now,
                kind: recovery.kind,
                window: cubic.ssthresh().min(cubic.window()),
                flight_size: sample.in_flight_before,
                loss_flight_size: sample.in_flight_before,
                retransmitted: 0,
            });
        }
        let phase = if self.recovery.is_some() { Phase::Recovery } else { Phase::Open };
        if (cubic.window() as f64) < cap {
            cubic.on_ack(&AckSample { phase, ..*sample });
        }
        let loss = (!ack.lost.is_empty()).then_some(CongestionKind::Loss);
        let mark = ack.arrived.iter().any(|arrived| arrived.ecn == Ecn::Ce).then_some(CongestionKind::Ecn);
        if let Some(kind) = loss.or(mark)
            && self.recovery.is_none()
        {
            self.recovery = Some(Recovery { ends_at: self.next_sequence, kind });
            cubic.on_congestion(&CongestionEvent {
                now: sample.now,
                kind,
                flight_size: sample.in_flight_before,
                in_flight: sample.in_flight_before,
                lost: sample.lost,
                recovery_point: sample.next_offset,
            });
        }
    }
}

impl PathController for Abc {
    fn on_sent(&mut self, sent: &PathSent) {
        self.next_sequence = self.next_sequence.max(sent.sequence.saturating_add(1));
    }

    fn on_ack(&mut self, ack: &PathAck<'_>) {
        self.has_timed_out &= ack.arrived.is_empty();
        for arrived in ack.arrived {
            self.echoed(arrived.ecn, arrived.bytes);
        }
        let cap = self.cap_bytes(ack.sample.in_flight_before) / self.packet as f64;
        self.window = self.window.min(cap.max(self.least()));
        self.follow_cubic(ack);
        if !ack.sample.smoothed_rtt.is_zero() {
            let rate = Rate::of(Bytes::new(self.window()), ack.sample.smoothed_rtt);
            self.bandwidth = Some(rate.max(Rate::from_bits(1)));
        }
    }

    fn on_timeout(&mut self, now: Time, in_flight: u64) {
        self.window = self.least();
        self.recovery = None;
        if let Some(cubic) = &mut self.cubic {
            let is_repeated = std::mem::replace(&mut self.has_timed_out, true);
            cubic.on_rto(&RtoEvent { now, flight_size: in_flight, in_flight, is_repeated });
        }
    }

    fn window(&self) -> u64 {
        let abc = (self.window * self.packet as f64) as u64;
        let least = u64::from(self.parameters.min_window) * self.packet;
        self.cubic.as_ref().map_or(abc, |cubic| abc.min(cubic.window())).max(least)
    }

    fn bandwidth(&self) -> Option<Rate> {
        self.bandwidth
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        out.set(&WINDOW, self.window * self.packet as f64);
        out.set(&CUBIC_WINDOW, self.cubic.as_ref().map_or(f64::NAN, |cubic| cubic.window() as f64));
    }

    /// Packets are sent as accelerate.
    fn ecn(&self) -> Ecn {
        Ecn::Ect1
    }
}

/// Its entry in the list of the message transport's controllers.
pub(super) fn entry() -> Entry<MessageController> {
    Entry::<MessageController>::new("abc", "ABC", build)
        .style(BRICK, Dashed)
        .summary("one packet more per accelerate, one packet less per brake that an ABC router marks")
        .source("Goyal et al., ABC, NSDI 2020; RFC 9438 for other bottlenecks")
        .page("appendix/path-controllers.md")
        .gauges(GAUGES)
}

fn build(
    parameters: AbcParameters,
    context: &PathContext<'_>,
) -> Result<Box<dyn PathController>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(Abc::new(parameters, context)))
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use jettison_core::Duration;
    use serde_json::json;

    use super::super::testing::{Link, Marker, PACKET, Toy, build, context, run, sample};
    use super::super::{ArrivedPacket, LostPacket};
    use super::*;

    fn abc(parameters: AbcParameters) -> Abc {
        let mut controller = Abc::new(parameters, &context());
        controller.next_sequence = 100;
        controller
    }

    fn arrived(sequence: u64, ecn: Ecn) -> ArrivedPacket {
        ArrivedPacket { sequence, bytes: PACKET, sent_at: Time::ZERO, arrived_at: None, ecn }
    }

    fn echo(controller: &mut Abc, sequence: u64, ecn: Ecn, in_flight: u64) {
        let totals = sample(Time::from_millis(50), PACKET, in_flight);
        controller.on_ack(&PathAck { sample: &totals, arrived: &[arrived(sequence, ecn)], lost: &[] });
    }

    #[test]
    fn abc_3_1_3_a_packet_more_or_less_for_each_echo_and_one_over_w() {
        let mut controller = abc(AbcParameters { dual_window: false, ..AbcParameters::default() });
        echo(&mut controller, 0, Ecn::Ect1, 10 * PACKET);
        assert!((controller.window - 11.1).abs() < 1e-9, "{}", controller.window);
        echo(&mut controller, 1, Ecn::Ect0, 10 * PACKET);
        assert!((controller.window - (10.1 + 1.0 / 11.1)).abs() < 1e-9, "{}", controller.window);
        let before = controller.window;
        echo(&mut controller, 2, Ecn::Ce, 10 * PACKET);
        echo(&mut controller, 3, Ecn::NotEct, 10 * PACKET);
        assert_eq!(controller.window, before);
    }

    #[test]
    fn abc_3_1_a_window_of_accelerates_doubles_and_of_brakes_empties() {
        let parameters =
            AbcParameters { dual_window: false, additive_increase: 0.0, ..AbcParameters::default() };
        let mut controller = abc(parameters.clone());
        (0..10).for_each(|n| echo(&mut controller, n, Ecn::Ect1, 20 * PACKET));
        assert!((controller.window - 20.0).abs() < 1e-9);
        (0..30).for_each(|n| echo(&mut controller, n, Ecn::Ect0, 20 * PACKET));
        assert_eq!(controller.window(), 2 * PACKET);
        let half = ArrivedPacket { bytes: PACKET / 2, ..arrived(0, Ecn::Ect1) };
        let totals = sample(Time::from_millis(50), PACKET, 20 * PACKET);
        controller.on_ack(&PathAck { sample: &totals, arrived: &[half], lost: &[] });
        assert!((controller.window - 2.5).abs() < 1e-9, "half a packet counts as half");
    }

    #[test]
    fn abc_3_1_packets_leave_as_accelerate() {
        assert_eq!(abc(AbcParameters::default()).ecn(), Ecn::Ect1);
    }

    #[test]
    fn abc_4_1_a_window_stays_below_twice_what_is_in_flight() {
        let mut controller = abc(AbcParameters::default());
        (0..50).for_each(|n| echo(&mut controller, n, Ecn::Ect1, 4 * PACKET));
        // Five packets were in flight before each ACK.
        assert_eq!(controller.window(), 10 * PACKET);
        assert!(controller.cubic.as_ref().expect("it has two windows").window() <= 11 * PACKET);
    }

    #[test]
    fn abc_4_1_the_smaller_window_applies_and_losses_reduce_cubics() {
        let mut controller = abc(AbcParameters::default());
        let lose = |controller: &mut Abc, sequence| {
            let totals = sample(Time::from_millis(50), PACKET, 9 * PACKET);
            let lost = [LostPacket { sequence, bytes: PACKET, sent_at: Time::ZERO }];
            let arrived = [arrived(sequence + 3, Ecn::Ect1)];
            controller.on_ack(&PathAck { sample: &totals, arrived: &arrived, lost: &lost });
        };
        lose(&mut controller, 10);
        assert!(controller.window >= 11.0, "marks alone move ABC's window");
        let reduced = controller.window();
        assert!(reduced < 8 * PACKET, "{reduced}");
        // Another loss of the same flight has no effect.
        lose(&mut controller, 20);
        assert_eq!(controller.window(), reduced);
        // A loss of the next flight has.
        controller.next_sequence = 200;
        echo(&mut controller, 150, Ecn::Ect1, 9 * PACKET);
        lose(&mut controller, 160);
        assert!(controller.window() < reduced, "{}", controller.window());
    }

    #[test]
    fn ce_reduces_cubics_window_once_per_flight() {
        let mut controller = abc(AbcParameters::default());
        echo(&mut controller, 1, Ecn::Ce, 9 * PACKET);
        let reduced = controller.window();
        assert!(reduced < 8 * PACKET);
        echo(&mut controller, 2, Ecn::Ce, 9 * PACKET);
        assert_eq!(controller.window(), reduced);
    }

    #[test]
    fn a_timeout_leaves_the_smallest_window() {
        let mut controller = abc(AbcParameters::default());
        controller.on_timeout(Time::from_secs(1), 10 * PACKET);
        assert_eq!(controller.window(), 2 * PACKET);
    }

    /// §3.1.2 with the paper's constants: a target rate from capacity and queueing delay, and a token bucket.
    fn router() -> Marker {
        let (mut left, mut token) = (VecDeque::new(), 0.0f64);
        Box::new(move |now: Time, ecn, waited: Duration, capacity| {
            left.push_back(now);
            while left.front().is_some_and(|at| now.since(*at) > Duration::from_millis(50)) {
                left.pop_front();
            }
            let (capacity, delta, threshold) = (capacity as f64, 0.133, 0.020);
            let over = (waited.as_secs_f64() - threshold).max(0.0);
            let target = (0.98 * capacity - capacity / delta * over).max(0.0);
            let current = left.len() as f64 * PACKET as f64 * 8.0 / 0.050;
            let fraction = (0.5 * target / current).min(1.0);
            token = (token + fraction).min(10.0);
            if ecn != Ecn::Ect1 || token > 1.0 {
                token -= 1.0;
                return ecn;
            }
            Ecn::Ect0
        })
    }

    #[test]
    fn an_abc_router_steers_the_sender_to_the_links_rate_with_a_short_queue() {
        let mut controller = build(&entry(), json!({}));
        let toy = Toy { marker: Some(router()), ..Toy::new(Link::fixed(10)) };
        let run = run(&mut *controller, toy, 20);
        assert!(run.mbit(2, 20) > 9.0, "{}", run.mbit(2, 20));
        assert!(run.delay(2, 20, 95) < 50.0, "{}", run.delay(2, 20, 95));
        assert_eq!(run.dropped, 0);
    }

    #[test]
    fn an_abc_router_slows_the_sender_when_the_rate_falls_to_a_fifth() {
        let rates = vec![
            (Time::ZERO, Rate::from_mbit(10)),
            (Time::from_secs(10), Rate::from_mbit(2)),
            (Time::from_secs(20), Rate::from_mbit(10)),
        ];
        let mut controller = build(&entry(), json!({}));
        let toy = Toy { marker: Some(router()), ..Toy::new(Link::Rates(rates)) };
        let run = run(&mut *controller, toy, 30);
        assert!(run.delay(12, 20, 95) < 80.0, "{}", run.delay(12, 20, 95));
        assert!(run.mbit(12, 20) > 1.7, "{}", run.mbit(12, 20));
        assert!(run.mbit(22, 30) > 8.5, "{}", run.mbit(22, 30));
    }

    #[test]
    fn at_another_bottleneck_the_sender_follows_cubic() {
        let mut controller = build(&entry(), json!({}));
        let run = run(&mut *controller, Toy { buffer: 60_000, ..Toy::new(Link::fixed(10)) }, 30);
        assert!(run.dropped > 0);
        assert!(run.dropped < 400, "{}", run.dropped);
        assert!(run.mbit(5, 30) > 8.0, "{}", run.mbit(5, 30));
    }

    #[test]
    fn parameters_are_checked() {
        let refuse = |parameters| entry().build(&parameters, &context()).unwrap_err().to_string();
        assert!(refuse(json!({ "additive_increase": -1.0 })).starts_with("additive_increase: "));
        assert!(refuse(json!({ "min_window": 0 })).starts_with("min_window: "));
        assert!(refuse(json!({ "cap": 1.0 })).starts_with("cap: "));
    }
}
