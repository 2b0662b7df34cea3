//! The flow with the largest backlog, found without looking at all of them.

/// A knockout tournament of a tin's flows by backlog in bytes. Flows play in pairs, the winners in pairs again, up to the root;
/// of equals, the later slot wins. A change replays only the flow's own matches, and only as long as their outcome changes.
///
/// It is held only while it is needed: from an overflow until the tin is empty. A queue that never fills pays nothing.
#[derive(Debug, Clone, Default)]
pub struct Fattest {
    /// The winner of each match, the final first: the winners of matches 2n + 1 and 2n + 2 play match n. The flows themselves are
    /// the last `flows` entries. Empty without a tournament.
    rounds: Vec<Entrant>,
    /// Matches, one less than the flows rounded up to a power of two.
    matches: usize,
    is_held: bool,
}

/// Ordered by backlog, then by slot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Entrant {
    bytes: u64,
    slot: u32,
}

impl Fattest {
    /// Whether backlogs have to be reported.
    #[inline]
    pub fn is_held(&self) -> bool {
        self.is_held
    }

    /// Starts a tournament of the flows with these backlogs.
    #[cold]
    pub fn hold(&mut self, backlogs: impl ExactSizeIterator<Item = u64>) {
        self.matches = backlogs.len().next_power_of_two() - 1;
        self.rounds.clear();
        self.rounds.resize(2 * self.matches + 1, Entrant::default());
        for (slot, bytes) in (0..).zip(backlogs) {
            self.rounds[self.matches + slot as usize] = Entrant { bytes, slot };
        }
        (0..self.matches).rev().for_each(|at| self.rounds[at] = self.winner(at));
        self.is_held = true;
    }

    /// Ends the tournament.
    #[inline]
    pub fn release(&mut self) {
        self.is_held = false;
    }

    /// Reports the backlog of the flow in `slot`.
    #[inline]
    pub fn changed(&mut self, slot: usize, bytes: u64) {
        let mut at = self.matches + slot;
        self.rounds[at].bytes = bytes;
        self.rounds[at].slot = slot as u32;
        while at > 0 {
            at = (at - 1) / 2;
            let winner = self.winner(at);
            if self.rounds[at] == winner {
                return;
            }
            self.rounds[at] = winner;
        }
    }

    /// The largest backlog in bytes and its flow's slot.
    #[inline]
    pub fn largest(&self) -> (u64, usize) {
        self.rounds.first().map_or((0, 0), |first| (first.bytes, first.slot as usize))
    }

    #[inline]
    fn winner(&self, at: usize) -> Entrant {
        self.rounds[2 * at + 1].max(self.rounds[2 * at + 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jettison_core::Seed;

    #[test]
    fn the_winner_is_that_of_a_search() {
        let mut random = Seed(1).stream(&["fattest"]);
        for flows in [8, 24, 1024] {
            let mut backlogs = vec![0u64; flows];
            backlogs[3] = 7;
            let mut fattest = Fattest::default();
            fattest.hold(backlogs.iter().copied());
            for _ in 0..5_000 {
                let slot = random.uniform(0, flows as u64 - 1) as usize;
                // Few values, so that there are equals.
                backlogs[slot] = random.uniform(0, 6) * 1_500;
                fattest.changed(slot, backlogs[slot]);
                let searched = backlogs.iter().zip(0..).map(|(bytes, slot)| (*bytes, slot)).max();
                assert_eq!(Some(fattest.largest()), searched);
            }
        }
    }
}
