//! HighSpeed TCP (RFC 3649).
//!
//! Principle: NewReno needs loss rates far below those of real links to keep a window of thousands of segments. HighSpeed TCP
//! changes the response function above `low_window`: the larger the window w, the more segments a(w) it adds per RTT, and the
//! smaller the share b(w) that it gives up on congestion. Up to `low_window`, in slow start and after a timeout it is NewReno.
//!
//! Units: windows in segments in the formulas and parameters, in bytes elsewhere; p is a loss rate in (0, 1].

use jettison_registry::style::{Line::Solid, WINE};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{Controller, ControllerContext, InKernel};
use super::{
    AckSample, ApplicationLimited, CongestionController, CongestionEvent, Growth, HyStart, IdleRestart,
    NewReno, NewRenoParameters, Phase, RecoveryEnd, ReduceFrom, RtoEvent, SlowStart,
};

/// Its entry in the list of congestion controllers.
pub(super) fn entry() -> Entry<Controller> {
    Entry::<Controller>::new("highspeed", "HighSpeed", build)
        .style(WINE, Solid)
        .summary("NewReno with faster growth and smaller reductions of large windows")
        .source("RFC 3649")
        .page("tcp.md")
        .facts(InKernel::named("highspeed"))
}

fn build(
    parameters: HighSpeedParameters,
    context: &ControllerContext,
) -> Result<Box<dyn CongestionController>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(HighSpeed::new(parameters, SlowStart::new(context, HyStart::Off), context)))
}

/// Parameters of `highspeed`, with RFC 3649's names.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields, default, rename_all = "snake_case")]
pub struct HighSpeedParameters {
    /// Window in segments up to which it is NewReno (Low_Window, RFC 3649 §5).
    pub low_window: u32,
    /// Loss rate at which the response function gives `low_window` (Low_P, RFC 3649 §5).
    pub low_p: f64,
    /// Window in segments at the upper end of the response function (High_Window, RFC 3649 §5).
    pub high_window: u32,
    /// Loss rate at which the response function gives `high_window` (High_P, RFC 3649 §5).
    pub high_p: f64,
    /// Share of the window given up on congestion at `high_window` (High_Decrease, RFC 3649 §7).
    pub high_decrease: f64,
}

impl Default for HighSpeedParameters {
    fn default() -> HighSpeedParameters {
        HighSpeedParameters {
            low_window: 38,
            low_p: 1e-3,
            high_window: 83_000,
            high_p: 1e-7,
            high_decrease: 0.1,
        }
    }
}

impl HighSpeedParameters {
    /// Checks the ranges.
    ///
    /// # Errors
    /// With the key that is out of range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::require(self.low_window >= 1, "low_window", "be >= 1", self.low_window)?;
        let above = self.high_window > self.low_window;
        ParameterError::require(above, "high_window", "be > `low_window`", self.high_window)?;
        let in_range = self.low_p > 0.0 && self.low_p <= 1.0;
        ParameterError::require(in_range, "low_p", "be in (0, 1]", self.low_p)?;
        let below = self.high_p > 0.0 && self.high_p < self.low_p;
        ParameterError::require(below, "high_p", "be > 0 and < `low_p`", self.high_p)?;
        let in_range = self.high_decrease > 0.0 && self.high_decrease <= 0.5;
        ParameterError::require(in_range, "high_decrease", "be in (0, 0.5]", self.high_decrease)
    }
}

/// The response function, and the increase and decrease that follow from it.
#[derive(Debug, Clone)]
struct Response {
    low_window: f64,
    low_p: f64,
    high_decrease: f64,
    /// ln(High_Window / Low_Window).
    span: f64,
    /// 1/S: exponent of the loss rate over the window.
    exponent: f64,
}

impl Response {
    fn new(parameters: &HighSpeedParameters) -> Response {
        let low_window = f64::from(parameters.low_window);
        let span = libm::log(f64::from(parameters.high_window) / low_window);
        Response {
            low_window,
            low_p: parameters.low_p,
            high_decrease: parameters.high_decrease,
            span,
            exponent: libm::log(parameters.high_p / parameters.low_p) / span,
        }
    }

    /// p(w): loss rate at which the average window is w. RFC 3649 §5: w = (p / Low_P)^S Low_Window.
    fn loss_rate(&self, w: f64) -> f64 {
        self.low_p * libm::pow(w / self.low_window, self.exponent)
    }

