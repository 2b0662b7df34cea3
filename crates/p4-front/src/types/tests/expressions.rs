//! Types of expressions, constants and conversions (§8 of the specification).

use super::{assert_valid, error_of, ingress, program, warnings};

fn value(expression: &str) -> String {
    let found = ingress("", "", &format!("m.w = {expression};"));
    found[0].strip_prefix("metadata.w = ").expect("it is assigned").to_owned()
}

#[test]
fn constants_are_computed_exactly_8_4() {
    assert_eq!(value("(1 << 100) >> 96"), "16");
    assert_eq!(value("8w255 ++ 8w1"), "65281");
    assert_eq!(value("(bit<16>)(8w255 + 8w1)"), "0");
    assert_eq!(value("(bit<16>)(8w250 |+| 8w10)"), "255");
    assert_eq!(value("(bit<16>)(8w5 |-| 8w10)"), "0");
    assert_eq!(value("(bit<16>)(int<16>)(8s100 |+| 8s100)"), "127");
    assert_eq!(value("(bit<16>)(int<16>)-8s1"), "65535");
    assert_eq!(value("7 / 2 * 10 + 7 % 4"), "33");
    assert_eq!(value("16w1 << 20"), "0");
    assert_eq!(value("(bit<16>)(int<16>)(-16s1 >> 20)"), "65535");
    assert_eq!(value("(bit<16>)(16w0xabcd)[11:4]"), "188");
    assert_eq!(value("16w0xabcd[11:4] ++ 8w0"), "48128");
}

#[test]
fn literals_take_the_other_operand_s_type_8_11_2() {
    assert_valid("m.f = m.m == 5; m.m = 1 + m.m; m.m = h.h.a | 3; h.h.i = h.h.i + 1;");
    assert_eq!(
        error_of("m.w = m.m + m.w;"),
        "operands must have the same type, found `bit<8>` and `bit<16>`"
    );
    assert_eq!(error_of("m.m = h.h.i;"), "expected `bit<8>`, found `int<8>`");
    assert_eq!(error_of("m.m = true;"), "expected `bit<8>`, found `bool`");
}

#[test]
fn a_literal_that_does_not_fit_is_truncated_with_a_warning() {
    let found = warnings(&program("", "", "", "m.m = 256; m.m = 8w300;"));
    assert_eq!(
        found,
        ["256 does not fit into `bit<8>` and becomes 0", "300 does not fit into `bit<8>` and becomes 44"]
    );
}

#[test]
fn serializable_enums_convert_implicitly_to_numbers_but_not_back() {
    assert_valid("m.m = Kind.Two; m.f = m.k == 2; m.w = (bit<16>)Kind.One; m.k = (Kind)m.m; m.m = m.k + 1;");
    assert_eq!(error_of("m.k = 1;"), "expected `Kind`, found `int`");
    assert_eq!(error_of("m.c = Colour.Blue;"), "`Colour` has no member `Blue`");
}

#[test]
fn a_newtype_needs_casts() {
    assert_valid("m.p = (Port)3; m.m = (bit<8>)m.p; m.f = m.p == (Port)8w1;");
    assert_eq!(error_of("m.p = m.m;"), "expected `Port`, found `bit<8>`");
    assert_eq!(error_of("m.p = m.p + m.p;"), "operator is not defined for `Port`");
}

#[test]
fn casts_8_11_1() {
    assert_valid("m.w = (bit<16>)h.h.i; h.h.i = (int<8>)m.w; m.f = (bool)m.m[0:0]; m.m[0:0] = (bit<1>)m.f;");
    assert_valid("h.h = (A){ 1, 2, 3, true }; tuple<bit<8>, bool> t = (tuple<bit<8>, bool>){ 1, true };");
    assert_eq!(error_of("m.m = (bit<8>)m.f;"), "cannot cast `bool` to `bit<8>`");
    assert_eq!(error_of("m.f = (bool)m.m;"), "cannot cast `bit<8>` to `bool`");
    assert_eq!(error_of("m.c = (Colour)m.m;"), "cannot cast `bit<8>` to `Colour`");
}

#[test]
fn division_is_of_unsigned_numbers_and_never_by_zero() {
    assert_valid("m.m = m.m / 3; m.m = m.m % h.h.a;");
    assert_eq!(error_of("m.m = m.m / 0;"), "division by zero");
    assert_eq!(error_of("m.m = 5 % 0;"), "division by zero");
    assert_eq!(error_of("h.h.i = h.h.i / 2;"), "division and modulo are not defined for `int<W>`");
    assert_eq!(error_of("m.m = -5 / 2;"), "division and modulo require non-negative operands");
}

