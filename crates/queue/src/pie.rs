//! `pie`: Proportional Integral controller Enhanced (RFC 8033).
//!
//! Every `t_update`, a proportional-integral controller updates the drop probability, to settle the queueing delay at
//! `target`; arrivals are dropped (or CE-marked) with this probability. The step size scales with the probability itself
//! (auto-tuning), because a small probability needs small steps. Bursts shorter than `max_burst` are not dropped.
//!
//! The controller is [`PieState`]; this file has the queue, and turns the controller on and off (RFC 8033 §5.3).
//!
//! Units: probabilities in [0, 1]; `alpha` and `beta` in Hz (probability per second of delay, per update); delays are times
//! (gauges in ms).

use jettison_core::{Bytes, DropReason, Duration, Gauges, MarkReason, RandomStream, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{Line::Solid, ORANGE};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::pi2::DelayFrom;
use crate::{
    Backlog, Fifo, Hertz, InLinux, Limit, PieDecision, PieSettings, PieState, Qdisc, QdiscContext,
    QueueChange, QueueDiscipline, QueueSetting, UpdateTimer, pie_state,
};

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("pie", "PIE", build)
        .style(ORANGE, Solid)
        .summary("Proportional-integral control of delay by random drops on arrival, auto-tuned")
        .source("RFC 8033")
        .page("disciplines/pie.md")
        .gauges(pie_state::GAUGES)
        .facts(InLinux::by(qdisc))
}

/// Parameters of PIE, with RFC 8033's names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PieParameters {
    /// Target queueing delay (QDELAY_REF, RFC 8033 §4.2).
    pub target: Duration,
    /// Time between two updates of the drop probability (T_UPDATE, RFC 8033 §4.2).
    pub t_update: Duration,
    /// Integral gain: change of the probability per update and per second of delay above target (RFC 8033 §4.2).
    pub alpha: Hertz,
    /// Proportional gain: change of the probability per update and per second of delay growth (RFC 8033 §4.2).
    pub beta: Hertz,
    /// Burst allowance: duration of a burst before the first drop (MAX_BURST, RFC 8033 §4.4).
    pub max_burst: Duration,
    /// No drops while the backlog is at most two packets of this size (MEAN_PKTSIZE, RFC 8033 §4.1).
    pub mean_pktsize: Bytes,
    /// Estimate of the queueing delay: sojourn time of the head, or backlog over measured departure rate (RFC 8033 §4.3,
    /// §5.2).
    pub delay: DelayFrom,
    /// Derandomisation: no drop before the probabilities since the last drop add up to 0.85, a certain drop at 8.5 (RFC 8033
    /// §5.4).
    pub derandomise: bool,
    /// Limits the rise of a probability >= 10 % to 2 percentage points per update (RFC 8033 §5.5).
    pub cap_adjustment: bool,
    /// Activates PIE when a third of `limit` is in use, and deactivates it when congestion ends (RFC 8033 §5.3).
    pub on_off: bool,
    /// Marks ECN-capable packets (RFC 3168) instead of dropping them, up to `mark_ecnth` (RFC 8033 §5.1).
    pub ecn: bool,
    /// Highest probability at which packets are marked, in [0, 1]; above it they are dropped (RFC 8033 §5.1).
    pub mark_ecnth: f64,
    /// Buffer limit in packets, bytes (IP length) or both; arrivals that exceed it are dropped.
    pub limit: Limit,
}

impl Default for PieParameters {
    fn default() -> PieParameters {
        PieParameters {
            target: Duration::from_millis(15),
            t_update: Duration::from_millis(15),
            alpha: Hertz::new(0.125),
            beta: Hertz::new(1.25),
            max_burst: Duration::from_millis(150),
            mean_pktsize: Bytes::new(1024),
            delay: DelayFrom::Sojourn,
            derandomise: true,
            cap_adjustment: true,
            on_off: false,
            ecn: false,
            mark_ecnth: 0.1,
            limit: Limit::default(),
        }
    }
}