    /// b(w): share of the window given up on congestion (RFC 3649 §7), linear in log w. It stays at High_Decrease above
    /// High_Window, where the formula would fall on, to zero and below.
    fn decrease(&self, w: f64) -> f64 {
        if w <= self.low_window {
            return 0.5;
        }
        let share = libm::log(w / self.low_window) / self.span;
        (0.5 + (self.high_decrease - 0.5) * share).max(self.high_decrease)
    }

    /// a(w): segments added per RTT (RFC 3649 §7), at least NewReno's one.
    fn increase(&self, w: f64) -> f64 {
        if w <= self.low_window {
            return 1.0;
        }
        let b = self.decrease(w);
        (w * w * self.loss_rate(w) * 2.0 * b / (2.0 - b)).max(1.0)
    }
}

/// The controller.
#[derive(Debug, Clone)]
pub struct HighSpeed {
    // Parameters.
    response: Response,
    growth: Growth,
    reduce_from: ReduceFrom,
    mss: u64,
    // State.
    /// Window, ssthresh and slow start; all of the behaviour up to `low_window`.
    reno: NewReno,
    /// Bytes acknowledged, times a(w), towards the next segment of a window above `low_window`.
    credit: f64,
    /// Window in whole segments and its a(w), computed once per segment of growth.
    increase: (u64, f64),
}

impl HighSpeed {
    /// A controller with its initial window.
    pub fn new(
        parameters: HighSpeedParameters,
        slow_start: SlowStart,
        context: &ControllerContext,
    ) -> HighSpeed {
        HighSpeed {
            response: Response::new(&parameters),
            growth: context.growth,
            reduce_from: context.reduce_from,
            mss: context.mss,
            reno: NewReno::new(NewRenoParameters::default(), slow_start, context),
            credit: 0.0,
            increase: (0, 1.0),
        }
    }

    fn segments(&self, bytes: u64) -> f64 {
        bytes as f64 / self.mss as f64
    }

    /// Whether the standard rules apply to a window of `bytes` (RFC 3649 §7: w <= Low_Window).
    fn is_standard(&self, bytes: u64) -> bool {
        self.segments(bytes) <= self.response.low_window
    }

    /// a(w) of the current window.
    fn current_increase(&mut self) -> f64 {
        let whole = self.reno.window() / self.mss;
        if self.increase.0 != whole {
            self.increase = (whole, self.response.increase(whole as f64));
        }
        self.increase.1
    }
}

impl CongestionController for HighSpeed {
    fn on_established(&mut self, mss: u64, initial_window: u64) {
        self.mss = mss;
        self.reno.on_established(mss, initial_window);
    }

    #[inline]
    fn on_ack(&mut self, ack: &AckSample) {
        let (mut window, ssthresh) = (self.reno.window(), self.reno.ssthresh());
        if window < ssthresh || self.is_standard(window) {
            return self.reno.on_ack(ack);
        }
        let newly = ack.acked.min(ack.delivered);
        if newly == 0 || !ack.is_window_limited || matches!(ack.phase, Phase::Recovery | Phase::Cwr) {
            return;
        }
        // RFC 3649 §7: w <- w + a(w)/w per acknowledged segment, or per ACK.
        let counted = match self.growth {
            Growth::PerByte => newly,
            Growth::PerAck => self.mss,
        };
        self.credit += self.current_increase() * counted as f64;
        while self.credit >= window as f64 {
            self.credit -= window as f64;
            window += self.mss;
        }
        self.reno.set(window, ssthresh);
    }

    fn on_congestion(&mut self, event: &CongestionEvent) {
        self.credit = 0.0;
        let used = self.reduce_from.bytes(self.reno.window(), event.flight_size);
        if self.is_standard(used) {
            return self.reno.on_congestion(event);
        }
        // RFC 3649 §7: w <- (1 - b(w)) w.
        let share = 1.0 - self.response.decrease(self.segments(used));
        self.reno.reduce_to((used as f64 * share) as u64);
    }

    fn on_recovery_end(&mut self, end: &RecoveryEnd) {
        self.credit = 0.0;
        self.reno.on_recovery_end(end);
    }

    fn on_rto(&mut self, event: &RtoEvent) {
        self.credit = 0.0;
        self.reno.on_rto(event);
    }

    fn on_spurious_recovery(&mut self) {
        self.reno.on_spurious_recovery();
    }

    fn on_idle_restart(&mut self, restart: &IdleRestart) {
        self.reno.on_idle_restart(restart);
    }

    fn on_application_limited(&mut self, limited: &ApplicationLimited) {
        self.reno.on_application_limited(limited);
    }

