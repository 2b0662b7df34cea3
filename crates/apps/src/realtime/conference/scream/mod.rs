//! SCReAM version 2 (draft-ietf-ccwg-rfc8298bis-screamv2): a reference window from loss, marks and queue delay, and from it
//! the rate of the encoder and of the pacer.
//!
//! The authors' working copy of August 2026 was read. Names in capitals and in comments are the draft's. Left out is what the
//! draft has as optional: the filter of jitter (REDUCE_JITTER), clock drift (all hosts have one clock), thresholds for losses
//! on links, the remedy for undershoot, and the compensation for competing flows.

mod delay;
mod feedback;
mod media;
mod receiver;
mod sender;
mod window;

pub(in crate::realtime) use feedback::{MOST as MOST_REPORTED, Report};
pub(super) use receiver::ScreamReceiver;
pub(super) use sender::ScreamSender;

use std::collections::VecDeque;

use jettison_core::{Duration, Rate, Time};

use delay::QueueDelay;
use media::MediaRate;
use window::{ReferenceWindow, Round};

use super::ConferenceParameters;

/// REF_WND_OVERHEAD_MAX, which holds where jitter is not filtered (ref_wnd_delay_scale is 1).
const WINDOW_OVERHEAD: f64 = 3.0;
/// Time without feedback after which what is in flight counts as lost. The draft is silent; this is RFC 6298's initial RTO.
const SILENCE: Duration = Duration::from_secs(1);
/// Weight of the newest RTT sample in s_rtt (RFC 6298 §2.3).
const RTT_WEIGHT: f64 = 1.0 / 8.0;

/// The answer to Congestion Experienced, by the codepoint that packets leave with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marking {
    /// Packets are not ECN-capable.
    None,
    /// ECT(0): a mark is congestion, as a loss is.
    Classic,
    /// ECT(1): the share of marks counts (IS_L4S).
    L4s,
}

impl Marking {
    fn of(traffic_class: u8) -> Marking {
        match traffic_class & 3 {
            0 => Marking::None,
            1 => Marking::L4s,
            _ => Marking::Classic,
        }
    }
}

/// A packet in flight, or missing.
#[derive(Debug, Clone, Copy)]
struct Unit {
    sequence: u64,
    bytes: u64,
    sent_at: Time,
    is_acknowledged: bool,
    /// When a report passed it by, and whether that counted as loss.
    missing_since: Option<Time>,
    is_lost: bool,
}

/// The sender's half: what is in flight, and what feedback makes of it.
#[derive(Debug, Clone)]
struct Scream {
    units: VecDeque<Unit>,
    /// Sum of the packets above the highest acknowledged one, lost or not.
    in_flight: u64,
    highest: Option<u64>,
    /// By how long a packet came late that was taken for lost.
    reordering: Duration,
    smoothed_rtt: Duration,
    /// The most bytes in flight in this round trip and in the one before; the start of this one.
    most_in_flight: (u64, u64),
    round_began: Time,
    heard_at: Time,
    delay: QueueDelay,
    window: ReferenceWindow,
    media: MediaRate,
}

impl Scream {
    fn new(parameters: &ConferenceParameters, marking: Marking) -> Scream {
        Scream {
            units: VecDeque::new(),
            in_flight: 0,
            highest: None,
            reordering: Duration::ZERO,
            smoothed_rtt: Duration::ZERO,
            most_in_flight: (0, 0),
            round_began: Time::ZERO,
            heard_at: Time::ZERO,
            delay: QueueDelay::default(),
            window: ReferenceWindow::new(parameters.packet.get(), marking),
            media: MediaRate::new(parameters),
        }
    }

    /// The bitrate for the encoder.
    fn target(&self) -> Rate {
        self.media.target()
    }

    /// Whether a packet of so many bytes may leave (*Send Window Calculation*).
    fn may_send(&self, bytes: u64) -> bool {
        let limit = self.window.bytes() * WINDOW_OVERHEAD;
        self.in_flight == 0 || (self.in_flight + bytes) as f64 <= limit
    }

    /// Time from a packet to the next one (*Packet Pacing*).
    fn gap(&self, bytes: u64) -> Duration {
        self.media.pacing_rate().time_for(jettison_core::Bytes::new(bytes))
    }

    /// A packet left.
    fn on_sent(&mut self, sequence: u64, bytes: u64, now: Time) {
        if self.units.is_empty() {
            self.heard_at = now;
        }
        let unit = Unit {
            sequence,
            bytes,
            sent_at: now,
            is_acknowledged: false,
            missing_since: None,
            is_lost: false,
        };
        self.units.push_back(unit);
        self.in_flight += bytes;
        let (now_most, _) = &mut self.most_in_flight;
        *now_most = (*now_most).max(self.in_flight);
    }

