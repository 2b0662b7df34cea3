//! Declarations and types (§7 and §10 of the specification).

use super::{HEAD, elaborated, errors, program};

fn said_of(top: &str) -> Vec<String> {
    errors(&program(top, "", "", ""))
}

#[test]
fn constants_may_use_one_another() {
    elaborated(&program(
        "const bit<8> X = Y + 1; const bit<8> Y = 3; const int N = 1 << 3; typedef bit<(N * 2)> T;
         const A H = { 1, 2, 3, true }; const Colour K = Colour.Green;",
        "",
        "",
        "T t = 3; m.m = X; h.h = H; m.c = K; m.m = H.b;",
    ));
    assert_eq!(said_of("const bit<8> X = Y; const bit<8> Y = X;"), ["this is defined by itself"]);
}

#[test]
fn types_do_not_contain_themselves() {
    assert_eq!(said_of("struct S { S s; }"), ["the type `S` contains itself"]);
    assert_eq!(said_of("struct S { T t; } struct T { S s; }"), ["the type `S` contains itself"]);
}

#[test]
fn sizes_are_bounded() {
    assert_eq!(said_of("struct S { bit<99999> x; }"), ["a width must be from 0 to 16384, not 99999"]);
    assert_eq!(
        said_of("struct S { A[99999] x; }"),
        ["the size of a stack must be from 0 to 4096, not 99999"]
    );
    let doubling: String = (1..40).map(|n| format!("struct S{n} {{ S{} a; S{0} b; }}\n", n - 1)).collect();
    let found = said_of(&format!("struct S0 {{ bit<8> x; }}\n{doubling}"));
    assert!(found.iter().any(|message| message.contains("more than 65536 fields")), "{found:?}");
}

#[test]
fn what_composites_may_hold_7_2() {
    assert_eq!(said_of("header X { A a; }"), ["a header's field may not be of type A"]);
    assert_eq!(
        said_of("header_union X { bit<8> a; }"),
        ["a header union's member may not be of type bit<8>"]
    );
    assert_eq!(said_of("struct X { int a; }"), ["a field may not be of type int"]);
    assert_eq!(said_of("struct X { bit<8> a; bit<8> a; }"), ["`a` is a field already"]);
    elaborated(&program("struct F { bit<8> a; } header X { F f; Kind k; Port p; bool b; }", "", "", ""));
}

#[test]
fn a_name_is_declared_once_in_a_block() {
    assert_eq!(said_of("struct X { } struct X { }"), ["`X` is declared twice"]);
    let found = errors(&program("", "", "bit<8> x; bit<8> x;", ""));
    assert_eq!(found, ["`x` is declared twice"]);
    elaborated(&program("", "", "bit<8> x = 1;", "bit<16> x = 3; { bool x = true; } m.w = x;"));
}

#[test]
fn a_control_may_have_the_name_of_one_of_the_architecture_s_types() {
    let text =
        program("", "", "", "").replace("control I(", "control Ingress(").replace("I(),", "Ingress(),");
    elaborated(&text);
}

#[test]
fn constructors_take_constants_and_instances() {
    let top = "
        control Add(inout Meta m)(bit<8> n) { apply { m.m = m.m + n; } }
        control Twice(inout Meta m)(Add a) { apply { a.apply(m); a.apply(m); } }
    ";
    elaborated(&program(top, "", "Add(3) a; Add(n = 4) b; Twice(b) t;", "a.apply(m); t.apply(m);"));
    let found = errors(&program(top, "", "Add() a;", ""));
    assert_eq!(found, ["no argument is given for `n`"]);
}

#[test]
fn generic_blocks_and_types() {
    let top = "
        control Copy<T>(in T a, out T b) { apply { b = a; } }
        header G<T> { T x; } struct W<T> { T a; G<bit<8>> g; }
    ";
    elaborated(&program(
        top,
        "",
        "Copy<bit<8>>() c; Copy<A>() d;",
        "c.apply(m.m, h.h.a); d.apply(h.h, h.s[0]); W<bit<16>> w = { 1, { 2 } }; m.w = w.a; m.m = w.g.x;",
    ));
    assert_eq!(said_of("struct W<T> { T a; } struct X { W w; }"), ["`W` takes 1 type arguments, not 0"]);
}

