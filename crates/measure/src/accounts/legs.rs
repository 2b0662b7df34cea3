//! Legs: the part of a chain from a write to the arrival that completed what was written.

use jettison_core::Time;

use super::chain::{Chain, Spot};
use super::channel::{ChannelId, Range};
use super::finish::receiver_of;
use super::{Accounts, COMPLETIONS, Component};
use crate::provenance::{Place, StreamId, Unit, UnitKind};

impl Accounts {
    /// A unit's bytes are there, in order: `packet` came, with the byte at `before`, which was the first missing one.
    pub(super) fn complete_range(
        &mut self,
        id: ChannelId,
        range: &Range,
        packet: u32,
        before: u64,
        now: Time,
    ) {
        let Some(Some(channel)) = self.channels.get(id.0 as usize) else { return };
        let Some(open) = self.open.get_mut(&range.unit) else { return };
        // Bytes that were given up since, and asked for on another connection.
        if open.channel.is_none_or(|(own, _)| own != id) {
            return;
        }
        let mut chain = open.base.clone();
        let stream = &channel.stream;
        let has_own = stream.transmissions(before.max(range.start)).any(|sent| sent.packet == packet);
        let early = stream.last_early(range).filter(|_| !has_own);
        let (byte, decisive) = match early {
            Some((sent, _)) => (sent.offset.max(range.start), sent.packet),
            None => (before.max(range.start), packet),
        };
        let mut previous: Option<u32> = None;
        for sent in stream.transmissions(byte) {
            match (previous, sent.repair) {
                (Some(previous), Some(repair)) => {
                    let decision = self.drops.get(&previous).copied();
                    chain.extend(sent.at, repair, channel.sender(), decision);
                }
                _ => channel.limits.split(&mut chain, sent.at, channel.sender()),
            }
            previous = Some(sent.packet);
            if sent.packet == decisive {
                break;
            }
        }
        let mut receiver = Spot::None;
        if let Some(journey) = self.journeys.find(decisive) {
            channel.limits.split(&mut chain, journey.sent_at, channel.sender());
            journey.add_to(&mut chain);
            receiver = journey.receiver();
        }
        if early.is_some() {
            // What filled the gap: the first transmission of the missing byte was dropped, as a rule.
            let lost = stream.transmissions(before).find_map(|sent| self.drops.get(&sent.packet)).copied();
            chain.extend(now, Component::HeadOfLine, receiver, lost);
        }
        chain.extend(now, Component::Reassembly, receiver, None);
        open.done = Some(chain);
        if self.has_kernels {
            // Its application has it when it reads it.
            if let Some(Some(channel)) = self.channels.get_mut(id.0 as usize) {
                channel.stream.unread.push_back(*range);
            }
            return;
        }
        self.arrived_whole(range.unit, now);
    }

    /// A unit's bytes are there for its application.
    fn arrived_whole(&mut self, unit: Unit, now: Time) {
        self.completed(unit, now);
        let is_pushed = self.open.get(&unit).is_some_and(|open| !open.has_request);
        if is_pushed && unit.kind != UnitKind::Message {
            self.close(unit, super::Status::Shown, super::Reason::None, now);
        }
    }

    /// An application has read what precedes `edge` from a connection that goes through its host's kernel. Of bytes whose packets
    /// nobody saw, all is unseen.
    pub fn read(&mut self, stream: StreamId, edge: u64, now: Time) {
        let Some(Some(id)) = self.streams.get(stream.index()).copied() else { return };
        let Some(channel) = self.channels.get_mut(id.0 as usize).and_then(Option::as_deref_mut) else {
            return;
        };
        let mut read = Vec::new();
        while let Some(range) = channel.stream.unread.pop_front_if(|range| range.end <= edge) {
            read.push(range.unit);
        }
        while let Some(range) = channel.stream.ranges.pop_front_if(|range| range.end <= edge) {
            if let Some(open) = self.open.get_mut(&range.unit)
                && open.channel.is_some_and(|(own, _)| own == id)
            {
                open.done = Some(open.base.clone());
                read.push(range.unit);
            }
        }
        for unit in read {
            if let Some(done) = self.open.get_mut(&unit).and_then(|open| open.done.as_mut()) {
                let receiver = receiver_of(done);
                done.extend(now, Component::Unseen, receiver, None);
                self.arrived_whole(unit, now);
            }
        }
    }

