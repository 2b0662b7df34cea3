//! Backlog and drop flag per flow of a port's queue.

use jettison_queue::ByLength;
use jettison_wire::Packet;

/// Index of a flow's counter and flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FlowSlot(u32);

impl From<u64> for FlowSlot {
    /// Reads the payload of a clone.
    fn from(value: u64) -> FlowSlot {
        FlowSlot(value as u32)
    }
}

impl From<FlowSlot> for u64 {
    fn from(slot: FlowSlot) -> u64 {
        u64::from(slot.0)
    }
}

/// State of a flow's drop flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flag {
    Down,
    /// A clone that will raise the flag is on its way to ingress.
    Coming,
    Up,
}

/// Queued packets and drop flag per flow slot. Counters are incremented at ingress and decremented at egress; the maximum
/// is found in constant time.
#[derive(Clone)]
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
        // Independent of the run's seed: a switch's hash function is configured once.
        FlowSlot((packet.flow_hash(0) % self.packets.len() as u64) as u32)
    }

    /// Selects the flow whose flag a clone will raise: the one with the largest backlog, unless its flag is up or coming
    /// already. Without this rule, redundant clones, which are packets too, could keep a queue full.
    pub fn select_culprit(&mut self) -> Option<FlowSlot> {
        let slot = self.by_length.longest()?;
        let flag = &mut self.flags[slot as usize];
        let fresh = *flag == Flag::Down;
        *flag = if fresh { Flag::Coming } else { *flag };
        fresh.then_some(FlowSlot(slot))
    }

    /// Raises a flow's flag when its clone reaches ingress. The flag stays up until the flow's next packet, independent of the
    /// flow's current backlog: a clone that passed the queue arrives after the packets that caused it have left.
    pub fn raise_flag(&mut self, slot: FlowSlot) {
        self.flags[slot.0 as usize] = Flag::Up;
    }

    /// Clears a flow's flag after the loss of its clone.
    pub fn cancel_flag(&mut self, slot: FlowSlot) {
        self.flags[slot.0 as usize] = Flag::Down;
    }

    /// Returns whether a flow's flag is up, and clears it if so.
    pub fn take_flag(&mut self, slot: FlowSlot) -> bool {
        let flag = &mut self.flags[slot.0 as usize];
        let up = *flag == Flag::Up;
        *flag = if up { Flag::Down } else { *flag };
        up
    }

    /// Counts a packet of the flow that was enqueued.
    pub fn joined(&mut self, slot: FlowSlot) {
        let packets = &mut self.packets[slot.0 as usize];
        *packets += 1;
        self.by_length.grown(slot.0, *packets);
    }

    /// Counts a packet of the flow that left the queue or was dropped by it.
    pub fn left(&mut self, slot: FlowSlot) {
        let packets = &mut self.packets[slot.0 as usize];
        if *packets > 0 {
            *packets -= 1;
            self.by_length.shrunk(slot.0, *packets);
        }
    }
}
