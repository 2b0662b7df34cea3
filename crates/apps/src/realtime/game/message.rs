//! Commands and updates, and how large they are.

use jettison_core::{Bytes, RandomStream, Time};
use jettison_wire::InlineBytes;

use crate::load::normal::normal;
use crate::load::probe::ProbeHead;

/// A player's command: its number, from 0, in network byte order. What it says is not modelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) number: u64,
}

impl Command {
    pub(super) const LENGTH: usize = 8;

    pub(super) fn emit(self) -> InlineBytes {
        InlineBytes::new(&self.number.to_be_bytes()).expect("8 bytes fit in 40")
    }

    pub(super) fn parse(payload: &[u8]) -> Option<Command> {
        let (number, _) = payload.split_first_chunk::<8>()?;
        Some(Command { number: u64::from_be_bytes(*number) })
    }
}

/// A server's update: a probe's head, and the number of the newest command that it takes into account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Update {
    pub(super) sequence: u64,
    pub(super) sent_at: Time,
    pub(super) answers: u64,
}

impl Update {
    pub(super) const LENGTH: usize = ProbeHead::LENGTH + 8;

    pub(super) fn emit(self) -> InlineBytes {
        let mut bytes = [0; Update::LENGTH];
        let head = ProbeHead { sequence: self.sequence, sent_at: self.sent_at }.emit();
        bytes[..ProbeHead::LENGTH].copy_from_slice(head.as_slice());
        bytes[ProbeHead::LENGTH..].copy_from_slice(&self.answers.to_be_bytes());
        InlineBytes::new(&bytes).expect("24 bytes fit in 40")
    }

    pub(super) fn parse(payload: &[u8]) -> Option<Update> {
        let ProbeHead { sequence, sent_at } = ProbeHead::parse(payload)?;
        let (answers, _) = payload.get(ProbeHead::LENGTH..)?.split_first_chunk::<8>()?;
        Some(Update { sequence, sent_at, answers: u64::from_be_bytes(*answers) })
    }
}

/// Draws the sizes of commands or updates.
#[derive(Debug, Clone)]
pub(super) struct Sizes {
    mean: f64,
    spread: f64,
    least: u64,
    random: RandomStream,
}

impl Sizes {
    pub(super) fn new(mean: Bytes, spread: f64, least: usize, random: RandomStream) -> Sizes {
        Sizes { mean: mean.get() as f64, spread, least: least as u64, random }
    }

    pub(super) fn draw(&mut self) -> u16 {
        let deviation = if self.spread > 0.0 { normal(&mut self.random) } else { 0.0 };
        let size = libm::round(self.mean * (1.0 + self.spread * deviation)) as u64;
        size.max(self.least) as u16
    }
}