    /// A unit that came in datagrams is complete with one of them.
    pub(super) fn complete_datagrams(&mut self, unit: Unit, packet: u32, now: Time) {
        let Some((chain, receiver)) = self.datagram_leg(unit, packet) else { return };
        let mut chain = chain;
        let to_application = if self.has_kernels { Component::Unseen } else { Component::Reassembly };
        chain.extend(now, to_application, receiver, None);
        if let Some(open) = self.open.get_mut(&unit) {
            if open.done.is_some() {
                return;
            }
            open.done = Some(chain);
        }
        self.completed(unit, now);
    }

    /// The chain of a unit up to the end of a datagram's journey, and the node that it reached last.
    fn datagram_leg(&self, unit: Unit, packet: u32) -> Option<(Chain, Spot)> {
        let journey = self.journeys.find(packet)?;
        let super::Load::Unit { unit: own, offset } = journey.load else { return None };
        let open = self.open.get(&unit).filter(|_| own == unit)?;
        let channel = open.channel.and_then(|(id, _)| self.channels.get(id.0 as usize)?.as_deref());
        let mut chain = open.base.clone();
        let spot = journey.sender();
        let mut previous: Option<u32> = None;
        for sent in open.sent.iter().filter(|sent| sent.offset == offset) {
            match (previous, sent.repair, channel) {
                (Some(previous), Some(repair), _) => {
                    let decision = self.drops.get(&previous).copied();
                    chain.extend(sent.at, repair, spot, decision);
                }
                (_, _, Some(channel)) => channel.limits.split(&mut chain, sent.at, spot),
                (_, _, None) => chain.extend(sent.at, Component::Application, spot, None),
            }
            previous = Some(sent.packet);
            if sent.packet == packet {
                break;
            }
        }
        if self.has_kernels {
            chain.extend(journey.sent_at, Component::Unseen, spot, None);
        }
        journey.add_to(&mut chain);
        Some((chain, journey.receiver()))
    }

    /// A datagram with a part of a unit, which came to a queue at `enqueued_at`, is lost. Without a repair the unit ends here.
    pub(super) fn lose_datagram(
        &mut self,
        unit: Unit,
        packet: u32,
        place: Place,
        enqueued_at: Time,
        decision: u64,
        now: Time,
    ) {
        let Some((mut chain, node)) = self.datagram_leg(unit, packet) else { return };
        let (component, spot) = match place {
            Place::Queue(queue) | Place::Beside(queue) => {
                // Of a packet that did not come to the queue, this instant was in an earlier one.
                chain.extend(enqueued_at.min(now), Component::Processing, Spot::Sender(queue), None);
                (Component::Queue, Spot::Queue(queue))
            }
            Place::Node => (Component::Processing, node),
        };
        chain.extend(now, component, spot, None);
        chain.blame(component, spot, decision);
        let Some(open) = self.open.get_mut(&unit).filter(|open| open.done.is_none()) else { return };
        open.lost = Some(chain);
        if super::is_whole_in_a_packet(unit.kind) {
            self.close(unit, super::Status::Never, super::Reason::Lost, now);
        }
    }

    /// Notes the completion of a message, for those that wait for it.
    fn completed(&mut self, unit: Unit, now: Time) {
        if unit.kind != UnitKind::Message {
            return;
        }
        let decision = self.open.get(&unit).and_then(|open| open.done.as_ref()?.last_decision());
        let completed = &mut self.messages.entry(unit.flow).or_default().completed;
        if completed.len() == COMPLETIONS {
            completed.pop_front();
        }
        completed.push_back((now, decision));
    }
}