#[test]
fn main_is_a_v1switch_of_fitting_blocks() {
    assert_eq!(errors(HEAD), ["the program has no `main`"]);
    let text = program("", "", "", "");
    let wrong = errors(&text.replace("V1Switch(P(), V(),", "V1Switch(P(), I(),"));
    assert_eq!(wrong, ["the verify checksum control of V1Switch has 2 parameters, not 3"]);
    let wrong = errors(&text.replace("control V(inout Headers h", "control V(inout Meta h"));
    assert_eq!(wrong, ["`h` is Meta, but the parser has Headers"]);
    let wrong = errors(&text.replace("V1Switch(P(),", "V1Switch(V(),"));
    assert_eq!(wrong, ["the first argument of V1Switch must be a parser"]);
}

#[test]
fn what_main_does_not_reach_is_checked_too() {
    let top = "
        control Never(inout Meta m)(bit<8> n) { action a() { m.m = x; } apply { a(); } }
        parser Nor(packet_in p) { state start { p.extract(y); transition accept; } }
        action nobody() { z = 1; }
    ";
    assert_eq!(said_of(top), ["`x` is not declared", "`y` is not declared", "`z` is not declared"]);
}

#[test]
fn deep_nesting_is_an_error_and_not_a_crash() {
    // As deep as the syntax lets through, and functions of such depth in one another.
    let deep = |inner: &str| format!("{}{inner}{}", "~(x + ".repeat(50), ")".repeat(50));
    let mut functions = String::from("bit<8> f0(in bit<8> x) { return x; }\n");
    for n in 1..20 {
        let inner = deep(&format!("f{}(x)", n - 1));
        functions.push_str(&format!("bit<8> f{n}(in bit<8> x) {{ return {inner}; }}\n"));
    }
    // Elaborated from the last function on, each in the middle of the one before.
    let call = |n: u32| errors(&program(&functions, "", "", &format!("m.m = f{n}(m.m);")));
    assert!(call(1).is_empty(), "{:?}", call(1));
    let found = call(19);
    assert!(found.iter().any(|message| message.contains("nested deeper")), "{found:?}");
    let chain = |terms: usize| errors(&program("", "", "", &format!("m.m = {} 1;", "m.m + ".repeat(terms))));
    assert!(chain(200).is_empty(), "{:?}", chain(200));
    assert_eq!(chain(3000), ["this is nested too deep"]);
}

#[test]
fn functions_that_double_the_work_have_a_bound() {
    let doubling = |count: u32| {
        let mut functions = String::from("bit<8> g0(in bit<8> x) { return x + 1; }\n");
        for n in 1..=count {
            functions.push_str(&format!(
                "bit<8> g{n}(in bit<8> x) {{ bit<8> y = g{}(x); return g{}(y); }}\n",
                n - 1,
                n - 1
            ));
        }
        errors(&program(&functions, "", "", &format!("m.m = g{count}(m.m);")))
    };
    assert!(doubling(10).is_empty(), "{:?}", doubling(10));
    let found = doubling(59);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("may run more than 262144 statements"), "{found:?}");
}

#[test]
fn blocks_that_each_have_two_of_the_next_have_a_bound() {
    let mut controls = String::from("control c0(inout bit<8> x) { apply { x = x + 1; } }\n");
    for n in 1..60 {
        let inner = n - 1;
        controls.push_str(&format!(
            "control c{n}(inout bit<8> x) {{ c{inner}() a; c{inner}() b; apply {{ a.apply(x); b.apply(x); }} }}\n"
        ));
    }
    let found = errors(&program(&controls, "", "c59() c;", "c.apply(m.m);"));
    assert_eq!(found, ["the elaborated program is too large"]);
}
