//! Rules that need only the syntax tree, and the order of declarations.

use super::{compile, elaborated, errors, program, warnings};
use crate::diagnostic::Diagnostic;

fn errors_of(top: &str) -> Vec<String> {
    errors(&program(top, "", "", ""))
}

fn parser_errors(parser: &str) -> Vec<String> {
    errors(&program("", parser, "", ""))
}

fn table_errors(table: &str) -> Vec<String> {
    errors(&program("", "", &format!("table t {{ {table} }}"), "t.apply();"))
}

fn table_warnings(table: &str) -> Vec<String> {
    warnings(&program("", "", &format!("table t {{ {table} }}"), "t.apply();"))
}

const NONE: [&str; 0] = [];

/// The only diagnostic of a program: where it points to, its label, its other positions, its hint.
fn shown(text: &str) -> (String, Diagnostic, Vec<String>) {
    let (_, said, sources) = compile(text);
    assert_eq!(said.len(), 1, "{said:?}");
    let at = |span| sources.text(span).to_owned();
    let related = said[0].related.iter().map(|(span, label)| format!("{}: {label}", at(*span))).collect();
    (at(said[0].span.expect("it has a position")), said[0].clone(), related)
}

#[test]
fn members_have_different_names_7_2_1() {
    assert_eq!(errors_of("enum Letter { X, Y, X }"), ["duplicate enum member `X`"]);
    assert_eq!(errors_of("enum bit<8> Letter { X = 1, X = 2 }"), ["duplicate enum member `X`"]);
    assert_eq!(errors_of("error { Mine, Mine }"), ["duplicate error `Mine`"]);
    assert_eq!(errors_of("match_kind { fuzzy, exact }"), ["duplicate match kind `exact`"]);
    elaborated(&program("enum Letter { X, Y } enum F { X, Y } error { Mine } error { Mine }", "", "", ""));
    let (at, error, related) = shown(&program("enum Letter { X, Y, X }", "", "", ""));
    assert_eq!((at.as_str(), error.label.as_str()), ("X", "declared again"));
    assert_eq!(related, ["X: first declared here"]);
}

#[test]
fn a_table_lists_actions_and_gives_each_property_once_14_2() {
    assert_eq!(table_errors("key = { m.m: exact; }"), ["missing `actions` in the table `t`"]);
    assert_eq!(
        table_errors("actions = { NoAction; } size = 3; size = 4;"),
        ["duplicate table property `size`"]
    );
    let found = errors(&program(
        "action a() { }",
        "",
        "action a() { } table t { actions = { a; .a; } default_action = a(); }",
        "t.apply();",
    ));
    assert_eq!(found, ["duplicate action name `a`"]);
}

#[test]
fn a_key_without_a_name_needs_one_18_3_1() {
    let actions = "actions = { NoAction; }";
    for key in ["m.m", "h.s[1].a", "m.m[3:0]", "m.m & 15", "h.h.isValid()", "8w3"] {
        assert_eq!(table_errors(&format!("key = {{ {key}: exact; }} {actions}")), NONE, "{key}");
    }
    for key in ["m.m + 1", "m.m ++ m.m", "(bit<4>) m.m", "~m.m"] {
        let found = table_errors(&format!("key = {{ {key}: exact; }} {actions}"));
        assert_eq!(found, ["this key has no name for the control plane"], "{key}");
        assert_eq!(table_errors(&format!("key = {{ {key}: exact @name(\"k\"); }} {actions}")), NONE);
    }
}

