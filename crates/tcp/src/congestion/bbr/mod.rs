//! BBR version 1 (draft-cardwell-iccrg-bbr-congestion-control-00).
//!
//! Principle: a model of the path, the highest delivery rate of the last rounds (BtlBw) and the lowest round-trip time
//! of the last seconds (RTprop). Data is paced at a gain times BtlBw, and at most a gain times BtlBw · RTprop is in
//! flight. A state machine chooses the gains: Startup doubles the rate until it stops growing, Drain empties the queue
//! that Startup built, ProbeBW cycles around BtlBw, ProbeRTT empties the path every ten seconds to measure RTprop
//! again. Loss and marks do not enter the model.
//!
//! The controller depends on its samples alone, not on TCP: any transport can use it. Units: payload bytes.

mod aggregation;
mod filter;
mod gains;
mod model;
mod parameters;
mod window;

use jettison_core::{Bytes, Duration, Gauge, Gauges, RandomStream, Rate, Time};
use jettison_registry::style::{Line::Solid, VERMILION};
use jettison_registry::{Entry, ParameterError};

use self::aggregation::ExtraAcked;
use self::gains::{GainCycle, PhaseInput};
use self::model::{FullPipe, PathModel};
use self::window::{Aim, Window};
use super::entry::{Controller, ControllerContext, InKernel};
use super::{
    AckSample, CongestionController, CongestionEvent, CongestionKind, IdleRestart, Phase, RecoveryControl,
    RecoveryEnd, RtoEvent, SentSample,
};

pub use parameters::{BbrParameters, LimitedBy, RateInterval, Round, WindowQuantum};

/// What it reports of its state.
const GAUGES: &[Gauge] = &[BANDWIDTH, MIN_RTT, STATE, PACING_GAIN];

const BANDWIDTH: Gauge = Gauge::new(
    "bbr_bandwidth",
    "Mbit/s",
    "BtlBw, the estimate of the bottleneck's rate; none before the first sample.",
);
const MIN_RTT: Gauge = Gauge::new(
    "bbr_min_rtt",
    "ms",
    "RTprop, the estimate of the path's own RTT; none before the first sample.",
);
const STATE: Gauge = Gauge::new("bbr_state", "1", "0 in Startup, 1 in Drain, 2 in ProbeBW, 3 in ProbeRTT.");
const PACING_GAIN: Gauge = Gauge::new("bbr_pacing_gain", "1", "Pacing rate over BtlBw.");

/// Its entry in the list of congestion controllers.
pub(super) fn entry() -> Entry<Controller> {
    Entry::<Controller>::new("bbr", "BBR", build)
        .style(VERMILION, Solid)
        .summary("paced by a model of the path: its highest delivery rate and its lowest RTT")
        .source("draft-cardwell-iccrg-bbr-congestion-control-00 (version 1)")
        .page("tcp.md")
        .gauges(GAUGES)
        .facts(InKernel { always_paces: true, ..InKernel::named("bbr") })
}

fn build(
    parameters: BbrParameters,
    context: &ControllerContext,
) -> Result<Box<dyn CongestionController>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(Bbr::new(parameters, context)))
}

/// The RTT for pacing the initial window before the first sample, unless a parameter is set (draft §4.2.1).
const NOMINAL_RTT: Duration = Duration::from_millis(1);
/// Quanta in flight in addition to the path's own, at both hosts (draft §4.2.3.2).
const QUANTA: u64 = 3;

/// The quantum of [`WindowQuantum::Stepped`] in segments.
fn stepped_quantum(pacing_rate: Rate) -> u64 {
    match pacing_rate.as_bits() / 1_000_000 {
        0..12 => 3,
        12..24 => 5,
        mbit => (mbit / 6).min(43),
    }
}

/// The state of BBR (draft §3.4, §4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BbrState {
    /// Doubles the rate each round until the pipe is full.
    Startup,
    /// Empties the queue that Startup built.
    Drain,
    /// Cycles around BtlBw.
    ProbeBw,
    /// Empties the path to measure its lowest round-trip time.
    ProbeRtt,
}

