//! Selection of the next packet: retransmissions first, then the rest of the message in progress, then the next
//! message that the verdict permits.

use jettison_core::{Bytes, DropReason, Duration, Rate, Time};
use jettison_wire::{InlineBytes, OctopusHeader, PacketKind, SequenceHeader};

use super::connection::{Fragment, Transmit};
use super::in_flight::{NO_MESSAGE, SentPacket};
use super::in_progress::RepairEntry;
use super::layout;
use super::message::MessageEvent;
use super::parameters::{HEADERS, SendVerdict};
use super::repair::RepairPolicy;
use super::send_buffer::{Waiting, remaining_slack};
use super::sender::Sender;
use crate::path::PathSent;
use jettison_tcp::congestion::SendSnapshot;
use jettison_tcp::{Limit, Payload, Repair};

/// A candidate for the next packet.
#[derive(Debug, Clone, Copy)]
enum Next {
    /// The first of the lost packets.
    Repair(RepairEntry),
    /// The next packet of the message in progress.
    Rest(u32, u16),
    /// The first packet of the first waiting message.
    Message,
}

impl Sender {
    /// The next packet that may leave now; counts as sent.
    pub fn poll_data(&mut self, now: Time) -> Option<Transmit> {
        self.pacing_at = Time::MAX;
        if self.probes > 0
            && let Some(probe) = self.probe(now)
        {
            return Some(probe);
        }
        if self.settings.overtake {
            self.drop_obsolete(now);
        }
        loop {
            let Some(next) = self.next(now) else {
                self.mark_app_limited(now);
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

    /// The candidate for the next packet. Discards obsolete retransmissions on the way.
    fn next(&mut self, now: Time) -> Option<Next> {
        while let Some(entry) = self.in_progress.repairs.front().copied() {
            if self.is_worth_repairing(&entry, now) {
                return Some(Next::Repair(entry));
            }
            self.in_progress.repairs.pop_front();
            self.in_progress.message_mut(entry.slot).to_repair -= 1;
            self.give_up(entry.slot);
            self.in_progress.release_if_over(entry.slot);
        }
        if let Some((slot, index)) = self.in_progress.next_new() {
            return Some(Next::Rest(slot, index));
        }
        let front = self.buffer.front()?;
        self.streams.may_begin(front.label.stream).then_some(Next::Message)
    }

    fn is_worth_repairing(&self, entry: &RepairEntry, now: Time) -> bool {
        let message = self.in_progress.message(entry.slot);
        let policy = RepairPolicy { now, bandwidth: self.known_bandwidth() };
        !message.is_settled && policy.wants(message, entry.attempts, &self.settings, &self.streams)
    }

    /// Its UDP payload in bytes.
    fn bytes_of(&self, next: &Next) -> u64 {
        let content = |slot, index| self.in_progress.message(slot).layout.content_bytes(u32::from(index));
        let content = match next {
            Next::Repair(entry) => content(entry.slot, entry.index),
            Next::Rest(slot, index) => content(*slot, *index),
            Next::Message => self.buffer.front().map_or(0, |front| front.layout.content_bytes(0)),
        };
        HEADERS as u64 + content
    }

    /// While the window is full, removes messages that a waiting dropper makes obsolete and that would precede it, unless
    /// their slack spares them.
    fn drop_obsolete(&mut self, now: Time) {
        if self.flight.bytes() + self.settings.packet <= self.controller.window() {
            return;
        }
        if let Some((slot, current)) = self.in_progress.current()
            && !current.is_reliable
            && !current.is_settled
            && self.streams.is_stale(&current.asked)
            && self.has_waited(&current.asked, current.accepted_at, now)
        {
            let (label, length) = (current.asked, current.payload.len());
            self.in_progress.message_mut(slot).is_settled = true;
            self.counters.dropped_stale.add(length);
            let (stream, number, reason) = (label.stream, label.message, DropReason::StaleMessage);
            self.events.push_back(MessageEvent::Dropped { stream, number, length, reason });
            self.in_progress.abandon(slot);
            self.in_progress.release_if_over(slot);
        }
        while self.in_progress.current().is_none()
            && self.buffer.front().is_some_and(|front| {
                !self.streams.is_reliable(front.label.stream)
                    && self.streams.is_stale(&front.label)
                    && self.has_waited(&front.label, front.accepted_at, now)
            })
        {
            self.begin_next(now);
        }
    }

    /// Whether a message has waited its slack, if the verdict spares it until then.
    fn has_waited(&self, label: &OctopusHeader, since: Time, now: Time) -> bool {
        !self.settings.verdict.slack || now.since(since) >= Duration::from_millis(u64::from(label.slack))
    }

    /// The window for the candidate: doubled for a dropper that a router does not know yet.
    fn window_for(&self, next: &Next) -> u64 {
        let window = self.controller.window();
        if !self.settings.overtake {
            return window;
        }
        let dropper = match next {
            Next::Repair(_) => return window,
            Next::Rest(slot, _) => self.in_progress.message(*slot).asked,
            Next::Message => match self.buffer.front() {
                Some(front) => front.label,
                None => return window,
            },
        };
        let is_news = dropper.drop_flag
            && self
                .in_progress
                .in_flight()
                .any(|message| self.streams.is_new_to_router(&dropper, &message.asked));
        if is_news { window.saturating_mul(2) } else { window }
    }

    /// What holds the sender back, after [`Sender::poll_data`] gave nothing.
    pub fn limit(&mut self, now: Time) -> Limit {
        let Some(next) = self.next(now) else { return Limit::Application };
        let (bytes, window) = (self.bytes_of(&next), self.window_for(&next));
        let in_flight = self.flight.bytes();
        let may_wait = in_flight > 0 || self.controller.next_wakeup().is_some();
        match self.flight.is_full() || (in_flight + bytes > window && may_wait) {
            true => Limit::Window,
            false => Limit::Pacing,
        }
    }

    /// Whether window and pacing permit `bytes` now. If pacing does not, sets a deadline for when it will.
    fn may_leave(&mut self, bytes: u64, window: u64, now: Time) -> bool {
        let in_flight = self.flight.bytes();
        if self.flight.is_full() {
            return false;
        }
        // With nothing in flight no ACK will arrive: only a controller with a wakeup may hold everything back.
        let may_wait = in_flight > 0 || self.controller.next_wakeup().is_some();
        if in_flight + bytes > window && may_wait {
            self.limited_until = self.flight.sent_total();
            return false;
        }
        if self.pacing_rate().is_some() && !self.pacer.may_send(now) {
            self.pacing_at = self.pacer.next_at();
            if self.controller.pacing_rate().is_none() {
                // The rate is the window over the RTT, so the window is what holds data back.
                self.limited_until = self.flight.sent_total();
            }
            return false;
        }
        true
    }

    /// Sends the candidate; `None` if it was a message that the verdict dropped.
    fn take(&mut self, next: Next, now: Time) -> Option<Transmit> {
        match next {
            Next::Repair(entry) => {
                self.in_progress.repairs.pop_front();
                self.in_progress.message_mut(entry.slot).to_repair -= 1;
                let repeats = Some((entry.attempts, entry.sequence, entry.found));
                Some(self.emit(entry.slot, entry.index, repeats, now))
            }
            Next::Rest(slot, index) => {
                self.in_progress.advance();
                Some(self.emit(slot, index, None, now))
            }
            Next::Message => {
                self.begin_next(now);
                let (slot, index) = self.in_progress.next_new()?;
                self.in_progress.advance();
                Some(self.emit(slot, index, None, now))
            }
        }
    }

    /// Starts the first waiting message, unless the verdict drops it.
    fn begin_next(&mut self, now: Time) {
        let Some(waiting) = self.buffer.pop() else { return };
        let (stream, is_reliable) = (waiting.label.stream, self.streams.is_reliable(waiting.label.stream));
        if self.settings.adapt && !is_reliable {
            let waited = now.since(waiting.accepted_at);
            let verdict = match self.settings.send_verdict {
                SendVerdict::Router => self
                    .streams
                    .verdict(&waiting.label, self.known_bandwidth(), waited)
                    .or_else(|| self.over_bitrate(&waiting.label)),
                SendVerdict::Authors => self.authors_verdict(&waiting, waited),
            };
            if let Some(reason) = verdict {
                self.drop_waiting(&waiting, reason);
                return;
            }
        }
        self.streams.begin(stream);
        self.in_progress.begin(waiting, is_reliable, self.slack_ahead(), now);
    }

    /// The verdict by the authors' code ([`SendVerdict::Authors`]).
    fn authors_verdict(&self, waiting: &Waiting, waited: Duration) -> Option<DropReason> {
        if waiting.is_marked {
            return Some(DropReason::StaleMessage);
        }
        let options = self.settings.verdict;
        let has_slack = options.slack && remaining_slack(&waiting.label, waited + self.slack_ahead()) > 0;
        let is_newest = self.buffer.is_empty();
        if has_slack || is_newest || waiting.layout.data < 2 {
            return None;
        }
        let asked = u64::from(waiting.label.bitrate_threshold) * 1000;
        (asked > self.bandwidth()?.as_bits()).then_some(DropReason::OverBitrate)
    }

    /// The reason to drop a message of more than the available bitrate that slack does not spare.
    fn over_bitrate(&self, label: &OctopusHeader) -> Option<DropReason> {
        let bandwidth = self.known_bandwidth().filter(|_| !self.settings.bitrate_slack)?;
        let is_over = u64::from(label.bitrate_threshold) * 1_000 > bandwidth.as_bits();
        is_over.then_some(DropReason::OverBitrate)
    }

    /// The bandwidth for the verdict. An application-limited estimate reflects the sent rate, not the path's: it is no
    /// reason to drop, like an empty queue in a router.
    pub fn known_bandwidth(&self) -> Option<Rate> {
        self.bandwidth().filter(|_| !self.sampler.is_app_limited())
    }

    /// RFC 9002 §6.2.4: sends a packet that will be acknowledged, regardless of window and pacing. New data if
    /// available, else the newest packet in flight again, as the most useful one.
    fn probe(&mut self, now: Time) -> Option<Transmit> {
        self.probes -= 1;
        if self.flight.is_full() {
            return None;
        }
        // A router's verdict may drop everything in flight and everything that would follow: the rest of one large
        // message. So if one probe timeout was not enough, the last probe is empty, which no verdict drops; its ACK
        // settles the others.
        let is_alone = self.settings.probe_packets == 1;
        if self.timeouts > 1 && self.probes == 0 && (!is_alone || self.timeouts.is_multiple_of(2)) {
            return Some(self.emit_empty(now));
        }
        while let Some(next) = self.next(now) {
            if let Some(transmit) = self.take(next, now) {
                return Some(transmit);
            }
        }
        let Some((sequence, packet)) = self.flight.supersede_newest() else {
            // Only such probes are in flight: another one replaces them.
            self.probes = 0;
            return Some(self.emit_empty(now));
        };
        let transmit =
            self.emit(packet.slot, packet.index, Some((packet.attempts + 1, sequence, Repair::Timeout)), now);
        self.flight.mark_probe();
        Some(transmit)
    }

    /// Emits a packet. `repeats` has the number of its earlier transmissions, the sequence number of the last one, and why it
    /// is repeated.
    fn emit(&mut self, slot: u32, index: u16, repeats: Option<(u32, u64, Repair)>, now: Time) -> Transmit {
        let attempts = repeats.map_or(0, |(attempts, ..)| attempts);
        let message = self.in_progress.message_mut(slot);
        message.in_flight += 1;
        let layout = message.layout;
        let place = u32::from(index);
        let content = layout.content(&message.payload, place);
        let beginning = message.payload.head;
        let label = OctopusHeader { position: layout.position(place), ..message.label };
        let bytes = HEADERS as u64 + layout.content_bytes(place);
        let snapshot = self.sampler.on_sent(now, self.flight.bytes());
        let offset = self.flight.sent_total();
        let packet = SentPacket::new(now, snapshot, offset, bytes as u32, (slot, index), attempts);
        if self.settings.overtake && label.position.is_tail() {
            self.streams.departed(&label);
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
        let fragment = Fragment {
            stream: label.stream,
            message: label.message,
            head: beginning,
            offset: layout.offset(place),
            sequence,
            repeats: repeats.map(|(_, sequence, _)| sequence),
            repair: repeats.map(|(.., repair)| repair),
        };
        let traffic_class = self.traffic_class();
        Transmit { head, rest: content.rest, traffic_class, fragment: Some(fragment) }
    }

    /// Emits an empty probe.
    fn emit_empty(&mut self, now: Time) -> Transmit {
        let bytes = SequenceHeader::LENGTH as u64;
        // Eight bytes give no information on the path's rate.
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
        let traffic_class = self.traffic_class();
        Transmit { head, rest: Payload::Zeros(0), traffic_class, fragment: None }
    }

    fn sent(&mut self, sequence: u64, bytes: u64, now: Time) {
        self.last_sent_at = now;
        self.arm_probe(now);
        if let Some(rate) = self.pacing_rate() {
            // A rate measured during an outage must not silence the sender: limit the gap to the maximum probe timeout.
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
