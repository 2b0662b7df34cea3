//! Statements (§11 of the specification).

use super::{assert_valid, error_of, errors, ingress, program};

#[test]
fn a_switch_on_values_joins_labels_without_a_body_11_7() {
    let found = ingress("", "", "switch (m.m) { 1: 2: { m.w = 1; } 3: { m.w = 2; } default: { m.w = 3; } }");
    assert_eq!(
        found,
        [
            "switch metadata.m {",
            "1, 2:",
            "metadata.w = 1",
            "3:",
            "metadata.w = 2",
            "default:",
            "metadata.w = 3",
            "}"
        ]
    );
    assert_valid(
        "switch (m.c) { Colour.Red: { } } switch (m.k) { Kind.One: { } 7: { } } switch (sm.parser_error) { error.Odd: { } }",
    );
    assert_eq!(error_of("switch (m.m) { 1: { } 257: { } }"), "duplicate `switch` label");
    assert_eq!(error_of("switch (m.m) { m.m: { } }"), "`switch` label must be known at compile time");
    assert_eq!(error_of("switch (h.h) { default: { } }"), "`switch` is not defined for the type `A`");
}

#[test]
fn a_variable_without_a_value_is_reset_where_it_is_declared() {
    let found = ingress("", "bit<8> x; bit<8> y = 3;", "A a; a.setValid(); x = y;");
    let valid = ["lengthen by 3 bytes if !valid(a)", "if !valid(a) {", "reset a", "}", "set valid a"];
    assert_eq!(found, [&["reset x", "y = 3", "reset a"][..], &valid, &["x = y"]].concat());
}

#[test]
fn a_range_loop_ends_after_the_maximum() {
    let found = ingress("", "", "for (bit<8> i in 250 .. 255) { m.m = i; }");
    assert!(found.contains(&"if (loop == loop) {".to_owned()), "{found:?}");
    assert_valid(
        "for (A a in h.s) { m.m = a.a; } for (bit<8> i in { 1, 2, m.m }) { if (i == 2) break; continue; }",
    );
    assert_valid("for (bit<8> i = 0, bit<8> j = 1; i < 8; i = i + 1, j = j + 2) { m.m = j; }");
    assert_eq!(error_of("break;"), "`break` and `continue` are allowed only in a loop");
    assert_eq!(
        error_of("for (bit<8> i in m.m) { }"),
        "expected a range, list or stack to loop over, found `bit<8>`"
    );
}

#[test]
fn return_and_exit() {
    assert_valid("if (m.f) return; if (m.m == 1) { exit; } m.m = 1;");
    assert_eq!(error_of("return 1;"), "unexpected return value: there is no result type here");
    let found = errors(&program("bit<8> f() { return; }", "", "", ""));
    assert_eq!(found, ["missing return value of type `bit<8>`"]);
    let found = errors(&program("bit<8> f() { return true; }", "", "", ""));
    assert_eq!(found, ["expected `bit<8>`, found `bool`"]);
}

#[test]
fn a_condition_is_a_bool() {
    assert_eq!(error_of("if (m.m) { }"), "expected `bool`, found `bit<8>`");
    assert_eq!(error_of("m.f = m.m && m.f;"), "expected `bool`, found `bit<8>`");
}

#[test]
fn errors_in_one_place_do_not_hide_others() {
    let found = errors(&program("void f() { y = 1; }", "", "action a() { z = 1; }", "x = 1; m.m = true;"));
    assert_eq!(
        found,
        [
            "`z` is not declared",
            "`x` is not declared",
            "expected `bit<8>`, found `bool`",
            "`y` is not declared"
        ]
    );
}