    #[inline]
    fn window(&self) -> u64 {
        self.reno.window()
    }

    #[inline]
    fn ssthresh(&self) -> u64 {
        self.reno.ssthresh()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{MSS, ack, context, loss, rto};
    use super::*;

    fn response() -> Response {
        Response::new(&HighSpeedParameters::default())
    }

    fn highspeed(growth: Growth) -> HighSpeed {
        let context = ControllerContext { growth, ..context() };
        HighSpeed::new(HighSpeedParameters::default(), SlowStart::new(&context, HyStart::Off), &context)
    }

    /// A controller in congestion avoidance with a window of so many segments.
    fn at(segments: u64, growth: Growth) -> HighSpeed {
        let mut controller = highspeed(growth);
        controller.reno.set(segments * MSS, segments * MSS);
        controller
    }

    /// Acknowledges one window in ACKs of `bytes`.
    fn round_trip(controller: &mut HighSpeed, bytes: u64) {
        for _ in 0..controller.window() / bytes {
            controller.on_ack(&ack(bytes));
        }
    }

    #[test]
    fn rfc3649_5_the_response_function_gives_the_windows_of_table_3() {
        // The RFC rounds the function to W = 0.12/p^0.835.
        let table = [
            (1e-4, 263.0),
            (1e-5, 1795.0),
            (1e-6, 12_279.0),
            (1e-7, 83_981.0),
            (1e-8, 574_356.0),
            (1e-9, 3_928_088.0),
            (1e-10, 26_864_653.0),
        ];
        for (p, window) in table {
            let found = response().loss_rate(window);
            assert!((found / p - 1.0).abs() < 0.03, "{window} segments: {found}, not {p}");
        }
        assert!((response().loss_rate(38.0) - 1e-3).abs() < 1e-12);
        assert!((response().loss_rate(83_000.0) - 1e-7).abs() < 1e-16);
    }

    #[test]
    fn rfc3649_7_at_high_window_it_adds_72_segments_and_gives_up_a_tenth() {
        assert!((response().decrease(83_000.0) - 0.1).abs() < 1e-12);
        // Equation 2: 83000² · 10⁻⁷ · 2 · 0.1 / 1.9
        assert_eq!(response().increase(83_000.0) as u64, 72);
        // "A decrease factor High_Decrease of 0.5 would require an increase of 459 segments."
        let halving = HighSpeedParameters { high_decrease: 0.5, ..Default::default() };
        assert_eq!(Response::new(&halving).increase(83_000.0) as u64, 459);
    }

    #[test]
    fn rfc3649_b_increase_and_decrease_are_those_of_table_12() {
        // Some rows of the table, which is computed with the rounded p(w) = 0.078/w^1.2.
        let table = [
            (118, 2.0, 0.44),
            (347, 4.0, 0.38),
            (1058, 8.0, 0.33),
            (5036, 20.0, 0.25),
            (13_614, 34.0, 0.19),
            (30_975, 50.0, 0.15),
            (61_799, 65.0, 0.12),
            (79_517, 70.0, 0.10),
        ];
        for (w, a, b) in table {
            let w = f64::from(w);
            let (increase, decrease) = (response().increase(w), response().decrease(w));
            assert!((increase / a - 1.0).abs() < 0.03, "a({w}) is {increase}, not {a}");
            assert!((decrease - b).abs() < 0.0051, "b({w}) is {decrease}, not {b}");
        }
        assert_eq!((response().increase(38.0), response().decrease(38.0)), (1.0, 0.5));
    }

    #[test]
    fn above_high_window_the_decrease_stays() {
        assert_eq!(response().decrease(1e7), 0.1);
        assert!(response().increase(1e7) > response().increase(1e6));
    }

    #[test]
    fn rfc3649_7_a_window_grows_by_a_of_w_segments_per_round_trip() {
        for (segments, expected) in [(118, 2), (1058, 8), (5036, 20)] {
            let mut controller = at(segments, Growth::PerByte);
            round_trip(&mut controller, 2 * MSS);
            let grown = controller.window() / MSS - segments;
            assert!(grown.abs_diff(expected) <= 1, "{segments}: {grown}, not {expected}");
        }
        // RFC 5681's counting of ACKs: half of that with one ACK for two segments.
        let mut controller = at(5036, Growth::PerAck);
        round_trip(&mut controller, 2 * MSS);
        assert!((controller.window() / MSS - 5036).abs_diff(10) <= 1);
    }

    #[test]
    fn one_ack_of_a_whole_window_grows_as_many_of_one_segment() {
        let mut controller = at(5036, Growth::PerByte);
        controller.on_ack(&ack(5036 * MSS));
        assert!((controller.window() / MSS - 5036).abs_diff(20) <= 1, "{}", controller.window());
    }

    #[test]
    fn rfc3649_7_congestion_takes_b_of_w() {
        let mut controller = at(5036, Growth::PerByte);
        controller.on_congestion(&loss(5036 * MSS));
        // b(5036) = 0.5 - 0.4 · ln(5036/38) / ln(83000/38)
        let expected = (5036.0 * (1.0 - 0.245_787)) as u64;
        assert!((controller.window() / MSS).abs_diff(expected) <= 1, "{}", controller.window());
        assert_eq!(controller.ssthresh(), controller.window());
        controller.on_spurious_recovery();
        assert_eq!(controller.window(), 5036 * MSS);
        // A flight within Low_Window is halved, however large the window.
        controller.on_congestion(&loss(20 * MSS));
        assert_eq!(controller.window(), 10 * MSS);
    }

    #[test]
    fn rfc3649_7_up_to_low_window_it_is_newreno() {
        let context = context();
        let slow_start = SlowStart::new(&context, HyStart::Off);
        let mut newreno = NewReno::new(NewRenoParameters::default(), slow_start, &context);
        let mut controller = highspeed(Growth::PerByte);
        for step in 0..3000u64 {
            match step {
                600 | 1300 => [&mut newreno as &mut dyn CongestionController, &mut controller]
                    .map(|either| either.on_congestion(&loss(30 * MSS))),
                2000 => [&mut newreno as &mut dyn CongestionController, &mut controller]
                    .map(|either| either.on_rto(&rto(30 * MSS, false))),
                _ if newreno.window() < 36 * MSS => {
                    [&mut newreno as &mut dyn CongestionController, &mut controller]
                        .map(|either| either.on_ack(&ack(2 * MSS)))
                }
                _ => [(), ()],
            };
            assert_eq!(controller.window(), newreno.window(), "step {step}");
            assert_eq!(controller.ssthresh(), newreno.ssthresh(), "step {step}");
        }
    }

    #[test]
    fn slow_start_is_that_of_newreno() {
        let mut controller = highspeed(Growth::PerByte);
        for round in 1..8 {
            round_trip(&mut controller, MSS);
            assert_eq!(controller.window(), (10 * MSS) << round);
        }
    }

    #[test]
    fn at_a_periodic_loss_the_average_window_is_that_of_table_3() {
        for (packets_per_loss, expected) in [(10_000, 263.0), (100_000, 1795.0)] {
            let mut controller = at(expected as u64, Growth::PerByte);
            let (mut until_loss, mut sum, mut rounds) = (packets_per_loss, 0.0, 0u32);
            for round in 0..20_000 {
                let window = controller.window() / MSS;
                round_trip(&mut controller, MSS);
                if round >= 2000 {
                    (sum, rounds) = (sum + window as f64, rounds + 1);
                }
                until_loss -= window as i64;
                if until_loss <= 0 {
                    until_loss += packets_per_loss;
                    controller.on_congestion(&loss(controller.window()));
                }
            }
            let average = sum / f64::from(rounds);
            assert!((average / expected - 1.0).abs() < 0.1, "{average} segments, not {expected}");
        }
    }

    #[test]
    fn an_unused_window_does_not_grow() {
        let mut controller = at(5036, Growth::PerByte);
        controller.on_ack(&AckSample { is_window_limited: false, ..ack(5036 * MSS) });
        assert_eq!(controller.window(), 5036 * MSS);
    }

    #[test]
    fn parameters_out_of_range_are_refused_with_their_key() {
        let good = HighSpeedParameters::default();
        assert_eq!(good.validate(), Ok(()));
        let bad = |parameters: HighSpeedParameters| parameters.validate().unwrap_err().to_string();
        assert!(bad(HighSpeedParameters { low_window: 0, ..good.clone() }).starts_with("low_window: "));
        assert!(bad(HighSpeedParameters { high_window: 38, ..good.clone() }).starts_with("high_window: "));
        assert!(bad(HighSpeedParameters { low_p: 1.5, ..good.clone() }).starts_with("low_p: "));
        assert!(bad(HighSpeedParameters { high_p: 1e-3, ..good.clone() }).starts_with("high_p: "));
        assert!(bad(HighSpeedParameters { high_decrease: 0.6, ..good }).starts_with("high_decrease: "));
    }
}
