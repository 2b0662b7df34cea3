use std::sync::Arc;

use num_bigint::BigUint;
use proptest::prelude::*;

use super::*;
use jettison_p4_front::ir::{
    Expr, ExprKind, FunctionId, Key, MatchKind, ParserId, Pipeline, Table, TableAction, Type, Types, VarId,
    Variable,
};
use jettison_p4_front::source::{FileId, Span};

/// Key of a table under test: kind, width and signedness.
#[derive(Debug, Clone, Copy)]
struct Shape(MatchKind, u32, bool);

/// A program with one table, whose only action takes a `bit<32>`.
fn program(keys: &[Shape]) -> Program {
    let mut types = Types::default();
    let data = types.add(Type::Bits { width: 32, signed: false });
    let keys = keys.iter().map(|Shape(kind, width, signed)| {
        let ty = types.add(Type::Bits { width: *width, signed: *signed });
        let expr = Expr { kind: ExprKind::Constant(BigUint::ZERO), ty };
        Key { expr, kind: *kind, name: "k".into() }
    });
    let keys = keys.collect();
    let action = TableAction {
        function: FunctionId(0),
        name: "set".into(),
        data: vec![("x".into(), VarId(0))],
        before: Vec::new(),
        after: Vec::new(),
        default_only: false,
        table_only: false,
    };
    let table = Table {
        name: "t".into(),
        before: Vec::new(),
        keys,
        actions: vec![action],
        default: value(0),
        default_is_const: false,
        entries: Vec::new(),
        entries_are_const: false,
        size: None,
        profile: None,
        direct_counter: None,
        direct_meter: None,
        direct_in_actions: false,
        span: Span { file: FileId(0), start: 0, end: 0 },
    };
    Program {
        types,
        variables: vec![Variable { name: "x".into(), ty: data }],
        functions: Vec::new(),
        parsers: Vec::new(),
        tables: vec![table],
        externs: Vec::new(),
        profiles: Vec::new(),
        value_sets: Vec::new(),
        field_lists: Vec::new(),
        numbered_lists: Default::default(),
        reads_dequeue_rate: false,
        reads_qid: false,
        reads_packet_length: true,
        target: Default::default(),
        control_plane: Default::default(),
        errors: vec![Arc::from("NoError")],
        pipeline: Pipeline {
            headers: VarId(0),
            metadata: VarId(0),
            standard_metadata: VarId(0),
            parser: ParserId(0),
            verify_checksum: FunctionId(0),
            ingress: FunctionId(0),
            egress: FunctionId(0),
            compute_checksum: FunctionId(0),
            deparser: FunctionId(0),
            psa: None,
        },
    }
}

fn value(data: u32) -> ActionValue {
    ActionValue { action: 0, data: vec![BigUint::from(data)] }
}

fn entry(keys: Vec<KeyMatch>, priority: i64) -> Entry {
    Entry { keys, priority, action: EntryAction::Action(value(priority as u32)) }
}

fn table(keys: &[Shape]) -> TableState {
    Tables::new(&program(keys)).tables.remove(0)
}

fn number(n: u64) -> BigUint {
    BigUint::from(n)
}

#[test]
fn the_longest_prefix_wins_in_any_insertion_order() {
    let mut table = table(&[Shape(MatchKind::Lpm, 32, false)]);
    let ten = table.insert(entry(vec![KeyMatch::Lpm(number(0x0a00_0000), 8)], 9)).expect("it fits");
    let one = table.insert(entry(vec![KeyMatch::Lpm(number(0x0a01_0000), 16)], 0)).expect("it fits");
    let all = table.insert(entry(vec![KeyMatch::Any], 0)).expect("it fits");
    assert_eq!(table.lookup(&[0x0a01_0203]), Some(one));
    assert_eq!(table.lookup(&[0x0a02_0203]), Some(ten));
    assert_eq!(table.lookup(&[0x0b02_0203]), Some(all));
    table.remove(one).expect("it exists");
    assert_eq!(table.lookup(&[0x0a01_0203]), Some(ten));
}

