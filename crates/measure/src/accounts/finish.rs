//! Ends of units: what came after their arrival, and the rows that remain of them.

use jettison_core::Time;
use jettison_wire::FlowId;

use super::chain::{Chain, Part, Spot};
use super::open::Open;
use super::{
    AccountLog, AccountRow, Accounts, Component, Ended, Ending, FrameEnded, GIVEN_UP, Reason, Status,
};
use crate::provenance::{Unit, UnitKind};

impl Accounts {
    /// Takes the ends that a flow's applications have told by `now`. After the run, what is still under way has no end.
    pub(crate) fn end_all(&mut self, flow: FlowId, endings: &mut Vec<Ending>, now: Time, is_over: bool) {
        for ending in endings.drain(..) {
            match ending {
                Ending::Unit(ended) => self.ended(Ended { unit: ended.unit.of(flow), ..ended }),
                Ending::Frame(frame) => self.frame_ended(flow, &frame, now, is_over),
            }
        }
    }

    fn ended(&mut self, ended: Ended) {
        let Ended { unit, status, reason, at } = ended;
        // Unanswered requests have not got the name of what they ask for.
        let request = Unit { kind: UnitKind::Request, ..unit };
        let key = if self.open.contains_key(&unit) { unit } else { request };
        match self.open.get_mut(&key) {
            // The viewer has the last word on a message; until then, its sender's is kept.
            Some(open) if unit.kind == UnitKind::Message => {
                open.fate = open.done.is_none().then_some((status, reason, at));
            }
            Some(_) => {
                if status == Status::Never {
                    self.give_up(key);
                }
                self.close(key, status, reason, at);
            }
            None => {}
        }
    }

    /// Notes that a unit was given up, so that bytes of it that are still written have no account.
    fn give_up(&mut self, unit: Unit) {
        if self.given_up.len() == GIVEN_UP {
            self.given_up.pop_front();
        }
        self.given_up.push_back(unit);
    }

    /// Closes a unit: what came after its arrival is added, and its rows are written.
    pub(super) fn close(&mut self, unit: Unit, status: Status, reason: Reason, at: Time) {
        let Some(open) = self.open.remove(&unit) else { return };
        let chain = self.whole(&open, status, at);
        self.write(unit, &chain, status, reason);
        self.forget(&open);
    }

    /// Closes units for which no receiver waits any longer.
    pub(super) fn close_old(&mut self, unit: Unit) {
        let Some(open) = self.open.get(&unit) else { return };
        let (status, reason, at) = match (&open.done, open.fate) {
            (Some(done), _) => (Status::Late, Reason::Deadline, done.cursor),
            (None, Some(fate)) => fate,
            (None, None) => (Status::Never, Reason::Lost, open.base.cursor),
        };
        self.close(unit, status, reason, at);
    }

    /// The chain of a unit that ends at `at`.
    fn whole(&self, open: &Open, status: Status, at: Time) -> Chain {
        if let Some(done) = &open.done {
            let mut chain = done.clone();
            let component = match open.unit.kind {
                UnitKind::Frame | UnitKind::Message => Component::Dependency,
                _ => Component::Playout,
            };
            chain.extend(at, component, receiver_of(done), None);
            return chain;
        }
        if let Some(lost) = &open.lost {
            let mut chain = lost.clone();
            if status == Status::Unfinished {
                chain.extend(at, Component::Reassembly, Spot::None, None);
            }
            return chain;
        }
        let mut chain = open.base.clone();
        let channel = open.channel.and_then(|(id, _)| self.channels.get(id.0 as usize)?.as_deref());
        match channel {
            Some(channel) => channel.limits.split(&mut chain, at, channel.sender()),
            None if open.sent.is_empty() => chain.extend(at, Component::Application, Spot::None, None),
            None => chain.extend(at, Component::Reassembly, Spot::None, None),
        }
        chain
    }

    fn write(&mut self, unit: Unit, chain: &Chain, status: Status, reason: Reason) {
        let (start, end) = (chain.start, chain.cursor);
        let duration = jettison_core::Duration::ZERO;
        let nothing =
            [Part { component: Component::Application, spot: Spot::None, duration, decision: None }];
        let parts: &[Part] = if chain.parts.is_empty() { &nothing } else { &chain.parts };
        for part in parts {
            self.log.push(AccountRow { unit, start, end, status, reason, part: *part });
        }
    }

    fn forget(&mut self, open: &Open) {
        for sent in &open.sent {
            if !self.drops.is_empty() {
                self.drops.remove(&sent.packet);
            }
        }
    }

    // ---- frames of messages ----------------------------------------------------------------------------------

