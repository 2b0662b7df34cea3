//! Index of queues by length: finds the longest queue in constant time.

/// Queues bucketed by length in packets, empty queues included. Lengths change by one packet at a time, so the maximum
/// also changes by at most one and needs no search.
#[derive(Debug, Clone)]
pub struct ByLength {
    /// One link per queue, followed by one list head per length. The lists are rings, so insertion and removal have no
    /// special case at the ends.
    links: Vec<Link>,
    queues: usize,
    /// The maximum length; 0 while all queues are empty.
    greatest: usize,
}

/// The two neighbours of a ring member.
#[derive(Debug, Clone, Copy)]
struct Link {
    next: u32,
    previous: u32,
}

impl ByLength {
    /// Creates an index of `queues` empty queues.
    pub fn new(queues: u32) -> ByLength {
        let queues = queues as usize;
        let mut by_length = ByLength { links: Vec::new(), queues, greatest: 0 };
        by_length.grow(queues + 64);
        (0..queues as u32).for_each(|queue| by_length.insert(queue, 0));
        by_length
    }

    /// The longest queue; among equals, the one that reached its length last. `None` while all queues are empty.
    pub fn longest(&self) -> Option<u32> {
        (self.greatest > 0).then(|| self.links[self.queues + self.greatest].next)
    }

    /// Records that `queue` has grown by one packet to `length`.
    #[inline]
    pub fn grown(&mut self, queue: u32, length: u64) {
        let length = length as usize;
        if self.queues + length >= self.links.len() {
            self.grow(self.queues + 2 * length);
        }
        self.remove(queue);
        self.insert(queue, length);
        self.greatest = self.greatest.max(length);
    }

    /// Records that `queue` has shrunk by one packet to `length`.
    #[inline]
    pub fn shrunk(&mut self, queue: u32, length: u64) {
        self.remove(queue);
        self.insert(queue, length as usize);
        // If no queue of the maximum length is left, `queue` is now the longest, one packet shorter.
        let head = self.queues + self.greatest;
        if self.links[head].next as usize == head {
            self.greatest -= 1;
        }
    }

    /// Appends heads of empty lists up to a total of `links` links.
    #[cold]
    fn grow(&mut self, links: usize) {
        self.links.extend((self.links.len() as u32..links as u32).map(|at| Link { next: at, previous: at }));
    }

    #[inline]
    fn insert(&mut self, queue: u32, length: usize) {
        let head = self.queues + length;
        let next = std::mem::replace(&mut self.links[head].next, queue);
        self.links[next as usize].previous = queue;
        self.links[queue as usize] = Link { next, previous: head as u32 };
    }

    #[inline]
    fn remove(&mut self, queue: u32) {
        let Link { next, previous } = self.links[queue as usize];
        self.links[next as usize].previous = previous;
        self.links[previous as usize].next = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_longest_is_found_after_any_changes(steps in prop::collection::vec((0u32..6, any::<bool>()), 1..300)) {
            let (mut by_length, mut lengths) = (ByLength::new(6), [0u64; 6]);
            for (queue, grows) in steps {
                let length = &mut lengths[queue as usize];
                if grows {
                    *length += 1;
                    by_length.grown(queue, *length);
                } else if *length > 0 {
                    *length -= 1;
                    by_length.shrunk(queue, *length);
                }
                let greatest = lengths.into_iter().max().filter(|length| *length > 0);
                prop_assert_eq!(by_length.longest().map(|queue| lengths[queue as usize]), greatest);
            }
        }
    }
}
