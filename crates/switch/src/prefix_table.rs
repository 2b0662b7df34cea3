//! Longest-prefix match table.

use jettison_wire::Address;
use rustc_hash::FxHashMap;

use crate::Prefix;
use crate::prefix::mask;

/// Values by prefix; a lookup returns the value of the longest prefix that contains the address.
///
/// One hash lookup for single addresses, the common case; then one per prefix length that occurs in the address's family,
/// longest first.
#[derive(Debug, Clone)]
pub struct PrefixTable<T> {
    hosts: FxHashMap<u128, T>,
    v4: Vec<Level<T>>,
    v6: Vec<Level<T>>,
}

/// All prefixes of one length.
#[derive(Debug, Clone)]
struct Level<T> {
    length: u8,
    entries: FxHashMap<u128, T>,
}

impl<T> Default for PrefixTable<T> {
    fn default() -> PrefixTable<T> {
        PrefixTable { hosts: FxHashMap::default(), v4: Vec::new(), v6: Vec::new() }
    }
}

impl<T: Copy> PrefixTable<T> {
    /// Adds an entry; returns the value that it replaces, if any.
    pub fn insert(&mut self, prefix: Prefix, value: T) -> Option<T> {
        let (bits, length) = prefix.mapped();
        if length == 128 {
            return self.hosts.insert(bits, value);
        }
        let levels = if prefix.is_v4() { &mut self.v4 } else { &mut self.v6 };
        let at = match levels.binary_search_by(|level| length.cmp(&level.length)) {
            Ok(at) => at,
            Err(at) => {
                levels.insert(at, Level { length, entries: FxHashMap::default() });
                at
            }
        };
        levels[at].entries.insert(bits, value)
    }

    /// The value of the longest prefix that contains `address`.
    #[inline]
    pub fn lookup(&self, address: Address) -> Option<T> {
        let bits = address.to_u128();
        if let Some(value) = self.hosts.get(&bits) {
            return Some(*value);
        }
        let levels = if address.is_v4() { &self.v4 } else { &self.v6 };
        levels.iter().find_map(|level| level.entries.get(&(bits & mask(level.length))).copied())
    }
}
