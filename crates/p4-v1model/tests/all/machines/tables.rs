//! Random tables, and changes by a control plane.

use jettison_p4_exec::Plane;
use jettison_p4_exec::table::{Entry, EntryAction};
use jettison_p4_front::ir::{
    ActionProfile, ActionProfileId, ActionValue, BinaryOp, ConstEntry, Expr, ExprKind, ExternId, FunctionId,
    HashAlgorithm, Key, KeyMatch, MatchKind, Table, TableAction, TableId, Type, TypeId, ValueSetId,
};
use num_bigint::BigUint;

use super::generator::Generator;
use super::stmt::May;
use super::world::NOWHERE;

/// A change by the control plane, applied to the plane of each machine.
#[derive(Debug, Clone)]
pub enum Change {
    Insert(TableId, Entry),
    Remove(TableId, u32),
    Default(TableId, EntryAction),
    Member(ActionValue),
    Group(Vec<u32>),
    ValueSet(Vec<KeyMatch>),
    Meter(ExternId, u64, [u64; 4]),
}

impl Change {
    /// Applies the change; returns whether the plane accepted it.
    pub fn apply(&self, plane: &mut Plane) -> bool {
        let profile = ActionProfileId(0);
        match self {
            Change::Insert(table, entry) => plane.tables.table_mut(*table).insert(entry.clone()).is_ok(),
            Change::Remove(table, entry) => {
                plane.tables.table_mut(*table).remove(jettison_p4_exec::table::Handle(*entry)).is_ok()
            }
            Change::Default(table, then) => plane.tables.table_mut(*table).set_default(then.clone()).is_ok(),
            Change::Member(value) => plane.tables.profile_mut(profile).add_member(value.clone()).is_ok(),
            Change::Group(members) => {
                let profile = plane.tables.profile_mut(profile);
                let Ok(group) = profile.add_group() else { return false };
                members.iter().all(|member| profile.add_to_group(group, *member).is_ok())
            }
            Change::ValueSet(keys) => plane.tables.value_set_mut(ValueSetId(0)).insert(keys.clone()).is_ok(),
            Change::Meter(meter, index, [a, b, c, d]) => {
                let rate =
                    |per_microsecond, burst| jettison_p4_exec::objects::MeterRate { per_microsecond, burst };
                plane.objects.meter_mut(*meter).set_rates(*index, [rate(*a, *b), rate(*c, *d)])
            }
        }
    }
}

