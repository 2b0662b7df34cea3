//! Hybrid ARQ: blocks that are sent again until they are decoded (TS 38.321 §5.3.2 downlink, §5.4.2 uplink).

use std::collections::VecDeque;

use jettison_core::{RandomStream, Time};

use super::HarqParameters;
use super::rlc::Segment;

/// A transport block: what a slot carries.
#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    pub segments: Vec<Segment>,
    /// Transmissions so far.
    pub transmissions: u32,
    /// End of its first transmission.
    pub first_end: Time,
}

/// What the receiver made of a block.
#[derive(Debug)]
pub(super) enum Decoded {
    /// It was decoded.
    Whole(Block),
    /// It was sent as often as may be, or there is no HARQ.
    Lost(Block),
    /// It will be sent again.
    Again,
}

/// The processes of a direction.
#[derive(Debug, Clone)]
pub(super) struct Harq {
    parameters: Option<HarqParameters>,
    random: RandomStream,
    /// Blocks to be sent again, with the first slot in which they may be, in order.
    again: VecDeque<(u64, Block)>,
    /// Blocks on the air, with the end of their slot, in order.
    air: VecDeque<(Time, u64, Block)>,
    /// Blocks for use again.
    spare: Vec<Block>,
}

impl Harq {
    pub fn new(parameters: Option<HarqParameters>, random: RandomStream) -> Harq {
        Harq { parameters, random, again: VecDeque::new(), air: VecDeque::new(), spare: Vec::new() }
    }

    /// An empty block.
    pub fn block(&mut self) -> Block {
        self.spare.pop().unwrap_or_default()
    }

    /// Takes back a block that has done its work.
    pub fn recycle(&mut self, mut block: Block) {
        block.segments.clear();
        block.transmissions = 0;
        self.spare.push(block);
    }

    /// Whether a process is free for a new block.
    pub fn is_free(&self) -> bool {
        let most = self.parameters.as_ref().map_or(usize::MAX, |parameters| parameters.processes as usize);
        self.again.len() + self.air.len() < most
    }

    /// The first slot in which a block may be sent again.
    pub fn next_slot(&self) -> Option<u64> {
        self.again.front().map(|(slot, _)| *slot)
    }

    /// The block that is sent again in a slot.
    pub fn retransmission(&mut self, slot: u64) -> Option<Block> {
        self.again.pop_front_if(|(from, _)| *from <= slot).map(|(_, block)| block)
    }

    /// Sends a block in a slot that ends at `end`.
    pub fn send(&mut self, mut block: Block, slot: u64, end: Time) {
        if block.transmissions == 0 {
            block.first_end = end;
        }
        block.transmissions += 1;
        self.air.push_back((end, slot, block));
    }

    /// When the next block has arrived.
    pub fn next_arrival(&self) -> Option<Time> {
        self.air.front().map(|(at, ..)| *at)
    }

    /// A block that has arrived by `now`, decoded or not.
    pub fn arrived(&mut self, now: Time) -> Option<Decoded> {
        let (_, slot, block) = self.air.pop_front_if(|(at, ..)| *at <= now)?;
        let Some(parameters) = &self.parameters else { return Some(Decoded::Whole(block)) };
        let error = match block.transmissions {
            1 => parameters.bler,
            _ => parameters.retransmission_bler.unwrap_or(parameters.bler),
        };
        if !self.random.chance(error.value()) {
            return Some(Decoded::Whole(block));
        }
        if block.transmissions >= parameters.max_transmissions {
            return Some(Decoded::Lost(block));
        }
        self.again.push_back((slot + u64::from(parameters.round_trip), block));
        Some(Decoded::Again)
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Seed;

    use super::*;
    use crate::Share;

    fn harq(bler: f64, retransmission: f64, max_transmissions: u32) -> Harq {
        let parameters = HarqParameters {
            bler: Share::new(bler).unwrap(),
            retransmission_bler: Share::new(retransmission),
            max_transmissions,
            processes: 2,
            ..HarqParameters::default()
        };
        Harq::new(Some(parameters), Seed(1).stream(&["harq"]))
    }

    #[test]
    fn a_block_that_is_not_decoded_is_sent_again_after_a_round_trip() {
        let mut harq = harq(1.0, 0.0, 4);
        let block = harq.block();
        harq.send(block, 10, Time::from_millis(11));
        assert!(harq.arrived(Time::from_millis(10)).is_none());
        assert!(matches!(harq.arrived(Time::from_millis(11)), Some(Decoded::Again)));
        assert!(harq.retransmission(17).is_none());
        let block = harq.retransmission(18).unwrap();
        harq.send(block, 18, Time::from_millis(19));
        let Some(Decoded::Whole(block)) = harq.arrived(Time::from_millis(19)) else { panic!("not decoded") };
        assert_eq!((block.transmissions, block.first_end), (2, Time::from_millis(11)));
    }

    #[test]
    fn the_last_transmission_leaves_the_rest_to_rlc() {
        let mut harq = harq(1.0, 1.0, 2);
        let block = harq.block();
        harq.send(block, 0, Time::from_millis(1));
        assert!(matches!(harq.arrived(Time::from_millis(1)), Some(Decoded::Again)));
        let block = harq.retransmission(8).unwrap();
        harq.send(block, 8, Time::from_millis(9));
        assert!(matches!(harq.arrived(Time::from_millis(9)), Some(Decoded::Lost(_))));
        assert_eq!(harq.next_slot(), None);
    }

    #[test]
    fn processes_bound_the_blocks_under_way() {
        let mut harq = harq(1.0, 1.0, 4);
        for slot in 0..2 {
            assert!(harq.is_free());
            let block = harq.block();
            harq.send(block, slot, Time::from_millis(slot + 1));
        }
        assert!(!harq.is_free());
        assert!(matches!(harq.arrived(Time::from_millis(1)), Some(Decoded::Again)));
        assert!(!harq.is_free(), "a block that awaits its retransmission keeps its process");
    }

    #[test]
    fn the_share_of_errors_is_the_block_error_rate() {
        let mut harq = harq(0.1, 0.1, 1);
        let mut lost = 0;
        for slot in 0..20_000 {
            let block = harq.block();
            harq.send(block, slot, Time::from_millis(slot + 1));
            match harq.arrived(Time::from_millis(slot + 1)) {
                Some(Decoded::Lost(block)) => {
                    lost += 1;
                    harq.recycle(block);
                }
                Some(Decoded::Whole(block)) => harq.recycle(block),
                _ => panic!("neither"),
            }
        }
        // Four standard deviations of a binomial of 20,000.
        assert!((lost as f64 - 2000.0).abs() < 170.0, "{lost}");
    }
}