#[test]
fn priorities_that_tie_or_run_against_the_order_give_warnings_14_2_1_4() {
    let head = "key = { m.m: ternary; } actions = { NoAction; }";
    let entries = |annotation: &str, first: u8, second: u8| {
        format!(
            "{head} {annotation} entries = {{ priority = {first}: 1: NoAction(); \
             priority = {second}: 2: NoAction(); }}"
        )
    };
    assert_eq!(table_warnings(&entries("", 2, 1)), NONE);
    assert_eq!(table_warnings(&entries("", 2, 2)), ["two entries have the priority 2"]);
    let late = ["this entry has precedence over the one before it"];
    assert_eq!(table_warnings(&entries("", 1, 2)), late);
    assert_eq!(table_warnings(&entries("largest_priority_wins = false;", 2, 1)), late);
    assert_eq!(table_warnings(&entries("largest_priority_wins = false;", 1, 2)), NONE);
    assert_eq!(table_warnings(&entries("@noWarn(\"duplicate_priorities\")", 2, 2)), NONE);
    assert_eq!(table_warnings(&entries("@noWarn(\"entries_out_of_priority_order\")", 1, 2)), NONE);
    let found = table_errors(&format!("{head} entries = {{ priority = -1: 1: NoAction(); }}"));
    assert_eq!(found, ["a priority must be at least 0, got -1"]);
    let found = table_errors(&format!("{head} const entries = {{ priority = 1: 1: NoAction(); }}"));
    assert_eq!(found, ["entries of `const entries` have no priority"]);
}

#[test]
fn entries_of_exact_and_lpm_keys_have_different_keys_14_2_1_4() {
    let table = |keys: &str, first: &str, second: &str| {
        format!(
            "key = {{ {keys} }} actions = {{ NoAction; }} \
             const entries = {{ {first}: NoAction(); {second}: NoAction(); }}"
        )
    };
    let (one, two) = ("m.m: exact;", "m.m: exact; m.w: lpm;");
    let duplicate = ["duplicate key of an entry"];
    assert_eq!(table_errors(&table(one, "3", "4")), NONE);
    assert_eq!(table_errors(&table(one, "3", "8w0x03")), duplicate);
    assert_eq!(table_errors(&table(two, "(3, 0x1200 &&& 0xff00)", "(3, 0x1234 &&& 0xff00)")), duplicate);
    assert_eq!(table_errors(&table(two, "(3, _)", "(3, 0 &&& 0)")), duplicate);
    assert_eq!(table_errors(&table(two, "(3, 0x1200 &&& 0xff00)", "(3, 0x1200 &&& 0xfff0)")), NONE);
    assert_eq!(table_errors(&table(two, "(3, 0x1200)", "(4, 0x1200)")), NONE);
    let other = table(one, "3", "3").replace("const entries", "entries");
    assert_eq!(table_errors(&other), duplicate);
    let text = program("", "", &format!("table t {{ {} }}", table(one, "3", "3")), "t.apply();");
    let (at, error, related) = shown(&text);
    assert_eq!((at.as_str(), error.label.as_str()), ("3: NoAction();", "the same key"));
    assert_eq!(related, ["3: NoAction();: first given here"]);
}

#[test]
fn entries_with_equal_keys_of_which_one_never_matches_give_a_warning() {
    let table = |keys: &str, first: &str, second: &str| {
        format!(
            "key = {{ {keys} }} actions = {{ NoAction; }} \
             const entries = {{ {first}: NoAction(); {second}: NoAction(); }}"
        )
    };
    let same = ["two entries have the same key"];
    for (kind, first, second) in [
        ("ternary", "0x12 &&& 0xf0", "0x13 &&& 0xf0"),
        ("ternary", "_", "0 &&& 0"),
        ("range", "1..5", "1..5"),
        ("optional", "1", "1"),
        ("optional", "_", "_"),
    ] {
        assert_eq!(table_warnings(&table(&format!("m.m: {kind};"), first, second)), same, "{kind} {first}");
    }
    for (kind, first, second) in
        [("ternary", "0x12 &&& 0xf0", "_"), ("range", "1..5", "1..6"), ("optional", "0", "_")]
    {
        assert_eq!(table_warnings(&table(&format!("m.m: {kind};"), first, second)), NONE, "{kind} {first}");
    }
}

