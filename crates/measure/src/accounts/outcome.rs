//! What became of a unit.

use jettison_core::{DropReason, Duration, Time};

use crate::provenance::Unit;

/// What became of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Status {
    /// It came to its viewer: played, decoded, received.
    Shown,
    /// It came after its deadline.
    Late,
    /// It never came: a loss that was not repaired, or its sender or receiver gave it up.
    Never,
    /// The run ended before.
    Unfinished,
}

impl Status {
    /// All of them.
    pub const ALL: [Status; 4] = [Status::Shown, Status::Late, Status::Never, Status::Unfinished];

    /// The name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Status::Shown => "shown",
            Status::Late => "late",
            Status::Never => "never",
            Status::Unfinished => "unfinished",
        }
    }
}

/// Why a unit was late or never came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// It came, or the run ended.
    None,
    /// A packet of it was dropped or lost, and not repaired.
    Lost,
    /// Its sender dropped it.
    Sender(DropReason),
    /// The send buffer had no room for it.
    Refused,
    /// Its sender made nothing of it.
    Skipped,
    /// The receiver gave it up.
    Abandoned,
    /// The receiver replaced it by another.
    Replaced,
    /// What it depends on never came.
    Dependency,
    /// It came after the deadline.
    Deadline,
}

impl Reason {
    const OWN: [Reason; 8] = [
        Reason::None,
        Reason::Lost,
        Reason::Refused,
        Reason::Skipped,
        Reason::Abandoned,
        Reason::Replaced,
        Reason::Dependency,
        Reason::Deadline,
    ];

    /// The name in results; empty for none.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::None => "",
            Reason::Lost => "lost",
            Reason::Sender(reason) => reason.name(),
            Reason::Refused => "refused",
            Reason::Skipped => "skipped",
            Reason::Abandoned => "abandoned",
            Reason::Replaced => "replaced",
            Reason::Dependency => "dependency",
            Reason::Deadline => "deadline",
        }
    }

    /// Its number, for [`Reason::of_index`].
    pub(super) fn index(self) -> u16 {
        match self {
            Reason::Sender(reason) => (Reason::OWN.len() + reason.index()) as u16,
            own => Reason::OWN.iter().position(|other| *other == own).unwrap_or(0) as u16,
        }
    }

    pub(super) fn of_index(index: u16) -> Option<Reason> {
        let index = usize::from(index);
        let sender = || DropReason::ALL.get(index - Reason::OWN.len()).copied().map(Reason::Sender);
        Reason::OWN.get(index).copied().or_else(sender)
    }
}

/// The end of a unit, as its application tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// The unit. Applications leave its flow to the meter.
    pub unit: Unit,
    /// What became of it.
    pub status: Status,
    /// Why it was late or never came.
    pub reason: Reason,
    /// When it was shown, or given up.
    pub at: Time,
}

/// What became of a frame that consists of messages, as its viewer tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameEnded {
    /// Number of the frame.
    pub frame: u32,
    /// When it was captured.
    pub captured_at: Time,
    /// Time from capture to the decoding of the highest layer shown, or that would be without a deadline; `None` if it was never
    /// decoded.
    pub decoded: Option<Duration>,
    /// Time from capture after which it is not shown.
    pub deadline: Option<Duration>,
    /// When its messages were decoded, by the part of their unit; `None` stands for any of them.
    pub messages: Vec<(Option<u32>, Time)>,
}

/// Ends of units that a flow's applications have told and that are not in the accounts yet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Endings(pub(crate) Vec<Ending>);

/// An end of a unit or of a frame.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ending {
    Unit(Ended),
    Frame(FrameEnded),
}

impl Endings {
    /// A unit has ended.
    pub fn unit(&mut self, unit: Unit, status: Status, reason: Reason, at: Time) {
        self.0.push(Ending::Unit(Ended { unit, status, reason, at }));
    }

    /// A frame that consists of messages has ended.
    pub fn frame(&mut self, frame: FrameEnded) {
        self.0.push(Ending::Frame(frame));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_found_by_its_index() {
        let sender = DropReason::ALL.into_iter().map(Reason::Sender);
        let mut count = 0;
        for reason in Reason::OWN.into_iter().chain(sender) {
            assert_eq!(Reason::of_index(reason.index()), Some(reason));
            count += 1;
        }
        assert_eq!(Reason::of_index(count), None);
    }
}