/// The controller.
#[derive(Debug, Clone)]
pub struct Bbr {
    // Parameters.
    parameters: BbrParameters,
    mss: u64,
    random: Option<RandomStream>,
    // Path.
    model: PathModel,
    full_pipe: FullPipe,
    extra_acked: ExtraAcked,
    // State machine.
    state: BbrState,
    pacing_gain: f64,
    window_gain: f64,
    cycle: GainCycle,
    /// When ProbeRTT may end, once the flight is small enough (`probe_rtt_done_stamp`).
    probe_rtt_done: Option<Time>,
    probe_rtt_round_done: bool,
    /// Sending restarted with nothing in flight, and no ACK has arrived since (`idle_restart`).
    restarts_from_idle: bool,
    // Control.
    window: Window,
    pacing_rate: Rate,
    /// Whether the initial pacing rate is based on an RTT sample.
    has_rtt: bool,
    quantum: u64,
}

impl Bbr {
    /// A controller with its initial window.
    pub fn new(parameters: BbrParameters, context: &ControllerContext) -> Bbr {
        let mut bbr = Bbr {
            mss: context.mss,
            random: context.random.clone(),
            model: PathModel::new(&parameters, context.mss),
            full_pipe: FullPipe::default(),
            extra_acked: ExtraAcked::default(),
            state: BbrState::Startup,
            pacing_gain: parameters.startup_gain,
            window_gain: parameters.startup_gain,
            cycle: GainCycle::start(None, Time::ZERO),
            probe_rtt_done: None,
            probe_rtt_round_done: false,
            restarts_from_idle: false,
            window: Window::new(context.mss, context.initial_window),
            pacing_rate: Rate::ZERO,
            has_rtt: false,
            quantum: context.mss,
            parameters,
        };
        bbr.start_pacing(bbr.nominal_rtt());
        bbr
    }

    /// The current state.
    pub fn state(&self) -> BbrState {
        self.state
    }

    /// BtlBw, the estimate of the bottleneck rate; zero before the first sample.
    pub fn bandwidth(&self) -> Rate {
        self.model.bandwidth()
    }

    /// RTprop, the estimate of the path's round-trip time without queueing; `None` before the first sample.
    pub fn rtprop(&self) -> Option<Duration> {
        self.model.rtprop.lowest()
    }

    /// The ratio of the current pacing rate to BtlBw, except at the start.
    pub fn pacing_gain(&self) -> f64 {
        self.pacing_gain
    }

    /// Draft §4.2.3.2, BBRInflight: `gain` times the path's capacity, plus quanta at the hosts.
    pub fn in_flight_for(&self, gain: f64) -> u64 {
        let quanta = match self.parameters.window_quantum {
            WindowQuantum::Sent => QUANTA * self.quantum,
            WindowQuantum::Stepped => 0,
        };
        match self.model.bdp() {
            Some(bdp) => (gain * bdp as f64) as u64 + quanta,
            None => self.window.initial(),
        }
    }

    /// The window's target: what the gain asks for, and allowances.
    fn target(&self) -> u64 {
        let mut target = self.in_flight_for(self.window_gain);
        if self.parameters.window_quantum == WindowQuantum::Stepped && self.model.bdp().is_some() {
            target += QUANTA * stepped_quantum(self.pacing_rate) * self.mss;
        }
        if self.parameters.extra_acked_gain > 0.0 && self.full_pipe.is_filled() {
            let extra = self.extra_acked.bytes(self.model.bandwidth());
            target += (self.parameters.extra_acked_gain * extra as f64) as u64;
        }
        target
    }

    /// The RTT for pacing the initial window before the first sample. It does not enter RTprop.
    fn nominal_rtt(&self) -> Duration {
        if self.parameters.initial_rtt.is_zero() { NOMINAL_RTT } else { self.parameters.initial_rtt }
    }

    /// Draft §4.2.1, BBRInitPacingRate.
    fn start_pacing(&mut self, rtt: Duration) {
        let nominal = Rate::of(Bytes::new(self.window.initial()), rtt);
        self.pacing_rate = nominal.mul_f64(self.pacing_gain * (1.0 - self.parameters.pacing_margin));
        self.choose_quantum();
    }

