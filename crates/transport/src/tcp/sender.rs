//! The sending half: what may leave, and when.
//!
//! Principle: everything that is known stands in the scoreboard and a few deadlines; [`Sender::next_segment`] decides
//! from that what to send. Acknowledgements are in `acknowledge.rs`, recovery and timers in `recovery.rs` and
//! `timers.rs`. Units: bytes of the stream, offsets from its first byte.

use jettison_core::{Duration, Rate, Time};

use super::pacing::Pacer;
use super::parameters::{Settings, Switch};
use super::prr::Prr;
use super::rack::Rack;
use super::rtt::RttEstimator;
use super::scoreboard::{Scoreboard, Segment};
use super::send_buffer::SendBuffer;
use crate::Payload;
use crate::congestion::{
    CongestionController, CongestionKind, EcnUse, IdleRestart, Phase, RateSample, RateSampler,
    RecoveryControl, SentSample,
};

/// A data segment to be put into a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outgoing {
    /// Stream offset of its first byte. For a window probe: one below SND.UNA.
    pub offset: i64,
    /// Payload bytes.
    pub length: u64,
    /// Carries FIN.
    pub fin: bool,
    /// Sent before.
    pub is_retransmission: bool,
    /// Tells the peer that the window was reduced (RFC 3168 §6.1.2).
    pub cwr: bool,
}

/// Something that leaves whatever the window says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Force {
    None,
    /// The first lost segment (timeout; entry to recovery).
    Retransmission,
    /// A tail loss probe (RFC 8985 §7.3).
    TailLossProbe,
    /// A window probe (RFC 9293 §3.8.6.1).
    WindowProbe,
}

/// Counters for [`super::TcpStatistics`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counters {
    pub segments_sent: u64,
    pub segments_retransmitted: u64,
    pub bytes_retransmitted: u64,
    pub timeouts: u64,
    pub recoveries: u64,
    pub spurious_recoveries: u64,
    pub tail_loss_probes: u64,
    pub ecn_reductions: u64,
}

/// The deadlines of the sending half; [`Time::MAX`] for none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadlines {
    /// Retransmission timeout (RFC 6298).
    pub rto: Time,
    /// Tail loss probe (RFC 8985 §7.2).
    pub probe: Time,
    /// RACK's reordering timer (RFC 8985 §6.3).
    pub reorder: Time,
    /// Window probe (RFC 9293 §3.8.6.1).
    pub persist: Time,
    /// The pacer's next quantum, while one waits.
    pub pacing: Time,
}

impl Deadlines {
    pub const NONE: Deadlines = Deadlines {
        rto: Time::MAX,
        probe: Time::MAX,
        reorder: Time::MAX,
        persist: Time::MAX,
        pacing: Time::MAX,
    };

    #[inline]
    pub fn earliest(&self) -> Time {
        self.rto
            .min(self.probe)
            .min(self.reorder)
            .min(self.persist)
            .min(self.pacing)
    }
}

