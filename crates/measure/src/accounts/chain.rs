//! The chain of a unit's parts: each begins where the one before ends, so that they add up to the whole.

use jettison_core::{Duration, Time};

use super::Component;

/// A place in the network, for a part of a delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spot {
    /// Nowhere in particular.
    None,
    /// A queue ([`crate::ObjectId::index`]) and the link behind it.
    Queue(u32),
    /// The node of a queue.
    Sender(u32),
    /// The node at the far end of a queue's link.
    Receiver(u32),
}

/// A part of a unit's delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// What the unit waited for.
    pub component: Component,
    /// Where.
    pub spot: Spot,
    /// How long.
    pub duration: Duration,
    /// The drop or mark that caused it, by its number in the run.
    pub decision: Option<u64>,
}

/// Parts of a delay, one after the other.
#[derive(Debug, Clone)]
pub(super) struct Chain {
    pub start: Time,
    /// The end of the last part.
    pub cursor: Time,
    pub parts: Vec<Part>,
}

impl Chain {
    pub fn new(start: Time) -> Chain {
        Chain { start, cursor: start, parts: Vec::new() }
    }

    /// Adds a part up to `to`; none if that is not later than the end of the last part.
    pub fn extend(&mut self, to: Time, component: Component, spot: Spot, decision: Option<u64>) {
        if to <= self.cursor {
            return;
        }
        let duration = to.since(self.cursor);
        self.cursor = to;
        match self.parts.last_mut() {
            Some(last) if (last.component, last.spot, last.decision) == (component, spot, decision) => {
                last.duration += duration;
            }
            _ => self.parts.push(Part { component, spot, duration, decision }),
        }
    }

    /// Names the drop or mark that ended the chain.
    pub fn blame(&mut self, component: Component, spot: Spot, decision: u64) {
        match self.parts.last_mut() {
            Some(last) if last.decision.is_none() => last.decision = Some(decision),
            _ => self.note(component, spot, Some(decision)),
        }
    }

    /// Adds a part without duration, to name what decided.
    pub fn note(&mut self, component: Component, spot: Spot, decision: Option<u64>) {
        self.parts.push(Part { component, spot, duration: Duration::ZERO, decision });
    }

    /// The last drop or mark that caused a part.
    pub fn last_decision(&self) -> Option<u64> {
        self.parts.iter().rev().find_map(|part| part.decision)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_add_up_to_the_whole_whatever_the_order_of_instants(
            steps in proptest::collection::vec((0..1000_u64, 0..Component::ALL.len()), 0..40),
        ) {
            let mut chain = Chain::new(Time::from_nanos(100));
            for (to, component) in steps {
                chain.extend(Time::from_nanos(to), Component::ALL[component], Spot::None, None);
            }
            let sum = chain.parts.iter().fold(Duration::ZERO, |sum, part| sum + part.duration);
            prop_assert_eq!(chain.start + sum, chain.cursor);
            prop_assert!(chain.parts.windows(2).all(|pair| pair[0].component != pair[1].component));
        }
    }
}