impl PieParameters {
    fn settings(&self) -> Result<PieSettings, ParameterError> {
        let settings = PieSettings {
            target: self.target,
            t_update: self.t_update,
            alpha: self.alpha,
            beta: self.beta,
            max_burst: self.max_burst,
            mean_pktsize: self.mean_pktsize.get(),
            delay: self.delay,
            derandomise: self.derandomise,
            cap_adjustment: self.cap_adjustment,
            ecn: self.ecn,
            mark_ecnth: self.mark_ecnth,
        };
        settings.check()?;
        let bounded = !self.on_off || self.limit != Limit::UNLIMITED;
        ParameterError::require(bounded, "on_off", "be false if `limit` is unlimited", true)?;
        Ok(settings)
    }
}

fn build(
    parameters: PieParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    Ok(Box::new(Pie::new(parameters, (context.random)("drop"))?))
}

/// Linux's `pie`: tc-pie(8).
fn qdisc(parameters: PieParameters, context: &QdiscContext<'_>) -> Result<Qdisc, ParameterError> {
    let usual = PieParameters::default();
    let PieParameters { ecn, mark_ecnth, on_off, .. } = parameters;
    ParameterError::unless(!on_off, "on_off", || {
        "must be false for `tc`: Linux's PIE is always active".to_owned()
    })?;
    let threshold = !ecn || mark_ecnth == usual.mark_ecnth;
    ParameterError::require(
        threshold,
        "mark_ecnth",
        "be 0.1 for `tc`: Linux's PIE has no option for it",
        mark_ecnth,
    )?;
    let qdisc = Qdisc::new("pie").packet_limit(parameters.limit, context);
    Ok(parameters.settings()?.in_linux(qdisc)?.word(if ecn { "ecn" } else { "noecn" }))
}

impl PieSettings {
    /// Adds the options that Linux's `pie` and `fq_pie` share.
    pub(crate) fn in_linux(&self, qdisc: Qdisc) -> Result<Qdisc, ParameterError> {
        let usual = PieParameters::default();
        for (holds, key) in [(self.derandomise, "derandomise"), (self.cap_adjustment, "cap_adjustment")] {
            let message = || "must be true for `tc`: Linux's PIE has no option for it".to_owned();
            ParameterError::unless(holds, key, message)?;
        }
        let burst = self.max_burst == usual.max_burst;
        ParameterError::require(
            burst,
            "max_burst",
            "be 150 ms for `tc`: Linux's PIE has no option for it",
            self.max_burst,
        )?;
        let qdisc = qdisc
            .time("target", "target", self.target)?
            .time("tupdate", "t_update", self.t_update)?
            .option("alpha", sixteenths("alpha", self.alpha)?)
            .option("beta", sixteenths("beta", self.beta)?)
            .note("t_update: Linux rounds it up to a tick of its timer; 15 ms are 16 ms at 250 Hz")
            .note_if(
                self.mean_pktsize != usual.mean_pktsize.get(),
                "mean_pktsize: Linux's PIE has no option for it",
            );
        Ok(match self.delay {
            DelayFrom::Sojourn => qdisc.word("no_dq_rate_estimator"),
            DelayFrom::Rate => qdisc.word("dq_rate_estimator"),
        })
    }
}

/// A gain in the unit of tc-pie(8), 1/16 Hz: its defaults, 2 and 20, are RFC 8033's 1/8 and 1 1/4.
fn sixteenths(key: &str, gain: Hertz) -> Result<u64, ParameterError> {
    let scaled = gain.get() * 16.0;
    let whole = scaled.round();
    let fits = (scaled - whole).abs() < 1e-9 && (0.0..=32.0).contains(&whole);
    ParameterError::require(fits, key, "be a multiple of 1/16 Hz in [0, 2 Hz] for `tc`", gain)?;
    Ok(whole as u64)
}