#[test]
fn priority_decides_for_an_lpm_key_beside_a_ternary_one() {
    let mut table = table(&[Shape(MatchKind::Lpm, 32, false), Shape(MatchKind::Ternary, 8, false)]);
    let long = table.insert(entry(vec![KeyMatch::Lpm(number(0x0a01_0000), 16), KeyMatch::Any], 1));
    let short =
        table.insert(entry(vec![KeyMatch::Lpm(number(0x0a00_0000), 8), KeyMatch::Any], 2)).expect("it fits");
    assert!(long.is_ok());
    assert_eq!(table.lookup(&[0x0a01_0203, 0]), Some(short));
}

#[test]
fn of_equal_priorities_the_first_inserted_wins() {
    let mut table = table(&[Shape(MatchKind::Ternary, 8, false)]);
    let first = table.insert(entry(vec![KeyMatch::Ternary(number(0x10), number(0xf0))], 5)).expect("it fits");
    let second =
        table.insert(entry(vec![KeyMatch::Ternary(number(0x01), number(0x0f))], 5)).expect("it fits");
    assert_eq!(table.lookup(&[0x11]), Some(first));
    assert_eq!(table.lookup(&[0x21]), Some(second));
}

#[test]
fn signed_ranges_compare_as_twos_complement() {
    let mut table = table(&[Shape(MatchKind::Range, 8, true)]);
    let around_zero = KeyMatch::Range(number(0xfe), number(2)); // -2 to 2
    let handle = table.insert(entry(vec![around_zero], 1)).expect("it fits");
    for inside in [0xfe, 0xff, 0, 1, 2] {
        assert_eq!(table.lookup(&[inside]), Some(handle));
    }
    for outside in [0xfd, 3, 0x7f, 0x80] {
        assert_eq!(table.lookup(&[outside]), None);
    }
    let refused = table.insert(entry(vec![KeyMatch::Range(number(2), number(0xfe))], 1));
    assert!(matches!(refused, Err(TableError::Mismatch(_))), "from 2 to -2: {refused:?}");
}

#[test]
fn mismatches_are_rejected_with_a_reason() {
    let mut table = table(&[Shape(MatchKind::Exact, 9, false)]);
    let mut refused = |keys| table.insert(entry(keys, 0)).expect_err("it must not fit").to_string();
    assert_eq!(refused(vec![]), "expected 1 key, got 0");
    assert_eq!(refused(vec![KeyMatch::Any]), "the key `k` is exact: it requires one value");
    assert_eq!(
        refused(vec![KeyMatch::Exact(number(512))]),
        "the key `k` has 9 bits: the value must fit, got 0x200"
    );
    let action = EntryAction::Action(ActionValue { action: 0, data: vec![] });
    let refused = table.insert(Entry { keys: vec![KeyMatch::Exact(number(1))], priority: 0, action });
    assert_eq!(refused.expect_err("no data").to_string(), "the action `set` requires 1 value, got 0");
    let refused = table.set_default(EntryAction::Member(0)).expect_err("there is no profile").to_string();
    assert_eq!(refused, "the table has no action profile, so it has no members");
    table.insert(entry(vec![KeyMatch::Exact(number(1))], 0)).expect("it fits");
    assert_eq!(table.insert(entry(vec![KeyMatch::Exact(number(1))], 1)), Err(TableError::Duplicate));
}

#[test]
fn size_and_const_limit_the_control_plane() {
    let mut program = program(&[Shape(MatchKind::Exact, 8, false)]);
    program.tables[0].size = Some(1);
    let mut table = Tables::new(&program).tables.remove(0);
    table.insert(entry(vec![KeyMatch::Exact(number(1))], 0)).expect("there is room");
    assert_eq!(table.insert(entry(vec![KeyMatch::Exact(number(2))], 0)), Err(TableError::Full(1)));
    table.clear().expect("it is not const");
    table.insert(entry(vec![KeyMatch::Exact(number(2))], 0)).expect("there is room again");

    let action = value(7);
    program.tables[0].entries = vec![jettison_p4_front::ir::ConstEntry {
        keys: vec![KeyMatch::Exact(number(3))],
        priority: 0,
        action,
    }];
    program.tables[0].entries_are_const = true;
    program.tables[0].default_is_const = true;
    let mut table = Tables::new(&program).tables.remove(0);
    let handle = table.lookup(&[3]).expect("the program gives it");
    assert_eq!(table.coded(handle), [0, 7]);
    assert_eq!(table.clear(), Err(TableError::ConstEntries));
    assert_eq!(table.modify(handle, EntryAction::Action(value(1))), Err(TableError::ConstEntries));
    assert_eq!(table.set_default(EntryAction::Action(value(1))), Err(TableError::ConstDefault));
}