#[test]
fn instances_are_where_they_may_be_11_3_2() {
    let top =
        "control X(inout Meta m) { apply { } } parser Y(packet_in p) { state start { transition accept; } }";
    let found = errors_of(&format!("{top} X() x;"));
    assert_eq!(found, ["the control `X` cannot be instantiated at the top level"]);
    let found = errors(&program(top, "X() x; state start { transition accept; }", "", ""));
    assert_eq!(found, ["the control `X` cannot be instantiated in a parser"]);
    let found = errors(&program(top, "", "Y() y;", ""));
    assert_eq!(found, ["the parser `Y` cannot be instantiated in a control"]);
    let found = errors(&program(top, "", "", "X() x; x.apply(m);"));
    assert_eq!(found, ["the instance `x` must not be declared among statements"]);
    let found = errors(&program("", "", "action a() { register<bit<8>>(3) r; }", "a();"));
    assert_eq!(found, ["the instance `r` must not be declared among statements"]);
    elaborated(&program("register<bit<8>>(3) r;", "", "", "r.write(0, m.m);"));
}

#[test]
fn states_and_locals_share_a_namespace_13_2() {
    let found =
        parser_errors("bit<8> t; state start { t = 1; transition t; } state t { transition accept; }");
    assert_eq!(found, ["duplicate name `t`"]);
}

#[test]
fn a_parser_that_never_accepts_gives_a_warning() {
    let warned = |parser: &str| warnings(&program("", parser, "", ""));
    let never = ["the parser `P` never accepts a packet"];
    assert_eq!(warned("state start { transition start; }"), never);
    assert_eq!(warned("state start { p.extract(h.h); }"), never);
    assert_eq!(warned("state start { transition select(m.m) { 1: reject; default: start; } }"), never);
    assert_eq!(warned("state start { transition start; } state other { transition accept; }"), never);
    assert_eq!(warned("state start { transition select(m.m) { 1: accept; } }"), NONE);
}

#[test]
fn functions_return_on_every_path_and_do_not_exit_10() {
    let found = errors_of("bit<8> f(in bit<8> x) { if (x == 1) { return 2; } }");
    assert_eq!(found, ["the function `f` must return a value on every path"]);
    let found = errors_of("bit<8> f(in bit<8> x) { switch (x) { 1: { return 2; } } }");
    assert_eq!(found, ["the function `f` must return a value on every path"]);
    assert_eq!(
        errors_of(
            "bit<8> f(in bit<8> x) { if (x == 1) { return 2; } else { return 3; } }
             bit<8> g(in bit<8> x) { switch (x) { 1: default: { return 2; } } }
             void h(in bit<8> x) { if (x == 1) { return; } }"
        ),
        NONE
    );
    assert_eq!(errors_of("void f() { exit; }"), ["`exit` is not allowed in a function"]);
    let (at, error, related) = shown(&program("bit<8> f() { }", "", "", ""));
    assert_eq!((at.as_str(), error.label.as_str()), ("f", "some paths have no `return`"));
    assert_eq!(related, ["}: this end can be reached"]);
}

#[test]
fn names_are_declared_before_they_are_used_6_6_1() {
    let before = |name: &str| format!("`{name}` is used before its declaration");
    assert_eq!(errors_of("const bit<8> X = Y; const bit<8> Y = 3;"), [before("Y")]);
    assert_eq!(errors_of("struct S { T t; } struct T { bit<8> x; }"), [before("T")]);
    assert_eq!(
        errors_of("const bool SAME = Some.A == Some.B; enum Some { A, B }"),
        [before("Some"), before("Some")]
    );
    assert_eq!(
        errors_of("bit<8> f(in bit<8> x) { return g(x); } bit<8> g(in bit<8> x) { return x; }"),
        [before("g")]
    );
    // A local name hides a later one.
    let hiding = "bit<8> f(in bit<8> X) { return X; } const bit<8> X = 3;";
    elaborated(&program(hiding, "", "", "m.m = f(X);"));
    let (at, error, related) = shown(&program("const bit<8> X = Y; const bit<8> Y = 3;", "", "", ""));
    assert_eq!((at.as_str(), error.label.as_str()), ("Y", "not declared yet"));
    assert_eq!(related, ["Y: declared here"]);
}