    /// A frame of messages has ended, and so have its messages.
    fn frame_ended(&mut self, flow: FlowId, frame: &FrameEnded, now: Time, is_over: bool) {
        let number = u64::from(frame.frame);
        let message = |part| Unit { flow, kind: UnitKind::Message, number, part };
        let units: Vec<Unit> =
            self.open.range(message(0)..=message(u32::MAX)).map(|(unit, _)| *unit).collect();
        let decoded_at = frame.decoded.map(|after| frame.captured_at.saturating_add(after));
        let is_late =
            frame.deadline.is_some_and(|deadline| frame.decoded.is_some_and(|after| after > deadline));
        let mut decisive: Option<(Time, Chain)> = None;
        let mut first: Option<(Chain, Status, Reason)> = None;
        // What is neither complete nor lost is still under way.
        let under_way = match is_over {
            true => (Status::Unfinished, Reason::None, now),
            false => (Status::Never, Reason::Abandoned, now),
        };
        for unit in units {
            let Some(open) = self.open.remove(&unit) else { continue };
            let of_part = |part: &Option<u32>| part.is_none_or(|part| part == unit.part);
            let decoded = frame.messages.iter().find(|(part, _)| of_part(part)).map(|(_, at)| *at);
            let (chain, status, reason) = self.message_ended(&open, decoded, frame, under_way);
            self.write(unit, &chain, status, reason);
            self.forget(&open);
            if let (Some(done), Some(shown_at), Some(own)) = (&open.done, decoded_at, decoded)
                && own <= shown_at
                && decisive.as_ref().is_none_or(|(at, _)| done.cursor > *at)
            {
                decisive = Some((done.cursor, done.clone()));
            }
            if first.is_none() {
                first = Some((chain, status, reason));
            }
        }
        let unit = Unit { flow, kind: UnitKind::Frame, number, part: 0 };
        let (chain, status, reason) = match (decoded_at, decisive) {
            (Some(at), Some((came, mut chain))) => {
                self.depends(flow, &mut chain, came, at);
                match is_late {
                    true => (chain, Status::Late, Reason::Deadline),
                    false => (chain, Status::Shown, Reason::None),
                }
            }
            (Some(at), None) => {
                let mut chain = Chain::new(frame.captured_at);
                chain.extend(at, Component::Reassembly, Spot::None, None);
                (chain, if is_late { Status::Late } else { Status::Shown }, Reason::None)
            }
            (None, _) => match first {
                Some((chain, Status::Unfinished, reason)) => (chain, Status::Unfinished, reason),
                Some((chain, _, Reason::None)) => (chain, Status::Never, Reason::Dependency),
                Some((chain, _, reason)) => (chain, Status::Never, reason),
                None => (Chain::new(frame.captured_at), Status::Never, Reason::Skipped),
            },
        };
        self.open.remove(&unit);
        self.write(unit, &chain, status, reason);
    }

    fn message_ended(
        &mut self,
        open: &Open,
        decoded: Option<Time>,
        frame: &FrameEnded,
        under_way: (Status, Reason, Time),
    ) -> (Chain, Status, Reason) {
        let flow = open.unit.flow;
        let Some(done) = &open.done else {
            let (status, reason, at) = match (open.fate, &open.lost) {
                (Some(fate), _) => fate,
                (None, Some(lost)) => (Status::Never, Reason::Lost, lost.cursor),
                (None, None) => under_way,
            };
            let chain = self.whole(open, status, at);
            if let Some(decision) = chain.last_decision() {
                self.messages.entry(flow).or_default().lost = Some((open.unit.number, decision));
            }
            return (chain, status, reason);
        };
        let mut chain = done.clone();
        match decoded {
            Some(at) => {
                self.depends(flow, &mut chain, done.cursor, at);
                let by = frame.deadline.map(|deadline| frame.captured_at.saturating_add(deadline));
                match by.is_some_and(|by| at > by) {
                    true => (chain, Status::Late, Reason::Deadline),
                    false => (chain, Status::Shown, Reason::None),
                }
            }
            None => {
                let lost = self.messages.get(&flow).and_then(|messages| messages.lost);
                let before =
                    lost.filter(|(number, _)| *number <= open.unit.number).map(|(_, decision)| decision);
                chain.note(Component::Dependency, receiver_of(done), before);
                (chain, Status::Never, Reason::Dependency)
            }
        }
    }

    /// Adds the wait for what a message that came at `came` depends on: for another message that came when it was decoded.
    fn depends(&self, flow: FlowId, chain: &mut Chain, came: Time, decoded_at: Time) {
        if decoded_at <= came {
            return;
        }
        let decision = self.messages.get(&flow).and_then(|messages| {
            let at = messages.completed.partition_point(|(at, _)| *at < decoded_at);
            let (at, decision) = messages.completed.get(at)?;
            (*at == decoded_at).then_some(*decision)?
        });
        let spot = receiver_of(chain);
        chain.extend(decoded_at, Component::Dependency, spot, decision);
    }

    // ---- the end of the run ----------------------------------------------------------------------------------

    /// Closes all units at the end of the run, and returns the rows.
    pub(crate) fn finish(mut self, end: Time) -> AccountLog {
        while let Some((unit, open)) = self.open.first_key_value() {
            let (unit, is_lost) = (*unit, open.lost.is_some() && open.done.is_none());
            let (status, reason, at) = match open.fate {
                Some(fate) if open.done.is_none() => fate,
                _ if is_lost && unit.kind != UnitKind::Message => (Status::Never, Reason::Lost, end),
                _ => (Status::Unfinished, Reason::None, end),
            };
            self.close(unit, status, reason, at);
        }
        self.log
    }
}

/// The node that the last packet of a chain came to.
pub(super) fn receiver_of(chain: &Chain) -> Spot {
    let mut spots = chain.parts.iter().rev().map(|part| part.spot);
    spots
        .find_map(|spot| match spot {
            Spot::Queue(queue) => Some(Spot::Receiver(queue)),
            Spot::Receiver(_) => Some(spot),
            Spot::None | Spot::Sender(_) => None,
        })
        .unwrap_or(Spot::None)
}
