//! Tests of Prague against its draft and RFC 9331, ACK by ACK.

use jettison_wire::Ecn;

use super::super::testing::{MSS, ack, context, loss, rto};
use super::*;

fn prague(parameters: PragueParameters) -> Prague {
    let context = context();
    let mut controller = Prague::new(parameters, SlowStart::new(&context, HyStart::Off), &context);
    controller.on_established(MSS, 10 * MSS);
    controller
}

/// A controller in congestion avoidance at `segments` of window, with a given average share of marks.
fn avoiding(segments: u64, alpha: f64, parameters: PragueParameters) -> Prague {
    let mut controller = prague(parameters);
    controller.window = segments * MSS;
    controller.ssthresh = segments * MSS;
    controller.marks = MarkAverage::new(1.0 / 16.0, alpha);
    controller.has_mark = true;
    controller
}

/// Parameters that use the virtual RTT from the first round trip on.
fn at_once() -> PragueParameters {
    PragueParameters { rtt_dependent_rounds: 0, ..PragueParameters::default() }
}

/// A path on which segments are acknowledged one at a time, with a full window per RTT.
struct Path {
    now: Time,
    rtt: Duration,
    acknowledged: u64,
}

impl Path {
    fn new(rtt: Duration) -> Path {
        Path { now: Time::ZERO, rtt, acknowledged: 0 }
    }

    /// Acknowledges one segment, marked or not.
    fn step(&mut self, controller: &mut Prague, is_marked: bool) {
        let in_flight = controller.window();
        self.acknowledged += MSS;
        self.now += self.rtt / (in_flight / MSS).max(1);
        controller.on_ack(&AckSample {
            now: self.now,
            ecn_echo: is_marked,
            ce_bytes: if is_marked { MSS } else { 0 },
            in_flight_before: in_flight,
            in_flight: in_flight - MSS,
            acknowledged: self.acknowledged,
            next_offset: self.acknowledged + in_flight - MSS,
            smoothed_rtt: self.rtt,
            ..ack(MSS)
        });
    }

    /// Runs a round trip with every `every`th segment marked (0: none).
    fn round(&mut self, controller: &mut Prague, every: u64) {
        for i in 0..controller.window() / MSS {
            self.step(controller, every > 0 && i % every == every - 1);
        }
    }
}

const MS_50: Duration = Duration::from_millis(50);

#[test]
fn draft_2_3_2_alpha_converges_to_the_share_of_marks() {
    let mut controller = avoiding(100, 1.0, PragueParameters::default());
    let mut path = Path::new(MS_50);
    for _ in 0..150 {
        controller.window = 100 * MSS;
        path.round(&mut controller, 10);
    }
    assert!((controller.marks.alpha() - 0.1).abs() < 0.01, "{}", controller.marks.alpha());
}

#[test]
fn draft_2_3_2_alpha_is_1_at_the_first_mark_however_late_it_comes() {
    let mut controller = prague(PragueParameters::default());
    let mut path = Path::new(MS_50);
    (0..3).for_each(|_| path.round(&mut controller, 0));
    let before = controller.window();
    path.step(&mut controller, true);
    assert_eq!(controller.marks.alpha(), 1.0);
    assert_eq!(controller.window(), before / 2, "the most that marks can take");
    path.round(&mut controller, 0);
    path.round(&mut controller, 0);
    assert!(controller.marks.alpha() < 0.95, "averaged from then on: {}", controller.marks.alpha());
}

#[test]
fn draft_2_4_2_reduces_by_half_of_alpha_once_per_round_trip() {
    let mut controller = avoiding(100, 0.2, PragueParameters::default());
    let mut path = Path::new(MS_50);
    path.acknowledged = 1000 * MSS;
    controller.observed = Mark { at: Time::ZERO, next_offset: u64::MAX };
    path.step(&mut controller, true);
    assert_eq!((controller.window(), controller.ssthresh()), (90 * MSS, 90 * MSS));
    for _ in 0..99 {
        path.step(&mut controller, true);
    }
    assert_eq!(controller.window(), 90 * MSS, "no other reduction for data sent by then");
    path.step(&mut controller, true);
    assert_eq!(controller.window(), 81 * MSS);
}

