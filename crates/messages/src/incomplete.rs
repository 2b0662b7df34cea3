//! Incomplete messages, and the memory that they use.

use super::assembly::Assembly;
use super::recency::Recency;
use jettison_core::Time;

/// Incomplete messages in slots, which are reused with their memory.
#[derive(Debug, Clone)]
pub(super) struct Incomplete {
    slots: Vec<Slot>,
    free: Vec<u32>,
    recency: Recency,
    /// Memory in bytes: in use, of that in free slots, and the limit.
    used: u64,
    spare: u64,
    limit: u64,
}

#[derive(Debug, Clone, Default)]
struct Slot {
    assembly: Assembly,
    /// The message: its stream, and its number in the stream's window.
    owner: (u16, u64),
    /// Its memory, as last counted.
    memory: u64,
}

impl Incomplete {
    pub fn new(limit: u64) -> Incomplete {
        Incomplete {
            slots: Vec::new(),
            free: Vec::new(),
            recency: Recency::default(),
            used: 0,
            spare: 0,
            limit,
        }
    }

    /// Begins a message; returns its slot.
    pub fn begin(&mut self, owner: (u16, u64), now: Time) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.used += (size_of::<Slot>() + Recency::SLOT) as u64;
            self.slots.len() as u32 - 1
        });
        let place = &mut self.slots[slot as usize];
        self.spare -= place.memory;
        place.owner = owner;
        place.assembly.begin(now);
        self.recency.add(slot);
        slot
    }

    #[inline]
    pub fn assembly(&mut self, slot: u32) -> &mut Assembly {
        &mut self.slots[slot as usize].assembly
    }

    /// Counts the memory of a message that has changed, which becomes the most recently used one.
    #[inline]
    pub fn changed(&mut self, slot: u32) {
        self.recency.touch(slot);
        self.count(slot);
    }

    #[inline]
    fn count(&mut self, slot: u32) {
        let place = &mut self.slots[slot as usize];
        let memory = place.assembly.memory();
        self.used = self.used - place.memory + memory;
        place.memory = memory;
    }

    /// Ends a message; its slot becomes free.
    pub fn release(&mut self, slot: u32) {
        self.recency.remove(slot);
        let scarce = self.used > self.limit / 2;
        let assembly = &mut self.slots[slot as usize].assembly;
        if scarce {
            *assembly = Assembly::default();
        } else {
            assembly.begin(Time::ZERO);
        }
        self.count(slot);
        self.spare += self.slots[slot as usize].memory;
        self.free.push(slot);
    }

    /// Adds memory of something else that shares the limit.
    #[inline]
    pub fn account(&mut self, before: usize, after: usize) {
        self.used = self.used + after as u64 - before as u64;
    }

    /// The stream and number of the message to discard; `None` if the memory suffices.
    #[inline]
    pub fn excess(&mut self) -> Option<(u32, (u16, u64))> {
        if self.used <= self.limit {
            return None;
        }
        self.trim();
        let oldest = self.recency.oldest().filter(|_| self.used > self.limit)?;
        Some((oldest, self.slots[oldest as usize].owner))
    }

    /// Frees the memory of free slots.
    #[cold]
    fn trim(&mut self) {
        if self.spare == 0 {
            return;
        }
        for slot in &self.free {
            let place = &mut self.slots[*slot as usize];
            place.assembly = Assembly::default();
            self.used -= place.memory;
            place.memory = 0;
        }
        self.spare = 0;
    }

    /// Memory in use, in bytes.
    pub fn used(&self) -> u64 {
        self.used
    }

    #[cfg(test)]
    pub fn slots(&self) -> usize {
        self.slots.len()
    }
}
