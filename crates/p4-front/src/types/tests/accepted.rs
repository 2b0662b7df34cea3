//! What programs of others rely on: conversions, arrays, match kinds, keys, entries, versions.

use super::{elaborated, errors, ingress, program};

#[test]
fn an_int_becomes_a_type() {
    elaborated(&program("const Port NOWHERE = 0;", "", "", "m.p = NOWHERE; m.p = 3; m.f = m.p == 4;"));
    // Numbers with a width still need a cast (§8.25).
    assert_eq!(errors(&program("", "", "", "m.p = m.m;")), ["expected `Port`, found `bit<8>`"]);
    assert_eq!(errors(&program("", "", "", "m.p = 8w3;")), ["expected `Port`, found `bit<8>`"]);
}

#[test]
fn a_function_takes_an_int_known_at_compile_time_7_1_6_5() {
    let top =
        "bit<8> f(int n, in bit<8> x) { return x + (bit<8>) n; } bit<8> g(int n) { return f(n + 1, n); }
               const int N = 300;";
    let program_of = |apply: &str| program(top, "", "", apply);
    // One function for each number.
    let made = elaborated(&program_of("m.m = f(3, m.m); m.m = f(3, 1); m.m = f(N, 1); m.m = g(8);"));
    let functions = made.functions.iter().filter(|function| &*function.name == "f").count();
    assert_eq!(functions, 3);
    assert_eq!(errors(&program_of("m.m = f(m.m, 1);")), ["expected `int`, found `bit<8>`"]);
    let width = "a run-time integer requires a width, as in `8w5`";
    assert_eq!(errors(&program("void late(in int n) { }", "", "", "late(3);")), [width]);
    assert_eq!(errors(&program("", "", "action a(in int n) { }", "")), [width]);
    let again = "bit<8> again(int n) { return again(n + 1); }";
    let recursion = "recursion is not allowed: the function `again` calls itself";
    assert_eq!(errors(&program(again, "", "", "m.m = again(3);")), [recursion]);
}

#[test]
fn meters_have_colours() {
    let top = "enum bit<2> Mark { Green = V1MODEL_METER_COLOR_GREEN, Red = V1MODEL_METER_COLOR_RED }";
    elaborated(&program(top, "", "", "m.m = V1MODEL_METER_COLOR_YELLOW;"));
}

#[test]
fn arrays_have_elements_of_most_types_7_2_9() {
    let top = "struct S { bit<8>[4] x; Colour[2] y; }";
    elaborated(&program(
        top,
        "",
        "S s; bool[3] z;",
        "s.x[1] = 3; m.m = s.x[m.m[1:0]]; m.f = z[1]; m.c = s.y[0];",
    ));
    elaborated(&program("", "", "tuple<bit<8>, A[4]> t = { 1, { ... } };", "h.h = t[1][2];"));
    let wrong = |ty: &str| errors(&program(&format!("struct S {{ {ty} x; }}"), "", "", ""));
    for ty in ["int", "string", "packet_in"] {
        let found = wrong(&format!("{ty}[4]"));
        assert_eq!(found, [format!("elements of an array must not be of type `{ty}`")]);
    }
    assert_eq!(wrong("tuple<bit<8>>[4]"), ["elements of an array must not be of type `tuple<bit<8>>`"]);
    assert!(
        wrong("bit<8>[4][4]")[0].starts_with("expected the end of the type"),
        "{:?}",
        wrong("bit<8>[4][4]")
    );
    let found = errors(&program("", "", "bit<8>[4] x;", "x.push_front(1);"));
    assert_eq!(found, ["`bit<8>[4]` has no method `push_front`"]);
    let found = errors(&program("", "", "bit<8>[4] x;", "m.m = (bit<8>) x.size;"));
    assert_eq!(found, ["arrays have no field `size`"]);
}

#[test]
fn match_kinds_are_values_8_4() {
    let top = "const match_kind K = lpm; const bool SAME = K == lpm; const bool OTHER = exact == ternary;";
    let lines = ingress(top, "", "m.f = SAME; m.f = OTHER;");
    assert_eq!(lines, ["metadata.f = 1", "metadata.f = 0"]);
    elaborated(&program("", "", "bit<8> exact = 3;", "m.m = exact;"));
}