/// The sending half of a connection.
#[derive(Debug)]
pub(super) struct Sender {
    // What was agreed on.
    pub settings: Settings,
    pub mss: u64,
    pub sack: bool,
    pub timestamps: bool,
    /// How ECN is used, if both ends agreed to.
    pub ecn: Option<EcnUse>,
    pub prr_on: bool,
    // Parts.
    pub controller: Box<dyn CongestionController>,
    pub buffer: SendBuffer,
    pub board: Scoreboard,
    pub rtt: RttEstimator,
    pub sampler: RateSampler,
    pub rack: Rack,
    pub prr: Prr,
    pub pacer: Pacer,
    pub deadlines: Deadlines,
    pub counters: Counters,
    // Congestion.
    pub phase: Phase,
    /// The window that holds now: the controller's, or PRR's.
    pub window: u64,
    pub ssthresh: u64,
    /// The phase ends when this is acknowledged.
    pub recovery_point: u64,
    pub recovery_kind: CongestionKind,
    pub loss_flight_size: u64,
    pub retransmitted_in_recovery: u64,
    /// TSval of the first retransmission of the phase, until one is acknowledged (RFC 3522).
    pub first_retransmission: Option<u32>,
    pub rescued: bool,
    /// Reduced and not yet told the peer (RFC 3168 §6.1.2).
    pub cwr_pending: bool,
    // Without SACK (RFC 6582).
    pub duplicate_acks: u32,
    pub duplicate_bytes: u64,
    pub partial_acks: u32,
    // The peer's window.
    /// Offset past the last byte that the peer takes.
    pub peer_edge: u64,
    pub peer_window: u64,
    pub peer_window_max: u64,
    // Sending.
    pub force: Force,
    /// Nothing can leave until something happens.
    pub blocked: bool,
    /// Closed by the application: FIN follows the last byte.
    pub closing: bool,
    pub fin_sent: bool,
    pub fin_acknowledged: bool,
    pub last_sent_at: Time,
    /// What lies below was in flight when the window held data back.
    pub limited_until: u64,
    /// Highest flight of this window of data, and where the window ends.
    pub flight_peak: u64,
    pub flight_peak_until: u64,
    /// Tail loss probe under way: SND.NXT when it left (TLP.end_seq), and whether it was a retransmission.
    pub probe_end: Option<u64>,
    pub probe_is_retransmission: bool,
    pub persist_back_off: u32,
    /// Timeouts in a row.
    pub timeouts_in_a_row: u32,
    /// The peer answers no more.
    pub is_dead: bool,
    pub rtt_sample: Option<Duration>,
    pub last_rate: RateSample,
}

impl Sender {
    pub fn new(settings: Settings, controller: Box<dyn CongestionController>, now: Time) -> Sender {
        Sender {
            mss: settings.mss,
            sack: false,
            timestamps: false,
            ecn: None,
            prr_on: false,
            window: controller.window(),
            ssthresh: controller.ssthresh(),
            controller,
            buffer: SendBuffer::default(),
            board: Scoreboard::default(),
            rtt: RttEstimator::new(settings.initial_rto, settings.min_rto, settings.max_rto, now),
            sampler: RateSampler::default(),
            rack: Rack::default(),
            prr: Prr::default(),
            pacer: Pacer::default(),
            deadlines: Deadlines::NONE,
            counters: Counters::default(),
            phase: Phase::Open,
            recovery_point: 0,
            recovery_kind: CongestionKind::Loss,
            loss_flight_size: 0,
            retransmitted_in_recovery: 0,
            first_retransmission: None,
            rescued: false,
            cwr_pending: false,
            duplicate_acks: 0,
            duplicate_bytes: 0,
            partial_acks: 0,
            peer_edge: 0,
            peer_window: 0,
            peer_window_max: 0,
            force: Force::None,
            blocked: false,
            closing: false,
            fin_sent: false,
            fin_acknowledged: false,
            last_sent_at: now,
            limited_until: 0,
            flight_peak: 0,
            flight_peak_until: 0,
            probe_end: None,
            probe_is_retransmission: false,
            persist_back_off: 0,
            timeouts_in_a_row: 0,
            is_dead: false,
            rtt_sample: None,
            last_rate: RateSample::default(),
            settings,
        }
    }

    /// The handshake is complete: `mss` is what both ends can carry, `window` what the peer offers.
    pub fn establish(&mut self, mss: u64, initial_window: u64, window: u64, now: Time) {
        self.mss = mss;
        self.controller.on_established(mss, initial_window);
        self.prr_on = self.settings.prr
            && self.sack
            && self.controller.recovery_control() == RecoveryControl::Transport;
        self.peer_edge = window;
        self.peer_window = u64::MAX;
        self.peer_window_max = window;
        self.last_sent_at = now;
        self.refresh_window();
        self.blocked = false;
    }

