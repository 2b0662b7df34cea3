//! The oracle: a sender that knows the link's delivery opportunities in advance.
//!
//! It has the trace that the bottleneck follows and sends one packet per delivery opportunity, at the right time to be
//! in the queue when the opportunity comes. This is not a scheme but a bound: full use of the link, without a queue.
//! With `stale` set, it knows the trace as it was that long ago, so each packet is late by that time.
//!
//! An opportunity without data to send is lost, as at the link.

use std::sync::Arc;

use jettison_core::{Bytes, Duration, Rate, Time};
use jettison_link::trace::{Recording, Trace};
use jettison_registry::style::{GREY, Line::Dashed};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::delay::{nanos, span};
use super::entry::{MessageController, PathContext};
use super::{PathAck, PathController, PathSent};

const MILLI: i64 = 1_000_000;

/// Parameters of `oracle`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OracleParameters {
    /// File name of the Mahimahi trace that the bottleneck follows. There is no default.
    #[schemars(extend("format" = "input-file"))]
    pub trace: Option<String>,
    /// Time that a packet takes from the sender to the bottleneck's queue.
    pub lead: Duration,
    /// Age of its knowledge of the trace.
    pub stale: Duration,
    /// Start time of the trace.
    pub offset: Duration,
    /// Span of the trace, from now on, for the bandwidth estimate of applications.
    pub bandwidth_window: Duration,
    /// Maximum delay of a wake-up before its opportunity counts as missed.
    pub tolerance: Duration,
}

impl Default for OracleParameters {
    fn default() -> OracleParameters {
        OracleParameters {
            trace: None,
            lead: Duration::ZERO,
            stale: Duration::ZERO,
            offset: Duration::ZERO,
            bandwidth_window: Duration::from_millis(100),
            tolerance: Duration::from_millis(1),
        }
    }
}

impl OracleParameters {
    /// Checks the values; the error names the key and the valid range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::unless(self.trace.is_some(), "trace", || {
            "required: the trace that the bottleneck follows".into()
        })?;
        ParameterError::unless(!self.bandwidth_window.is_zero(), "bandwidth_window", || {
            "must be > 0 s, got 0 s".into()
        })
    }
}

/// The controller.
#[derive(Debug, Clone)]
pub struct Oracle {
    // Parameters.
    trace: Arc<Trace>,
    /// From an instant of the trace to the departure of its packet, in nanoseconds.
    shift: i64,
    bandwidth_window: Duration,
    tolerance: i64,
    packet: u64,
    // State.
    /// The next opportunity: the origin of its round in milliseconds, and its index in the trace.
    round: u64,
    index: usize,
    in_flight: u64,
    /// Bytes that may leave now; negative after an overdraft.
    credit: i64,
    bandwidth: Rate,
}

impl Oracle {
    /// Creates an oracle for `trace`.
    pub fn new(trace: Arc<Trace>, parameters: &OracleParameters, context: &PathContext<'_>) -> Oracle {
        let later = span(parameters.offset).saturating_add(span(parameters.stale));
        let mut oracle = Oracle {
            trace,
            shift: later.saturating_sub(span(parameters.lead)),
            bandwidth_window: parameters.bandwidth_window,
            tolerance: span(parameters.tolerance),
            packet: context.packet.max(1),
            round: 0,
            index: 0,
            in_flight: 0,
            credit: 0,
            bandwidth: Rate::ZERO,
        };
        oracle.bandwidth = oracle.rate_from(Time::ZERO);
        oracle
    }

    /// Departure time of the packet for the next opportunity.
    fn next_release(&self) -> i64 {
        let at = self.round.saturating_add(u64::from(self.trace.opportunities()[self.index]));
        i64::try_from(at).unwrap_or(i64::MAX).saturating_mul(MILLI).saturating_add(self.shift)
    }

    fn advance(&mut self) {
        self.index += 1;
        if self.index == self.trace.opportunities().len() {
            self.index = 0;
            self.round = self.round.saturating_add(self.trace.period_millis());
        }
    }

    /// Skips whole rounds of the trace that ended before `now`.
    fn skip_rounds(&mut self, now: i64) {
        let period = i64::try_from(self.trace.period_millis()).unwrap_or(i64::MAX).saturating_mul(MILLI);
        let rounds = now.saturating_sub(self.tolerance).saturating_sub(self.next_release()) / period;
        if let Ok(rounds) = u64::try_from(rounds) {
            self.round = self.round.saturating_add(rounds.saturating_mul(self.trace.period_millis()));
        }
    }

    /// The rate of the trace from the instant for which packets leave at `now`.
    fn rate_from(&self, now: Time) -> Rate {
        let from = u64::try_from(nanos(now).saturating_sub(self.shift)).unwrap_or(0);
        let (from, to) =
            (Time::from_nanos(from), Time::from_nanos(from).saturating_add(self.bandwidth_window));
        let opportunities = self.trace.count_before(to).saturating_sub(self.trace.count_before(from));
        Rate::of(Bytes::new(opportunities.saturating_mul(self.packet)), self.bandwidth_window)
    }
}