#[test]
fn draft_2_4_3_grows_on_unmarked_bytes_alone_and_in_reduction_too() {
    let mut controller = avoiding(100, 0.2, PragueParameters::default());
    let mut path = Path::new(MS_50);
    path.step(&mut controller, true);
    let reduced = controller.window();
    for _ in 0..reduced / MSS {
        path.step(&mut controller, false);
    }
    let grown = controller.window() - reduced;
    assert!(
        (980..=1000).contains(&grown),
        "a segment per round trip, immediately after the reduction: {grown}"
    );
    let before = controller.window();
    controller.reduced = Some(Mark { at: path.now, next_offset: u64::MAX });
    for _ in 0..50 {
        path.step(&mut controller, true);
    }
    assert_eq!(controller.window(), before, "marked bytes cause no growth");
}

#[test]
fn draft_2_4_3_keeps_fractions_of_a_byte() {
    let mut controller = avoiding(2000, 0.0, PragueParameters::default());
    let mut path = Path::new(MS_50);
    path.step(&mut controller, false);
    assert_eq!(controller.window(), 2000 * MSS);
    path.step(&mut controller, false);
    assert_eq!(controller.window(), 2000 * MSS, "half a byte per ACK");
    assert!(
        (controller.fraction - 1.0).abs() < 1e-3 || controller.fraction > 0.99,
        "{}",
        controller.fraction
    );
}

#[test]
fn rfc9331_4_3_a_short_rtt_grows_as_slowly_as_the_virtual_one() {
    // One segment per 25 ms for a window that spans 25 ms: at an RTT of 5 ms a 25th of a segment per round trip.
    let growth = |rtt: u64, parameters: PragueParameters| {
        let mut controller = avoiding(50, 0.0, parameters);
        let mut path = Path::new(Duration::from_millis(rtt));
        for _ in 0..10 {
            path.round(&mut controller, 0);
        }
        (controller.window() - 50 * MSS) as f64 / MSS as f64 / 10.0
    };
    assert!((growth(5, at_once()) - 1.0 / 25.0).abs() < 0.002);
    assert!((growth(25, at_once()) - 1.0).abs() < 0.1);
    assert!((growth(100, at_once()) - 1.0).abs() < 0.1, "a longer RTT is not made shorter");
    assert!((growth(5, PragueParameters::default()) - 1.0).abs() < 0.1, "not in the first 500 round trips");
    let by_rtt = PragueParameters { rtt_virtual_min: Duration::ZERO, ..at_once() };
    assert!((growth(5, by_rtt) - 1.0).abs() < 0.1);
}

#[test]
fn draft_2_4_4_with_a_short_rtt_alpha_and_reduction_use_the_virtual_one() {
    let mut controller = avoiding(100, 0.2, at_once());
    let mut path = Path::new(Duration::from_millis(5));
    let (mut reductions, mut updates) = (0, 0);
    // 100 ms with every segment marked: four virtual round trips.
    let mut before = (controller.window(), controller.marks.alpha());
    while path.now < Time::from_millis(100) {
        path.step(&mut controller, true);
        let after = (controller.window(), controller.marks.alpha());
        reductions += u32::from(after.0 != before.0);
        updates += u32::from(after.1 != before.1);
        before = after;
    }
    assert_eq!((reductions, updates), (4, 3));
}

#[test]
fn draft_2_4_4_becomes_independent_of_the_rtt_after_a_number_of_round_trips() {
    let parameters = PragueParameters { rtt_dependent_rounds: 3, ..PragueParameters::default() };
    let mut controller = avoiding(10, 0.0, parameters);
    let sample = AckSample { smoothed_rtt: Duration::from_millis(5), is_round_start: true, ..ack(MSS) };
    controller.on_ack(&sample);
    controller.on_ack(&sample);
    assert_eq!(controller.stretch(), 1.0);
    controller.on_ack(&sample);
    assert_eq!(controller.stretch(), 5.0);
}

