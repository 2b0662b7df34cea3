//! Which queue is the longest, in constant time.

/// The end of a list, or no list.
const NONE: u32 = u32::MAX;

/// Queues in lists by their length in packets. A length changes by one at a time, so the greatest does, too.
#[derive(Debug)]
pub struct ByLength {
    /// First queue of each length.
    first: Vec<u32>,
    /// Neighbours of each queue in its list.
    links: Vec<Link>,
    /// The greatest length, 0 while nothing waits.
    greatest: usize,
}

#[derive(Debug, Clone, Copy)]
struct Link {
    next: u32,
    previous: u32,
}

impl ByLength {
    /// `queues` empty queues.
    pub fn new(queues: u32) -> ByLength {
        let links = vec![Link { next: NONE, previous: NONE }; queues as usize];
        ByLength { first: vec![NONE; 64], links, greatest: 0 }
    }

    /// The longest queue; of several the one that came to its length last. `None` while all are empty.
    pub fn longest(&self) -> Option<u32> {
        (self.greatest > 0).then(|| self.first[self.greatest])
    }

    /// That queue has one packet more: `length`.
    #[inline]
    pub fn grown(&mut self, queue: u32, length: u64) {
        let length = length as usize;
        if length > 1 {
            self.remove(queue, length - 1);
        }
        if length >= self.first.len() {
            self.first.resize(2 * length, NONE);
        }
        self.insert(queue, length);
        self.greatest = self.greatest.max(length);
    }

    /// That queue has one packet less: `length`.
    #[inline]
    pub fn shrunk(&mut self, queue: u32, length: u64) {
        let length = length as usize;
        self.remove(queue, length + 1);
        if length > 0 {
            self.insert(queue, length);
        }
        if self.first[self.greatest] == NONE {
            self.greatest -= 1;
        }
    }

    #[inline]
    fn insert(&mut self, queue: u32, length: usize) {
        let next = std::mem::replace(&mut self.first[length], queue);
        if next != NONE {
            self.links[next as usize].previous = queue;
        }
        self.links[queue as usize] = Link { next, previous: NONE };
    }

    #[inline]
    fn remove(&mut self, queue: u32, length: usize) {
        let Link { next, previous } = self.links[queue as usize];
        if next != NONE {
            self.links[next as usize].previous = previous;
        }
        match previous {
            NONE => self.first[length] = next,
            previous => self.links[previous as usize].next = next,
        }
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
