//! Order of arrival: packets that were overtaken, and copies.

use std::collections::VecDeque;

/// Tells packets that arrive late from copies, by their sequence numbers.
///
/// A packet is reordered if its number is below the next one expected, which is that after the highest received (as in
/// RFC 4737, from memory). A number that is not missing then is that of a copy.
#[derive(Debug, Clone, Default)]
pub(crate) struct ArrivalOrder {
    pub(crate) reordered: u64,
    pub(crate) duplicates: u64,
    /// Numbers that have not arrived: first and last of each run, ascending.
    missing: VecDeque<(u64, u64)>,
    /// Runs below this number have been forgotten.
    known_from: u64,
}

/// Runs of missing numbers that are remembered. What arrives later than these is taken for new.
const MOST_RUNS: usize = 1024;

impl ArrivalOrder {
    /// Counts the arrival of packet number `sequence`; `span` holds the lowest and the highest number before it. Returns whether
    /// it is new.
    #[inline]
    pub(crate) fn arrived(&mut self, sequence: u64, span: Option<(u64, u64)>) -> bool {
        let Some((lowest, highest)) = span else { return true };
        if sequence == highest + 1 {
            return true;
        }
        self.out_of_step(sequence, lowest, highest)
    }

    #[cold]
    fn out_of_step(&mut self, sequence: u64, lowest: u64, highest: u64) -> bool {
        if sequence > highest {
            if self.missing.len() == MOST_RUNS {
                self.known_from = self.missing.pop_front().map_or(0, |(_, last)| last + 1);
            }
            self.missing.push_back((highest + 1, sequence - 1));
            return true;
        }
        let is_new = if sequence < lowest {
            // Numbers between it and the lowest are missing now.
            if sequence + 1 < lowest && self.missing.len() < MOST_RUNS {
                self.missing.push_front((sequence + 1, lowest - 1));
            }
            true
        } else {
            self.fill(sequence) || sequence < self.known_from
        };
        if is_new {
            self.reordered += 1;
        } else {
            self.duplicates += 1;
        }
        is_new
    }

    /// Removes a number from the missing ones. Returns whether it was one.
    fn fill(&mut self, sequence: u64) -> bool {
        let at = self.missing.partition_point(|(_, last)| *last < sequence);
        let Some(run) = self.missing.get_mut(at).filter(|(first, _)| *first <= sequence) else {
            return false;
        };
        let (first, last) = *run;
        match (first == sequence, last == sequence) {
            (true, true) => drop(self.missing.remove(at)),
            (true, false) => run.0 += 1,
            (false, true) => run.1 -= 1,
            (false, false) => {
                run.1 = sequence - 1;
                self.missing.insert(at + 1, (sequence + 1, last));
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrive(numbers: &[u64]) -> (Vec<bool>, u64, u64) {
        let (mut order, mut span) = (ArrivalOrder::default(), None);
        let new = numbers
            .iter()
            .map(|number| {
                let new = order.arrived(*number, span);
                span = Some(span.map_or((*number, *number), |(low, high): (u64, u64)| {
                    (low.min(*number), high.max(*number))
                }));
                new
            })
            .collect();
        (new, order.reordered, order.duplicates)
    }

    #[test]
    fn a_late_packet_is_reordered_and_a_second_one_is_a_copy() {
        assert_eq!(arrive(&[1, 2, 5, 3, 6, 3, 4, 6]).1, 2);
        assert_eq!(arrive(&[1, 2, 5, 3, 6, 3, 4, 6]).2, 2);
        assert_eq!(arrive(&[1, 2, 5, 3, 6, 3, 4, 6]).0, [true, true, true, true, true, false, true, false]);
    }

    #[test]
    fn losses_are_neither() {
        assert_eq!(arrive(&[1, 5, 9, 20, 21]), (vec![true; 5], 0, 0));
    }

    #[test]
    fn a_run_is_split_and_used_up() {
        let (new, reordered, duplicates) = arrive(&[0, 6, 3, 3, 1, 5, 2, 4, 4]);
        assert_eq!(new, [true, true, true, false, true, true, true, true, false]);
        assert_eq!((reordered, duplicates), (5, 2));
    }

    #[test]
    fn a_number_below_the_first_is_late_once() {
        assert_eq!(arrive(&[7, 4, 5, 4, 5]), (vec![true, true, true, false, false], 2, 2));
    }

    #[test]
    fn what_was_forgotten_counts_as_new() {
        let mut numbers: Vec<u64> = (0..3000).map(|n| 2 * n).collect();
        numbers.push(1);
        assert_eq!(arrive(&numbers).1, 1);
    }
}
