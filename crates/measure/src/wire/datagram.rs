//! Which datagram is which: by its five-tuple and first bytes, which have the numbers of its transport.

use std::hash::{Hash, Hasher};

use jettison_wire::{Address, InlineBytes};
use rustc_hash::FxHasher;

/// What identifies a datagram where it is sent, on its way and where it is received: a hash of its ends, its length and its first
/// [`InlineBytes::CAPACITY`] bytes. Of equal ones that come one after the other, the first is taken for the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DatagramKey(pub(super) u64);

impl DatagramKey {
    /// The key of a datagram with these ends and this payload, of which the bytes after `head` are zeros up to `length`.
    pub fn of(sender: (Address, u16), receiver: (Address, u16), head: &[u8], length: u16) -> DatagramKey {
        let mut first = [0; InlineBytes::CAPACITY];
        let known = head.len().min(first.len()).min(length.into());
        first[..known].copy_from_slice(&head[..known]);
        let mut hasher = FxHasher::default();
        (sender, receiver, length, first).hash(&mut hasher);
        DatagramKey(hasher.finish())
    }
}
