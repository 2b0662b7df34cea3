//! The order in which slots were last used.

/// A list of slots, least recently used first. All operations take constant time.
#[derive(Debug, Clone)]
pub(super) struct Recency {
    links: Vec<Link>,
    oldest: u32,
    newest: u32,
}

#[derive(Debug, Clone, Copy)]
struct Link {
    older: u32,
    newer: u32,
}

/// The end of the list.
const NONE: u32 = u32::MAX;

impl Default for Recency {
    fn default() -> Recency {
        Recency { links: Vec::new(), oldest: NONE, newest: NONE }
    }
}

impl Recency {
    /// Memory for a slot in bytes.
    pub const SLOT: usize = size_of::<Link>();

    /// The least recently used slot.
    pub fn oldest(&self) -> Option<u32> {
        (self.oldest != NONE).then_some(self.oldest)
    }

    /// Adds a slot, which is not in the list, as the newest.
    pub fn add(&mut self, slot: u32) {
        let at = slot as usize;
        if at >= self.links.len() {
            self.links.resize(at + 1, Link { older: NONE, newer: NONE });
        }
        self.links[at] = Link { older: self.newest, newer: NONE };
        match self.links.get_mut(self.newest as usize) {
            Some(link) => link.newer = slot,
            None => self.oldest = slot,
        }
        self.newest = slot;
    }

    /// Removes a slot of the list.
    pub fn remove(&mut self, slot: u32) {
        let Link { older, newer } = self.links[slot as usize];
        match self.links.get_mut(older as usize) {
            Some(link) => link.newer = newer,
            None => self.oldest = newer,
        }
        match self.links.get_mut(newer as usize) {
            Some(link) => link.older = older,
            None => self.newest = older,
        }
    }

    /// Marks a slot of the list as the newest.
    #[inline]
    pub fn touch(&mut self, slot: u32) {
        // Usually the next packet is of the same message.
        if self.newest != slot {
            self.remove(slot);
            self.add(slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_a_plain_list(steps in prop::collection::vec((0u32..6, any::<bool>()), 0..60)) {
            let (mut recency, mut plain) = (Recency::default(), Vec::new());
            for (slot, removes) in steps {
                match plain.iter().position(|known| *known == slot) {
                    None => recency.add(slot),
                    Some(at) => {
                        plain.remove(at);
                        if removes { recency.remove(slot) } else { recency.touch(slot) }
                        if removes { prop_assert_eq!(recency.oldest(), plain.first().copied()); continue }
                    }
                }
                plain.push(slot);
                prop_assert_eq!(recency.oldest(), plain.first().copied());
            }
            for slot in plain {
                prop_assert_eq!(recency.oldest(), Some(slot));
                recency.remove(slot);
            }
            prop_assert_eq!(recency.oldest(), None);
        }
    }
}