    /// Draft §4.2.1, BBRSetPacingRateWithGain: until the pipe has been full, the rate never decreases.
    fn pace_by(&mut self, gain: f64) {
        let rate = self.model.bandwidth().mul_f64(gain * (1.0 - self.parameters.pacing_margin));
        if self.full_pipe.is_filled() || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    /// Draft §4.2.2, BBRSetSendQuantum.
    fn choose_quantum(&mut self) {
        self.quantum = if self.parameters.send_quantum > 0 {
            u64::from(self.parameters.send_quantum) * self.mss
        } else if self.pacing_rate < Rate::from_kbit(1200) {
            self.mss
        } else if self.pacing_rate < Rate::from_mbit(24) {
            2 * self.mss
        } else {
            self.pacing_rate.bytes_in(Duration::from_millis(1)).get().min(64_000)
        };
    }

    fn enter_startup(&mut self) {
        self.state = BbrState::Startup;
        self.pacing_gain = self.parameters.startup_gain;
        self.window_gain = self.parameters.startup_gain;
    }

    /// Draft §4.3.3: the inverse gain drains Startup's queue in one round; the window does not change.
    fn enter_drain(&mut self) {
        self.state = BbrState::Drain;
        self.pacing_gain = 1.0 / self.parameters.startup_gain;
        self.window_gain = self.parameters.startup_gain;
    }

    fn enter_probe_bw(&mut self, now: Time) {
        self.state = BbrState::ProbeBw;
        self.window_gain = self.parameters.window_gain;
        let random = self.random.as_mut().filter(|_| self.parameters.random_phase);
        self.cycle = GainCycle::start(random, now);
        self.pacing_gain = self.cycle.gain();
    }

    /// Draft §4.3.5. The window is saved before the state changes, while it is not yet ProbeRTT's.
    fn enter_probe_rtt(&mut self) {
        self.window.save(false);
        self.state = BbrState::ProbeRtt;
        self.pacing_gain = 1.0;
        self.window_gain = 1.0;
        self.probe_rtt_done = None;
        self.model.begin_limiting();
    }

    /// Draft §4.3.4.3, BBRCheckCyclePhase.
    fn check_cycle_phase(&mut self, ack: &AckSample, has_lost: bool) {
        if self.state != BbrState::ProbeBw {
            return;
        }
        let input = PhaseInput {
            now: ack.now,
            rtprop: self.model.rtprop_or_zero(),
            has_lost,
            prior_in_flight: ack.in_flight_before,
        };
        if self.cycle.is_over(&input, |gain| self.in_flight_for(gain)) {
            self.cycle.advance(ack.now);
            self.pacing_gain = self.cycle.gain();
        }
    }

    /// Draft §4.3.3, BBRCheckDrain.
    fn check_drain(&mut self, ack: &AckSample, has_lost: bool) {
        let is_over = self.full_pipe.is_filled() || (has_lost && self.parameters.startup_ends_on_loss);
        if self.state == BbrState::Startup && is_over {
            self.enter_drain();
        }
        if self.state == BbrState::Drain && ack.in_flight <= self.in_flight_for(1.0) {
            self.enter_probe_bw(ack.now);
        }
    }

    /// Draft §4.3.5, BBRCheckProbeRTT.
    fn check_probe_rtt(&mut self, ack: &AckSample) {
        let is_due = self.model.rtprop.is_expired() && !self.restarts_from_idle;
        if self.state != BbrState::ProbeRtt && is_due {
            self.enter_probe_rtt();
        }
        if self.state == BbrState::ProbeRtt {
            self.stay_in_probe_rtt(ack);
        }
        self.restarts_from_idle = false;
    }

    /// Draft §4.3.5, BBRHandleProbeRTT.
    fn stay_in_probe_rtt(&mut self, ack: &AckSample) {
        self.model.limit(ack.in_flight);
        match self.probe_rtt_done {
            None if ack.in_flight <= self.window.minimum() => {
                self.probe_rtt_done = Some(ack.now.saturating_add(self.parameters.probe_rtt_duration));
                self.probe_rtt_round_done = false;
                self.model.restart_round();
            }
            None => {}
            Some(done) => {
                self.probe_rtt_round_done |= self.model.is_round_start();
                if self.probe_rtt_round_done && ack.now > done {
                    self.model.rtprop.renew(ack.now);
                    self.window.restore();
                    if self.full_pipe.is_filled() {
                        self.enter_probe_bw(ack.now);
                    } else {
                        self.enter_startup();
                    }
                }
            }
        }
    }
}

impl CongestionController for Bbr {
    fn on_established(&mut self, mss: u64, initial_window: u64) {
        self.mss = mss;
        self.window = Window::new(mss, initial_window);
        self.start_pacing(self.nominal_rtt());
    }

