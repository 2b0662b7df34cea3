//! The two rules of HyStart, with ACKs at chosen times. Figures are those of the documents: a train of half of the lowest
//! RTT, gaps of 2 ms, eight samples, a rise of an eighth between 4 and 16 ms, from 16 segments on.

use super::super::testing::{MSS, ack, context};
use super::super::{ControllerContext, HyStart, SlowStart};
use super::*;

/// A sender in slow start over a path that delivers a segment every `gap`, seen from its ACKs.
struct Path {
    slow_start: SlowStart,
    now: Time,
    window: u64,
    ssthresh: u64,
    acknowledged: u64,
}

impl Path {
    fn new(paced: bool) -> Path {
        let context = ControllerContext { hystart: HyStart::Linux, paced, ..context() };
        Path {
            slow_start: SlowStart::new(&context, HyStart::Off),
            now: Time::from_secs(1),
            window: 10 * MSS,
            ssthresh: u64::MAX,
            acknowledged: 0,
        }
    }

    /// One round: ACKs of a segment each, with the interval `gap` and the RTTs that `rtt` has for their numbers. Returns
    /// whether slow start has ended, and after how many ACKs.
    fn round(&mut self, gap: Duration, base: Duration, rtt: impl Fn(u64) -> Duration) -> Option<u64> {
        let segments = self.window / MSS;
        let began = self.now;
        for number in 0..segments {
            // The window is in flight.
            let next_offset = self.acknowledged + self.window;
            self.acknowledged += MSS;
            let sample = AckSample {
                now: self.now,
                acknowledged: self.acknowledged,
                next_offset,
                rtt: Some(rtt(number)),
                smoothed_rtt: base,
                ..ack(MSS)
            };
            self.slow_start.observe(&sample, self.window, &mut self.ssthresh, None);
            if self.ssthresh < u64::MAX {
                return Some(number + 1);
            }
            self.slow_start.on_ack(&sample, MSS, &mut self.window, &mut self.ssthresh);
            self.now += gap;
        }
        // The next round's first ACK comes an RTT after this one's.
        self.now = self.now.max(began + base);
        None
    }
}

const MS: fn(u64) -> Duration = Duration::from_millis;

#[test]
fn an_ack_train_of_half_the_lowest_rtt_ends_slow_start() {
    // A segment every 250 us and an RTT of 80 ms: the path holds 320 segments, and 160 of them are half of the RTT. To that
    // a millisecond for bursts is added, of which the half counts.
    let mut path = Path::new(false);
    let ended: Vec<_> = (0..5).map(|_| path.round(Duration::from_micros(250), MS(80), |_| MS(80))).collect();
    assert_eq!(ended, [None, None, None, None, None], "160 segments take 39.75 ms");
    assert_eq!(path.window, 320 * MSS);
    // 162 intervals are 40.5 ms, and a train must be longer.
    assert_eq!(path.round(Duration::from_micros(250), MS(80), |_| MS(80)), Some(164));
    assert_eq!((path.window, path.ssthresh), (483 * MSS, 483 * MSS));
}

#[test]
fn a_gap_of_more_than_two_milliseconds_ends_a_train() {
    for (gap, ends) in [(2000, true), (2001, false)] {
        let mut path = Path::new(false);
        path.window = 30 * MSS;
        let ended = path.round(Duration::from_micros(gap), MS(40), |_| MS(40));
        assert_eq!(ended.is_some(), ends, "{gap} us");
    }
}

#[test]
fn pacing_spreads_acks_so_that_a_train_must_take_the_whole_rtt() {
    let mut path = Path::new(true);
    path.window = 100 * MSS;
    assert_eq!(path.round(MS(1), MS(200), |_| MS(200)), None, "99 ms of 201");
    assert_eq!(path.round(MS(1), MS(200), |_| MS(200)), None, "199 ms");
    assert_eq!(path.round(MS(1), MS(200), |_| MS(200)), Some(203));
}

#[test]
fn the_delay_rule_waits_for_eight_samples_and_takes_the_lowest() {
    let rise = |path: &mut Path, rtt: &dyn Fn(u64) -> Duration| path.round(MS(3), MS(80), rtt);
    let at_base = || {
        let mut path = Path::new(false);
        path.window = 20 * MSS;
        assert_eq!(rise(&mut path, &|_| MS(80)), None);
        path
    };
    // 80 ms and an eighth: 90 ms.
    assert_eq!(rise(&mut at_base(), &|_| MS(91)), Some(9));
    assert_eq!(rise(&mut at_base(), &|_| MS(90)), None, "the rise must be larger");
    assert_eq!(rise(&mut at_base(), &|number| MS(if number == 3 { 90 } else { 120 })), None);
}

#[test]
fn the_rise_is_at_least_4_and_at_most_16_ms() {
    for (base, most) in [(8, 4), (16, 4), (64, 8), (128, 16), (400, 16)] {
        for (rise, ends) in [(most, false), (most + 1, true)] {
            let mut path = Path::new(false);
            path.window = 20 * MSS;
            assert_eq!(path.round(MS(3), MS(base), |_| MS(base)), None);
            assert_eq!(path.round(MS(3), MS(base), |_| MS(base + rise)).is_some(), ends, "{base} + {rise}");
        }
    }
}

#[test]
fn windows_below_16_segments_are_left_alone() {
    let mut path = Path::new(false);
    path.window = 7 * MSS;
    assert_eq!(path.round(MS(3), MS(20), |_| MS(20)), None);
    assert_eq!(path.window, 14 * MSS);
    // Two ACKs more bring it to 16, and from there on the rules count.
    path.window = 8 * MSS;
    assert_eq!(path.round(MS(3), MS(20), |_| MS(60)), None, "eight samples, up to 15 segments");
    assert_eq!(path.round(MS(3), MS(20), |_| MS(60)), Some(9));
}

#[test]
fn after_it_has_ended_slow_start_it_rests_until_a_timeout() {
    let mut path = Path::new(false);
    path.window = 20 * MSS;
    assert_eq!(path.round(MS(3), MS(20), |_| MS(20)), None);
    assert!(path.round(MS(3), MS(20), |_| MS(40)).is_some());
    // Slow start after idle, with a threshold above the window.
    (path.window, path.ssthresh) = (20 * MSS, u64::MAX);
    assert_eq!(path.round(MS(3), MS(20), |_| MS(40)), None);
    // After a timeout it has forgotten the lowest RTT too.
    path.slow_start.on_rto();
    path.window = 20 * MSS;
    assert_eq!(path.round(MS(3), MS(20), |_| MS(40)), None);
    assert_eq!(path.round(MS(3), MS(20), |_| MS(50)), Some(9));
}

#[test]
fn samples_of_the_first_second_of_a_stage_do_not_count() {
    let mut hystart = LinuxHyStart::new(false);
    let began = Time::from_secs(5);
    let mut sample = ack(MSS);
    for (millis, lowest) in [(5_500, Duration::MAX), (6_000, MS(20))] {
        sample.now = Time::from_millis(millis);
        assert!(!hystart.on_ack(&sample, false, 20 * MSS, MSS, Some(began)));
        assert_eq!(hystart.lowest, lowest);
    }
}
