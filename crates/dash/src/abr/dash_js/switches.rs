//! Switch-history rule: avoids a representation that was left downwards too often (`rules/SwitchRequestHistory.js`,
//! `rules/abr/SwitchHistoryRule.js`).

use std::collections::VecDeque;

/// Ratio of drops to other checks from which a representation is avoided.
const MOST_DROPS: f64 = 0.075;

/// The latest checks: the representation before, and whether a lower one was wanted.
#[derive(Debug, Clone)]
pub(super) struct SwitchHistory {
    latest: VecDeque<(usize, bool)>,
    /// Checks kept.
    depth: usize,
    /// Checks from which the rule has an opinion.
    sample: usize,
}

impl SwitchHistory {
    pub(super) fn new(is_4: bool) -> SwitchHistory {
        let (depth, sample) = if is_4 { (8, 6) } else { (8, 8) };
        SwitchHistory { latest: VecDeque::with_capacity(depth), depth, sample }
    }

    /// Records a check.
    pub(super) fn push(&mut self, old: usize, new: usize) {
        if self.latest.len() == self.depth {
            self.latest.pop_front();
        }
        self.latest.push_back((old, new < old));
    }

    /// Forgets all checks.
    pub(super) fn reset(&mut self) {
        self.latest.clear();
    }

    /// Returns the highest representation allowed; `None` without an opinion.
    pub(super) fn limit(&self) -> Option<usize> {
        let highest = self.latest.iter().map(|(place, _)| *place).max()?;
        let (mut drops, mut others) = (0, 0);
        for place in 0..=highest {
            let of_place = || self.latest.iter().filter(|(own, _)| *own == place);
            let dropped = of_place().filter(|(_, drop)| *drop).count();
            drops += dropped;
            others += of_place().count() - dropped;
            if drops + others >= self.sample && drops as f64 > MOST_DROPS * others as f64 {
                return Some(if dropped > 0 { place.saturating_sub(1) } else { place });
            }
        }
        None
    }
}
