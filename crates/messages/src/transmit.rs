//! Which packet leaves next: what is sent again, then the rest of the message that has begun to leave, then the next
//! message that is worth it.

use jettison_core::{Bytes, DropReason, Rate, Time};
use jettison_wire::{InlineBytes, PacketKind, SequenceHeader};

use super::connection::Transmit;
use super::in_flight::{NO_MESSAGE, SentPacket};
use super::layout;
use super::message::MessageEvent;
use super::parameters::HEADERS;
use super::repair::RepairPolicy;
use super::sender::Sender;
use super::underway::RepairEntry;
use crate::path::PathSent;
use jettison_tcp::Payload;
use jettison_tcp::congestion::SendSnapshot;

/// What may leave next.
#[derive(Debug, Clone, Copy)]
enum Next {
    /// The first of the lost packets.
    Repair(RepairEntry),
    /// The next packet of the message that has begun to leave.
    Rest(u32, u16),
    /// The first packet of the first message that waits.
    Message,
}

impl Sender {
    /// The next packet that may leave now, taken as sent.
    pub fn poll_data(&mut self, now: Time) -> Option<Transmit> {
        self.pacing_at = Time::MAX;
        if self.probes > 0
            && let Some(probe) = self.probe(now)
        {
            return Some(probe);
        }
        if self.settings.overtake {
            self.make_way(now);
        }
        loop {
            let Some(next) = self.next(now) else {
                self.note_app_limited(now);
                if self.is_idle() {
                    self.pacer.on_idle();
                }
                return None;
            };
            let window = self.window_for(&next);
            if !self.may_leave(self.bytes_of(&next), window, now) {
                return None;
            }
            if let Some(transmit) = self.take(next, now) {
                return Some(transmit);
            }
        }
    }

    /// What would leave next. Repairs that are no longer worth it are given up on the way.
    fn next(&mut self, now: Time) -> Option<Next> {
        while let Some(entry) = self.underway.repairs.front().copied() {
            if self.is_worth(&entry, now) {
                return Some(Next::Repair(entry));
            }
            self.underway.repairs.pop_front();
            self.underway.message_mut(entry.slot).to_repair -= 1;
            self.give_up(entry.slot);
            self.underway.release_if_over(entry.slot);
        }
        if let Some((slot, index)) = self.underway.next_new() {
            return Some(Next::Rest(slot, index));
        }
        let front = self.buffer.front()?;
        self.streams.may_begin(front.label.stream).then_some(Next::Message)
    }

    fn is_worth(&self, entry: &RepairEntry, now: Time) -> bool {
        let message = self.underway.message(entry.slot);
        let policy = RepairPolicy { now, bandwidth: self.known_bandwidth() };
        !message.is_settled && policy.wants(message, entry.attempts, &self.settings, &self.streams)
    }

    /// UDP payload bytes of it.
    fn bytes_of(&self, next: &Next) -> u64 {
        let content = |slot, index| self.underway.message(slot).layout.content_bytes(u32::from(index));
        let content = match next {
            Next::Repair(entry) => content(entry.slot, entry.index),
            Next::Rest(slot, index) => content(*slot, *index),
            Next::Message => self.buffer.front().map_or(0, |front| front.layout.content_bytes(0)),
        };
        HEADERS as u64 + content
    }

    /// What a dropper that waits makes superfluous does not stand in its way while the window is full.
    fn make_way(&mut self, now: Time) {
        if self.flight.bytes() + self.settings.packet <= self.controller.window() {
            return;
        }
        if let Some((slot, current)) = self.underway.current()
            && !current.is_reliable
            && !current.is_settled
            && self.streams.is_stale(&current.asked)
        {
            let (label, length) = (current.asked, current.payload.len());
            self.underway.message_mut(slot).is_settled = true;
            self.counters.dropped_stale.add(length);
            let (stream, number, reason) = (label.stream, label.message, DropReason::StaleMessage);
            self.events.push_back(MessageEvent::Dropped { stream, number, length, reason });
            self.underway.abandon(slot);
            self.underway.release_if_over(slot);
        }
        while self.underway.current().is_none()
            && self.buffer.front().is_some_and(|front| {
                !self.streams.is_reliable(front.label.stream) && self.streams.is_stale(&front.label)
            })
        {
            self.begin_next(now);
        }
    }