impl PathController for Oracle {
    fn on_sent(&mut self, sent: &PathSent) {
        self.in_flight = sent.in_flight;
        self.credit = self.credit.saturating_sub(i64::try_from(sent.bytes).unwrap_or(i64::MAX));
    }

    fn on_ack(&mut self, ack: &PathAck<'_>) {
        self.in_flight = ack.sample.in_flight;
    }

    fn on_timeout(&mut self, _now: Time, in_flight: u64) {
        self.in_flight = in_flight;
    }

    /// The bytes in flight plus those of the current opportunities.
    fn window(&self) -> u64 {
        self.in_flight.saturating_add(u64::try_from(self.credit).unwrap_or(0))
    }

    fn bandwidth(&self) -> Option<Rate> {
        Some(self.bandwidth)
    }

    fn budget(&self, _now: Time, _in_flight: u64) -> Option<u64> {
        Some(self.bandwidth.bytes_in(self.bandwidth_window).get())
    }

    fn next_wakeup(&self) -> Option<Time> {
        Some(Time::from_nanos(u64::try_from(self.next_release()).unwrap_or(0)))
    }

    fn handle_wakeup(&mut self, now: Time, in_flight: u64) {
        self.in_flight = in_flight;
        let at = nanos(now);
        self.skip_rounds(at);
        let mut opportunities = 0i64;
        while self.next_release() <= at && at < i64::MAX {
            opportunities += i64::from(self.next_release() >= at.saturating_sub(self.tolerance));
            self.advance();
        }
        let packet = i64::try_from(self.packet).unwrap_or(i64::MAX);
        // Unused credit is lost; an overdraft is kept.
        self.credit = self.credit.min(0).saturating_add(opportunities.saturating_mul(packet));
        self.bandwidth = self.rate_from(now);
    }
}

/// Its entry in the list of the message transport's controllers.
pub(super) fn entry() -> Entry<MessageController> {
    Entry::<MessageController>::new("oracle", "oracle", build)
        .style(GREY, Dashed)
        .summary("one packet per delivery opportunity of the bottleneck's trace, known in advance")
        .source("the bound of the motivation of Chen, Tahir, Mittal, Octopus; traces of Mahimahi (USENIX ATC 2015)")
        .page("appendix/path-controllers.md")
        .example(|| json!({ "trace": "verizon.down" }))
}

fn build(
    parameters: OracleParameters,
    context: &PathContext<'_>,
) -> Result<Box<dyn PathController>, ParameterError> {
    parameters.validate()?;
    let name = parameters.trace.as_deref().unwrap_or_default();
    let wrong = |message: String| ParameterError::at("trace", message);
    let text = (context.files)(name).map_err(wrong)?;
    let at = |line: Option<usize>, error: String| match line {
        Some(line) => wrong(format!("{name}, line {line}: {error}")),
        None => wrong(format!("{name}: {error}")),
    };
    let recording = Recording::read(&text, None).map_err(|error| at(error.line(), error.to_string()))?;
    let trace = recording.into_shared_trace().map_err(|error| at(None, error.to_string()))?;
    Ok(Box::new(Oracle::new(trace, &parameters, context)))
}

#[cfg(test)]
mod tests {
    use jettison_core::Seed;
    use serde_json::json;

    use super::super::testing::{Link, PACKET, Source, Toy, context, run, with_trace};
    use super::*;

    fn oracle(opportunities: &[u32], parameters: OracleParameters) -> Oracle {
        let trace = Trace::from_opportunities(opportunities.to_vec()).expect("the test's trace is good");
        Oracle::new(Arc::new(trace), &parameters, &context())
    }

    fn sent(controller: &mut Oracle, now: Time, bytes: u64, in_flight: u64) {
        let is_app_limited = false;
        controller.on_sent(&PathSent { now, sequence: 0, bytes, in_flight, is_app_limited, backlog: 0 });
    }

    #[test]
    fn a_packet_leaves_for_each_opportunity() {
        let mut controller = oracle(&[3, 5, 5, 20], OracleParameters::default());
        assert_eq!(controller.window(), 0);
        let mut seen = Vec::new();
        for _ in 0..5 {
            let at = controller.next_wakeup().expect("there is always another");
            controller.handle_wakeup(at, 0);
            seen.push((at.as_nanos() / 1_000_000, controller.window() / PACKET));
            let all = controller.window();
            sent(&mut controller, at, all, 0);
        }
        assert_eq!(seen, [(3, 1), (5, 2), (20, 1), (23, 1), (25, 2)]);
    }

