//! The congestion window, and how it pushes back on the encoder.
//!
//! The window is what the target bitrate carries in a round trip with some queueing. It holds back no packet: while more than it
//! is in flight, the encoder is asked for less than the target, and pacing and probing stay as they are.
//!
//! Rules and constants are those of WebRTC's goog_cc with its field trial `WebRTC-CongestionWindow` at the built-in default
//! (`QueueSize:350,MinBitrate:30000,DropFrame:true`), read in July 2026; see the book's page on WebRTC.

use std::collections::VecDeque;

use jettison_core::{Duration, Time};

/// Reports whose round trips count, and the least window in bytes (two packets of 1,500 bytes).
const REPORTS: usize = 32;
const LEAST_WINDOW: f64 = 3_000.0;
/// The messages of one report arrive within this time. Ours: a modelled datagram holds a part of a report.
const ONE_REPORT: Duration = Duration::from_millis(10);
/// Filling of the window above which the ratio falls fast and slowly, and below which it is 1 at once.
const FILLED: [f64; 2] = [1.5, 1.0];
const EMPTY: f64 = 0.1;
/// Factors per update.
const FALL: [f64; 2] = [0.9, 0.95];
const RISE: f64 = 1.05;
/// Interval of updates without packets or reports.
const INTERVAL: Duration = Duration::from_millis(25);
/// A push-back of less than this share is ignored.
const LEAST_REDUCTION: f64 = 0.01;
/// At most every second frame is dropped.
const MOST_DROPPED: u32 = 2;

/// What the encoder is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EncoderTarget {
    /// Bitrate in bit/s.
    pub rate: f64,
    /// One captured frame of so many is dropped before it is encoded; `None` for no drops.
    pub drop_one_of: Option<u32>,
}

/// The window and the ratio of the encoder's target to the estimate.
#[derive(Debug, Clone)]
pub struct CongestionWindow {
    // Parameters.
    queue: Duration,
    least_rate: f64,
    drops_frames: bool,
    // State.
    /// Longest round trips of the last reports, and when these came.
    round_trips: VecDeque<(Time, Duration)>,
    /// Bytes.
    window: Option<f64>,
    in_flight: u64,
    ratio: f64,
    updated_at: Option<Time>,
}

impl CongestionWindow {
    /// Creates a window for so much queueing. The ratio lowers the target no further than to `least_rate`, in bit/s; with
    /// `drops_frames` it also drops frames.
    pub fn new(queue: Duration, least_rate: f64, drops_frames: bool) -> CongestionWindow {
        CongestionWindow {
            queue,
            least_rate,
            drops_frames,
            round_trips: VecDeque::with_capacity(REPORTS),
            window: None,
            in_flight: 0,
            ratio: 1.0,
            updated_at: None,
        }
    }

    /// A packet left, with now so many bytes in flight.
    pub fn sent(&mut self, in_flight: u64) {
        self.in_flight = in_flight;
        self.update();
    }

    /// A report came, the oldest of whose packets that arrived was sent `round_trip` ago.
    pub fn reported(&mut self, round_trip: Duration, in_flight: u64, target: f64, now: Time) {
        self.in_flight = in_flight;
        match self.round_trips.back_mut() {
            Some((at, longest)) if now.since(*at) < ONE_REPORT => *longest = round_trip.max(*longest),
            _ => {
                if self.round_trips.len() == REPORTS {
                    self.round_trips.pop_front();
                }
                self.round_trips.push_back((now, round_trip));
            }
        }
        self.resize(target);
        self.update();
    }

    /// Time has passed.
    pub fn tick(&mut self, target: f64, now: Time) {
        let last = *self.updated_at.get_or_insert(now);
        let intervals = (now.since(last).as_nanos() / INTERVAL.as_nanos()).min(40);
        for _ in 0..intervals {
            self.resize(target);
            self.update();
        }
        if intervals > 0 {
            self.updated_at = Some(now);
        }
    }

    /// Half of the way to the target times the shortest of the round trips and the queue.
    fn resize(&mut self, target: f64) {
        let Some(shortest) = self.round_trips.iter().map(|(_, round_trip)| *round_trip).min() else { return };
        let fits = target / 8.0 * shortest.saturating_add(self.queue).as_secs_f64();
        let window = self.window.map_or(fits, |window| (window + fits) / 2.0);
        self.window = Some(window.max(LEAST_WINDOW));
    }

    fn update(&mut self) {
        let Some(window) = self.window else { return };
        let fill = self.in_flight as f64 / window;
        self.ratio = if fill > FILLED[0] {
            FALL[0] * self.ratio
        } else if fill > FILLED[1] {
            FALL[1] * self.ratio
        } else if fill < EMPTY {
            1.0
        } else {
            (RISE * self.ratio).min(1.0)
        };
    }

