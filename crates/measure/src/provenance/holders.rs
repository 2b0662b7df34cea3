//! Whose packets wait in the queues.

use jettison_wire::{FlowId, PacketMeta};

/// Packets and bytes that wait in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Held {
    /// Packets.
    pub packets: u32,
    /// Bytes of IP length.
    pub bytes: u64,
}

/// What waits in each queue, by flow.
#[derive(Debug, Clone, Default)]
pub(super) struct Holders {
    /// By queue, then by flow; packets outside the scenario's flows are at 0, and flow n is at n + 1.
    queues: Vec<Vec<Held>>,
}

/// The place of a flow; of [`FlowId::NONE`] it is 0.
#[inline]
fn place(flow: FlowId) -> usize {
    flow.0.wrapping_add(1) as usize
}

impl Holders {
    #[inline]
    pub fn add(&mut self, queue: u32, meta: &PacketMeta) {
        let place = place(meta.flow);
        match self.queues.get_mut(queue as usize).and_then(|flows| flows.get_mut(place)) {
            Some(held) => {
                held.packets += 1;
                held.bytes += u64::from(meta.length);
            }
            None => self.grow(queue, place, meta),
        }
    }

    #[cold]
    fn grow(&mut self, queue: u32, place: usize, meta: &PacketMeta) {
        let queue = queue as usize;
        if self.queues.len() <= queue {
            self.queues.resize_with(queue + 1, Vec::new);
        }
        let flows = &mut self.queues[queue];
        if flows.len() <= place {
            flows.resize(place + 1, Held::default());
        }
        flows[place].packets += 1;
        flows[place].bytes += u64::from(meta.length);
    }

    #[inline]
    pub fn remove(&mut self, queue: u32, meta: &PacketMeta) {
        let flows = self.queues.get_mut(queue as usize);
        if let Some(held) = flows.and_then(|flows| flows.get_mut(place(meta.flow))) {
            held.packets = held.packets.saturating_sub(1);
            held.bytes = held.bytes.saturating_sub(u64::from(meta.length));
        }
    }

    /// The flows with packets in a queue, by flow; [`FlowId::NONE`] is first.
    pub fn of(&self, queue: u32) -> impl Iterator<Item = (FlowId, Held)> + '_ {
        let flows = self.queues.get(queue as usize).into_iter().flatten();
        let flows = flows.enumerate().filter(|(_, held)| held.packets > 0);
        flows.map(|(place, held)| (FlowId((place as u32).wrapping_sub(1)), *held))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_hold_what_they_have_added_and_not_removed() {
        let mut own = Holders::default();
        let of = |flow, length| PacketMeta { flow, length, ..PacketMeta::default() };
        for flow in [FlowId(3), FlowId(3), FlowId::NONE, FlowId(0)] {
            own.add(2, &of(flow, 100));
        }
        own.remove(2, &of(FlowId(0), 100));
        own.remove(2, &of(FlowId(3), 100));
        own.remove(1, &of(FlowId(3), 100));
        let one = Held { packets: 1, bytes: 100 };
        assert_eq!(own.of(2).collect::<Vec<_>>(), [(FlowId::NONE, one), (FlowId(3), one)]);
        assert_eq!(own.of(0).count() + own.of(7).count(), 0);
    }
}
