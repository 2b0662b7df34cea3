//! CUBIC (RFC 9438).
//!
//! The window follows `W_cubic(t) = C·(t − K)³ + W_max`, `t` the time since the last congestion: it returns fast
//! towards the window of that time, is flat around it, then grows fast beyond. If Reno would be faster, it follows
//! Reno. Units: windows in segments inside the formulas (as in the RFC), bytes outside; time in seconds; C in
//! segments/s³.

use jettison_core::{Duration, Gauge, Gauges, Time};
use jettison_registry::style::{BLUE, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{Controller, ControllerContext, InKernel};
use super::{
    AckSample, ApplicationLimited, CongestionController, CongestionEvent, Growth, HyStart, IdleRestart,
    Phase, RecoveryEnd, ReduceFrom, RtoEvent, SlowStart,
};

/// What it reports of its state.
const GAUGES: &[Gauge] = &[W_MAX, K, W_EST];

const W_MAX: Gauge = Gauge::new(
    "cubic_w_max",
    "bytes",
    "W_max, the window of the last congestion; none before any and after a timeout.",
);
const K: Gauge = Gauge::new(
    "cubic_k",
    "s",
    "K, the time from the start of a stage of congestion avoidance to W_max; none outside.",
);
const W_EST: Gauge = Gauge::new(
    "cubic_w_est",
    "bytes",
    "W_est, the window that Reno would have; none outside congestion avoidance.",
);

/// Its entry in the list of congestion controllers.
pub(super) fn entry() -> Entry<Controller> {
    Entry::<Controller>::new("cubic", "CUBIC", build)
        .style(BLUE, Solid)
        .summary("window grows as a cubic of the time since the last congestion")
        .source("RFC 9438, with HyStart as in Linux")
        .page("tcp.md")
        .gauges(GAUGES)
        .facts(InKernel::named("cubic"))
}

fn build(
    parameters: CubicParameters,
    context: &ControllerContext,
) -> Result<Box<dyn CongestionController>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(Cubic::new(parameters, SlowStart::new(context, HyStart::Linux), context)))
}

/// Parameters of `cubic`.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields, default, rename_all = "snake_case")]
pub struct CubicParameters {
    /// Steepness of the cubic, in segments/s³ (RFC 9438 §5).
    pub c: f64,
    /// Share of the window that remains after congestion (RFC 9438 §4.6).
    pub beta: f64,
    /// Whether a flow with a decreasing window releases bandwidth to newer ones (RFC 9438 §4.7).
    pub fast_convergence: bool,
    /// Whether the window is at least Reno's (RFC 9438 §4.3).
    pub reno_friendly: bool,
    /// Whether Reno's line rises by a whole segment per round trip once it has reached the window before the reduction
    /// (RFC 9438 §4.3). Off by default: without it the number of drops agrees with Linux's.
    pub reno_catch_up: bool,
    /// Minimum growth in a round trip, as a share of the window, while no congestion has set W_max (5 % in Linux, 0 in
    /// RFC 9438).
    pub first_growth: f64,
}

impl Default for CubicParameters {
    fn default() -> CubicParameters {
        CubicParameters {
            c: 0.4,
            beta: 0.7,
            fast_convergence: true,
            reno_friendly: true,
            reno_catch_up: false,
            first_growth: 0.05,
        }
    }
}

impl CubicParameters {
    /// Checks the ranges.
    ///
    /// # Errors
    /// With the key that is out of range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let CubicParameters { beta, c, first_growth, .. } = *self;
        ParameterError::require(beta > 0.0 && beta < 1.0, "beta", "be in (0, 1)", beta)?;
        ParameterError::require(c > 0.0 && c.is_finite(), "c", "be > 0", c)?;
        ParameterError::require(
            (0.0..=0.5).contains(&first_growth),
            "first_growth",
            "be in [0, 0.5]",
            first_growth,
        )
    }
}

