//! `tbf`: token bucket filter, a shaper around another discipline.
//!
//! Tokens arrive at `rate`, up to `burst`. A packet leaves when the bucket holds the tokens for all its bytes, so an idle
//! shaper lets a burst through at once and a busy one sends at `rate`. A second bucket with `peakrate` and `mtu`, if set, also
//! has to cover the packet: it limits the speed of the burst. Packets that no full bucket could cover are dropped on arrival.
//!
//! The rate is exact: tokens are whole numbers ([`TokenBucket`]), and there are no timer ticks.
//!
//! Reference: tc-tbf(8). Units: rates in bit/s, sizes in bytes with `overhead`.

use jettison_core::{Bytes, DropReason, Duration, Gauge, Gauges, Rate, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{Line::DashDot, MAUVE};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::entry::{BuildContext, Discipline, any_discipline};
use crate::peeked::Peeked;
use crate::{
    Backlog, Encoding, Framing, InLinux, Limit, Qdisc, QdiscContext, QueueChange, QueueDiscipline,
    QueueSetting, TokenBucket, tc_rate,
};

/// Gauges of the internal state, besides those of the inner discipline.
const GAUGES: &[Gauge] = &[TOKENS, RATE];

const TOKENS: Gauge = Gauge::new("tbf_tokens", "bytes", "Bytes that the bucket covers.");
const RATE: Gauge = Gauge::new("tbf_rate", "Mbit/s", "The shaper's rate.");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("tbf", "token bucket", build)
        .style(MAUVE, DashDot)
        .summary("Token bucket: shapes another discipline to a rate, with a burst")
        .source("tc-tbf(8)")
        .page("disciplines/tbf.md")
        .gauges(GAUGES)
        .facts(InLinux::by(qdisc))
}

/// Parameters of the token bucket filter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TbfParameters {
    /// Rate of the tokens.
    pub rate: Rate,
    /// Size of the bucket. Unset: what `rate` sends in 1 ms, at least 2 kB.
    pub burst: Option<Bytes>,
    /// Rate at which a burst leaves. Unset: that of the link.
    pub peakrate: Option<Rate>,
    /// Size of the bucket of `peakrate`.
    pub mtu: Bytes,
    /// The inner discipline: an id, or a table with its `kind`.
    #[schemars(schema_with = "any_discipline")]
    pub queue: Value,
    /// Bytes that a packet costs beyond its IP length.
    pub overhead: Framing,
    /// Limit in addition to that of the inner discipline.
    pub limit: Limit,
    /// Limit as a time: what the shaper sends in this time, with a burst. In addition to `limit`.
    pub latency: Option<Duration>,
}

impl Default for TbfParameters {
    fn default() -> TbfParameters {
        TbfParameters {
            rate: Rate::from_mbit(10),
            burst: None,
            peakrate: None,
            mtu: Bytes::new(2000),
            queue: Value::from("tail-drop"),
            overhead: Framing::RAW,
            limit: Limit::UNLIMITED,
            latency: None,
        }
    }
}

/// Bucket of a rate for which none is given: the least that tc-tbf(8) asks for, rate / HZ with a timer of 1,000 Hz, and room
/// for a full-size packet in ATM cells.
pub(crate) fn automatic_burst(rate: Rate) -> Bytes {
    rate.bytes_in(Duration::from_millis(1)).clamp(Bytes::new(2000), TokenBucket::MAX_DEPTH)
}

/// Checks that `rate` is a rate that a shaper can keep.
///
/// # Errors
/// If it is zero.
pub(crate) fn require_rate(key: &str, rate: Rate) -> Result<(), ParameterError> {
    ParameterError::require(!rate.is_zero(), key, "be > 0", rate)
}

/// Checks the size of a bucket.
///
/// # Errors
/// If it is zero or larger than a bucket can be.
pub(crate) fn require_burst(key: &str, burst: Bytes) -> Result<(), ParameterError> {
    let in_range = (1..=TokenBucket::MAX_DEPTH.get()).contains(&burst.get());
    ParameterError::require(in_range, key, "be in [1 byte, 1 GB]", burst)
}

fn build(
    parameters: TbfParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    require_rate("rate", parameters.rate)?;
    if let Some(burst) = parameters.burst {
        require_burst("burst", burst)?;
    }
    require_burst("mtu", parameters.mtu)?;
    if let Some(peakrate) = parameters.peakrate {
        let above = peakrate > parameters.rate;
        ParameterError::require(
            above,
            "peakrate",
            &format!("be above `rate` ({})", parameters.rate),
            peakrate,
        )?;
    }
    let inner = context.registry.build(&parameters.queue, context).map_err(|error| error.under("queue"))?;
    Ok(Box::new(Tbf::new(inner, &parameters)))
}