#[test]
fn a_key_may_be_the_result_of_another_table() {
    let tables = "table u { actions = { NoAction; } }
                  table t { key = { u.apply().hit: exact; } actions = { NoAction; } }";
    elaborated(&program("", "", tables, "t.apply();"));
}

#[test]
fn keys_of_an_entry_may_be_a_list() {
    let table = |keys: &str, entry: &str| {
        program(
            "",
            "",
            &format!(
                "table t {{ key = {{ {keys} }} actions = {{ NoAction; }} const entries = {{ {entry}: NoAction(); }} }}"
            ),
            "t.apply();",
        )
    };
    let one = elaborated(&table("m.m: exact;", "{3}"));
    assert_eq!(one.tables[0].entries.len(), 1);
    let two = elaborated(&table("m.m: exact; m.w: ternary;", "{3, 4}"));
    assert_eq!(two.tables[0].entries[0].keys.len(), 2);
    assert_eq!(errors(&table("m.m: exact;", "{3, 4}")), ["expected 1 key, found 2"]);
}

#[test]
fn foreign_externs_may_be_declared_but_not_used() {
    let top = "extern bit<8> foo(in bit<8> x); extern Foo { Foo(bit<8> n); bit<8> get(); }";
    elaborated(&program(top, "", "", ""));
    assert_eq!(
        errors(&program(top, "", "", "m.m = foo(m.m);")),
        ["the extern function `foo` is not implemented here"]
    );
    assert_eq!(
        errors(&program(top, "", "Foo(3) f;", "")),
        ["the extern object `Foo` is not implemented here"]
    );
}

#[test]
fn a_version_of_v1model_is_one_that_there_is() {
    for version in ["20180101", "20200408"] {
        elaborated(&format!("#define V1MODEL_VERSION {version}\n{}", program("", "", "", "")));
    }
    let found = errors(&format!("#define V1MODEL_VERSION 20190101\n{}", program("", "", "", "")));
    assert_eq!(found, ["#error: V1MODEL_VERSION must be 20180101 or 20200408"]);
}

#[test]
fn a_header_to_extract_has_one_varbit() {
    let top = "header V2 { varbit<8> a; varbit<8> b; }";
    let parser = "V2 v; state start { p.extract(v, 8); transition accept; }";
    assert_eq!(
        errors(&program(top, parser, "", "")),
        ["a header to extract must have at most one varbit field, but `V2` has 2"]
    );
    elaborated(&program(top, "", "", ""));
}

#[test]
fn control_plane_names_differ_20_3_3() {
    let tables =
        "@name(\"x\") table t { actions = { NoAction; } } @name(\"x\") table u { actions = { NoAction; } }";
    assert_eq!(
        errors(&program("", "", tables, "t.apply(); u.apply();")),
        ["duplicate control-plane name `I.x`"]
    );
    let objects = "@name(\"x\") register<bit<8>>(1) r; @name(\"x\") counter(1, CounterType.packets) c;";
    assert_eq!(errors(&program("", "", objects, "")), ["duplicate control-plane name `I.x`"]);
    let inner = "control X(inout Meta m) { table t { actions = { NoAction; } } apply { t.apply(); } }";
    assert_eq!(
        errors(&program(inner, "", "", "X.apply(m); X.apply(m);")),
        ["duplicate control-plane name `I.X.t`"]
    );
    elaborated(&program(inner, "", "X() a; X() b;", "a.apply(m); b.apply(m);"));
}

#[test]
fn actions_may_share_a_control_plane_name() {
    let actions = "@name(\".act\") action a() { m.m = 1; } @name(\".act\") action b() { m.m = 2; }
                   table t { actions = { a; } default_action = a(); } table u { actions = { b; } default_action = b(); }";
    elaborated(&program("", "", actions, "t.apply(); u.apply();"));
}

#[test]
fn a_call_in_select_is_allowed() {
    let parser = "state start { transition select(f(m.m)) { 1: accept; default: reject; } }";
    elaborated(&program("bit<8> f(in bit<8> x) { return x; }", parser, "", ""));
}

#[test]
fn a_table_without_a_size_has_that_of_p4c() {
    let size = |property: &str| {
        let table = format!("table t {{ actions = {{ NoAction; }} {property} }}");
        elaborated(&program("", "", &table, "t.apply();")).tables[0].size
    };
    assert_eq!(size(""), Some(1024));
    assert_eq!(size("size = 0;"), Some(1024));
    assert_eq!(size("size = 7;"), Some(7));
}