/// The controller.
#[derive(Debug, Clone)]
pub struct Cubic {
    parameters: CubicParameters,
    /// Additive increase for fairness with Reno at this beta: 3·(1 − β)/(1 + β) (RFC 9438 §4.3).
    alpha: f64,
    growth: Growth,
    reduce_from: ReduceFrom,
    mss: u64,
    slow_start: SlowStart,
    window: u64,
    /// The fractional part of the window, in bytes.
    fraction: f64,
    ssthresh: u64,
    /// W_max of the last congestion in segments; `None` before the first, and after a timeout (RFC 9438 §4.8, §4.10).
    w_max: Option<f64>,
    /// Window before the last reduction, in segments.
    cwnd_prior: f64,
    epoch: Option<Epoch>,
    last_ack_at: Time,
    prior: Option<Prior>,
}

/// One stage of congestion avoidance.
#[derive(Debug, Clone, Copy)]
struct Epoch {
    started_at: Time,
    /// Seconds until the curve reaches `origin`.
    k: f64,
    /// W_max, in segments.
    origin: f64,
    /// Reno's window in segments (W_est).
    w_est: f64,
}

/// The state that is restored after a spurious reduction (RFC 9438 §4.9).
#[derive(Debug, Clone, Copy)]
struct Prior {
    window: u64,
    ssthresh: u64,
    w_max: Option<f64>,
    cwnd_prior: f64,
    epoch: Option<Epoch>,
}

impl Cubic {
    /// A controller with its initial window.
    pub fn new(parameters: CubicParameters, slow_start: SlowStart, context: &ControllerContext) -> Cubic {
        Cubic {
            alpha: 3.0 * (1.0 - parameters.beta) / (1.0 + parameters.beta),
            parameters,
            growth: context.growth,
            reduce_from: context.reduce_from,
            mss: context.mss,
            slow_start,
            window: context.initial_window,
            fraction: 0.0,
            ssthresh: u64::MAX,
            w_max: None,
            cwnd_prior: 0.0,
            epoch: None,
            last_ack_at: Time::ZERO,
            prior: None,
        }
    }

    fn segments(&self) -> f64 {
        (self.window as f64 + self.fraction) / self.mss as f64
    }

    fn set_segments(&mut self, segments: f64) {
        let bytes = segments * self.mss as f64;
        self.window = bytes as u64;
        self.fraction = bytes - self.window as f64;
    }

    /// Starts a stage of congestion avoidance: its first ACK determines the curve.
    fn begin_epoch(&mut self, now: Time) -> Epoch {
        let cwnd = self.segments();
        let (k, origin) = match self.w_max {
            // RFC 9438 §4.2: K = cbrt((W_max − cwnd_epoch) / C).
            Some(w_max) if w_max > cwnd => (libm::cbrt((w_max - cwnd) / self.parameters.c), w_max),
            // RFC 9438 §4.8, §4.10: no W_max, or already above it.
            _ => (0.0, cwnd),
        };
        if self.w_max.is_none() {
            self.cwnd_prior = cwnd;
        }
        Epoch { started_at: now, k, origin, w_est: cwnd }
    }

    /// RFC 9438 §4.2, figure 1.
    fn w_cubic(&self, epoch: &Epoch, seconds: f64) -> f64 {
        let distance = seconds - epoch.k;
        self.parameters.c * distance * distance * distance + epoch.origin
    }

    fn avoid(&mut self, ack: &AckSample, newly: u64) {
        let mut epoch = match self.epoch {
            Some(epoch) => epoch,
            None => self.begin_epoch(ack.now),
        };
        let cwnd = self.segments();
        let segments_acked = match self.growth {
            Growth::PerByte => newly as f64 / self.mss as f64,
            Growth::PerAck => 1.0,
        };
        let seconds = ack.now.since(epoch.started_at).as_secs_f64();
        // RFC 9438 §4.3, figure 4.
        let catches_up = self.parameters.reno_catch_up && epoch.w_est >= self.cwnd_prior;
        let alpha = if catches_up { 1.0 } else { self.alpha };
        epoch.w_est += alpha * segments_acked / cwnd;
        let mut grown = if self.parameters.reno_friendly && self.w_cubic(&epoch, seconds) < epoch.w_est {
            epoch.w_est.max(cwnd)
        } else {
            // RFC 9438 §4.2: the curve one RTT from now, at least cwnd and at most 1.5 cwnd.
            let target =
                self.w_cubic(&epoch, seconds + ack.smoothed_rtt.as_secs_f64()).clamp(cwnd, 1.5 * cwnd);
            cwnd + segments_acked * (target - cwnd) / cwnd
        };
        if self.w_max.is_none() {
            // The path's capacity is unknown, and the curve is flat at first: Linux grows faster.
            grown = grown.max(cwnd + segments_acked * self.parameters.first_growth);
        }
        if grown > cwnd {
            self.set_segments(grown);
        }
        self.epoch = Some(epoch);
    }