/// One FIFO queue under PIE.
#[derive(Debug, Clone)]
pub struct Pie {
    settings: PieSettings,
    on_off: bool,
    limit: Limit,
    random: RandomStream,

    /// Whether PIE is active (RFC 8033 §5.3); always true without `on_off`.
    active: bool,
    state: PieState,
    updates: UpdateTimer,
    fifo: Fifo,
}

impl Pie {
    /// Creates an empty queue that draws from `random`; the first update is one `t_update` after time zero.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: PieParameters, random: RandomStream) -> Result<Pie, ParameterError> {
        let settings = parameters.settings()?;
        Ok(Pie {
            settings,
            on_off: parameters.on_off,
            limit: parameters.limit,
            random,
            active: !parameters.on_off,
            state: PieState::new(&settings),
            updates: UpdateTimer::new(parameters.t_update),
            fifo: Fifo::default(),
        })
    }

    /// The drop probability, 0 to 1.
    pub fn drop_prob(&self) -> f64 {
        self.state.drop_prob()
    }

    /// The remaining burst allowance.
    pub fn burst_allowance(&self) -> Duration {
        self.state.burst_allowance()
    }

    fn queueing_delay(&self, now: Time) -> Duration {
        self.state.queueing_delay(&self.settings, self.fifo.head(), self.fifo.backlog(), now)
    }

    /// Updates the controller, and deactivates it if congestion is over (RFC 8033 §5.3). A delay that has not been measured
    /// yet does not count as low.
    fn update(&mut self, now: Time) {
        let qdelay = self.queueing_delay(now);
        let is_over = self.state.update(&self.settings, qdelay);
        if self.on_off && is_over && self.state.knows_delay(&self.settings) {
            self.active = false;
        }
    }

    /// Activates PIE with reset state once a third of the buffer is in use (RFC 8033 §5.3).
    fn turn_on(&mut self) {
        let (Backlog { packets, bytes }, limit) = (self.fifo.backlog(), self.limit);
        if packets < limit.packets.div_ceil(3) && bytes < limit.bytes.div_ceil(3) {
            return;
        }
        self.active = true;
        self.state = PieState::new(&self.settings);
    }
}

impl QueueDiscipline for Pie {
    fn enqueue(&mut self, mut packet: Packet, now: Time, out: &mut dyn Outcomes) {
        if !self.limit.admits(self.fifo.backlog(), packet.meta.length) {
            self.state.dropped();
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        let (head, backlog) = (self.fifo.head(), self.fifo.backlog());
        self.state.restore_allowance(&self.settings, |state| {
            state.queueing_delay(&self.settings, head, backlog, now)
        });
        if self.active {
            match self.state.judge(&self.settings, &mut packet, backlog.bytes, &mut self.random) {
                PieDecision::Queue => {}
                PieDecision::Mark => out.marked(&packet, MarkReason::Pie, now),
                PieDecision::Drop => return out.dropped(packet, DropReason::Pie, now),
            }
        }
        self.fifo.push(packet, now);
        if !self.active {
            self.turn_on();
        }
    }

    fn dequeue(&mut self, now: Time, _: &mut dyn Outcomes) -> Option<Packet> {
        let packet = self.fifo.pop()?;
        if self.active {
            self.state.departed(&self.settings, packet.meta.length, self.fifo.backlog(), now);
        }
        Some(packet)
    }

    fn handle_wakeup(&mut self, now: Time, _: &mut dyn Outcomes) {
        if self.updates.is_due(now) && self.active {
            self.update(now);
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        Some(self.updates.next())
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        self.state.report(self.active, out);
    }

    fn reconfigure(&mut self, change: &QueueChange) -> bool {
        match *change {
            QueueChange { class: None, setting: QueueSetting::Target(target) } if !target.is_zero() => {
                self.settings.target = target;
                true
            }
            _ => false,
        }
    }

    fn settings(&self) -> Vec<QueueSetting> {
        vec![QueueSetting::Target(self.settings.target)]
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }
}

#[cfg(test)]
mod tests;
