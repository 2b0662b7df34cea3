//! Evaluation order and copy-in/copy-out (§6.8 of the specification), as the statements show it.

use super::ingress;

const FUNCTIONS: &str = "
bit<8> f(inout bit<8> x) { x = x + 1; return x; }
bit<8> two(inout bit<8> x, inout bit<8> y) { x = 1; y = 2; return 3; }
void set(out bit<4> x) { x = 3; }
bool yes(inout bit<8> x) { x = 7; return true; }
";

fn statements(apply: &str) -> Vec<String> {
    ingress(FUNCTIONS, "", apply)
}

#[test]
fn a_call_is_copy_in_call_copy_out_and_result_6_8() {
    assert_eq!(
        statements("m.m = f(h.h.a);"),
        ["f.x = headers.h.a", "call f", "headers.h.a = f.x", "tmp = f.result", "metadata.m = tmp"]
    );
}

#[test]
fn the_left_operand_is_read_before_the_right_one_changes_it_6_8() {
    let found = statements("m.m = m.m + f(m.m);");
    assert_eq!(found[0], "tmp = metadata.m", "{found:?}");
    assert_eq!(found.last().expect("there is one"), "metadata.m = (tmp + tmp)");
    // In the opposite order, the call comes first and nothing needs saving.
    let found = statements("m.m = f(m.m) + m.m;");
    assert_eq!(found[0], "f.x = metadata.m", "{found:?}");
    assert_eq!(found.last().expect("there is one"), "metadata.m = (tmp + metadata.m)");
}

#[test]
fn the_index_of_the_destination_is_evaluated_first_6_8() {
    let found = statements("h.s[m.m].a = f(m.m);");
    assert_eq!(found[0], "tmp = metadata.m", "{found:?}");
    assert_eq!(found.last().expect("there is one"), "headers.s[tmp].a = tmp");
    let found = statements("h.s[f(m.m)].a = f(h.h.a);");
    assert_eq!(found[0], "f.x = metadata.m", "{found:?}");
}

#[test]
fn the_last_of_two_copies_to_one_variable_wins_6_8() {
    let found = statements("two(m.m, m.m);");
    let end: Vec<&str> = found.iter().map(String::as_str).skip(3).take(2).collect();
    assert_eq!(end, ["metadata.m = two.x", "metadata.m = two.y"], "{found:?}");
}

#[test]
fn a_call_may_be_an_argument_of_the_same_function() {
    let nested = ingress("bit<8> g(in bit<8> x) { return x + 1; }", "", "m.m = g(g(m.m));");
    assert_eq!(
        nested,
        [
            "g.x = metadata.m",
            "call g",
            "tmp = g.result",
            "g.x = tmp",
            "call g",
            "tmp = g.result",
            "metadata.m = tmp"
        ]
    );
}

#[test]
fn a_slice_as_an_out_argument_replaces_its_bits_only() {
    assert_eq!(statements("set(h.h.a[5:2]);"), ["call set", "headers.h.a[5:2] = set.x"]);
}

#[test]
fn an_index_of_an_out_argument_is_saved_before_the_call_6_8() {
    let found = statements("two(h.s[m.m].a, m.m);");
    assert_eq!(found[0], "tmp = metadata.m", "{found:?}");
    assert!(found.contains(&"headers.s[tmp].a = two.x".to_owned()), "{found:?}");
}

#[test]
fn the_right_side_of_and_runs_only_if_the_left_one_is_true_8_5() {
    let found = statements("if (m.f && yes(m.m)) { m.w = 1; }");
    assert_eq!(found[0], "tmp = metadata.f");
    assert_eq!(found[1], "if tmp {");
    let found = statements("if (m.f || yes(m.m)) { m.w = 1; }");
    assert_eq!(found[1..4], ["if tmp {", "} else {", "yes.x = metadata.m"], "{found:?}");
    // Without side effects it stays an expression.
    assert_eq!(statements("m.f = m.f && m.m == 1;"), ["metadata.f = (metadata.f && (metadata.m == 1))"]);
}

#[test]
fn a_conditional_runs_one_side_only() {
    let found = statements("m.m = m.f ? f(h.h.a) : 8w4;");
    assert_eq!(found[0], "if metadata.f {", "{found:?}");
    assert_eq!(statements("m.m = m.f ? h.h.a : 8w4;"), ["metadata.m = (metadata.f ? headers.h.a : 4)"]);
}

#[test]
fn a_list_that_reads_what_it_is_assigned_to_goes_through_a_temporary() {
    let found = statements("h.h = { h.h.b, h.h.a, 8s0, false };");
    assert_eq!(found, ["tmp = {headers.h.b, headers.h.a, 0, 0}", "headers.h = tmp"]);
}

#[test]
fn arguments_by_name_are_evaluated_as_written_and_out_ones_copied_in_order() {
    let found = statements("two(y = h.h.a, x = m.m);");
    assert_eq!(found[..2], ["two.x = metadata.m", "two.y = headers.h.a"], "{found:?}");
}

#[test]
fn keys_are_evaluated_together_before_the_lookup() {
    let text = super::elaborated(&super::program(
        FUNCTIONS,
        "",
        "table t { key = { m.m : exact; f(m.m) : exact @name(\"second\"); } actions = { NoAction; } }",
        "t.apply();",
    ))
    .to_string();
    let text: Vec<String> = text.lines().map(|line| super::without_numbers(line.trim())).collect();
    let at = text.iter().position(|line| line == "table I.t {").expect("it exists");
    assert_eq!(text[at + 1], "tmp = metadata.m");
    assert!(text.contains(&"key m.m: tmp exact".to_owned()), "{text:?}");
    assert!(text.contains(&"key second: tmp exact".to_owned()), "{text:?}");
}

#[test]
fn sub_control_parameters_are_aliases_where_nothing_overlaps() {
    let sub = "control Sub(inout A a, in bit<8> x) { apply { a.a = x; } }";
    assert_eq!(ingress(sub, "Sub() s;", "s.apply(h.h, m.m);"), ["call I.s"]);
    // The argument overlaps a written place, so it is copied.
    let found = ingress(sub, "Sub() s;", "s.apply(h.h, h.h.b);");
    assert_eq!(found, ["a = headers.h", "x = headers.h.b", "call I.s", "headers.h = a"]);
    // An instance applied at two places has its own parameters.
    let found = ingress(sub, "Sub() s;", "s.apply(h.h, m.m); s.apply(h.s[0], m.m);");
    assert_eq!(found[..2], ["a = headers.h", "x = metadata.m"], "{found:?}");
}

#[test]
fn operator_assignment_reads_before_the_right_side_changes() {
    let found = statements("m.m += f(m.m);");
    assert_eq!(found[0], "tmp = metadata.m", "{found:?}");
}
