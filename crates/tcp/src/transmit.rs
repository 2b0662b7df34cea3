//! Selection of the next segment (RFC 6675 §4, NextSeg; RFC 9293 §3.8.6), and the state changes of sending it.

use jettison_core::{Rate, Time};

use super::parameters::Switch;
use super::scoreboard::Segment;
use super::sender::{Force, Outgoing, Sender, timestamp};
use super::trace::Repair;
use crate::congestion::{Phase, SentSample};

impl Sender {
    /// The next segment that may leave now; counts as sent.
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
        if self.blocked && self.trace.is_some() {
            self.trace_limit(now);
        }
        if self.blocked && self.settings.validates_use {
            self.validate_use(now);
        }
        outgoing
    }

    fn permitted(&mut self, now: Time) -> Option<Outgoing> {
        let flight = self.flight();
        if self.board.lost() > 0
            && let Some((number, segment)) = self.board.next_lost()
        {
            let length = u64::from(segment.length);
            if flight > 0 && flight + length > self.window {
                self.limited_until = self.board.next();
                return None;
            }
            self.trace_repair(segment.loss_cause().into());
            return self.may_leave(length, now).then(|| self.send_again(number, &segment, now));
        }
        if self.buffer.end() > self.board.next() || (self.closing && !self.fin_sent) {
            if self.board.is_empty() {
                self.restart_after_idle(now);
            }
            if let Some((length, fin)) = self.next_new(false) {
                let space = length + u64::from(fin);
                // With nothing in flight one segment always leaves: a window that does not hold it (a steered one, or one
                // of a segment that FIN's number no longer fits) would never grow.
                if flight > 0 && flight + space > self.window {
                    self.limited_until = self.board.next();
                    self.offload_left = 0;
                    return None;
                }
                if self.settings.gso {
                    return self.offloaded(flight, space, now).then(|| self.send_new(length, fin, now));
                }
                return self.may_leave(space, now).then(|| self.send_new(length, fin, now));
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

    /// RFC 6675 §4, NextSeg rules 3 and 4: applies if there is neither lost nor new data to send.
    fn send_doubtful(&mut self, flight: u64, now: Time) -> Option<Outgoing> {
        let doubtful = self.board.next_doubtful();
        let is_rescue = doubtful.is_none();
        let (number, segment) = match doubtful {
            Some(doubtful) => doubtful,
            None if !self.rescued => {
                self.board.last_unsacked().filter(|(_, last)| !last.is_retransmitted())?
            }
            None => return None,
        };
        let length = u64::from(segment.length);
        if flight + length > self.window || !self.may_leave(length, now) {
            return None;
        }
        let high = self.board.high_retransmitted();
        self.trace_repair(Repair::Fast);
        let outgoing = self.send_again(number, &segment, now);
        if is_rescue {
            self.rescued = true;
            self.board.restore_high_retransmitted(high);
        }
        Some(outgoing)
    }

    /// Payload bytes and FIN of the next new segment that the peer's window permits; `None` if it permits too little to
    /// send, unless `force`.
    pub(super) fn next_new(&self, force: bool) -> Option<(u64, bool)> {
        let next = self.board.next();
        let room = self.peer_edge.saturating_sub(next);
        let written = self.buffer.end() - next.min(self.buffer.end());
        if written == 0 {
            // FIN alone needs room too (RFC 9293 §3.8.6), unless the window is exactly full.
            return (self.closing && !self.fin_sent && (room > 0 || self.board.is_empty() || force))
                .then_some((0, true));
        }
        let whole = self.buffer.uniform(next, self.mss);
        let length = whole.min(room);
        // RFC 9293 §3.8.6.2.1, sender's silly-window avoidance: a full segment, all data, or half the largest window.
        if length == 0 || (length < whole && length < self.peer_window_max / 2 && !force) {
            return None;
        }
        let fin = self.closing && length == written && room > length;
        Some((length, fin))
    }

    /// The forced segment, which ignores the window.
    fn forced(&mut self, now: Time) -> Option<Outgoing> {
        match std::mem::replace(&mut self.force, Force::None) {
            Force::None => None,
            Force::Retransmission => {
                let (number, segment) = self.board.next_lost()?;
                self.trace_repair(segment.loss_cause().into());
                Some(self.send_again(number, &segment, now))
            }
            Force::TailLossProbe => {
                // RFC 8985 §7.3: new data if available and permitted by the peer's window, else the last segment.
                let next_new = self.next_new(false);
                let outgoing = match next_new {
                    Some((length, fin)) => self.send_new(length, fin, now),
                    None => {
                        let (number, segment) = self.board.last_unsacked()?;
                        self.trace_repair(Repair::Probe);
                        self.send_again(number, &segment, now)
                    }
                };
                self.probe_end = Some(self.board.next());
                self.probe_is_retransmission = outgoing.is_retransmission;
                self.probe_needs_sample = true;
                self.counters.tail_loss_probes += 1;
                self.deadlines.probe = Time::MAX;
                self.deadlines.rto = now.saturating_add(self.rtt.rto());
                Some(outgoing)
            }
            Force::WindowProbe => {
                if let Some((length, fin)) = self.next_new(true) {
                    return Some(self.send_new(length, fin, now));
                }
                // As in Linux: an old sequence number without data, which the peer must answer.
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
        self.offload_left = self.offload_left.saturating_sub(space);
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
        if matches!(self.phase, Phase::Open | Phase::Cwr) {
            self.schedule_probe(now);
        }
        Outgoing { offset: offset as i64, length, fin, is_retransmission: false, cwr }
    }

    fn send_again(&mut self, number: u64, segment: &Segment, now: Time) -> Outgoing {
        let snapshot = self.sampler.on_sent(now, self.board.flight_size());
        self.board.retransmit(number, now, snapshot, self.settings.rack_tlp && self.sack);
        let space = u64::from(segment.length);
        self.counters.segments_retransmitted += 1;
        self.counters.bytes_retransmitted += space;
        // RFC 7661 §4.4.1, R: data retransmitted more than once in this recovery counts once.
        let is_repeated = segment.is_retransmitted() && segment.sent_at >= self.recovery_began;
        if segment.is_lost() && !is_repeated {
            self.retransmitted_in_recovery += space;
        }
        if self.timestamps && self.first_retransmission.is_none() {
            self.first_retransmission = Some((timestamp(now), segment.end()));
            // If it was retransmitted before this phase, an older echo might be of that and would not prove the
            // original's arrival.
            self.eifel_decided |= segment.is_retransmitted();
        }
        if self.sack && self.phase == Phase::Recovery {
            // RFC 6675 §6: the careful variant re-arms the timer at each retransmission in recovery.
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
            let quantum = self.controller.pacing_quantum().unwrap_or(self.settings.pacing_quantum * self.mss);
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
        if self.controller_rate.is_some() {
            self.refresh_window();
        }
    }

    #[inline]
    pub(super) fn is_paced(&self) -> bool {
        self.settings.pacing == Switch::On || self.controller_rate.is_some()
    }

    /// The pacing rate; `None` before the first RTT sample.
    pub fn pacing_rate(&self) -> Option<Rate> {
        if !self.is_paced() { None } else { self.reference_rate() }
    }

    /// The pacing rate, or what it would be; `None` before the first RTT sample.
    pub(super) fn reference_rate(&self) -> Option<Rate> {
        if let Some(rate) = self.controller_rate {
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

    /// Whether pacing, or the burst limit, permits a segment of `length` bytes now. If pacing does not, sets a
    /// deadline for when it will.
    #[inline]
    pub(super) fn may_leave(&mut self, length: u64, now: Time) -> bool {
        if !self.is_paced() {
            return !self.limits_bursts || self.is_within_burst(length, now);
        }
        if self.pacer.may_send(now) {
            return true;
        }
        self.deadlines.pacing = self.pacer.next_at();
        if self.controller_rate.is_none() {
            // The rate is the window over the RTT, so the window is what holds data back.
            self.limited_until = self.board.next();
        }
        false
    }

    /// Counts a segment of `length` bytes towards the current burst, if the controller's limit permits it. Otherwise
    /// something is in flight, which will cause an ACK or a timeout.
    fn is_within_burst(&mut self, length: u64, now: Time) -> bool {
        let Some(limit) = self.controller.burst_limit(now) else { return true };
        let una = self.board.una();
        if (now, una) != self.burst_of {
            self.burst_of = (now, una);
            self.burst = 0;
        }
        let is_within = self.burst < limit;
        if is_within {
            self.burst += length;
        }
        is_within
    }
}