#[test]
fn draft_2_4_5_the_first_mark_ends_slow_start() {
    let mut controller = prague(PragueParameters::default());
    let mut path = Path::new(MS_50);
    path.round(&mut controller, 0);
    assert_eq!(controller.window(), 20 * MSS);
    path.step(&mut controller, true);
    assert_eq!(controller.window(), controller.ssthresh());
    let before = controller.window();
    path.step(&mut controller, false);
    assert!(controller.window() - before <= MSS / 10, "congestion avoidance, from half of 20 segments");
}

#[test]
fn rfc9331_4_3_answers_loss_as_reno_even_just_after_marks() {
    let mut controller = avoiding(100, 0.02, PragueParameters::default());
    let mut path = Path::new(MS_50);
    controller.observed = Mark { at: Time::ZERO, next_offset: u64::MAX };
    path.step(&mut controller, true);
    assert_eq!(controller.window(), 99 * MSS);
    controller.on_congestion(&loss(98 * MSS));
    assert_eq!((controller.window(), controller.ssthresh()), (49 * MSS, 49 * MSS));
    controller.on_rto(&rto(49 * MSS, false));
    assert_eq!((controller.window(), controller.ssthresh()), (MSS, 24_500));
    controller.on_spurious_recovery();
    assert_eq!((controller.window(), controller.ssthresh()), (49 * MSS, 49 * MSS));
}

#[test]
fn draft_2_5_1_paces_at_the_window_over_the_rtt_and_twice_that_in_slow_start() {
    let mut controller = avoiding(50, 0.0, PragueParameters::default());
    assert_eq!(controller.pacing_rate(), None, "before the first RTT sample");
    let mut path = Path::new(MS_50);
    path.step(&mut controller, false);
    // 50,000 bytes in 50 ms.
    assert!((controller.pacing_rate().unwrap().as_bits() as f64 / 8e6 - 1.0).abs() < 0.01);
    controller.ssthresh = u64::MAX;
    assert!((controller.pacing_rate().unwrap().as_bits() as f64 / 16e6 - 1.0).abs() < 0.01);
    controller.ssthresh = controller.window;
    controller.in_flight = 100 * MSS;
    assert!((controller.pacing_rate().unwrap().as_bits() as f64 / 16e6 - 1.0).abs() < 0.01, "the flight");
}

#[test]
fn draft_2_5_2_a_burst_is_what_fits_in_250_us_and_at_least_a_segment() {
    let mut controller = avoiding(50, 0.0, PragueParameters::default());
    let mut path = Path::new(MS_50);
    path.step(&mut controller, false);
    assert_eq!(controller.pacing_quantum(), Some(MSS));
    // 20,000 segments in 50 ms are 100 in 250 µs.
    controller.window = 20_000 * MSS;
    controller.ssthresh = controller.window;
    assert_eq!(controller.pacing_quantum(), Some(100 * MSS));
}

#[test]
fn rfc9331_4_1_and_4_2_sends_ect1_and_asks_for_accurate_feedback() {
    let controller = prague(PragueParameters::default());
    assert!(controller.wants_ecn());
    assert_eq!(controller.ecn(), EcnUse { codepoint: Ecn::Ect1, feedback: EcnFeedback::Accurate });
    let private = prague(PragueParameters { codepoint: Ect::Ect0, ..PragueParameters::default() });
    assert_eq!(private.ecn().codepoint, Ecn::Ect0, "draft §2.2: configurable for private networks");
}

#[test]
fn rfc7661_does_not_grow_an_unused_window() {
    let mut controller = avoiding(10, 0.0, PragueParameters::default());
    let idle = AckSample { is_window_limited: false, in_flight_before: 4 * MSS, ..ack(MSS) };
    controller.on_ack(&idle);
    assert_eq!((controller.window(), controller.fraction), (10 * MSS, 0.0));
    controller.on_ack(&AckSample { in_flight_before: 6 * MSS, ..idle });
    assert_eq!(controller.window(), 10 * MSS + MSS / 10);
}

#[test]
fn refuses_values_that_are_not_shares() {
    let wrong = PragueParameters { beta: 1.0, ..PragueParameters::default() };
    assert!(wrong.validate().unwrap_err().message().contains("in (0, 1)"));
    let wrong = PragueParameters { g: 0.0, ..PragueParameters::default() };
    assert!(wrong.validate().unwrap_err().to_string().contains("g: must be in (0, 1), got 0"));
}