    /// Draft §4.2.1, §4.3.1: RTprop and the initial pacing rate from the RTT of the handshake, if known.
    fn on_handshake(&mut self, now: Time, rtt: Option<Duration>) {
        if let Some(rtt) = rtt.filter(|rtt| !rtt.is_zero()) {
            self.model.update_rtprop(Some(rtt), now);
            self.has_rtt = true;
            self.start_pacing(rtt);
        }
    }

    /// BBRUpdateOnACK (draft §3.5.2), in its order.
    fn on_ack(&mut self, ack: &AckSample) {
        if !self.has_rtt && !ack.smoothed_rtt.is_zero() {
            // Draft §4.2.1: this is the first RTT sample.
            self.has_rtt = true;
            self.start_pacing(ack.smoothed_rtt);
        }
        if self.window.is_repairing_after_timeout() && ack.phase != Phase::Loss {
            self.window.end_repair();
        }
        let has_lost = self.window.newly_lost(ack) > 0;
        self.model.update_bandwidth(ack);
        self.check_cycle_phase(ack, has_lost);
        self.full_pipe.check(&self.model);
        self.check_drain(ack, has_lost);
        if self.parameters.extra_acked_gain > 0.0 {
            let (rate, starts) = (self.model.bandwidth(), self.model.is_round_start());
            self.extra_acked.on_ack(ack.now, ack.delivered, rate, self.window.bytes(), starts);
        }
        self.model.update_rtprop(ack.rtt, ack.now);
        self.check_probe_rtt(ack);
        self.pace_by(self.pacing_gain);
        self.choose_quantum();
        let aim = Aim {
            target: self.target(),
            is_pipe_filled: self.full_pipe.is_filled(),
            is_probing_rtt: self.state == BbrState::ProbeRtt,
        };
        self.window.on_ack(ack, &aim);
    }

    /// Draft §4.3.4.4, BBRHandleRestartFromIdle: paces at exactly BtlBw. The call follows the departure of the first
    /// segment, so the rate applies from the second on.
    fn on_sent(&mut self, sent: &SentSample) {
        let was_idle = sent.in_flight <= sent.bytes;
        if was_idle && (sent.is_app_limited || self.model.is_limiting()) {
            self.restarts_from_idle = true;
            if self.state == BbrState::ProbeBw {
                self.pace_by(1.0);
            }
        }
    }

    /// Draft §4.2.3.4. This version ignores marks.
    fn on_congestion(&mut self, event: &CongestionEvent) {
        if event.kind == CongestionKind::Loss && self.parameters.loss_recovery {
            let left = event.in_flight.saturating_sub(event.lost);
            let is_probing = self.state == BbrState::ProbeRtt;
            self.window.begin_recovery(event.now, left, event.lost, self.model.delivered(), is_probing);
        }
    }

    fn on_recovery_end(&mut self, end: &RecoveryEnd) {
        if end.kind == CongestionKind::Loss {
            self.window.end_repair();
        }
    }

    fn on_rto(&mut self, _event: &RtoEvent) {
        self.window.begin_repair_after_timeout(self.state == BbrState::ProbeRtt);
    }

    fn on_spurious_recovery(&mut self) {
        self.window.end_repair();
    }

    /// Draft §4.3.4.4: the window does not change; see [`Bbr::on_sent`].
    fn on_idle_restart(&mut self, _restart: &IdleRestart) {}

    #[inline]
    fn window(&self) -> u64 {
        self.window.bytes()
    }

    /// BBR has no slow-start threshold.
    #[inline]
    fn ssthresh(&self) -> u64 {
        u64::MAX
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.pacing_rate.max(Rate::from_bits(1)))
    }

    #[inline]
    fn pacing_quantum(&self) -> Option<u64> {
        Some(self.quantum)
    }

    /// BtlBw.
    #[inline]
    fn bandwidth(&self) -> Option<Rate> {
        let highest = self.model.bandwidth();
        (!highest.is_zero()).then_some(highest)
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        let highest = self.model.bandwidth();
        out.set(&BANDWIDTH, if highest.is_zero() { f64::NAN } else { highest.as_mbit_f64() });
        out.set(&MIN_RTT, self.rtprop().map_or(f64::NAN, Duration::as_millis_f64));
        out.set(&STATE, f64::from(self.state as u8));
        out.set(&PACING_GAIN, self.pacing_gain);
    }

    fn recovery_control(&self) -> RecoveryControl {
        RecoveryControl::Controller
    }
}

#[cfg(test)]
mod tests;
