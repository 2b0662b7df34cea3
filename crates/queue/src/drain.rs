//! Taking all packets out of a discipline, to move them to another.

use jettison_core::{DropReason, Duration, MarkReason, Time};
use jettison_measure::Outcomes;
use jettison_wire::{Ecn, Packet};

use crate::QueueDiscipline;

/// Most instants at which a discipline that sends at a rate is asked.
const MOST_INSTANTS: u32 = 1_000_000;

/// What a discipline lets go of: its drops and marks have no effect on the packets.
#[derive(Default)]
struct Taken {
    packets: Vec<Packet>,
    marked: Option<MarkReason>,
}

impl Outcomes for Taken {
    fn dropped(&mut self, packet: Packet, _: DropReason, _: Time) {
        self.packets.push(packet);
    }
    fn marked(&mut self, _: &Packet, reason: MarkReason, _: Time) {
        self.marked = Some(reason);
    }
}

/// Takes all packets out of a discipline in the order in which it sends them; one that sends at a rate is asked later and later.
/// The discipline is of no use afterwards.
pub fn drain(discipline: &mut dyn QueueDiscipline, now: Time) -> Vec<Packet> {
    let (mut taken, mut at) = (Taken::default(), now);
    for _ in 0..MOST_INSTANTS {
        while let Some(mut packet) = discipline.dequeue(at, &mut taken) {
            if let Some(reason) = taken.marked.take() {
                packet.set_ecn(ecn_before(reason));
            }
            taken.packets.push(packet);
        }
        if discipline.backlog().packets == 0 {
            break;
        }
        let soon = at.saturating_add(Duration::from_millis(1));
        at = discipline.next_wakeup().filter(|wakeup| *wakeup > at).unwrap_or(soon);
        discipline.handle_wakeup(at, &mut taken);
    }
    taken.packets
}

/// The ECN field that packets have before they are marked for a reason: of a classic sender, unless only scalable ones are
/// marked for it.
pub fn ecn_before(reason: MarkReason) -> Ecn {
    match reason {
        MarkReason::Pi2Scalable | MarkReason::DualPi2L4s | MarkReason::AbcBrake => Ecn::Ect1,
        _ => Ecn::Ect0,
    }
}
