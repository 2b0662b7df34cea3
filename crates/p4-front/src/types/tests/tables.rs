//! Tables, their actions and entries (§14 of the specification).

use super::{elaborated, errors, program};
use crate::ir::{KeyMatch, MatchKind, Program, Table};

fn table(locals: &str) -> Table {
    let program: Program = elaborated(&program("", "", locals, "t.apply();"));
    program.tables[0].clone()
}

const ACTIONS: &str = "
action a(bit<8> x) { m.m = x; }
action b(inout bit<8> y, bit<8> x) { y = x; }
action c() { }
";

fn with_entries(keys: &str, entries: &str) -> Table {
    table(&format!(
        "{ACTIONS} table t {{ key = {{ {keys} }} actions = {{ a; b(h.h.a); c; }} entries = {{ {entries} }} }}"
    ))
}

fn error_of(properties: &str) -> String {
    let found = errors(&program("", "", &format!("{ACTIONS} table t {{ {properties} }}"), "t.apply();"));
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

#[test]
fn names_for_the_control_plane() {
    let locals = "
        @name(\"renamed\") action a() { } @name(\".top\") action b(@name(\"port\") bit<9> p) { }
        @name(\"tt\") table t { key = { h.h.a : exact; h.s[1].b : ternary; h.g.isValid() : exact; m.m : lpm @name(\"k\"); h.h.a[3:0] : exact; }
                  actions = { a; b; @defaultonly c; NoAction; } } ";
    let table = table(&format!("action c() {{ }} {locals}"));
    assert_eq!(&*table.name, "I.tt");
    let keys: Vec<&str> = table.keys.iter().map(|key| &*key.name).collect();
    assert_eq!(keys, ["h.h.a", "h.s[1].b", "h.g.isValid()", "k", "h.h.a[3:0]"]);
    let actions: Vec<&str> = table.actions.iter().map(|action| &*action.name).collect();
    assert_eq!(actions, ["I.renamed", "top", "I.c", "NoAction"]);
    assert_eq!(&*table.actions[1].data[0].0, "port");
    assert!(table.actions[2].default_only && !table.actions[0].default_only);
}

#[test]
fn instances_are_part_of_the_names() {
    let top = "
        control Inner(inout Meta m) { action a() { } table t { actions = { a; } } register<bit<8>>(3) r; apply { t.apply(); r.write(0, 1); } }
        control Outer(inout Meta m) { Inner() inner; apply { inner.apply(m); } }
    ";
    let program = elaborated(&program(top, "", "Outer() o;", "o.apply(m); Inner.apply(m);"));
    let names: Vec<&str> = program.tables.iter().map(|table| &*table.name).collect();
    assert_eq!(names, ["I.o.inner.t", "I.Inner.t"]);
    assert_eq!(&*program.externs[0].name, "I.o.inner.r");
}

#[test]
fn the_default_is_no_action_14_2_1_3() {
    let table = table(&format!("{ACTIONS} table t {{ actions = {{ c; }} }}"));
    assert_eq!(&*table.actions[table.default.action as usize].name, "NoAction");
    assert!(table.actions[1].default_only);
}

#[test]
fn entries_match_as_their_keys_do_14_2_1_4() {
    let found = with_entries(
        "m.m : ternary; m.w : lpm; h.h.a : range; h.h.b : exact; m.f : optional;",
        "(5, 0x1200 &&& 0xff00, 1 .. 9, 3, true) : a(7); (0xf0 &&& 0x3c, _, _, 4, _) : b(2); (_, 3, 6, 5, _) : c;",
    );
    let number = |value: u32| num_bigint::BigUint::from(value);
    assert_eq!(
        found.entries[0].keys,
        [
            KeyMatch::Ternary(number(5), number(255)),
            KeyMatch::Lpm(number(0x1200), 8),
            KeyMatch::Range(number(1), number(9)),
            KeyMatch::Exact(number(3)),
            KeyMatch::Exact(number(1)),
        ]
    );
    assert_eq!(found.entries[1].keys[0], KeyMatch::Ternary(number(0x30), number(0x3c)));
    assert_eq!(found.entries[1].keys[1], KeyMatch::Any);
    assert_eq!(found.entries[1].action.data, [number(2)]);
    assert_eq!(found.entries[2].keys[2], KeyMatch::Range(number(6), number(6)));
    assert_eq!(found.keys[1].kind, MatchKind::Lpm);
}

fn priorities(properties: &str, entries: &str) -> Vec<i64> {
    let text = format!(
        "{ACTIONS} table t {{ key = {{ m.m : ternary; }} actions = {{ c; }} {properties} entries = {{ {entries} }} }}"
    );
    table(&text).entries.iter().map(|entry| entry.priority).collect()
}

#[test]
fn priorities_of_entries_14_2_1_4() {
    assert_eq!(priorities("", "1 : c; 2 : c; 3 : c;"), [3, 2, 1]);
    assert_eq!(priorities("priority_delta = 10;", "1 : c; 2 : c; 3 : c;"), [21, 11, 1]);
    assert_eq!(
        priorities("priority_delta = 10;", "priority = 50 : 1 : c; 2 : c; priority = 7 : 3 : c;"),
        [50, 40, 7]
    );
    assert_eq!(
        priorities("largest_priority_wins = false;", "priority = 5 : 1 : c; 2 : c; priority = 1 : 3 : c;"),
        [-5, -6, -1]
    );
    assert_eq!(priorities("", "1 : c @priority(3); 2 : c @priority(1); 3 : c;"), [-3, -1, -3]);
}

#[test]
fn errors_in_tables_are_reported() {
    assert_eq!(error_of("key = { m.m : exakt; } actions = { c; }"), "unknown match kind `exakt`");
    assert_eq!(error_of("actions = { c; d; }"), "`d` is not declared");
    assert_eq!(error_of("actions = { c; c; }"), "duplicate action `c` in the list");
    assert_eq!(error_of("actions = { b; }"), "missing arguments for the 1 directed parameters of `b`");
    assert_eq!(
        error_of("actions = { c; } default_action = a(1);"),
        "`a` is not in the table's list of actions"
    );
    assert_eq!(error_of("actions = { a; } default_action = a;"), "missing argument for the parameter `x`");
    assert_eq!(
        error_of("actions = { a; } default_action = a(m.m);"),
        "action data must be known at compile time"
    );
    assert_eq!(
        error_of("key = { h.h : exact; } actions = { c; }"),
        "a table key must be a scalar, found `A`"
    );
    assert_eq!(
        error_of("key = { m.m : exact; } actions = { c; } entries = { (1, 2) : c; }"),
        "expected 1 key, found 2"
    );
    assert_eq!(
        error_of("key = { m.m : exact; } actions = { c; } entries = { 1 &&& 3 : c; }"),
        "masks are allowed only for lpm and ternary keys"
    );
    assert_eq!(
        error_of("key = { m.m : lpm; } actions = { c; } entries = { 1 &&& 0x0f : c; }"),
        "the mask of an lpm key must be a prefix (ones, then zeros), got 0xf"
    );
}

#[test]
fn a_table_is_applied_in_controls_only() {
    let locals = format!("{ACTIONS} table t {{ actions = {{ c; }} }} action d() {{ t.apply(); }}");
    let found = errors(&program("", "", &locals, "d();"));
    assert_eq!(found, ["applying a table is allowed only in controls' apply blocks"]);
}

#[test]
fn hit_miss_and_action_run() {
    let locals = format!("{ACTIONS} table t {{ key = {{ m.m : exact; }} actions = {{ a; c; }} }}");
    let right = "
        if (t.apply().hit) { m.w = 1; }
        if (!t.apply().miss && m.f) { m.w = 2; }
        m.f = t.apply().hit;
        switch (t.apply().action_run) { a: c: { m.w = 3; } NoAction: { m.w = 4; } default: { } }
    ";
    elaborated(&program("", "", &locals, right));
    let wrong = |apply: &str| errors(&program("", "", &locals, apply));
    assert_eq!(wrong("switch (t.apply().action_run) { d: { } }"), ["`d` is not an action of this table"]);
    assert_eq!(wrong("switch (t.apply().action_run) { a: { } a: { } }"), ["duplicate `switch` label"]);
    assert_eq!(wrong("m.f = t.apply().hot;"), ["the result of `apply` has no field `hot`"]);
    assert_eq!(wrong("m.f = t.hit;"), ["`void` has no field `hit`"]);
    assert_eq!(wrong("t.apply(m.m);"), ["`apply` of a table takes no arguments"]);
}