    fn remember(&mut self) {
        self.prior = Some(Prior {
            window: self.window,
            ssthresh: self.ssthresh,
            w_max: self.w_max,
            cwnd_prior: self.cwnd_prior,
            epoch: self.epoch,
        });
    }

    /// RFC 9438 §4.6: at least two segments.
    fn reduced(&self, flight_size: u64) -> u64 {
        ((self.reduce_from.bytes(self.window, flight_size) as f64 * self.parameters.beta) as u64)
            .max(2 * self.mss)
    }

    fn set_window(&mut self, window: u64) {
        self.window = window;
        self.fraction = 0.0;
    }

    /// RFC 9438 §5.8: time in which the window was not fully used does not count.
    fn skip(&mut self, span: Duration) {
        if let Some(epoch) = &mut self.epoch {
            epoch.started_at += span;
        }
    }
}

impl CongestionController for Cubic {
    fn on_established(&mut self, mss: u64, initial_window: u64) {
        self.mss = mss;
        self.slow_start.set_mss(mss);
        self.set_window(initial_window);
    }

    fn on_ack(&mut self, ack: &AckSample) {
        let epoch = self.epoch.as_ref().map(|epoch| epoch.started_at);
        self.slow_start.observe(ack, self.window, &mut self.ssthresh, epoch);
        let since_last = ack.now.since(self.last_ack_at);
        self.last_ack_at = ack.now;
        if !ack.is_window_limited {
            self.skip(since_last);
            return;
        }
        let mut newly = ack.acked.min(ack.delivered);
        if newly == 0 || matches!(ack.phase, Phase::Recovery | Phase::Cwr) {
            return;
        }
        if self.window < self.ssthresh {
            newly = self.slow_start.on_ack(ack, newly, &mut self.window, &mut self.ssthresh);
            if newly == 0 {
                return;
            }
        }
        self.avoid(ack, newly);
    }

    fn on_congestion(&mut self, event: &CongestionEvent) {
        self.remember();
        let cwnd = self.segments();
        // RFC 9438 §4.7: a window below the last W_max is still decreasing, so release more.
        let falls = self.w_max.is_some_and(|w_max| cwnd < w_max);
        let released = self.parameters.fast_convergence && falls;
        self.w_max = Some(if released { cwnd * (1.0 + self.parameters.beta) / 2.0 } else { cwnd });
        self.cwnd_prior = cwnd;
        self.ssthresh = self.reduced(event.flight_size);
        self.set_window(self.ssthresh);
        self.epoch = None;
    }

    fn on_recovery_end(&mut self, end: &RecoveryEnd) {
        self.set_window(end.window);
        self.epoch = None;
    }

    fn on_rto(&mut self, event: &RtoEvent) {
        if !event.is_repeated {
            self.remember();
            self.ssthresh = self.reduced(event.flight_size);
        }
        // RFC 9438 §4.8: the stage after a timeout starts from K = 0 and W_max = cwnd.
        self.w_max = None;
        self.epoch = None;
        self.set_window(self.mss);
        self.slow_start.on_rto();
    }

    fn on_spurious_recovery(&mut self) {
        if let Some(prior) = self.prior.take() {
            self.set_window(self.window.max(prior.window));
            self.ssthresh = self.ssthresh.max(prior.ssthresh);
            self.w_max = prior.w_max;
            self.cwnd_prior = prior.cwnd_prior;
            self.epoch = prior.epoch;
        }
    }

    fn on_application_limited(&mut self, limited: &ApplicationLimited) {
        self.ssthresh = self.ssthresh.max(limited.least_ssthresh);
        self.set_window(self.window.min(limited.window));
    }

