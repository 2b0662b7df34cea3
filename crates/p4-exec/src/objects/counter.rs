//! `counter` and `direct_counter`, and PSA's `Counter` and `DirectCounter`.

/// An array of counters. Both packets and bytes are counted, whatever the declared type; the type only tells which to
/// read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counter {
    counts: Vec<(u64, u64)>,
    grows: bool,
    /// PSA: the entry that matched, or `None` for the default action.
    selected: Option<u64>,
    /// PSA: counts of the default action.
    default: (u64, u64),
}

impl Counter {
    /// Creates `len` counters at zero.
    pub fn new(len: usize) -> Counter {
        Counter { counts: vec![(0, 0); len], grows: false, ..Counter::direct() }
    }

    /// Creates a direct counter, with one counter per table entry.
    pub fn direct() -> Counter {
        Counter { counts: Vec::new(), grows: true, selected: None, default: (0, 0) }
    }

    /// Counts a packet of a given size.
    #[inline]
    pub fn count(&mut self, index: u64, bytes: u64) {
        if let Some((packets, sum)) = self.at(index) {
            *packets = packets.wrapping_add(1);
            *sum = sum.wrapping_add(bytes);
        }
    }

    /// Selects the counter of an entry, or of the default action.
    pub fn select(&mut self, entry: Option<u64>) {
        self.selected = entry;
    }

    /// Counts a packet at the selected counter.
    pub fn count_selected(&mut self, bytes: u64) {
        match self.selected {
            Some(entry) => self.count(entry, bytes),
            None => self.default = (self.default.0.wrapping_add(1), self.default.1.wrapping_add(bytes)),
        }
    }

    /// Packets and bytes counted by a default action.
    pub fn of_default(&self) -> (u64, u64) {
        self.default
    }

    /// Number of packets counted.
    pub fn packets(&self, index: u64) -> u64 {
        self.read(index).0
    }

    /// Number of bytes counted.
    pub fn bytes(&self, index: u64) -> u64 {
        self.read(index).1
    }

    /// Sets the counts.
    pub fn set(&mut self, index: u64, packets: u64, bytes: u64) {
        if let Some(at) = self.at(index) {
            *at = (packets, bytes);
        }
    }

    /// Resets all counters.
    pub fn reset(&mut self) {
        self.counts.fill((0, 0));
        self.default = (0, 0);
    }

    /// Number of counters; for a direct counter, up to the last one in use.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are no counters.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    fn read(&self, index: u64) -> (u64, u64) {
        usize::try_from(index).ok().and_then(|index| self.counts.get(index).copied()).unwrap_or((0, 0))
    }

    #[inline]
    fn at(&mut self, index: u64) -> Option<&mut (u64, u64)> {
        let index = usize::try_from(index).ok()?;
        // Handles are 32 bits wide, so larger indices are invalid.
        if index >= self.counts.len() && self.grows && u32::try_from(index).is_ok() {
            self.counts.resize(index + 1, (0, 0));
        }
        self.counts.get_mut(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_packets_and_bytes_within_its_size() {
        let mut counter = Counter::new(2);
        counter.count(1, 100);
        counter.count(1, 60);
        counter.count(2, 7);
        assert_eq!((counter.packets(1), counter.bytes(1)), (2, 160));
        assert_eq!((counter.packets(2), counter.len()), (0, 2));
        counter.set(0, 3, 4);
        assert_eq!((counter.packets(0), counter.bytes(0)), (3, 4));
        counter.reset();
        assert_eq!((counter.packets(1), counter.bytes(1)), (0, 0));
    }

    /// PSA 1.2, "Direct Counter": the entry that matched counts, or the default action.
    #[test]
    fn an_action_counts_at_the_selected_entry() {
        let mut counter = Counter::direct();
        counter.select(Some(2));
        counter.count_selected(10);
        counter.select(None);
        counter.count_selected(7);
        assert_eq!((counter.packets(2), counter.bytes(2), counter.of_default()), (1, 10, (1, 7)));
        counter.reset();
        assert_eq!(counter.of_default(), (0, 0));
    }

    #[test]
    fn a_direct_counter_grows_with_the_entries() {
        let mut counter = Counter::direct();
        assert!(counter.is_empty());
        counter.count(3, 10);
        assert_eq!((counter.packets(3), counter.packets(2), counter.packets(9)), (1, 0, 0));
    }
}