    pub fn write(&mut self, payload: Payload) {
        if !self.closing {
            self.buffer.write(payload);
            self.blocked = false;
        }
    }

    /// FIN after what is written.
    pub fn close(&mut self) {
        self.closing = true;
        self.blocked = false;
    }

    /// Forgets what has not been sent yet.
    pub fn discard_unsent(&mut self) {
        if !self.fin_sent {
            self.buffer.truncate(self.board.next());
        }
    }

    /// Bytes written and never sent.
    pub fn unsent(&self) -> u64 {
        self.buffer.end().saturating_sub(self.board.next())
    }

    /// Bytes written and not cumulatively acknowledged.
    pub fn unacknowledged(&self) -> u64 {
        self.buffer.end().saturating_sub(self.board.una())
    }

    /// Bytes in flight as the window counts them.
    #[inline]
    pub fn flight(&self) -> u64 {
        let in_flight = self.board.in_flight();
        if self.phase == Phase::Open
            && !self.settings.limited_transmit
            && (self.board.sacked() > 0 || self.duplicate_bytes > 0)
        {
            // RFC 3042 is off: duplicate ACKs let nothing out before recovery.
            return self.board.flight_size();
        }
        in_flight.saturating_sub(self.duplicate_bytes)
    }

    /// The window that holds now.
    #[inline]
    pub fn refresh_window(&mut self) {
        self.ssthresh = self.controller.ssthresh();
        self.window = if self.prr_on && matches!(self.phase, Phase::Recovery | Phase::Cwr) {
            self.prr.window()
        } else {
            self.controller.window()
        };
    }

    /// The next segment that may leave now, taken as sent.
    #[inline]
    pub fn next_segment(&mut self, now: Time) -> Option<Outgoing> {
        if self.blocked {
            return None;
        }
        if self.force != Force::None
            && let Some(outgoing) = self.forced(now)
        {
            return Some(outgoing);
        }
        let outgoing = self.permitted(now);
        self.blocked = outgoing.is_none();
        outgoing
    }

    fn permitted(&mut self, now: Time) -> Option<Outgoing> {
        let flight = self.flight();
        if self.board.lost() > 0
            && let Some((number, segment)) = self.board.next_lost()
        {
            let length = u64::from(segment.length);
            if flight + length > self.window {
                self.limited_until = self.board.next();
                return None;
            }
            return self.paced(now).then(|| self.send_again(number, &segment, now));
        }
        if self.buffer.end() > self.board.next() || (self.closing && !self.fin_sent) {
            if self.board.is_empty() {
                self.restart_after_idle(now);
            }
            if let Some((length, fin)) = self.next_new(false) {
                let space = length + u64::from(fin);
                if flight + space > self.window {
                    self.limited_until = self.board.next();
                    return None;
                }
                return self.paced(now).then(|| self.send_new(length, fin, now));
            }
            // The peer's window is closed.
            if self.board.is_empty() && self.deadlines.persist == Time::MAX {
                self.arm_persist(now);
            }
        } else if flight < self.window && self.phase != Phase::Loss {
            self.sampler.on_app_limited(flight);
            self.pacer.on_idle();
        }
        if self.phase == Phase::Recovery && self.sack && !self.settings.rack_tlp {
            return self.send_doubtful(flight, now);
        }
        None
    }

    /// RFC 6675 §4, NextSeg rules 3 and 4, when there is neither lost nor new data to send.
    fn send_doubtful(&mut self, flight: u64, now: Time) -> Option<Outgoing> {
        let doubtful = self.board.next_doubtful();
        let is_rescue = doubtful.is_none();
        let (number, segment) = match doubtful {
            Some(doubtful) => doubtful,
            None if !self.rescued => self.board.last_unsacked().filter(|(_, last)| !last.is_retransmitted())?,
            None => return None,
        };
        if flight + u64::from(segment.length) > self.window || !self.paced(now) {
            return None;
        }
        let high = self.board.high_retransmitted();
        let outgoing = self.send_again(number, &segment, now);
        if is_rescue {
            self.rescued = true;
            self.board.restore_high_retransmitted(high);
        }
        Some(outgoing)
    }

