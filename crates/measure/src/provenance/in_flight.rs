//! Values of packets in flight, by packet id.

use rustc_hash::FxHashMap;

/// Places of a new table.
const PLACES: usize = 256;
/// Most places; beyond, what does not fit is in a hash table.
const MOST_PLACES: usize = 1 << 16;

/// Values of packets in flight, by packet id.
///
/// Ids count up, so those in flight are close together: the low bits choose the place, and an older value there, if any, moves to a
/// hash table.
#[derive(Debug, Clone)]
pub struct InFlight<T> {
    /// Empty until the first value.
    places: Vec<Option<(u32, T)>>,
    others: FxHashMap<u32, T>,
    count: usize,
}

impl<T> Default for InFlight<T> {
    fn default() -> InFlight<T> {
        InFlight { places: Vec::new(), others: FxHashMap::default(), count: 0 }
    }
}

impl<T: Copy> InFlight<T> {
    /// Number of values.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    #[inline]
    fn place(&self, id: u32) -> usize {
        id as usize & (self.places.len() - 1)
    }

    /// Sets the value of a packet.
    #[inline]
    pub fn insert(&mut self, id: u32, value: T) {
        if self.places.is_empty() {
            self.places.resize(PLACES, None);
        }
        if !self.others.is_empty() && self.others.remove(&id).is_some() {
            self.count -= 1;
        }
        let place = self.place(id);
        match self.places[place].replace((id, value)) {
            None => self.count += 1,
            Some((own, _)) if own == id => {}
            Some((other, value)) => self.move_out(other, value),
        }
    }

    #[cold]
    fn move_out(&mut self, id: u32, value: T) {
        self.count += 1;
        self.others.insert(id, value);
        if self.others.len() > self.places.len() / 4 && self.places.len() < MOST_PLACES {
            let length = 2 * self.places.len();
            let values: Vec<(u32, T)> = self.places.drain(..).flatten().chain(self.others.drain()).collect();
            self.places.resize(length, None);
            self.count = 0;
            values.into_iter().for_each(|(id, value)| self.insert(id, value));
        }
    }

    /// The value of a packet.
    #[inline]
    pub fn find(&self, id: u32) -> Option<&T> {
        if self.is_empty() {
            return None;
        }
        match &self.places[self.place(id)] {
            Some((own, value)) if *own == id => Some(value),
            _ => self.others.get(&id),
        }
    }

    /// The value of a packet, mutable.
    #[inline]
    pub fn find_mut(&mut self, id: u32) -> Option<&mut T> {
        if self.is_empty() {
            return None;
        }
        let place = self.place(id);
        match &mut self.places[place] {
            Some((own, value)) if *own == id => Some(value),
            _ => self.others.get_mut(&id),
        }
    }

    /// Removes the value of a packet.
    #[inline]
    pub fn remove(&mut self, id: u32) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        let place = self.place(id);
        let found = match &self.places[place] {
            Some((own, _)) if *own == id => self.places[place].take().map(|(_, value)| value),
            _ if self.others.is_empty() => None,
            _ => self.others.remove(&id),
        };
        self.count -= usize::from(found.is_some());
        found
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_holds_what_a_hash_table_holds(steps in proptest::collection::vec((0..4000_u32, 0..3_u8), 1..3000)) {
            let (mut own, mut model) = (InFlight::default(), HashMap::new());
            for (number, (id, step)) in steps.into_iter().enumerate() {
                match step {
                    0 | 1 => {
                        own.insert(id, number);
                        model.insert(id, number);
                    }
                    _ => prop_assert_eq!(own.remove(id), model.remove(&id)),
                }
                prop_assert_eq!(own.len(), model.len());
                prop_assert_eq!(own.find(id), model.get(&id));
                prop_assert_eq!(own.find_mut(id), model.get_mut(&id));
            }
        }
    }

    #[test]
    fn an_id_whose_places_are_many_rounds_old_is_still_known() {
        let mut own = InFlight::default();
        own.insert(5, 'a');
        for id in 6..300_000 {
            own.insert(id, 'b');
            assert_eq!(own.remove(id), Some('b'));
        }
        assert_eq!(own.find(5), Some(&'a'));
        assert_eq!(own.len(), 1);
    }
}