    /// The window in bytes; `None` before the first report.
    pub fn bytes(&self) -> Option<f64> {
        self.window
    }

    /// The ratio of the encoder's target to the estimate, before it becomes whole frames.
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// What the encoder is asked for while the estimate is `target`.
    pub fn encoder_target(&self, target: f64) -> EncoderTarget {
        let pushed = (target * self.ratio).max(self.least_rate.min(target));
        if !self.drops_frames {
            return EncoderTarget { rate: pushed, drop_one_of: None };
        }
        let reduction = (target - pushed).min(target - self.least_rate);
        if target <= 0.0 || target - pushed <= LEAST_REDUCTION * target || reduction <= 0.0 {
            return EncoderTarget { rate: target, drop_one_of: None };
        }
        let one_of = ((target / reduction) as u32).max(MOST_DROPPED);
        EncoderTarget { rate: target - target / f64::from(one_of), drop_one_of: Some(one_of) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUEUE: Duration = Duration::from_millis(350);
    const RTT: Duration = Duration::from_millis(50);

    fn filled(in_flight: u64, drops_frames: bool) -> CongestionWindow {
        let mut window = CongestionWindow::new(QUEUE, 30e3, drops_frames);
        window.reported(RTT, in_flight, 1e6, Time::ZERO);
        window
    }

    #[test]
    fn the_window_is_what_the_target_carries_in_the_shortest_round_trip_and_the_queue() {
        let mut window = filled(0, false);
        assert_eq!(window.bytes(), Some(50_000.0), "1 Mbit/s for 400 ms");
        // A longer round trip does not widen it; of a change of the target it takes half.
        window.reported(Duration::from_millis(900), 0, 2e6, Time::from_millis(50));
        assert_eq!(window.bytes(), Some(75_000.0));
        // Two messages of one report count as one round trip, the longer of both.
        let mut window = CongestionWindow::new(QUEUE, 30e3, false);
        window.reported(RTT, 0, 1e6, Time::ZERO);
        window.reported(Duration::from_millis(150), 0, 1e6, Time::from_millis(1));
        assert_eq!(window.bytes(), Some((50_000.0 + 62_500.0) / 2.0));
    }

    #[test]
    fn a_window_of_very_low_targets_holds_two_packets() {
        let mut window = CongestionWindow::new(QUEUE, 30e3, false);
        window.reported(RTT, 0, 1e3, Time::ZERO);
        assert_eq!(window.bytes(), Some(3_000.0));
    }

    #[test]
    fn the_ratio_falls_while_the_window_is_overfull_and_rises_slowly() {
        let mut window = filled(60_000, false);
        assert!((window.ratio - 0.95).abs() < 1e-12);
        window.sent(80_000);
        assert!((window.ratio - 0.95 * 0.9).abs() < 1e-12);
        window.sent(40_000);
        assert!((window.ratio - 0.95 * 0.9 * 1.05).abs() < 1e-12);
        window.sent(4_000);
        assert_eq!(window.ratio, 1.0);
    }

    #[test]
    fn it_is_updated_every_25_ms_without_packets() {
        let mut window = filled(60_000, false);
        window.tick(1e6, Time::ZERO);
        window.tick(1e6, Time::from_millis(50));
        assert!((window.ratio - libm::pow(0.95, 3.0)).abs() < 1e-12, "{}", window.ratio);
    }

    #[test]
    fn without_drops_the_encoder_is_asked_for_less_down_to_the_least_rate() {
        let mut window = filled(60_000, false);
        assert_eq!(window.encoder_target(1e6), EncoderTarget { rate: 0.95e6, drop_one_of: None });
        (0..200).for_each(|_| window.sent(80_000));
        assert_eq!(window.encoder_target(1e6).rate, 30e3);
        // But an estimate below it holds.
        assert_eq!(window.encoder_target(20e3).rate, 20e3);
    }

    #[test]
    fn with_drops_the_reduction_is_a_whole_share_of_frames_up_to_a_half() {
        let mut window = filled(60_000, true);
        // 5 %: one frame of 20.
        let found = window.encoder_target(1e6);
        assert!(matches!(found.drop_one_of, Some(19 | 20)), "{found:?}");
        (0..200).for_each(|_| window.sent(80_000));
        assert_eq!(window.encoder_target(1e6), EncoderTarget { rate: 0.5e6, drop_one_of: Some(2) });
        assert_eq!(window.encoder_target(30e3).drop_one_of, None, "the least rate is not reduced");
        window.sent(0);
        assert_eq!(window.encoder_target(1e6), EncoderTarget { rate: 1e6, drop_one_of: None });
    }
}