    fn on_idle_restart(&mut self, restart: &IdleRestart) {
        self.skip(restart.idle);
        self.last_ack_at = restart.now;
        if let Some(restart_window) = restart.restart_window
            && restart_window < self.window
        {
            // The stage goes on, as in Linux: the curve resumes when slow start has reached ssthresh again.
            self.set_window(restart_window);
            self.ssthresh = self.ssthresh.max(restart.least_ssthresh);
        }
    }

    #[inline]
    fn window(&self) -> u64 {
        self.window
    }

    #[inline]
    fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        let bytes = |segments: Option<f64>| segments.map_or(f64::NAN, |segments| segments * self.mss as f64);
        out.set(&W_MAX, bytes(self.w_max));
        out.set(&K, self.epoch.map_or(f64::NAN, |epoch| epoch.k));
        out.set(&W_EST, bytes(self.epoch.map(|epoch| epoch.w_est)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{MSS, ack, context, loss, rto};
    use super::*;

    fn cubic(parameters: CubicParameters) -> Cubic {
        let context = context();
        Cubic::new(parameters, SlowStart::new(&context, HyStart::Off), &context)
    }

    /// A controller just after a loss at `segments` of window, with a full flight.
    fn after_loss(segments: u64, parameters: CubicParameters) -> Cubic {
        let mut controller = cubic(parameters);
        controller.window = segments * MSS;
        controller.on_congestion(&loss(segments * MSS));
        controller
    }

    /// Acknowledges whole windows each RTT until `until`; returns (seconds since the first ACK, window in segments).
    fn run(controller: &mut Cubic, rtt: Duration, until: Duration) -> Vec<(f64, f64)> {
        let (mut now, mut curve) = (Time::ZERO, Vec::new());
        while now < Time::ZERO + until {
            for _ in 0..controller.window() / MSS {
                controller.on_ack(&AckSample { now, smoothed_rtt: rtt, ..ack(MSS) });
            }
            curve.push((now.as_secs_f64(), controller.segments()));
            now += rtt;
        }
        curve
    }

    #[test]
    fn rfc9438_4_2_follows_the_cubic_curve() {
        let mut controller = after_loss(1000, CubicParameters::default());
        let rtt = Duration::from_millis(100);
        let curve = run(&mut controller, rtt, Duration::from_secs(15));
        // K = cbrt((1000 − 700) / 0.4).
        let k = libm::cbrt(300.0 / 0.4);
        assert!((k - 9.085_602_964).abs() < 1e-6);
        let at = |t: f64| 0.4 * (t - k) * (t - k) * (t - k) + 1000.0;
        for (t, window) in curve {
            // The round from t to t + RTT aims at the curve's value up to an RTT later.
            assert!(
                (at(t) - 1.0..at(t + 0.2) + 1.0).contains(&window),
                "t = {t}: {window} against {}",
                at(t + 0.1)
            );
        }
    }

    #[test]
    fn rfc9438_4_3_is_never_slower_than_reno() {
        // At 10 segments and 10 ms the cubic is far below Reno's line.
        let rtt = Duration::from_millis(10);
        let friendly = run(&mut after_loss(10, CubicParameters::default()), rtt, Duration::from_secs(2));
        let parameters = CubicParameters { reno_friendly: false, ..CubicParameters::default() };
        let alone = run(&mut after_loss(10, parameters), rtt, Duration::from_secs(2));
        assert!(friendly.last().unwrap().1 > 5.0 * alone.last().unwrap().1);
        // α = 3·0.3/1.7 segments per RTT below the old window.
        let grown = friendly[4].1 - friendly[0].1;
        assert!((grown - 4.0 * 0.529).abs() < 0.25, "{grown}");
    }

    #[test]
    fn rfc9438_4_3_catches_up_beyond_the_old_window_only_by_choice() {
        let rtt = Duration::from_millis(10);
        let grown = |reno_catch_up| {
            let parameters = CubicParameters { reno_catch_up, ..CubicParameters::default() };
            // The old window of 10 segments is reached after 6 round trips.
            let curve = run(&mut after_loss(10, parameters), rtt, rtt * 40);
            curve[39].1 - curve[29].1
        };
        assert!((grown(false) - 10.0 * 0.529).abs() < 0.5, "{}", grown(false));
        assert!((grown(true) - 10.0).abs() < 0.8, "{}", grown(true));
    }

    #[test]
    fn rfc9438_4_6_leaves_seven_tenths() {
        let controller = after_loss(100, CubicParameters::default());
        assert_eq!((controller.ssthresh(), controller.window()), (70 * MSS, 70 * MSS));
    }

    #[test]
    fn as_in_linux_the_window_counts_even_if_it_was_not_filled() {
        for (reduce_from, left) in [(ReduceFrom::Window, 70), (ReduceFrom::Flight, 35)] {
            let context = ControllerContext { reduce_from, ..context() };
            let slow_start = SlowStart::new(&context, HyStart::Off);
            let mut controller = Cubic::new(CubicParameters::default(), slow_start, &context);
            controller.window = 100 * MSS;
            controller.on_congestion(&loss(50 * MSS));
            assert_eq!(controller.ssthresh(), left * MSS, "{reduce_from:?}");
        }
    }

    #[test]
    fn rfc9438_4_7_releases_room_while_the_window_falls() {
        let mut controller = after_loss(100, CubicParameters::default());
        controller.window = 80 * MSS;
        controller.on_congestion(&loss(80 * MSS));
        assert_eq!(controller.w_max, Some(80.0 * 1.7 / 2.0));
        let parameters = CubicParameters { fast_convergence: false, ..CubicParameters::default() };
        let mut controller = after_loss(100, parameters);
        controller.window = 80 * MSS;
        controller.on_congestion(&loss(80 * MSS));
        assert_eq!(controller.w_max, Some(80.0));
    }

    #[test]
    fn rfc9438_4_8_after_a_timeout_the_curve_starts_at_the_window() {
        let mut controller = after_loss(100, CubicParameters::default());
        controller.on_rto(&rto(70 * MSS, false));
        assert_eq!((controller.window(), controller.ssthresh()), (MSS, 49 * MSS));
        controller.window = 49 * MSS;
        let epoch = controller.begin_epoch(Time::ZERO);
        assert_eq!((epoch.k, epoch.origin), (0.0, 49.0));
    }

    #[test]
    fn without_w_max_the_window_grows_by_a_twentieth_per_round_trip() {
        let grown = |first_growth| {
            let parameters = CubicParameters { first_growth, ..CubicParameters::default() };
            let mut controller = cubic(parameters);
            (controller.window, controller.ssthresh) = (100 * MSS, 100 * MSS);
            let rtt = Duration::from_millis(50);
            run(&mut controller, rtt, rtt * 10).last().unwrap().1 / 100.0
        };
        let linux = libm::pow(1.05, 10.0);
        assert!((grown(0.05) / linux - 1.0).abs() < 0.03, "{} against {linux}", grown(0.05));
        assert!(grown(0.0) < 1.1, "RFC 9438's curve, or Reno's line");
    }

    #[test]
    fn after_idle_the_curve_goes_on() {
        let mut controller = after_loss(1000, CubicParameters::default());
        run(&mut controller, Duration::from_millis(100), Duration::from_secs(3));
        let before = controller.epoch.unwrap();
        let (now, idle, rto) = (Time::from_secs(7), Duration::from_secs(4), Duration::from_secs(1));
        let restart_window = Some(10 * MSS);
        controller.on_idle_restart(&IdleRestart { now, idle, rto, restart_window, least_ssthresh: 0 });
        assert_eq!((controller.window(), controller.ssthresh()), (10 * MSS, 700 * MSS));
        let epoch = controller.epoch.unwrap();
        assert_eq!((epoch.started_at, epoch.k), (before.started_at + idle, before.k));
    }

    #[test]
    fn rfc9438_5_8_unused_time_does_not_move_the_curve() {
        let mut controller = after_loss(1000, CubicParameters::default());
        let at = |seconds| AckSample { now: Time::from_secs(seconds), ..ack(MSS) };
        controller.on_ack(&at(0));
        controller.on_ack(&AckSample { is_window_limited: false, ..at(5) });
        assert_eq!(controller.epoch.unwrap().started_at, Time::from_secs(5));
    }
}
