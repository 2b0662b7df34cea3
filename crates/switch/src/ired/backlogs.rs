//! Who holds how much of a port's queue.

use jettison_queue::ByLength;
use jettison_wire::Packet;

/// A flow's place among the counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FlowSlot(u32);

impl From<u64> for FlowSlot {
    /// As a clone carries it.
    fn from(value: u64) -> FlowSlot {
        FlowSlot(value as u32)
    }
}

impl From<FlowSlot> for u64 {
    fn from(slot: FlowSlot) -> u64 {
        u64::from(slot.0)
    }
}

/// A flow's drop flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flag {
    Down,
    /// A clone that will raise it is on its way to ingress.
    Coming,
    Up,
}

/// Packets in the queue by flow: a register a place, counted up at ingress and down at egress. Which of them is the
/// greatest is known at any time, in constant time. Beside each counter is that flow's drop flag.
pub(super) struct FlowBacklogs {
    packets: Vec<u64>,
    flags: Vec<Flag>,
    by_length: ByLength,
}

impl FlowBacklogs {
    pub fn new(slots: u32) -> FlowBacklogs {
        FlowBacklogs {
            packets: vec![0; slots as usize],
            flags: vec![Flag::Down; slots as usize],
            by_length: ByLength::new(slots),
        }
    }

    #[inline]
    pub fn slot_of(&self, packet: &Packet) -> FlowSlot {
        // The same for every seed: a switch's hash function is configured once.
        FlowSlot((packet.flow_hash(0) % self.packets.len() as u64) as u32)
    }

    /// The flow whose flag a clone is to raise: the one that holds most, unless its flag is up or on its way already.
    /// Clones are packets, too: without that rule a queue may be kept full by clones that tell nothing new.
    pub fn accuse(&mut self) -> Option<FlowSlot> {
        let slot = self.by_length.longest()?;
        let flag = &mut self.flags[slot as usize];
        let fresh = *flag == Flag::Down;
        *flag = if fresh { Flag::Coming } else { *flag };
        fresh.then_some(FlowSlot(slot))
    }

    /// The clone has reached ingress: the flow's flag is up until a packet of it comes, however late. A clone that went
    /// through the queue comes behind the packets that it is about, so that what the flow holds now says little.
    pub fn raise(&mut self, slot: FlowSlot) {
        self.flags[slot.0 as usize] = Flag::Up;
    }

    /// The clone was lost.
    pub fn acquit(&mut self, slot: FlowSlot) {
        self.flags[slot.0 as usize] = Flag::Down;
    }

    /// Whether a flow's drop flag is up; takes it down.
    pub fn take_flag(&mut self, slot: FlowSlot) -> bool {
        let flag = &mut self.flags[slot.0 as usize];
        let up = *flag == Flag::Up;
        *flag = if up { Flag::Down } else { *flag };
        up
    }

    /// One of them has been queued.
    pub fn joined(&mut self, slot: FlowSlot) {
        let packets = &mut self.packets[slot.0 as usize];
        *packets += 1;
        self.by_length.grown(slot.0, *packets);
    }

    /// One of them has left the queue, or was discarded by it.
    pub fn left(&mut self, slot: FlowSlot) {
        let packets = &mut self.packets[slot.0 as usize];
        if *packets > 0 {
            *packets -= 1;
            self.by_length.shrunk(slot.0, *packets);
        }
    }
}