#[test]
fn shifts_8_6() {
    assert_valid("m.m = m.m << m.w; m.m = m.m >> 300; h.h.i = h.h.i >> 1; m.m = m.m << 1000000000000;");
    assert_eq!(error_of("m.m = m.m << -1;"), "shift distance must be at least 0");
    assert_eq!(
        error_of("m.m = m.m << h.h.i;"),
        "shift distance must be of type `bit<W>` or `int`, found `int<8>`"
    );
    assert_eq!(
        error_of("m.m = 1 << m.m;"),
        "a shift by a run-time distance requires a left operand with a width"
    );
    assert_eq!(error_of("m.m = 1 << 100000;"), "integer must have at most 32768 bits");
}

#[test]
fn slices_and_concatenation_8_6() {
    assert_valid(
        "m.m[3:0] = m.m[7:4]; m.w = m.m ++ h.h.i; m.m[m.m[2:0] +: 1] = 1; m.m[4 +: 2] = m.w[m.m +: 2];",
    );
    assert_eq!(error_of("m.m = m.m[8:1];"), "the upper bound of a slice must be from 0 to 7, got 8");
    assert_eq!(
        error_of("m.m[3:4] = 1;"),
        "bounds of a slice must be `[high:low]` with high >= low, got `[3:4]`"
    );
    assert_eq!(error_of("m.m = m.m[m.m:0];"), "the upper bound of a slice must be a compile-time integer");
    assert_eq!(error_of("m.w = m.m ++ 5;"), "`++` is not defined for `int`");
    assert_eq!(
        error_of("m.m = m.m[7 +: 2];"),
        "slice out of range: 2 bits from bit 7 exceed the 8 bits of the value"
    );
}

#[test]
fn equality_is_defined_for_composites_too_8_16() {
    assert_valid("m.f = h.h == h.s[1]; m.f = h.h == { 1, 2, 3, true }; m.f = h.s == h.s; m.f = h.u == h.u;");
    assert_valid("m.f = h.v.v == h.v.v; m.f = { 1, 2 } == { m.m, m.m }; m.f = m.c != Colour.Red;");
    assert_eq!(error_of("m.f = h.h == h.g;"), "expected `A`, found `B`");
    assert_eq!(error_of("m.f = m.c == m.k;"), "expected `Colour`, found `Kind`");
}

#[test]
fn lists_and_structs_take_the_expected_type_8_12() {
    assert_valid("h.h = { a = 1, b = 2, ... }; h.h = { 1, ... }; h.h = {#}; h.u = {#}; Headers x = ...;");
    assert_eq!(error_of("h.h = { 1, 2, 3 };"), "expected 4 values for `A`, found 3");
    assert_eq!(error_of("h.h = { a = 1 };"), "missing value for `b`, `i`, `f`");
    assert_eq!(error_of("h.h = { a = 1, z = 2, ... };"), "`A` has no field `z`");
    assert_eq!(error_of("h.h = { a = 1, a = 2, ... };"), "duplicate value for the field `a`");
    assert_eq!(error_of("h.h = { 1, 2, 3, 4 };"), "expected `bool`, found `int`");
}

#[test]
fn an_integer_without_a_width_does_not_reach_run_time() {
    assert_eq!(error_of("m.m = m.f ? 1 : 2;"), "at least one of the values requires a width, as in `8w5`");
    assert_eq!(error_of("int x = 3;"), "a run-time integer requires a width, as in `8w5`");
}

#[test]
fn unknown_names_are_reported_with_the_nearest_one() {
    let (_, errors, _) = super::compile(&program("", "", "", "m.m = h.hh.a;"));
    assert_eq!(errors[0].message, "`Headers` has no field `hh`");
    assert_eq!(errors[0].hint.as_deref(), Some("did you mean `h`?"));
    assert_eq!(error_of("m.m = x;"), "`x` is not declared");
    assert_eq!(error_of("m.m = h.h.a.b;"), "`bit<8>` has no field `b`");
}

#[test]
fn stacks_8_18() {
    assert_valid(
        "h.s.push_front(1); h.s.pop_front(9); m.m = h.s[m.m].a; m.w = (bit<16>)h.s.size; h.s[1].setValid();",
    );
    assert_eq!(error_of("m.m = h.s.last.a;"), "`last` of a stack is allowed only in parsers");
    assert_eq!(error_of("m.m = h.s[-1].a;"), "stack index must be at least 0, got -1");
    assert_eq!(error_of("m.m = m.m[2];"), "cannot index into `bit<8>`");
    let found = warnings(&program("", "", "", "h.s[1].setValid(); m.m = h.s[4].a;"));
    assert_eq!(found, ["stack index out of range: the stack has 4 elements"]);
}

#[test]
fn sizes_of_headers_are_known_at_compile_time() {
    assert_eq!(value("h.h.minSizeInBits() + h.g.minSizeInBytes()"), "27");
    assert_eq!(value("h.v.minSizeInBits()"), "8");
    assert_eq!(value("h.v.maxSizeInBits() + h.u.maxSizeInBytes() + h.u.minSizeInBytes()"), "78");
    assert_valid("m.w = (bit<16>)h.v.sizeInBits(); m.w = (bit<16>)h.v.sizeInBytes();");
}