    #[test]
    fn lead_sends_early_and_staleness_late() {
        let millis = Duration::from_millis;
        let next = |parameters| oracle(&[8, 30], parameters).next_wakeup();
        let default = OracleParameters::default;
        assert_eq!(next(OracleParameters { lead: millis(5), ..default() }), Some(Time::from_millis(3)));
        assert_eq!(next(OracleParameters { stale: millis(5), ..default() }), Some(Time::from_millis(13)));
        assert_eq!(next(OracleParameters { offset: millis(100), ..default() }), Some(Time::from_millis(108)));
        // Packets that would have had to leave before time zero are gone.
        let mut late = oracle(&[8, 30], OracleParameters { lead: millis(10), ..default() });
        assert_eq!(late.next_wakeup(), Some(Time::ZERO));
        late.handle_wakeup(Time::ZERO, 0);
        assert_eq!(late.window(), 0);
        assert_eq!(late.next_wakeup(), Some(Time::from_millis(20)));
    }

    #[test]
    fn unused_opportunities_are_lost_and_overdrafts_are_not() {
        let mut controller = oracle(&[1, 2, 3, 4, 5, 10], OracleParameters::default());
        controller.handle_wakeup(Time::from_millis(1), 0);
        controller.handle_wakeup(Time::from_millis(2), 700);
        // At 2 ms the opportunity of 1 ms is past: it is not kept, though a late wake-up would still count it.
        assert_eq!(controller.window(), 700 + PACKET);
        sent(&mut controller, Time::from_millis(2), PACKET + 100, 0);
        controller.handle_wakeup(Time::from_millis(3), 0);
        assert_eq!(controller.window(), PACKET - 100);
    }

    #[test]
    fn a_late_start_finds_the_current_round() {
        let mut controller = oracle(&[3, 10], OracleParameters::default());
        controller.handle_wakeup(Time::from_millis(1_000_004), 0);
        assert_eq!(controller.window(), PACKET, "within the tolerance of 1 ms");
        assert_eq!(controller.next_wakeup(), Some(Time::from_millis(1_000_010)));
    }

    #[test]
    fn the_bandwidth_is_that_of_the_future_trace() {
        let mut controller =
            oracle(&(0..=100).chain([200]).collect::<Vec<u32>>(), OracleParameters::default());
        assert_eq!(controller.bandwidth(), Some(Rate::from_mbit(12)));
        assert_eq!(controller.budget(Time::ZERO, 0), Some(100 * PACKET));
        controller.handle_wakeup(Time::from_millis(100), 0);
        assert_eq!(controller.bandwidth(), Some(Rate::from_kbit(120)));
    }

    /// A trace of a link with varying rate: its opportunities and its text.
    fn trace() -> (Vec<Time>, String) {
        let mut random = Seed(3).stream(&["trace"]);
        let (mut at, mut millis) = (0.0, Vec::new());
        while at < 20_000.0 {
            let slow = (at / 1000.0) as u64 % 4 == 3;
            at += random.exponential(if slow { 8.0 } else { 1.5 });
            millis.push(at as u64 + 1);
        }
        let text = millis.iter().map(|m| format!("{m}\n")).collect();
        (millis.into_iter().map(Time::from_millis).collect(), text)
    }

    fn over_trace(
        parameters: serde_json::Value,
        source: Source,
        lead: Duration,
    ) -> super::super::testing::Run {
        let (instants, text) = trace();
        let mut controller = with_trace("link.down", &text, |context| {
            entry().build(&parameters, context).expect("the test's parameters are good")
        });
        let toy = Toy { lead, source, ..Toy::new(Link::Opportunities(instants.into())) };
        run(&mut *controller, toy, 20)
    }

    #[test]
    fn the_oracle_uses_the_whole_link_without_a_queue() {
        let (instants, _) = trace();
        let lead = Duration::from_millis(10);
        let parameters = json!({ "trace": "link.down", "lead": "10 ms" });
        let run = over_trace(parameters, Source::Bulk, lead);
        let offered = instants.iter().filter(|at| **at < Time::from_secs(19)).count();
        let carried = run.carried.iter().filter(|p| p.left_at < Time::from_secs(19)).count();
        // Packets for the opportunities of the first 10 ms would have had to leave before the start.
        assert!(carried + 15 >= offered, "{carried} of {offered}");
        assert_eq!(run.delay(0, 20, 100), 0.0);
    }

    #[test]
    fn a_knowledge_5_ms_old_causes_a_queue_and_loses_capacity() {
        let parameters = json!({ "trace": "link.down", "stale": "5 ms" });
        let run = over_trace(parameters, Source::Bulk, Duration::ZERO);
        let delay = run.delay(1, 20, 95);
        assert!((5.0..200.0).contains(&delay), "{delay}");
    }

    #[test]
    fn a_valid_trace_is_required() {
        let refuse = |parameters| {
            with_trace("t", "1\nx\n", |c| entry().build(&parameters, c).unwrap_err().to_string())
        };
        assert!(refuse(json!({})).starts_with("trace: required"));
        assert!(refuse(json!({ "trace": "u" })).starts_with("trace: there is no file `u`"));
        assert!(refuse(json!({ "trace": "t" })).starts_with("trace: t, line 2: `x` is not"));
        assert!(refuse(json!({ "trace": "t", "bandwidth_window": "0 s" })).starts_with("bandwidth_window: "));
    }
}