    /// A frame was made, `waiting` after the oldest packet in the sender's queue.
    fn on_frame(&mut self, waiting: Duration, bytes: u64) {
        self.media.on_frame(waiting, bytes);
    }

    /// When silence counts as loss.
    fn deadline(&self) -> Option<Time> {
        (self.in_flight > 0).then(|| self.heard_at.saturating_add(SILENCE))
    }

    /// Nothing was heard for too long: what is in flight is lost.
    fn on_silence(&mut self, now: Time) {
        self.units.clear();
        self.in_flight = 0;
        self.heard_at = now;
        let round = Round { is_lost: true, ..self.round(now) };
        self.update(&round);
    }

    /// A report came.
    fn on_report(&mut self, report: &Report, now: Time) {
        self.heard_at = now;
        let mut round = self.round(now);
        let mut newest: Option<(Unit, Time)> = None;
        for (sequence, arrival) in report.packets(self.highest.unwrap_or(0)) {
            let Some(arrival) = arrival else { continue };
            let Some(unit) = self.unit(sequence).filter(|unit| !unit.is_acknowledged) else { continue };
            unit.is_acknowledged = true;
            let unit = *unit;
            if let Some(since) = unit.missing_since {
                self.reordering = self.reordering.max(now.since(since));
            }
            round.units += 1;
            round.marked_units += u64::from(arrival.is_marked);
            if arrival.is_marked {
                round.marked_bytes += unit.bytes;
            }
            if newest.is_none_or(|(before, _)| unit.sequence > before.sequence) {
                newest = Some((unit, arrival.at));
            }
        }
        if let Some((unit, arrived_at)) = newest {
            self.delay.sample(arrived_at, unit.sent_at, now);
            // RFC 8888: the report says how long it waited at the receiver.
            let rtt = now.since(unit.sent_at).saturating_sub(report.made_at().since(arrived_at));
            self.sample_rtt(rtt);
            self.advance(unit.sequence, &mut round);
        }
        round.is_lost = self.find_losses(now);
        // Lost ones are kept for a while: if they come after all, that was reordering.
        let is_over = |unit: &Unit| unit.is_acknowledged || unit.is_lost && now.since(unit.sent_at) > SILENCE;
        while self.units.front().is_some_and(is_over) {
            self.units.pop_front();
        }
        self.update(&round);
    }

    fn unit(&mut self, sequence: u64) -> Option<&mut Unit> {
        let first = self.units.front()?.sequence;
        self.units.get_mut(usize::try_from(sequence.checked_sub(first)?).ok()?)
    }

    /// Everything up to a new highest packet has left the network (*Status Update on Receiving Feedback*).
    fn advance(&mut self, sequence: u64, round: &mut Round) {
        if self.highest.is_some_and(|highest| highest >= sequence) {
            return;
        }
        let before = self.highest.replace(sequence);
        let passed = self.units.iter().filter(|unit| unit.sequence <= sequence);
        let newly = passed.filter(|unit| before.is_none_or(|before| unit.sequence > before));
        round.bytes = newly.map(|unit| unit.bytes).sum();
        self.in_flight = self.in_flight.saturating_sub(round.bytes);
    }

    /// *Detecting Lost Data Units*: a packet is lost that is still missing so long after a later one as reordering was seen to
    /// take.
    fn find_losses(&mut self, now: Time) -> bool {
        let Some(highest) = self.highest else { return false };
        let mut is_lost = false;
        for unit in self.units.iter_mut().take_while(|unit| unit.sequence < highest) {
            if unit.is_acknowledged || unit.is_lost {
                continue;
            }
            let since = *unit.missing_since.get_or_insert(now);
            if now.since(since) >= self.reordering {
                unit.is_lost = true;
                is_lost = true;
            }
        }
        is_lost
    }

    fn sample_rtt(&mut self, rtt: Duration) {
        self.smoothed_rtt = match self.smoothed_rtt {
            Duration::ZERO => rtt,
            smoothed => smoothed.mul_f64(1.0 - RTT_WEIGHT).saturating_add(rtt.mul_f64(RTT_WEIGHT)),
        };
    }

    fn round(&mut self, now: Time) -> Round {
        if now.since(self.round_began) >= self.smoothed_rtt {
            self.round_began = now;
            self.most_in_flight = (self.in_flight, self.most_in_flight.0);
        }
        Round { now, ..Round::default() }
    }

    fn update(&mut self, round: &Round) {
        let rtt = self.smoothed_rtt;
        if rtt.is_zero() {
            return;
        }
        self.delay.average(rtt, round.now);
        let is_full = self.media.is_at_most();
        self.window.update(round, rtt, &self.delay, self.most_in_flight, is_full);
        self.media.update(self.window.bytes(), rtt);
    }
}

#[cfg(test)]
mod tests;
