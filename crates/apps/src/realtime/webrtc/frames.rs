//! Frames at the receiver: put together from packets, decoded when their references are.

use std::collections::{BTreeMap, BTreeSet};

use jettison_core::Time;

use super::packet::Part;

/// Frames that are kept: of older ones nothing is waited for.
const KEPT: usize = 300;
/// Most packets of a frame.
const MOST_PACKETS: u16 = 4096;

/// A frame that can be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decodable {
    pub frame: u32,
    pub captured_at: Time,
    /// Number of its first media packet.
    pub first_packet: u64,
    pub is_key: bool,
    /// Whether a part of it came by a retransmission.
    pub is_repaired: bool,
}

#[derive(Debug, Clone)]
struct Open {
    got: Vec<u64>,
    left: u16,
    packets: u16,
    back: u16,
    captured_at: Time,
    first_packet: u64,
    is_repaired: bool,
}

/// The frames of a call.
#[derive(Debug, Clone, Default)]
pub(super) struct Frames {
    open: BTreeMap<u32, Open>,
    decoded: BTreeSet<u32>,
    /// Everything before it has been shown or will not be.
    first: u32,
}

impl Frames {
    /// Adds a part, of the media packet with this number. `None` if it is known, or no longer of use; else whether the frame is
    /// now complete.
    pub(super) fn add(
        &mut self,
        number: u64,
        part: Part,
        captured_at: Time,
        is_repair: bool,
    ) -> Option<bool> {
        if part.frame < self.first || part.packets > MOST_PACKETS || self.decoded.contains(&part.frame) {
            return None;
        }
        let frame = self.open.entry(part.frame).or_insert_with(|| Open {
            got: vec![0; usize::from(part.packets).div_ceil(64)],
            left: part.packets,
            packets: part.packets,
            back: part.back,
            captured_at,
            first_packet: number.saturating_sub(part.place.into()),
            is_repaired: false,
        });
        if part.packets != frame.packets {
            return None;
        }
        let (word, bit) = (&mut frame.got[usize::from(part.place) / 64], 1 << (part.place % 64));
        if *word & bit != 0 {
            return None;
        }
        *word |= bit;
        frame.left -= 1;
        frame.is_repaired |= is_repair;
        let is_complete = frame.left == 0;
        if self.open.len() > KEPT {
            self.open.pop_first();
        }
        Some(is_complete)
    }

    /// Takes the oldest frame that is complete and whose reference was decoded: it is decoded now.
    pub(super) fn take_decodable(&mut self) -> Option<Decodable> {
        let (number, _) = self.open.iter().find(|(number, frame)| {
            frame.left == 0 && (frame.back == 0 || self.decoded.contains(&(**number - u32::from(frame.back))))
        })?;
        let number = *number;
        let frame = self.open.remove(&number)?;
        self.decoded.insert(number);
        if self.decoded.len() > KEPT {
            self.decoded.pop_first();
        }
        Some(Decodable {
            frame: number,
            captured_at: frame.captured_at,
            first_packet: frame.first_packet,
            is_key: frame.back == 0,
            is_repaired: frame.is_repaired,
        })
    }

    /// Frames before this one are of no use any more: a newer one was shown.
    pub(super) fn forget_before(&mut self, frame: u32) {
        self.first = self.first.max(frame);
        self.open = self.open.split_off(&frame);
    }

    /// Whether a complete frame waits for a reference that is not there.
    pub(super) fn is_stuck(&self) -> bool {
        self.open.values().any(|frame| frame.left == 0)
    }

    /// Whether anything was decoded yet.
    pub(super) fn has_decoded(&self) -> bool {
        !self.decoded.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(frames: &mut Frames, frame: u32, back: u16, place: u16, packets: u16) -> Option<bool> {
        let part = Part { frame, back, place, packets, timestamp: 0, length: 1000 };
        frames.add(100 + u64::from(frame * 10) + u64::from(place), part, Time::ZERO, false)
    }

    fn decoded(frames: &mut Frames) -> Vec<u32> {
        std::iter::from_fn(|| frames.take_decodable()).map(|frame| frame.frame).collect()
    }

    #[test]
    fn a_frame_is_complete_with_its_last_part_and_copies_do_not_count() {
        let mut frames = Frames::default();
        assert_eq!(add(&mut frames, 0, 0, 1, 2), Some(false));
        assert_eq!(add(&mut frames, 0, 0, 1, 2), None);
        assert_eq!(add(&mut frames, 0, 0, 0, 2), Some(true));
        let frame = frames.take_decodable().expect("a key frame");
        assert_eq!((frame.frame, frame.first_packet, frame.is_key), (0, 100, true));
        assert_eq!(add(&mut frames, 0, 0, 0, 2), None, "it was decoded");
    }

    #[test]
    fn a_frame_waits_for_its_reference() {
        let mut frames = Frames::default();
        add(&mut frames, 0, 0, 0, 1);
        add(&mut frames, 2, 1, 0, 1);
        add(&mut frames, 3, 1, 0, 1);
        assert_eq!(decoded(&mut frames), [0]);
        assert!(frames.is_stuck());
        add(&mut frames, 1, 1, 0, 1);
        assert_eq!(decoded(&mut frames), [1, 2, 3]);
    }

    #[test]
    fn a_lost_frame_of_the_highest_layer_breaks_nothing() {
        let mut frames = Frames::default();
        for (frame, back) in [(0, 0), (2, 2), (3, 1), (4, 4)] {
            add(&mut frames, frame, back, 0, 1);
        }
        assert_eq!(decoded(&mut frames), [0, 2, 3, 4]);
    }

    #[test]
    fn a_key_frame_begins_anew() {
        let mut frames = Frames::default();
        add(&mut frames, 0, 0, 0, 1);
        decoded(&mut frames);
        add(&mut frames, 2, 1, 0, 1);
        add(&mut frames, 9, 0, 0, 1);
        assert_eq!(decoded(&mut frames), [9]);
        frames.forget_before(9);
        assert!(!frames.is_stuck());
        assert_eq!(add(&mut frames, 1, 1, 0, 1), None, "it would be shown after frame 9");
    }
}
