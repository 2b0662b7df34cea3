//! Longest-prefix match.

use jettison_wire::Address;
use rustc_hash::FxHashMap;

use crate::Prefix;
use crate::prefix::mask;

/// Values by prefix: the longest prefix that holds an address decides.
///
/// Exact addresses are one hash lookup, the common case; then one for each length that occurs in the address's family,
/// the longest first.
#[derive(Debug, Clone)]
pub struct PrefixTable<T> {
    hosts: FxHashMap<u128, T>,
    v4: Vec<Level<T>>,
    v6: Vec<Level<T>>,
}

/// The prefixes of one length.
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
    /// Adds an entry; gives the value of the one that it replaces.
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

    /// The value of the longest prefix that holds `address`.
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