#[test]
fn a_group_selects_members_in_the_order_of_their_numbers() {
    let mut program = program(&[Shape(MatchKind::Exact, 8, false)]);
    let selector = Some((jettison_p4_front::ir::HashAlgorithm::Crc16, 4));
    program.profiles = vec![jettison_p4_front::ir::ActionProfile { name: "s".into(), size: 8, selector }];
    program.tables[0].profile = Some(ActionProfileId(0));
    let mut tables = Tables::new(&program);
    let profile = tables.profile_mut(ActionProfileId(0));
    let members: Vec<u32> = (0..3).map(|n| profile.add_member(value(n)).expect("there is room")).collect();
    let group = profile.add_group().expect("it is a selector");
    assert_eq!(profile.choose(group, 5), None, "the group is empty");
    for member in [members[2], members[0]] {
        profile.add_to_group(group, member).expect("both are there");
    }
    assert_eq!(profile.choose(group, 0), Some(members[0]));
    assert_eq!(profile.choose(group, 1), Some(members[2]));
    assert_eq!(profile.choose(group, 0x10), Some(members[0]), "the selector is four bits wide");
    profile.remove_member(members[0]).expect("it exists");
    assert_eq!(profile.choose(group, 0), Some(members[2]));
    let id = ActionProfileId(0);
    assert_eq!(tables.action(Some(id), &EntryAction::Group(group), 3), Some(&value(2)));
    assert_eq!(tables.action(Some(id), &EntryAction::Member(members[0]), 3), None);
}

#[test]
fn value_sets_match_by_the_kinds_of_their_keys() {
    let mut program = program(&[]);
    let ty = program.types.add(Type::Bits { width: 16, signed: false });
    let keys = vec![(ty, MatchKind::Exact), (ty, MatchKind::Ternary)];
    program.value_sets = vec![jettison_p4_front::ir::ValueSet { name: "v".into(), size: 1, keys }];
    let mut tables = Tables::new(&program);
    let set = tables.value_set_mut(ValueSetId(0));
    let member = vec![KeyMatch::Exact(number(1)), KeyMatch::Ternary(number(0x200), number(0xff00))];
    set.insert(member.clone()).expect("it fits");
    assert!(set.matches(&[1, 0x2ff]) && !set.matches(&[1, 0x3ff]) && !set.matches(&[2, 0x2ff]));
    assert_eq!(set.insert(member.clone()), Err(TableError::Duplicate));
    set.remove(&member).expect("it exists");
    assert!(!set.matches(&[1, 0x2ff]));
}

/// A random change of a table.
#[derive(Debug, Clone)]
enum Change {
    Insert(Vec<(u64, u64, u32, u8)>, i64),
    Remove(usize),
    Modify(usize, u32),
    Clear,
}

fn change() -> impl Strategy<Value = Change> {
    // Few distinct numbers, so that keys collide.
    let key = (any::<u64>(), any::<u64>(), 0u32..=130, 0u8..6);
    prop_oneof![
        12 => (prop::collection::vec(key, 3), 0i64..4).prop_map(|(keys, priority)| Change::Insert(keys, priority)),
        3 => any::<usize>().prop_map(Change::Remove),
        1 => (any::<usize>(), any::<u32>()).prop_map(|(which, data)| Change::Modify(which, data)),
        1 => (0u8..8).prop_map(|n| if n == 0 { Change::Clear } else { Change::Remove(usize::from(n)) }),
    ]
}

fn spread(seed: u64, width: u32) -> BigUint {
    // Few bits set, among them the highest ones, so that prefixes and masks overlap.
    let low = BigUint::from(seed & 0x13);
    let high = BigUint::from(seed >> 62) << width.saturating_sub(2);
    (low | high) & ((BigUint::from(1u8) << width) - 1u8)
}