    /// Payload bytes and FIN of the next new segment, as the peer's window allows; `None` if it allows nothing worth
    /// sending, unless `force`.
    fn next_new(&self, force: bool) -> Option<(u64, bool)> {
        let next = self.board.next();
        let room = self.peer_edge.saturating_sub(next);
        let written = self.buffer.end() - next.min(self.buffer.end());
        if written == 0 {
            // FIN alone needs room too (RFC 9293 §3.8.6), except behind a window that is just full.
            return (self.closing && !self.fin_sent && (room > 0 || self.board.is_empty() || force))
                .then_some((0, true));
        }
        let whole = self.buffer.uniform(next, self.mss);
        let length = whole.min(room);
        // RFC 9293 §3.8.6.2.1, sender's silly-window avoidance: a full segment, all there is, or half the largest window.
        if length == 0 || (length < whole && length < self.peer_window_max / 2 && !force) {
            return None;
        }
        let fin = self.closing && length == written && room > length;
        Some((length, fin))
    }

    fn restart_after_idle(&mut self, now: Time) {
        let idle = now.since(self.last_sent_at);
        let rto = self.rtt.rto();
        if self.board.next() > 0 && idle > rto {
            // RFC 5681 §4.1: more than one RTO without sending.
            let restart_window = self
                .settings
                .slow_start_after_idle
                .then_some(self.settings.initial_window);
            self.controller.on_idle_restart(&IdleRestart {
                now,
                idle,
                rto,
                restart_window,
            });
            self.refresh_window();
            self.last_sent_at = now;
        }
    }

    /// What leaves whatever the window says.
    fn forced(&mut self, now: Time) -> Option<Outgoing> {
        match std::mem::replace(&mut self.force, Force::None) {
            Force::None => None,
            Force::Retransmission => {
                let (number, segment) = self.board.next_lost()?;
                Some(self.send_again(number, &segment, now))
            }
            Force::TailLossProbe => {
                // RFC 8985 §7.3: new data if there is some and the peer takes it, else the last segment.
                let next_new = self.next_new(false);
                let outgoing = match next_new {
                    Some((length, fin)) => self.send_new(length, fin, now),
                    None => {
                        let (number, segment) = self.board.last_unsacked()?;
                        self.send_again(number, &segment, now)
                    }
                };
                self.probe_end = Some(self.board.next());
                self.probe_is_retransmission = outgoing.is_retransmission;
                self.counters.tail_loss_probes += 1;
                self.deadlines.probe = Time::MAX;
                self.deadlines.rto = now.saturating_add(self.rtt.rto());
                Some(outgoing)
            }
            Force::WindowProbe => {
                if let Some((length, fin)) = self.next_new(true) {
                    return Some(self.send_new(length, fin, now));
                }
                // As Linux: an old sequence number without data, which the peer must answer.
                Some(Outgoing {
                    offset: self.board.una() as i64 - 1,
                    length: 0,
                    fin: false,
                    is_retransmission: true,
                    cwr: false,
                })
            }
        }
    }

    #[inline]
    fn send_new(&mut self, length: u64, fin: bool, now: Time) -> Outgoing {
        let offset = self.board.next();
        let in_flight = self.flight();
        let snapshot = self.sampler.on_sent(now, self.board.flight_size());
        let space = length + u64::from(fin);
        self.board.push(space as u32, fin, now, snapshot);
        self.fin_sent |= fin;
        let cwr = self.cwr_pending && length > 0;
        self.cwr_pending &= !cwr;
        let in_flight = in_flight + space;
        if in_flight > self.flight_peak || self.board.una() >= self.flight_peak_until {
            self.flight_peak = in_flight;
            self.flight_peak_until = self.board.next();
        }
        self.sent(space, in_flight, false, now);
        if self.phase == Phase::Open {
            self.schedule_probe(now);
        }
        Outgoing {
            offset: offset as i64,
            length,
            fin,
            is_retransmission: false,
            cwr,
        }
    }