/// Linux's `tbf`: tc-tbf(8).
fn qdisc(parameters: TbfParameters, context: &QdiscContext<'_>) -> Result<Qdisc, ParameterError> {
    let burst = parameters.burst.unwrap_or_else(|| automatic_burst(parameters.rate));
    let mut qdisc = Qdisc::new("tbf").option("rate", tc_rate(parameters.rate)).option("burst", burst.get());
    qdisc.shapes = Some(parameters.rate);
    if let Some(peakrate) = parameters.peakrate {
        qdisc = qdisc.option("peakrate", tc_rate(peakrate)).option("mtu", parameters.mtu.get());
    }
    // tc requires a limit. It is that of the queue which the inner discipline replaces.
    qdisc = match parameters.latency {
        Some(latency) => qdisc.time("latency", "latency", latency)?,
        None => qdisc.option("latency", "1s"),
    };
    qdisc.options.extend(tc_framing(parameters.overhead, context)?);
    let inner = context.inner(&parameters.queue).map_err(|error| error.under("queue"))?;
    let limited = parameters.limit != Limit::UNLIMITED || parameters.latency.is_some();
    Ok(qdisc
        .child(1, inner)
        .note_if(limited, "limit and latency: Linux's tbf has only the limit of the discipline within"))
}

/// The words of tc for `overhead`, for tbf, htb and police: bytes beyond the header that Linux counts already.
///
/// # Errors
/// If tc has no words for it.
pub(crate) fn tc_framing(
    overhead: Framing,
    context: &QdiscContext<'_>,
) -> Result<Vec<String>, ParameterError> {
    let extra = i64::from(overhead.overhead) - context.header.get() as i64;
    ParameterError::unless(extra >= 0, "overhead", || {
        format!("must be at least {} for `tc`, which counts them already, got {overhead}", context.header)
    })?;
    ParameterError::unless(overhead.encoding != Encoding::Ptm, "overhead", || {
        "must be without `ptm` for `tc`: in Linux only cake has it".to_owned()
    })?;
    let mut words = Vec::new();
    for (name, value) in [("overhead", extra), ("mpu", i64::from(overhead.mpu))] {
        if value > 0 {
            words.extend([name.to_owned(), value.to_string()]);
        }
    }
    if overhead.encoding == Encoding::Atm {
        words.extend(["linklayer".to_owned(), "atm".to_owned()]);
    }
    Ok(words)
}

/// A discipline behind a token bucket.
#[derive(Clone)]
pub struct Tbf {
    // Parameters.
    burst: Option<Bytes>,
    overhead: Framing,
    limit: Limit,
    latency: Option<Duration>,
    // State.
    queue: Peeked,
    bucket: TokenBucket,
    peak: Option<TokenBucket>,
    /// Bytes that may wait, of `latency`.
    waiting: u64,
    /// Rate of the link.
    link: Rate,
    /// The latest time that was reported.
    seen: Time,
    /// Time at which the next packet may leave, set when a dequeue came too early.
    refused: Option<Time>,
}

impl Tbf {
    /// Shapes `inner`; the discipline of `parameters` is not looked at.
    pub fn new(inner: Box<dyn QueueDiscipline>, parameters: &TbfParameters) -> Tbf {
        let burst = parameters.burst.unwrap_or_else(|| automatic_burst(parameters.rate));
        let mut tbf = Tbf {
            burst: parameters.burst,
            overhead: parameters.overhead,
            limit: parameters.limit,
            latency: parameters.latency,
            queue: Peeked::new(inner),
            bucket: TokenBucket::new(parameters.rate, burst),
            peak: parameters.peakrate.map(|rate| TokenBucket::new(rate, parameters.mtu)),
            waiting: u64::MAX,
            link: Rate::from_bits(u64::MAX),
            seen: Time::ZERO,
            refused: None,
        };
        tbf.waiting = tbf.waiting();
        tbf
    }

    /// Bytes that may wait so that none waits longer than `latency`: those that the bucket of `rate` can send in that time,
    /// or that of `peakrate` if these are fewer (tc-tbf(8), `latency`).
    fn waiting(&self) -> u64 {
        let Some(latency) = self.latency else { return u64::MAX };
        let sent =
            |bucket: &TokenBucket| bucket.rate().bytes_in(latency).get().saturating_add(bucket.depth().get());
        sent(&self.bucket).min(self.peak.as_ref().map_or(u64::MAX, sent))
    }

