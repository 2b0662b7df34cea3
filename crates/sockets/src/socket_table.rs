//! Sockets by index, with a generation so that a reused index is not mistaken for the old socket.

use crate::SocketId;

/// A host's sockets. Indices of removed sockets are reused.
#[derive(Debug, Clone)]
pub struct SocketTable<S> {
    entries: Vec<(u32, Option<S>)>,
    free: Vec<u32>,
}

impl<S> Default for SocketTable<S> {
    fn default() -> SocketTable<S> {
        SocketTable { entries: Vec::new(), free: Vec::new() }
    }
}

impl<S> SocketTable<S> {
    /// Adds a socket; returns its index.
    pub fn insert(&mut self, socket: S) -> u32 {
        if let Some(index) = self.free.pop() {
            self.entries[index as usize].1 = Some(socket);
            return index;
        }
        self.entries.push((0, Some(socket)));
        (self.entries.len() - 1) as u32
    }

    /// One past the highest index ever used.
    pub fn end(&self) -> u32 {
        self.entries.len() as u32
    }

    /// Removes a socket.
    pub fn remove(&mut self, index: u32) -> Option<S> {
        let entry = self.entries.get_mut(index as usize)?;
        let socket = entry.1.take()?;
        entry.0 = entry.0.wrapping_add(1);
        self.free.push(index);
        Some(socket)
    }

    /// The id by which programs know the socket at `index`.
    #[inline]
    pub fn id(&self, index: u32) -> SocketId {
        SocketId(u64::from(self.entries[index as usize].0) << 32 | u64::from(index))
    }

    /// The index of a socket; `None` if it has been removed.
    #[inline]
    pub fn index(&self, id: SocketId) -> Option<u32> {
        let index = id.0 as u32;
        let (generation, socket) = self.entries.get(index as usize)?;
        (u64::from(*generation) == id.0 >> 32 && socket.is_some()).then_some(index)
    }

    /// The socket at `index`.
    #[inline]
    pub fn get(&self, index: u32) -> Option<&S> {
        self.entries.get(index as usize)?.1.as_ref()
    }

    /// The socket at `index`, mutable.
    #[inline]
    pub fn get_mut(&mut self, index: u32) -> Option<&mut S> {
        self.entries.get_mut(index as usize)?.1.as_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reused_index_has_another_id() {
        let mut table = SocketTable::default();
        let first = table.insert('a');
        let id = table.id(first);
        assert_eq!(table.remove(first), Some('a'));
        let second = table.insert('b');
        assert_eq!(first, second);
        assert_eq!(table.index(id), None);
        assert_eq!(table.index(table.id(second)), Some(second));
    }
}
