//! Declarations and types (§7 and §10 of the specification).

use super::{HEAD, elaborated, errors, program};

fn errors_of(top: &str) -> Vec<String> {
    errors(&program(top, "", "", ""))
}

#[test]
fn constants_may_use_one_another() {
    elaborated(&program(
        "const bit<8> Y = 3; const bit<8> X = Y + 1; const int N = 1 << 3; typedef bit<(N * 2)> T;
         const A H = { 1, 2, 3, true }; const Colour K = Colour.Green;",
        "",
        "",
        "T t = 3; m.m = X; h.h = H; m.c = K; m.m = H.b;",
    ));
    assert_eq!(
        errors_of("const bit<8> X = Y; const bit<8> Y = X;"),
        ["recursive definition: this declaration depends on itself"]
    );
}

#[test]
fn types_do_not_contain_themselves() {
    assert_eq!(errors_of("struct S { S s; }"), ["the type `S` must not contain itself"]);
    let found = errors_of("struct S { T t; } struct T { S s; }");
    assert_eq!(found, ["`T` is used before its declaration", "the type `S` must not contain itself"]);
}

#[test]
fn sizes_are_bounded() {
    assert_eq!(errors_of("struct S { bit<99999> x; }"), ["width must be from 0 to 16384, got 99999"]);
    assert_eq!(errors_of("struct S { A[99999] x; }"), ["size of a stack must be from 0 to 4096, got 99999"]);
    let doubling: String = (1..40).map(|n| format!("struct S{n} {{ S{} a; S{0} b; }}\n", n - 1)).collect();
    let found = errors_of(&format!("struct S0 {{ bit<8> x; }}\n{doubling}"));
    assert!(found.iter().any(|message| message.contains("at most 65536 fields")), "{found:?}");
}

#[test]
fn composites_have_allowed_field_types_7_2() {
    assert_eq!(errors_of("header X { A a; }"), ["a header field must not be of type `A`"]);
    assert_eq!(
        errors_of("header_union X { bit<8> a; }"),
        ["a header union member must not be of type `bit<8>`"]
    );
    assert_eq!(errors_of("struct X { int a; }"), ["a struct field must not be of type `int`"]);
    assert_eq!(errors_of("struct X { bit<8> a; bit<8> a; }"), ["duplicate field `a`"]);
    elaborated(&program("struct F { bit<8> a; } header X { F f; Kind k; Port p; bool b; }", "", "", ""));
}

#[test]
fn a_name_is_declared_once_in_a_block() {
    assert_eq!(errors_of("struct X { } struct X { }"), ["duplicate declaration of `X`"]);
    let found = errors(&program("", "", "bit<8> x; bit<8> x;", ""));
    assert_eq!(found, ["duplicate declaration of `x`"]);
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
    assert_eq!(found, ["missing argument for the parameter `n`"]);
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
    assert_eq!(
        errors_of("struct W<T> { T a; } struct X { W w; }"),
        ["`W` requires 1 type argument, found 0"]
    );
}

#[test]
fn main_is_a_v1switch_of_matching_blocks() {
    assert_eq!(errors(HEAD), ["missing package instance `main`"]);
    let text = program("", "", "", "");
    let wrong = errors(&text.replace("V1Switch(P(), V(),", "V1Switch(P(), I(),"));
    assert_eq!(wrong, ["the verify checksum control of V1Switch must have 2 parameters, found 3"]);
    let wrong = errors(&text.replace("control V(inout Headers h", "control V(inout Meta h"));
    assert_eq!(
        wrong,
        ["the parameter `h` must have the type `Headers` of the parser's parameter, found `Meta`"]
    );
    let wrong = errors(&text.replace("V1Switch(P(),", "V1Switch(V(),"));
    assert_eq!(wrong, ["the first argument of V1Switch must be a parser"]);
}

#[test]
fn declarations_unreachable_from_main_are_checked() {
    let top = "
        control Never(inout Meta m)(bit<8> n) { action a() { m.m = x; } apply { a(); } }
        parser Nor(packet_in p) { state start { p.extract(y); transition accept; } }
        action nobody() { z = 1; }
    ";
    assert_eq!(errors_of(top), ["`x` is not declared", "`y` is not declared", "`z` is not declared"]);
}

#[test]
fn deep_nesting_is_an_error_and_not_a_crash() {
    // Expressions of the maximum depth of the parser, in functions that call one another.
    let deep = |inner: &str| format!("{}{inner}{}", "~(x + ".repeat(50), ")".repeat(50));
    let mut functions = String::from("bit<8> f0(in bit<8> x) { return x; }\n");
    for n in 1..20 {
        let inner = deep(&format!("f{}(x)", n - 1));
        functions.push_str(&format!("bit<8> f{n}(in bit<8> x) {{ return {inner}; }}\n"));
    }
    // Elaboration starts at the last function; each is elaborated inside the previous one.
    let call = |n: u32| errors(&program(&functions, "", "", &format!("m.m = f{n}(m.m);")));
    assert!(call(1).is_empty(), "{:?}", call(1));
    let found = call(19);
    assert!(found.iter().any(|message| message.contains("nested deeper")), "{found:?}");
    let chain = |terms: usize| errors(&program("", "", "", &format!("m.m = {} 1;", "m.m + ".repeat(terms))));
    assert!(chain(200).is_empty(), "{:?}", chain(200));
    assert_eq!(chain(3000), ["nesting is too deep"]);
}

#[test]
fn work_of_functions_that_double_it_is_bounded() {
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
    assert!(found[0].contains("must run at most 262144 statements per packet"), "{found:?}");
}

#[test]
fn size_of_blocks_that_double_it_is_bounded() {
    let mut controls = String::from("control c0(inout bit<8> x) { apply { x = x + 1; } }\n");
    for n in 1..60 {
        let inner = n - 1;
        controls.push_str(&format!(
            "control c{n}(inout bit<8> x) {{ c{inner}() a; c{inner}() b; apply {{ a.apply(x); b.apply(x); }} }}\n"
        ));
    }
    let found = errors(&program(&controls, "", "c59() c;", "c.apply(m.m);"));
    assert_eq!(found, ["the elaborated program must have at most 524288 statements and variables"]);
}
