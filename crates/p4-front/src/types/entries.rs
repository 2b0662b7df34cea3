//! Entries declared in the program, and their priorities.

use std::collections::BTreeMap;

use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;

use super::Checker;
use super::annotation;
use super::keyset::Set;
use super::print::count;
use super::table::Parts;
use super::ty::Ty;
use super::value::{Kind, Value};
use crate::diagnostic::Diagnostic;
use crate::ir::{ConstEntry, KeyMatch, MatchKind};
use crate::source::Span;
use crate::syntax::ast::{AnnotationBody, Entry, Expr, ExprKind};

/// Position of the first entry with a key.
type Known = BTreeMap<Vec<(BigUint, BigUint)>, Span>;

/// A criterion as two numbers. Those of two criteria of one kind are equal only if the criteria match the same values.
fn normal(key: &KeyMatch, kind: MatchKind) -> (BigUint, BigUint) {
    match key {
        KeyMatch::Exact(value) => (value.clone(), 1u8.into()),
        KeyMatch::Lpm(value, length) => (value.clone(), (*length).into()),
        KeyMatch::Ternary(value, mask) => (value & mask, mask.clone()),
        KeyMatch::Range(low, high) => (low.clone(), high.clone()),
        // No range: an empty one is refused before.
        KeyMatch::Any if kind == MatchKind::Range => (1u8.into(), 0u8.into()),
        KeyMatch::Any => (0u8.into(), 0u8.into()),
    }
}

impl<'a> Checker<'a> {
    pub(super) fn entries(&mut self, entries: &'a [Entry], parts: &mut Parts<'a>) -> Option<Vec<ConstEntry>> {
        let priorities = self.priorities(entries, parts)?;
        let mut done = Vec::with_capacity(entries.len());
        let mut known = Known::new();
        let mut sound = true;
        for (entry, priority) in entries.iter().zip(priorities) {
            let keys = self.entry_keys(entry, parts);
            let action = self.action_value(&entry.action, parts);
            match (keys, action) {
                (Some(_), Some(action)) if parts.actions[action.action as usize].default_only => {
                    let name = parts.actions[action.action as usize].name.clone();
                    let message = format!("`{name}` is allowed only as the table's default action");
                    self.report(Diagnostic::error(entry.action.span, message).hint(
                        "it is listed with `@defaultonly`: remove the annotation to use it in entries",
                    ));
                    sound = false;
                }
                (Some(keys), Some(action)) => {
                    let empty = |key: &KeyMatch| matches!(key, KeyMatch::Range(low, high) if low > high);
                    if keys.iter().any(empty) {
                        // Nothing is in an empty range (§8.16.4), and tables do not store such entries.
                        self.warn(entry.span, "this entry never matches: one of its ranges is empty");
                    } else {
                        sound &= self.is_new(entry, &keys, parts, &mut known);
                        done.push(ConstEntry { keys, priority, action });
                    }
                }
                _ => sound = false,
            }
        }
        sound.then_some(done)
    }

    /// Compares the key of an entry with those before it. Where all keys are exact or lpm nothing decides between equal keys,
    /// and no table stores both (§14.2.1.4); elsewhere one of the two has precedence, and the other never matches.
    fn is_new(&mut self, entry: &Entry, keys: &[KeyMatch], parts: &Parts<'a>, known: &mut Known) -> bool {
        let key: Vec<_> = keys.iter().zip(&parts.keys).map(|(key, of)| normal(key, of.kind)).collect();
        let Some(first) = known.get(&key).copied() else {
            known.insert(key, entry.span);
            return true;
        };
        if parts
            .keys
            .iter()
            .all(|key| matches!(key.kind, MatchKind::Exact | MatchKind::Lpm | MatchKind::Selector))
        {
            let error = Diagnostic::error(entry.span, "duplicate key of an entry").label("the same key");
            let error = error.related(first, "first given here");
            self.report(error.hint("all keys of the table are exact or lpm: remove one of the entries"));
            return false;
        }
        let warning = Diagnostic::warning(entry.span, "two entries have the same key");
        let warning = warning.related(first, "the other entry");
        self.report(warning.hint("the one that has precedence always matches instead of the other"));
        true
    }

    /// Priority of each entry, larger first (§14.2.1.4 of the specification). The older `@priority(n)` has the opposite
    /// order, and competes with the positions of the entries without it.
    fn priorities(&mut self, entries: &'a [Entry], parts: &Parts<'a>) -> Option<Vec<i64>> {
        let delta = parts.priority_delta.unwrap_or(1);
        let count = i64::try_from(entries.len()).ok()?;
        if entries.iter().any(|entry| annotation(&entry.annotations, "priority").is_some()) {
            return (1i64..)
                .zip(entries)
                .map(|(position, entry)| match annotation(&entry.annotations, "priority") {
                    None => Some(-position),
                    Some(written) => match &written.body {
                        AnnotationBody::Expressions(items) if items.len() == 1 => {
                            self.priority(&items[0]).map(|priority| -priority)
                        }
                        _ => self.error(written.span, "`@priority` requires exactly one number"),
                    },
                })
                .collect();
        }
        let mut priorities: Vec<i64> = Vec::with_capacity(entries.len());
        let explicit = entries.iter().any(|entry| entry.priority.is_some());
        for (position, entry) in (0i64..).zip(entries) {
            let priority =
                match (&entry.priority, priorities.last()) {
                    (Some(written), _) => self.priority(written)?,
                    (None, _) if !explicit => (count - 1 - position) * delta + 1,
                    (None, Some(last)) if parts.smallest_wins => last.saturating_add(delta),
                    (None, Some(last)) => last.saturating_sub(delta),
                    (None, None) => {
                        let error = Diagnostic::error(entry.span, "missing priority of the first entry");
                        return self.fail(error.hint(
                            "other entries have a priority, so the first needs one: `priority = 10: …`",
                        ));
                    }
                };
            priorities.push(priority);
        }
        if explicit && parts.smallest_wins {
            priorities.iter_mut().for_each(|priority| *priority = -*priority);
        }
        Some(priorities)
    }

