//! Ids of objects: the kind in the upper 8 bits, and 24 bits from `@id` or a hash of the name (§6.3.1).

use std::collections::{BTreeMap, BTreeSet};

use jettison_p4_front::ir::{Annotation, AnnotationValue, ExternKind};

/// Kind of an object: `P4Ids.Prefix`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // the specification's names
pub enum Prefix {
    Action = 0x01,
    Table = 0x02,
    ValueSet = 0x03,
    ControllerHeader = 0x04,
    ActionProfile = 0x11,
    Counter = 0x12,
    DirectCounter = 0x13,
    Meter = 0x14,
    DirectMeter = 0x15,
    Register = 0x16,
    Digest = 0x17,
}

impl Prefix {
    /// Prefix of an extern object.
    pub fn of(kind: ExternKind) -> Prefix {
        match kind {
            ExternKind::Register { .. } => Prefix::Register,
            ExternKind::Counter { .. } => Prefix::Counter,
            ExternKind::DirectCounter => Prefix::DirectCounter,
            ExternKind::Meter { .. } => Prefix::Meter,
            ExternKind::DirectMeter { .. } => Prefix::DirectMeter,
        }
    }

    /// The id with this prefix and these lower bits.
    fn with(self, lower: u32) -> u32 {
        (self as u32) << 24 | lower
    }
}

/// Number of bits of an id below its prefix.
const LOWER: u32 = 0x00ff_ffff;

/// Ids given so far.
#[derive(Debug, Default)]
pub(super) struct Ids {
    used: BTreeSet<u32>,
    written: BTreeMap<(Prefix, String), u32>,
}

impl Ids {
    /// Reserves the id that `@id` gives to an object. It may be written with or without the prefix.
    pub fn reserve(&mut self, prefix: Prefix, name: &str, annotations: &[Annotation]) -> Result<(), String> {
        let Some(annotation) = annotations.iter().find(|annotation| &*annotation.name == "id") else {
            return Ok(());
        };
        let written = match annotation.arguments.first() {
            Some(AnnotationValue::Number(number)) => u32::try_from(number).ok(),
            _ => None,
        };
        let Some(written) = written.filter(|id| id & LOWER != 0) else {
            return Err(format!(
                "`{name}`: `@id` requires a number from 1 to {LOWER}, with or without a prefix"
            ));
        };
        let id = prefix.with(written & LOWER);
        if written > LOWER && written != id {
            return Err(format!(
                "`{name}`: the prefix of `@id({written:#x})` must be {:#04x}, got {:#04x}",
                prefix as u32,
                written >> 24
            ));
        }
        if !self.used.insert(id) {
            return Err(format!("`{name}`: the id {id:#010x} is already in use"));
        }
        self.written.insert((prefix, name.to_owned()), id);
        Ok(())
    }

    /// The id of an object: the reserved one, or a hash of its name; the next free one if another object has it.
    pub fn id(&mut self, prefix: Prefix, name: &str) -> u32 {
        if let Some(id) = self.written.get(&(prefix, name.to_owned())) {
            return *id;
        }
        let mut lower = hash(name) & LOWER;
        while lower == 0 || !self.used.insert(prefix.with(lower)) {
            lower = (lower + 1) & LOWER;
        }
        prefix.with(lower)
    }
}

/// Bob Jenkins's one-at-a-time hash (Dr. Dobb's Journal, September 1997). p4c hashes names likewise, so that most ids
/// are the same.
fn hash(name: &str) -> u32 {
    let mut hash = 0u32;
    for byte in name.bytes() {
        hash = hash.wrapping_add(u32::from(byte));
        hash = hash.wrapping_add(hash << 10);
        hash ^= hash >> 6;
    }
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 11;
    hash.wrapping_add(hash << 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_id(number: u32) -> Vec<Annotation> {
        let arguments = vec![AnnotationValue::Number(number.into())];
        vec![Annotation { name: "id".into(), arguments, text: format!("@id({number})") }]
    }

    /// The id of `NoAction` in P4Info files of p4c.
    #[test]
    fn the_hash_is_that_of_p4c() {
        assert_eq!(Ids::default().id(Prefix::Action, "NoAction"), 21_257_015);
    }

    #[test]
    fn a_written_id_wins_and_a_hash_gives_way() {
        let taken = hash("b") & LOWER;
        let mut ids = Ids::default();
        ids.reserve(Prefix::Table, "a", &with_id(taken)).unwrap();
        assert_eq!(ids.id(Prefix::Table, "a"), 0x0200_0000 | taken);
        assert_eq!(ids.id(Prefix::Table, "b"), 0x0200_0000 | (taken + 1));
        assert_eq!(ids.id(Prefix::Action, "b"), 0x0100_0000 | taken, "another kind");
    }

    #[test]
    fn an_id_of_another_kind_or_twice_is_refused() {
        let mut ids = Ids::default();
        ids.reserve(Prefix::Table, "a", &with_id(0x0200_0005)).unwrap();
        assert!(ids.reserve(Prefix::Table, "b", &with_id(5)).unwrap_err().contains("already in use"));
        assert!(ids.reserve(Prefix::Action, "c", &with_id(0x0200_0006)).unwrap_err().contains("prefix"));
        assert!(ids.reserve(Prefix::Action, "d", &with_id(0)).is_err());
    }
}