    /// The largest packet that both buckets can cover.
    fn largest(&self) -> u64 {
        let peak = self.peak.as_ref().map_or(u64::MAX, |peak| peak.depth().get());
        self.bucket.depth().get().min(peak)
    }

    /// When both buckets will cover `bytes`.
    fn due(&self, bytes: u64) -> Time {
        let due = self.bucket.due(bytes);
        self.peak.as_ref().map_or(due, |peak| due.max(peak.due(bytes)))
    }

    /// Changes the rate. The tokens in the bucket stay.
    pub fn set_rate(&mut self, rate: Rate) {
        self.bucket.refill(self.seen);
        self.bucket.set(rate, self.burst.unwrap_or_else(|| automatic_burst(rate)));
        self.waiting = self.waiting();
        if let (Some(_), Some(head)) = (self.refused, self.queue.head()) {
            self.refused = Some(self.due(u64::from(self.overhead.size(head.meta.length))));
        }
        self.queue.inner_mut().capacity_changed(rate.min(self.link), self.seen);
    }
}

impl QueueDiscipline for Tbf {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        self.seen = now;
        let length = packet.meta.length;
        if u64::from(self.overhead.size(length)) > self.largest() {
            return out.dropped(packet, DropReason::LargerThanBurst, now);
        }
        if self.limit != Limit::UNLIMITED || self.waiting != u64::MAX {
            let backlog = self.queue.backlog();
            let fits = backlog.bytes.saturating_add(u64::from(length)) <= self.waiting;
            if !fits || !self.limit.admits(backlog, length) {
                return out.dropped(packet, DropReason::BufferFull, now);
            }
        }
        self.queue.inner_mut().enqueue(packet, now, out);
    }

    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        self.seen = now;
        self.refused = None;
        let length = u64::from(self.overhead.size(self.queue.peek(now, out)?.meta.length));
        self.bucket.refill(now);
        if let Some(peak) = &mut self.peak {
            peak.refill(now);
        }
        if !self.bucket.covers(length) || self.peak.as_ref().is_some_and(|peak| !peak.covers(length)) {
            self.refused = Some(self.due(length));
            return None;
        }
        self.bucket.take(length);
        if let Some(peak) = &mut self.peak {
            peak.take(length);
        }
        self.queue.take()
    }

    fn handle_wakeup(&mut self, now: Time, out: &mut dyn Outcomes) {
        self.seen = now;
        if self.refused.is_some_and(|at| at <= now) {
            self.refused = None;
        }
        let inner = self.queue.inner_mut();
        if inner.next_wakeup().is_some_and(|at| at <= now) {
            inner.handle_wakeup(now, out);
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        match (self.refused, self.queue.inner().next_wakeup()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    fn gauges(&self, now: Time, out: &mut dyn Gauges) {
        out.set(&TOKENS, self.bucket.bytes(now));
        out.set(&RATE, self.bucket.rate().as_mbit_f64());
        self.queue.inner().gauges(now, out);
    }

    fn wants_idle_polls(&self) -> bool {
        self.queue.inner().wants_idle_polls()
    }

    /// The inner discipline is served at the lower of the two rates.
    fn capacity_changed(&mut self, rate: Rate, now: Time) {
        (self.link, self.seen) = (rate, now);
        self.queue.inner_mut().capacity_changed(rate.min(self.bucket.rate()), now);
    }

    fn classes(&self) -> Option<u16> {
        self.queue.inner().classes()
    }

    /// [`QueueSetting::Bandwidth`] for all classes is the shaper's own; all else goes to the inner discipline.
    fn reconfigure(&mut self, change: &QueueChange) -> bool {
        match *change {
            QueueChange { class: None, setting: QueueSetting::Bandwidth(rate) } if !rate.is_zero() => {
                self.set_rate(rate);
                true
            }
            QueueChange { class: None, setting: QueueSetting::Bandwidth(_) } => false,
            _ => self.queue.inner_mut().reconfigure(change),
        }
    }

    fn settings(&self) -> Vec<QueueSetting> {
        self.queue.inner().settings()
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn class_backlog(&self, class: u8) -> Backlog {
        self.queue.class_backlog(class)
    }
}

#[cfg(test)]
mod tests;