    fn priority(&mut self, e: &'a Expr) -> Option<i64> {
        let value = self.integer(e, "priority")?;
        match value.to_i64().filter(|value| value.unsigned_abs() <= 1 << 40) {
            Some(value) => Some(value),
            None => self
                .error(e.span, format!("the absolute value of a priority must be at most 2^40, got {value}")),
        }
    }

    fn entry_keys(&mut self, entry: &'a Entry, parts: &Parts<'a>) -> Option<Vec<KeyMatch>> {
        if let [Expr { kind: ExprKind::Default | ExprKind::DontCare, .. }] = entry.keys.as_slice()
            && parts.keys.len() != 1
        {
            return Some(vec![KeyMatch::Any; parts.keys.len()]);
        }
        // The keys may be written as one list: `{a, b}` for `(a, b)`, and `{a}` for `a`.
        let written = match entry.keys.as_slice() {
            [Expr { kind: ExprKind::List { items, rest: None }, .. }] => items,
            _ => &entry.keys,
        };
        if written.len() != parts.keys.len() {
            let message = format!("expected {}, found {}", count(parts.keys.len(), "key"), written.len());
            return self.error(entry.span, message);
        }
        let mut keys = Vec::with_capacity(written.len());
        for ((written, key), ty) in written.iter().zip(&parts.keys).zip(&parts.key_tys) {
            let set = self.set(written, ty)?;
            keys.push(self.entry_key(set, key.kind, ty, written.span)?);
        }
        Some(keys)
    }

    fn entry_key(&mut self, set: Set, kind: MatchKind, ty: &Ty, span: Span) -> Option<KeyMatch> {
        let width = self.types.base(ty).width();
        let all_ones = Value::int(Ty::Bit(width.unwrap_or(1)), (BigInt::from(1) << width.unwrap_or(1)) - 1);
        Some(match (set, kind) {
            (Set::Any, MatchKind::Exact) => {
                return self.error(span, "an exact key requires a value, found `_`");
            }
            (Set::Any, _) => KeyMatch::Any,
            (Set::Value(value), MatchKind::Exact | MatchKind::Optional) => {
                KeyMatch::Exact(self.known_bits(&value, span)?)
            }
            (Set::Value(value), MatchKind::Lpm) => {
                KeyMatch::Lpm(self.known_bits(&value, span)?, width.unwrap_or(1))
            }
            (Set::Value(value), MatchKind::Ternary) => {
                let mask = match width {
                    Some(_) => self.known_bits(&all_ones, span)?,
                    // Indices of enums and errors have 32 bits.
                    None if *ty == Ty::Bool => 1u8.into(),
                    None => u32::MAX.into(),
                };
                KeyMatch::Ternary(self.known_bits(&value, span)?, mask)
            }
            (Set::Value(value), MatchKind::Range) => {
                let bits = self.known_bits(&value, span)?;
                KeyMatch::Range(bits.clone(), bits)
            }
            (Set::Mask(value, mask), MatchKind::Ternary) => {
                let mask = self.known_bits(&mask, span)?;
                KeyMatch::Ternary(self.known_bits(&value, span)? & &mask, mask)
            }
            (Set::Mask(value, mask), MatchKind::Lpm) => {
                let mask = self.known_bits(&mask, span)?;
                let Some(length) = Checker::prefix(&BigInt::from(mask.clone()), width.unwrap_or(1)) else {
                    return self.error(
                        span,
                        format!("the mask of an lpm key must be a prefix (ones, then zeros), got {mask:#x}"),
                    );
                };
                KeyMatch::Lpm(self.known_bits(&value, span)? & mask, length)
            }
            (Set::Mask(value, mask), MatchKind::Exact | MatchKind::Optional)
                if self.bits_of(&mask) == self.bits_of(&all_ones) =>
            {
                KeyMatch::Exact(self.known_bits(&value, span)?)
            }
            (Set::Range(low, high), MatchKind::Range) => {
                KeyMatch::Range(self.known_bits(&low, span)?, self.known_bits(&high, span)?)
            }
            (Set::Mask(..), _) => {
                return self.error(span, "masks are allowed only for lpm and ternary keys");
            }
            (Set::Range(..), _) => return self.error(span, "ranges are allowed only for range keys"),
            (Set::Named(_), _) => return self.error(span, "value sets are allowed only in `select`"),
            (Set::Value(_), MatchKind::Selector) => {
                return self.error(span, "selector keys are not matched: write `_`");
            }
        })
    }

    fn known_bits(&mut self, value: &Value, span: Span) -> Option<BigUint> {
        match (self.bits_of(value), &value.kind) {
            (Some(bits), _) => Some(bits),
            (None, Kind::Expr(_)) => self.error(span, "keys of an entry must be known at compile time"),
            (None, _) => self.error(span, "expected a scalar value as the key of an entry"),
        }
    }
}
