//! A set of number ranges: SACKed data at a sender, out-of-order data at a receiver.

use std::collections::VecDeque;

/// Disjoint, non-adjacent half-open ranges of stream offsets or packet sequence numbers, in order.
///
/// Lookup is logarithmic in the number of ranges, which is the number of holes, not of segments. Extending the last
/// range, the usual case, moves no other.
#[derive(Debug, Clone, Default)]
pub struct RangeSet {
    ranges: VecDeque<(u64, u64)>,
}

impl RangeSet {
    #[inline]
    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Removes all ranges.
    pub fn clear(&mut self) {
        self.ranges.clear();
    }

    /// The ranges in descending order.
    pub fn iter_down(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.ranges.iter().rev().copied()
    }

    #[inline]
    /// The lowest range.
    pub fn first(&self) -> Option<(u64, u64)> {
        self.ranges.front().copied()
    }

    #[inline]
    /// The highest range.
    pub fn last(&self) -> Option<(u64, u64)> {
        self.ranges.back().copied()
    }

    /// The range that contains `offset`.
    pub fn containing(&self, offset: u64) -> Option<(u64, u64)> {
        let at = self.ranges.partition_point(|range| range.1 <= offset);
        self.ranges.get(at).copied().filter(|range| range.0 <= offset)
    }

    /// The first part of `start..end` that is not in the set.
    pub fn first_uncovered(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        if start >= end {
            return None;
        }
        let at = self.ranges.partition_point(|range| range.1 <= start);
        match self.ranges.get(at) {
            None => Some((start, end)),
            Some(range) if start < range.0 => Some((start, end.min(range.0))),
            // `start` is inside this range; ranges do not touch, so the byte after it is free.
            Some(range) if range.1 < end => {
                let next = self.ranges.get(at + 1).map_or(u64::MAX, |range| range.0);
                Some((range.1, end.min(next)))
            }
            Some(_) => None,
        }
    }

    /// Adds `start..end` and merges overlapping and adjacent ranges.
    pub fn insert(&mut self, mut start: u64, mut end: u64) {
        if start >= end {
            return;
        }
        let first = self.ranges.partition_point(|range| range.1 < start);
        let mut past = first;
        while let Some(range) = self.ranges.get(past).filter(|range| range.0 <= end) {
            start = start.min(range.0);
            end = end.max(range.1);
            past += 1;
        }
        if past == first {
            self.ranges.insert(first, (start, end));
        } else {
            self.ranges[first] = (start, end);
            if past > first + 1 {
                self.ranges.drain(first + 1..past);
            }
        }
    }

    /// Removes everything below `offset`.
    #[inline]
    pub fn remove_below(&mut self, offset: u64) {
        while let Some(range) = self.ranges.front_mut() {
            if range.1 <= offset {
                self.ranges.pop_front();
            } else {
                range.0 = range.0.max(offset);
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn joins_neighbours_and_finds_gaps() {
        let mut set = RangeSet::default();
        set.insert(10, 20);
        set.insert(30, 40);
        assert_eq!(set.first_uncovered(5, 50), Some((5, 10)));
        assert_eq!(set.first_uncovered(10, 50), Some((20, 30)));
        assert_eq!(set.first_uncovered(12, 18), None);
        assert_eq!(set.containing(35), Some((30, 40)));
        assert_eq!(set.containing(20), None);
        set.insert(20, 30);
        assert_eq!((set.first(), set.last()), (Some((10, 40)), Some((10, 40))));
        set.remove_below(15);
        assert_eq!(set.first(), Some((15, 40)));
    }

    proptest! {
        #[test]
        fn agrees_with_a_set_of_offsets(operations in prop::collection::vec((0u64..60, 1u64..20, any::<bool>()), 1..40)) {
            let mut set = RangeSet::default();
            let mut model = std::collections::BTreeSet::new();
            for (start, length, add) in operations {
                if add {
                    set.insert(start, start + length);
                    model.extend(start..start + length);
                } else {
                    set.remove_below(start);
                    model = model.split_off(&start);
                }
                let held: Vec<u64> = set.ranges.iter().flat_map(|r| r.0..r.1).collect();
                prop_assert_eq!(&held, &model.iter().copied().collect::<Vec<_>>());
                prop_assert!(set.ranges.iter().zip(set.ranges.iter().skip(1)).all(|(a, b)| a.1 < b.0));
                let free = (start..start + length).find(|offset| !model.contains(offset));
                prop_assert_eq!(set.first_uncovered(start, start + length).map(|gap| gap.0), free);
            }
        }
    }
}
