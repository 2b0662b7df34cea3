//! Decisions as bytes: of one process for itself, in memory or in a temporary file.

use jettison_core::{DropReason, Duration, MarkReason, Time};
use jettison_wire::{FlowId, Instance};

use super::{Decision, GaugeKey, Identity, Outcome, QueueState};
use crate::{Content, Unit, UnitKind};

/// Appends an integer in LEB128: seven bits per byte, the lowest first.
#[inline]
pub(crate) fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

pub(super) fn put_float(bytes: &mut Vec<u8>, value: f64) {
    bytes.extend_from_slice(&value.to_bits().to_le_bytes());
}

/// Appends a value that may be missing.
fn put_option(bytes: &mut Vec<u8>, value: Option<u64>) {
    bytes.push(u8::from(value.is_some()));
    if let Some(value) = value {
        put(bytes, value);
    }
}

/// Appends all of a decision but the state of its queue.
pub(super) fn put_head(bytes: &mut Vec<u8>, decision: &Decision) {
    put(bytes, decision.id);
    put(bytes, decision.time.as_nanos());
    put(bytes, u64::from(decision.queue));
    put(bytes, u64::from(decision.flow.0));
    let (kind, reason) = match decision.outcome {
        Outcome::Dropped(reason) => (0, reason.index()),
        Outcome::Evicted(reason) => (1, reason.index()),
        Outcome::Marked(reason) => (2, reason.index()),
        Outcome::Kept(reason) => (3, reason.index()),
        Outcome::Unmarked(reason) => (4, reason.index()),
    };
    bytes.push(kind);
    put(bytes, reason as u64);
    put(bytes, u64::from(decision.length));
    bytes.push(u8::from(decision.identity.is_some()));
    let Some(identity) = &decision.identity else { return };
    put(bytes, u64::from(identity.packet));
    bytes.push(identity.instance as u8);
    put_option(bytes, identity.waited.map(Duration::as_nanos));
    bytes.push(u8::from(identity.content.is_some()));
    if let Some(Content { unit, offset, length, retransmission, previous }) = identity.content {
        bytes.push(u8::from(unit.is_some()));
        if let Some(Unit { flow, kind, number, part }) = unit {
            put(bytes, u64::from(flow.0));
            bytes.push(kind as u8);
            put(bytes, number);
            put(bytes, u64::from(part));
        }
        put(bytes, offset);
        put(bytes, u64::from(length));
        bytes.push(u8::from(retransmission));
        put_option(bytes, previous.map(u64::from));
    }
}

/// Reader of encoded decisions. They are our own, so what does not fit ends the list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    fn flag(&mut self) -> Option<bool> {
        Some(self.byte()? != 0)
    }

    pub(crate) fn integer(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    pub(crate) fn narrow<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.integer()?).ok()
    }

    fn float(&mut self) -> Option<f64> {
        let (bytes, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(f64::from_bits(u64::from_le_bytes(*bytes)))
    }

    /// A value that may be missing.
    fn option<T: TryFrom<u64>>(&mut self) -> Option<Option<T>> {
        if self.flag()? { self.narrow().map(Some) } else { Some(None) }
    }

    /// The next decision.
    pub fn decision(&mut self, keys: &[GaugeKey]) -> Option<Decision> {
        let (id, time) = (self.integer()?, Time::from_nanos(self.integer()?));
        let (queue, flow) = (self.narrow()?, FlowId(self.narrow()?));
        let (kind, reason) = (self.byte()?, self.narrow::<usize>()?);
        let outcome = match kind {
            0 => Outcome::Dropped(*DropReason::ALL.get(reason)?),
            1 => Outcome::Evicted(*DropReason::ALL.get(reason)?),
            2 => Outcome::Marked(*MarkReason::ALL.get(reason)?),
            3 => Outcome::Kept(*DropReason::ALL.get(reason)?),
            4 => Outcome::Unmarked(*MarkReason::ALL.get(reason)?),
            _ => return None,
        };
        let length = self.narrow()?;
        let identity = if self.flag()? { Some(self.identity(keys)?) } else { None };
        Some(Decision { id, time, queue, flow, outcome, length, identity })
    }

    fn identity(&mut self, keys: &[GaugeKey]) -> Option<Identity> {
        let packet = self.narrow()?;
        let instance = match self.byte()? {
            0 => Instance::Normal,
            1 => Instance::IngressClone,
            2 => Instance::EgressClone,
            4 => Instance::Recirculated,
            5 => Instance::Replica,
            6 => Instance::Resubmitted,
            _ => return None,
        };
        let waited = self.option()?.map(Duration::from_nanos);
        let content = if self.flag()? { Some(self.content()?) } else { None };
        let queue = if self.flag()? { Some(self.state(keys)?) } else { None };
        Some(Identity { packet, instance, content, waited, queue })
    }

    fn content(&mut self) -> Option<Content> {
        let mut unit = None;
        if self.flag()? {
            let flow = FlowId(self.narrow()?);
            let kind = *UnitKind::ALL.get(usize::from(self.byte()?))?;
            unit = Some(Unit { flow, kind, number: self.integer()?, part: self.narrow()? });
        }
        let (offset, length) = (self.integer()?, self.narrow()?);
        Some(Content { unit, offset, length, retransmission: self.flag()?, previous: self.option()? })
    }

    fn state(&mut self, keys: &[GaugeKey]) -> Option<QueueState> {
        let (packets, bytes, others) = (self.integer()?, self.integer()?, self.integer()?);
        let holders = (0..self.integer()?).map(|_| Some((FlowId(self.narrow()?), self.narrow()?)));
        let holders = holders.collect::<Option<_>>()?;
        let gauges = (0..self.integer()?).map(|_| Some((*keys.get(self.narrow::<usize>()?)?, self.float()?)));
        Some(QueueState { packets, bytes, others, holders, gauges: gauges.collect::<Option<_>>()? })
    }
}