    fn send_again(&mut self, number: u64, segment: &Segment, now: Time) -> Outgoing {
        let snapshot = self.sampler.on_sent(now, self.board.flight_size());
        self.board
            .retransmit(number, now, snapshot, self.settings.rack_tlp && self.sack);
        let space = u64::from(segment.length);
        self.counters.segments_retransmitted += 1;
        self.counters.bytes_retransmitted += space;
        self.retransmitted_in_recovery += space;
        if self.timestamps && self.first_retransmission.is_none() {
            self.first_retransmission = Some(timestamp(now));
        }
        if self.sack && self.phase == Phase::Recovery {
            // RFC 6675 §6: the careful variant re-arms the timer with each retransmission in recovery.
            self.deadlines.rto = now.saturating_add(self.rtt.rto());
        }
        self.sent(space, self.flight(), true, now);
        let fin = segment.has_fin();
        Outgoing {
            offset: segment.start as i64,
            length: space - u64::from(fin),
            fin,
            is_retransmission: true,
            cwr: false,
        }
    }

    #[inline]
    fn sent(&mut self, space: u64, in_flight: u64, is_retransmission: bool, now: Time) {
        self.counters.segments_sent += 1;
        self.last_sent_at = now;
        if self.deadlines.rto == Time::MAX {
            self.deadlines.rto = now.saturating_add(self.rtt.rto());
        }
        if self.prr_on {
            self.prr.on_sent(space);
        }
        if self.is_paced()
            && let Some(rate) = self.pacing_rate()
        {
            let quantum = self
                .controller
                .pacing_quantum()
                .unwrap_or(self.settings.pacing_quantum * self.mss);
            self.pacer.on_sent(space, rate, quantum, now);
        }
        self.controller.on_sent(&SentSample {
            now,
            bytes: space,
            is_retransmission,
            in_flight,
            next_offset: self.board.next(),
            is_app_limited: self.sampler.is_app_limited(),
        });
    }

    #[inline]
    fn is_paced(&self) -> bool {
        match self.settings.pacing {
            Switch::Off => false,
            Switch::On => true,
            Switch::Auto => self.controller.pacing_rate().is_some(),
        }
    }

    /// The rate at which segments are spaced; `None` before the first RTT sample.
    pub fn pacing_rate(&self) -> Option<Rate> {
        if !self.is_paced() {
            return None;
        }
        if let Some(rate) = self.controller.pacing_rate() {
            return (!rate.is_zero()).then_some(rate);
        }
        if !self.rtt.has_sample() {
            return None;
        }
        let gain = if self.window < self.ssthresh {
            self.settings.pacing_gain_slow_start
        } else {
            self.settings.pacing_gain_avoidance
        };
        let bits = gain * self.window as f64 * 8.0 / self.rtt.smoothed().as_secs_f64();
        Some(Rate::from_bits((bits as u64).max(1)))
    }

    /// Whether pacing lets a segment out now; if not, asks to be woken when it will.
    #[inline]
    fn paced(&mut self, now: Time) -> bool {
        if !self.is_paced() || self.pacer.may_send(now) {
            return true;
        }
        self.deadlines.pacing = self.pacer.next_at();
        if self.controller.pacing_rate().is_none() {
            // The rate is the window over the RTT: it is the window that holds data back.
            self.limited_until = self.board.next();
        }
        false
    }
}

/// TSval: milliseconds (RFC 7323 §5.4 allows 1 ms to 1 s a tick).
#[inline]
pub(super) fn timestamp(now: Time) -> u32 {
    (now.as_nanos() / 1_000_000) as u32
}
