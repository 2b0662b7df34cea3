//! An encoder's knowledge of its decoder, derived from the fates of its frames.

use std::collections::VecDeque;

use crate::Fate;

/// Frames sent since the newest one known to be decoded, including that one.
#[derive(Debug, Clone, Default)]
pub(super) struct Arrivals {
    /// Oldest first.
    coded: VecDeque<Coded>,
}

/// A sent frame.
#[derive(Debug, Clone, Copy)]
struct Coded {
    frame: u32,
    /// Reference frame; `None` for a key frame.
    reference: Option<u32>,
    fate: Option<Fate>,
    is_decoded: bool,
}

impl Arrivals {
    /// Maximum number of remembered frames while none is known to be decoded.
    const MOST: usize = 256;

    /// Records a sent frame and its reference.
    pub(super) fn sent(&mut self, frame: u32, reference: Option<u32>) {
        if self.coded.len() == Arrivals::MOST {
            self.coded.pop_front();
        }
        self.coded.push_back(Coded { frame, reference, fate: None, is_decoded: false });
    }

    /// Records the fate of a frame.
    pub(super) fn settle(&mut self, frame: u32, fate: Fate) {
        let Some(place) = self.index_of(frame) else { return };
        self.coded[place].fate = Some(fate);
        for index in place..self.coded.len() {
            let Coded { reference, fate, .. } = self.coded[index];
            let has_reference = match reference {
                Some(reference) => self.index_of(reference).is_some_and(|place| self.coded[place].is_decoded),
                None => true,
            };
            self.coded[index].is_decoded = fate == Some(Fate::Acknowledged) && has_reference;
        }
        if let Some(newest) = self.coded.iter().rposition(|coded| coded.is_decoded) {
            self.coded.drain(..newest);
        }
    }

    /// Returns the newest frame known to be decoded.
    pub(super) fn decoded(&self) -> Option<u32> {
        self.coded.front().filter(|coded| coded.is_decoded).map(|coded| coded.frame)
    }

    /// Returns whether a frame is known to be undecodable: it or a frame that it depends on did not arrive.
    pub(super) fn is_broken(&self, frame: u32) -> bool {
        let mut needed = frame;
        for coded in self.coded.iter().rev() {
            if coded.frame != needed {
                continue;
            }
            if !matches!(coded.fate, None | Some(Fate::Acknowledged)) {
                return true;
            }
            match coded.reference {
                Some(reference) if !coded.is_decoded => needed = reference,
                _ => return false,
            }
        }
        false
    }

    fn index_of(&self, frame: u32) -> Option<usize> {
        self.coded.binary_search_by_key(&frame, |coded| coded.frame).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns frames 0 to 6, each coded against the previous one, with key frames 0 and 4.
    fn chain() -> Arrivals {
        let mut arrivals = Arrivals::default();
        for frame in 0..7u32 {
            arrivals.sent(frame, (frame % 4 > 0).then(|| frame - 1));
        }
        arrivals
    }

    #[test]
    fn a_received_frame_is_decoded_with_all_of_its_references() {
        let mut arrivals = chain();
        arrivals.settle(1, Fate::Acknowledged);
        assert_eq!(arrivals.decoded(), None);
        arrivals.settle(0, Fate::Acknowledged);
        assert_eq!(arrivals.decoded(), Some(1));
        arrivals.settle(2, Fate::Lost);
        arrivals.settle(3, Fate::Acknowledged);
        assert_eq!(arrivals.decoded(), Some(1), "3 arrived, but needs 2");
        arrivals.settle(4, Fate::Acknowledged);
        assert_eq!(arrivals.decoded(), Some(4), "a key frame needs none");
        assert_eq!(arrivals.coded.len(), 3, "what is older is forgotten");
    }

    #[test]
    fn frames_that_depend_on_a_lost_one_are_broken() {
        let mut arrivals = chain();
        arrivals.settle(2, Fate::Lost);
        let broken: Vec<_> = (0..7).filter(|frame| arrivals.is_broken(*frame)).collect();
        assert_eq!(broken, [2, 3]);
        arrivals.settle(5, Fate::Dropped(jettison_core::DropReason::StaleMessage));
        let broken: Vec<_> = (0..7).filter(|frame| arrivals.is_broken(*frame)).collect();
        assert_eq!(broken, [2, 3, 5, 6]);
    }

    #[test]
    fn its_memory_is_bounded_without_feedback() {
        let mut arrivals = Arrivals::default();
        for frame in 0..3_000 {
            arrivals.sent(frame, None);
        }
        assert_eq!(arrivals.coded.len(), Arrivals::MOST);
        arrivals.settle(5, Fate::Lost);
        assert!(!arrivals.is_broken(5));
    }
}