    /// The window for what would leave next: twice as large for a dropper that is news for a router.
    fn window_for(&self, next: &Next) -> u64 {
        let window = self.controller.window();
        if !self.settings.overtake {
            return window;
        }
        let dropper = match next {
            Next::Repair(_) => return window,
            Next::Rest(slot, _) => self.underway.message(*slot).asked,
            Next::Message => match self.buffer.front() {
                Some(front) => front.label,
                None => return window,
            },
        };
        let is_news = dropper.drop_flag
            && self.underway.in_flight().any(|message| self.streams.is_news_for(&dropper, &message.asked));
        if is_news { window.saturating_mul(2) } else { window }
    }

    /// Whether window and pacing let `bytes` out now. If pacing does not, it will be time later.
    fn may_leave(&mut self, bytes: u64, window: u64, now: Time) -> bool {
        let in_flight = self.flight.bytes();
        if self.flight.is_full() {
            return false;
        }
        // With nothing in flight there is no ACK to wait for: only a controller that will wake may hold back everything.
        let may_wait = in_flight > 0 || self.controller.next_wakeup().is_some();
        if in_flight + bytes > window && may_wait {
            self.limited_until = self.flight.sent_total();
            return false;
        }
        if self.pacing_rate().is_some() && !self.pacer.may_send(now) {
            self.pacing_at = self.pacer.next_at();
            if self.controller.pacing_rate().is_none() {
                // The rate is the window over the RTT: it is the window that holds data back.
                self.limited_until = self.flight.sent_total();
            }
            return false;
        }
        true
    }

    /// Sends it; `None` if it was a message that is not worth it.
    fn take(&mut self, next: Next, now: Time) -> Option<Transmit> {
        match next {
            Next::Repair(entry) => {
                self.underway.repairs.pop_front();
                self.underway.message_mut(entry.slot).to_repair -= 1;
                Some(self.emit(entry.slot, entry.index, entry.attempts, now))
            }
            Next::Rest(slot, index) => {
                self.underway.advance();
                Some(self.emit(slot, index, 0, now))
            }
            Next::Message => {
                self.begin_next(now);
                let (slot, index) = self.underway.next_new()?;
                self.underway.advance();
                Some(self.emit(slot, index, 0, now))
            }
        }
    }

    /// The first message that waits begins to leave, unless the verdict is that it should not.
    fn begin_next(&mut self, now: Time) {
        let Some(waiting) = self.buffer.pop() else { return };
        let (stream, is_reliable) = (waiting.label.stream, self.streams.is_reliable(waiting.label.stream));
        if self.settings.adapt && !is_reliable {
            let waited = now.since(waiting.accepted_at);
            let verdict = self.streams.verdict(&waiting.label, self.known_bandwidth(), waited);
            if let Some(reason) = verdict {
                self.drop_waiting(&waiting, reason);
                return;
            }
        }
        self.streams.begin(stream);
        self.underway.begin(waiting, is_reliable, now);
    }

    /// The bandwidth by which messages are judged. An estimate that the application limits says what was sent, not what could
    /// be: it is no reason to drop, as an empty queue is none in a router.
    pub fn known_bandwidth(&self) -> Option<Rate> {
        self.controller.bandwidth().filter(|_| !self.sampler.is_app_limited())
    }