impl Generator<'_> {
    /// Declares two tables with direct actions, and one with a selector.
    pub fn declare_tables(&mut self, actions: std::ops::Range<usize>) {
        let algorithm =
            self.choices.pick(&[HashAlgorithm::Crc16, HashAlgorithm::Crc32, HashAlgorithm::Csum16]);
        self.profiles =
            vec![ActionProfile { name: "profile".into(), size: 8, selector: Some((algorithm, 14)) }];
        for index in 0..3 {
            let with_profile = index == 2;
            let table = self.table(index, &actions, with_profile);
            self.tables.push(table);
        }
    }

    fn table(&mut self, index: usize, functions: &std::ops::Range<usize>, with_profile: bool) -> Table {
        let plain = May::default();
        let actions: Vec<TableAction> = functions
            .clone()
            .map(|function| {
                let count = self.choices.below(self.world.data.len() + 1);
                let data = self.world.data[..count].iter();
                let data = data.map(|variable| (format!("d{}", variable.0).into(), *variable)).collect();
                TableAction {
                    function: FunctionId(function as u32),
                    name: format!("action{function}").into(),
                    data,
                    before: self.block(plain, 0),
                    after: self.block(plain, 0),
                    default_only: false,
                    table_only: false,
                }
            })
            .collect();
        let mut keys: Vec<Key> = Vec::new();
        for i in 0..self.choices.below(4) {
            let mut kind = self.choices.pick(&[
                MatchKind::Exact,
                MatchKind::Lpm,
                MatchKind::Ternary,
                MatchKind::Range,
                MatchKind::Optional,
            ]);
            if kind == MatchKind::Lpm && keys.iter().any(|key| key.kind == MatchKind::Lpm) {
                kind = MatchKind::Exact;
            }
            if with_profile && self.choices.below(2) == 1 {
                kind = MatchKind::Selector;
            }
            keys.push(Key { expr: self.key(), kind, name: format!("key{i}").into() });
        }
        let before = self.block(plain, 0);
        let default = self.action_value(&actions);
        let entries = match with_profile {
            true => Vec::new(),
            false => (0..self.choices.below(3))
                .map(|i| ConstEntry {
                    keys: self.key_matches(&keys),
                    priority: 10 - i as i64,
                    action: self.action_value(&actions),
                })
                .collect(),
        };
        Table {
            name: format!("table{index}").into(),
            before,
            keys,
            actions,
            default,
            default_is_const: false,
            entries,
            entries_are_const: false,
            size: None,
            profile: with_profile.then_some(ActionProfileId(0)),
            direct_counter: (index == 0).then_some(ExternId(5)),
            direct_meter: (index == 1).then_some(ExternId(6)),
            direct_in_actions: self.choices.below(3) == 0,
            span: NOWHERE,
        }
    }

    /// A key with few distinct values, so that entries are hit, or any expression.
    fn key(&mut self) -> Expr {
        let ty = match self.choices.below(6) {
            0 => self.world.bool,
            1 => self.world.error,
            _ => self.bits_type(),
        };
        let of = self.expr(ty, 2);
        let bits = matches!(self.world.types.get(ty), Type::Bits { .. });
        if bits && self.choices.below(4) > 0 && self.world.types.bits(ty) >= 2 {
            let few = self.constant(3u8, ty);
            return Expr { kind: ExprKind::Binary(BinaryOp::BitAnd, Box::new(of), Box::new(few)), ty };
        }
        of
    }

    fn key_matches(&mut self, keys: &[Key]) -> Vec<KeyMatch> {
        let kinds: Vec<(TypeId, MatchKind)> = keys
            .iter()
            .filter(|key| key.kind != MatchKind::Selector)
            .map(|key| (key.expr.ty, key.kind))
            .collect();
        kinds.into_iter().map(|(ty, kind)| self.key_match(ty, kind)).collect()
    }

    pub fn key_match(&mut self, ty: TypeId, kind: MatchKind) -> KeyMatch {
        let width = match self.world.types.get(ty) {
            // The few values of such keys.
            Type::Error | Type::Enum(_) => 3,
            _ => self.world.types.bits(ty),
        };
        let full = self.world.types.bits(ty);
        match kind {
            MatchKind::Exact | MatchKind::Selector => KeyMatch::Exact(self.choices.bits(width)),
            MatchKind::Lpm => {
                let length = match self.choices.below(3) {
                    0 => 0,
                    1 => full,
                    _ => self.choices.below(full as usize + 1) as u32,
                };
                KeyMatch::Lpm(self.choices.bits(width), length)
            }
            MatchKind::Ternary if self.choices.below(4) == 0 => KeyMatch::Any,
            MatchKind::Ternary => KeyMatch::Ternary(self.choices.bits(width), self.choices.bits(width)),
            MatchKind::Range => {
                let (a, b) = (self.choices.bits(width), self.choices.bits(width));
                let sign = match self.world.types.get(ty) {
                    Type::Bits { width: 1.., signed: true } => BigUint::from(1u8) << (full - 1),
                    _ => BigUint::ZERO,
                };
                if (&a ^ &sign) <= (&b ^ &sign) { KeyMatch::Range(a, b) } else { KeyMatch::Range(b, a) }
            }
            MatchKind::Optional if self.choices.below(3) == 0 => KeyMatch::Any,
            MatchKind::Optional => KeyMatch::Exact(self.choices.bits(width)),
        }
    }

    fn action_value(&mut self, actions: &[TableAction]) -> ActionValue {
        let action = self.choices.below(actions.len());
        let widths: Vec<u32> = actions[action]
            .data
            .iter()
            .map(|(_, variable)| self.world.types.bits(self.world.variables[variable.index()].ty))
            .collect();
        let data = widths.into_iter().map(|width| self.choices.bits(width)).collect();
        ActionValue { action: action as u32, data }
    }

    /// Changes by the control plane before the first packet.
    pub fn changes(&mut self) -> Vec<Change> {
        let mut changes = Vec::new();
        for _ in 0..self.choices.below(10) {
            let index = self.choices.below(3);
            let (keys, actions) = (self.tables[index].keys.clone(), self.tables[index].actions.clone());
            let table = TableId(index as u32);
            changes.push(match self.choices.below(12) {
                8 => Change::Remove(table, self.choices.below(3) as u32),
                9 => Change::Default(table, self.entry_action(index, &actions)),
                10 => {
                    let keys = self.value_set_keys.clone();
                    Change::ValueSet(
                        keys.into_iter().map(|ty| self.key_match(ty, MatchKind::Exact)).collect(),
                    )
                }
                11 => {
                    let meter = ExternId(self.choices.pick(&[4, 6]));
                    let mut number = |of| self.choices.below(of) as u64;
                    let index = number(3);
                    Change::Meter(
                        meter,
                        index,
                        [number(9_000_000), number(200), number(9_000_000), number(900)],
                    )
                }
                6 => Change::Member(self.action_value(&actions)),
                7 => {
                    Change::Group((0..self.choices.below(3)).map(|_| self.choices.below(3) as u32).collect())
                }
                _ => {
                    let keys = self.key_matches(&keys);
                    let priority = self.choices.below(4) as i64;
                    Change::Insert(
                        table,
                        Entry { keys, priority, action: self.entry_action(index, &actions) },
                    )
                }
            });
        }
        changes
    }

    fn entry_action(&mut self, table: usize, actions: &[TableAction]) -> EntryAction {
        match self.choices.below(3) {
            1 if table == 2 => EntryAction::Member(self.choices.below(3) as u32),
            2 if table == 2 => EntryAction::Group(self.choices.below(2) as u32),
            _ => EntryAction::Action(self.action_value(actions)),
        }
    }
}