fn wanted(shape: Shape, (a, b, length, choice): (u64, u64, u32, u8)) -> KeyMatch {
    let Shape(kind, width, _) = shape;
    match (kind, choice) {
        (MatchKind::Exact, _) | (_, 0) => KeyMatch::Exact(spread(a, width)),
        (_, 1) => KeyMatch::Any,
        (MatchKind::Lpm, _) => KeyMatch::Lpm(spread(a, width), length.min(width)),
        (MatchKind::Ternary, 2) => KeyMatch::Lpm(spread(a, width), length.min(width)),
        (MatchKind::Ternary, _) => KeyMatch::Ternary(spread(a, width), spread(b, width)),
        (MatchKind::Range, _) => KeyMatch::Range(spread(a, width), spread(b, width)),
        _ => KeyMatch::Any,
    }
}

fn shapes() -> impl Strategy<Value = Vec<Shape>> {
    let widths = prop_oneof![Just(0), Just(1), Just(8), Just(9), Just(32), Just(64), Just(65), Just(128)];
    let kinds = prop_oneof![
        Just(MatchKind::Exact),
        Just(MatchKind::Exact),
        Just(MatchKind::Ternary),
        Just(MatchKind::Range),
        Just(MatchKind::Optional),
        Just(MatchKind::Selector),
    ];
    let shape = |(kind, width, signed)| Shape(kind, width, signed);
    let mixed = prop::collection::vec((kinds, widths.clone(), any::<bool>()).prop_map(shape), 0..=3);
    let prefix = widths.clone().prop_map(|width| vec![Shape(MatchKind::Lpm, width, false)]);
    let beside = prop_oneof![Just(MatchKind::Exact), Just(MatchKind::Ternary)];
    let prefix_beside =
        (widths.clone(), beside, widths.clone(), any::<bool>()).prop_map(|(a, kind, b, first)| {
            let (lpm, other) = (Shape(MatchKind::Lpm, a, false), Shape(kind, b, false));
            if first { vec![lpm, other] } else { vec![other, lpm] }
        });
    let exact = prop::collection::vec((Just(MatchKind::Exact), widths, Just(false)).prop_map(shape), 1..=2);
    prop_oneof![mixed, prefix, prefix_beside, exact]
}

proptest! {
    #[test]
    fn the_index_agrees_with_a_linear_search(
        shapes in shapes(),
        changes in prop::collection::vec(change(), 0..60),
        probes in prop::collection::vec(prop::array::uniform3(any::<u64>()), 20),
    ) {
        let mut table = table(&shapes);
        let matched: Vec<Shape> = shapes.iter().copied().filter(|Shape(kind, ..)| *kind != MatchKind::Selector).collect();
        for change in changes {
            let handles: Vec<Handle> = table.entries().map(|(handle, _)| handle).collect();
            let nth = |which: usize| handles.get(which % handles.len().max(1)).copied();
            match change {
                Change::Insert(seeds, priority) => {
                    let keys = matched.iter().zip(seeds).map(|(shape, seed)| wanted(*shape, seed)).collect();
                    let inserted = table.insert(entry(keys, priority));
                    let expected = matches!(inserted, Ok(_) | Err(TableError::Duplicate | TableError::Mismatch(_)));
                    prop_assert!(expected, "{inserted:?}");
                }
                Change::Remove(which) => {
                    if let Some(handle) = nth(which) {
                        prop_assert!(table.remove(handle).is_ok());
                        prop_assert_eq!(table.remove(handle), Err(TableError::NoEntry(handle.0)));
                    }
                }
                Change::Modify(which, data) => {
                    if let Some(handle) = nth(which) {
                        prop_assert!(table.modify(handle, EntryAction::Action(value(data))).is_ok());
                        prop_assert_eq!(table.coded(handle)[1], u64::from(data));
                    }
                }
                Change::Clear => table.clear().expect("it is not const"),
            }
            for probe in &probes {
                let mut key = Vec::new();
                for (Shape(_, width, _), seed) in matched.iter().zip(probe) {
                    let mut words = vec![0; words_for(*width)];
                    key::write_words(&spread(*seed, *width), &mut words);
                    key.extend(words);
                }
                prop_assert_eq!(table.lookup(&key), table.lookup_linear(&key));
            }
            prop_assert_eq!(table.len(), table.entries().count());
        }
    }
}