    /// RFC 9002 §6.2.4: something that will be acknowledged, whatever window and pacing say. New data if there is some; else
    /// the newest packet in flight again, as the most useful one.
    fn probe(&mut self, now: Time) -> Option<Transmit> {
        self.probes -= 1;
        if self.flight.is_full() {
            return None;
        }
        // A router's verdict may drop all that is in flight and all that would follow: the rest of one large message. So where
        // one probe timeout was not enough, the last probe is one that no verdict drops; its ACK settles the others.
        let is_alone = self.settings.probe_packets == 1;
        if self.timeouts > 1 && self.probes == 0 && (!is_alone || self.timeouts.is_multiple_of(2)) {
            return Some(self.emit_empty(now));
        }
        while let Some(next) = self.next(now) {
            if let Some(transmit) = self.take(next, now) {
                return Some(transmit);
            }
        }
        let Some(packet) = self.flight.supersede_newest() else {
            // Only such probes are under way: another one takes their place.
            self.probes = 0;
            return Some(self.emit_empty(now));
        };
        let transmit = self.emit(packet.slot, packet.index, packet.attempts + 1, now);
        self.flight.mark_probe();
        Some(transmit)
    }

    /// The packet leaves.
    fn emit(&mut self, slot: u32, index: u16, attempts: u32, now: Time) -> Transmit {
        let message = self.underway.message_mut(slot);
        message.in_flight += 1;
        let layout = message.layout;
        let place = u32::from(index);
        let content = layout.content(&message.payload, place);
        let label = jettison_wire::OctopusHeader { position: layout.position(place), ..message.label };
        let bytes = HEADERS as u64 + layout.content_bytes(place);
        let snapshot = self.sampler.on_sent(now, self.flight.bytes());
        let offset = self.flight.sent_total();
        let packet = SentPacket::new(now, snapshot, offset, bytes as u32, (slot, index), attempts);
        if self.settings.overtake && label.position.is_tail() {
            self.streams.left(&label);
        }
        let sequence = self.flight.push(packet);
        let header = SequenceHeader {
            kind: PacketKind::Data,
            flags: layout::flags(&layout, place, attempts > 0),
            index,
            sequence: sequence as u32,
        };
        let head: InlineBytes = layout::inline(header, label, &content.inline);
        self.counters.packets_sent += 1;
        self.counters.bytes_sent += bytes;
        self.counters.packets_retransmitted += u64::from(attempts > 0);
        self.counters.parity_sent += u64::from(place >= layout.data);
        self.sent(sequence, bytes, now);
        Transmit { head, rest: content.rest, traffic_class: self.traffic_class() }
    }

    /// A probe that carries nothing leaves.
    fn emit_empty(&mut self, now: Time) -> Transmit {
        let bytes = SequenceHeader::LENGTH as u64;
        // Eight bytes tell nothing of the path's rate.
        let snapshot =
            SendSnapshot { is_app_limited: true, ..self.sampler.on_sent(now, self.flight.bytes()) };
        let offset = self.flight.sent_total();
        let packet = SentPacket::new(now, snapshot, offset, bytes as u32, (NO_MESSAGE, 0), 0);
        let sequence = self.flight.push(packet);
        let header =
            SequenceHeader { kind: PacketKind::Probe, flags: 0, index: 0, sequence: sequence as u32 };
        self.counters.packets_sent += 1;
        self.counters.bytes_sent += bytes;
        self.sent(sequence, bytes, now);
        let head = InlineBytes::new(&header.emit()).expect("eight bytes fit in forty");
        Transmit { head, rest: Payload::Zeros(0), traffic_class: self.traffic_class() }
    }

    fn sent(&mut self, sequence: u64, bytes: u64, now: Time) {
        self.last_sent_at = now;
        self.arm_probe(now);
        if let Some(rate) = self.pacing_rate() {
            // A rate that was measured over an outage is no reason to fall silent: no gap is longer than a probe timeout may be.
            let rate = rate.max(Rate::of(Bytes::new(bytes), self.settings.max_pto));
            let quantum = self.controller.pacing_quantum().unwrap_or(self.settings.packet);
            self.pacer.on_sent(bytes, rate, quantum, now);
        }
        let sent = PathSent {
            now,
            sequence,
            bytes,
            in_flight: self.flight.bytes(),
            is_app_limited: self.sampler.is_app_limited(),
            backlog: self.backlog(),
        };
        self.controller.on_sent(&sent);
    }

    fn traffic_class(&self) -> u8 {
        self.settings.dscp << 2 | self.controller.ecn() as u8
    }
}
