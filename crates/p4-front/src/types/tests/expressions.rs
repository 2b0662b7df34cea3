//! Types of expressions, constants and conversions (§8 of the specification).

use super::{ingress, is_right, program, said_of, warnings};

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
    is_right("m.f = m.m == 5; m.m = 1 + m.m; m.m = h.h.a | 3; h.h.i = h.h.i + 1;");
    assert_eq!(said_of("m.w = m.m + m.w;"), "the operands have different types: bit<8> and bit<16>");
    assert_eq!(said_of("m.m = h.h.i;"), "expected bit<8>, found int<8>");
    assert_eq!(said_of("m.m = true;"), "expected bit<8>, found bool");
}

#[test]
fn a_literal_that_does_not_fit_is_cut_with_a_warning() {
    let found = warnings(&program("", "", "", "m.m = 256; m.m = 8w300;"));
    assert_eq!(found, ["256 does not fit bit<8>: it becomes 0", "300 does not fit bit<8>: it becomes 44"]);
}

#[test]
fn serializable_enums_become_numbers_by_themselves_but_not_back() {
    is_right("m.m = Kind.Two; m.f = m.k == 2; m.w = (bit<16>)Kind.One; m.k = (Kind)m.m; m.m = m.k + 1;");
    assert_eq!(said_of("m.k = 1;"), "expected Kind, found int");
    assert_eq!(said_of("m.c = Colour.Blue;"), "Colour has no member `Blue`");
}

#[test]
fn a_type_of_its_own_needs_casts() {
    is_right("m.p = (Port)3; m.m = (bit<8>)m.p; m.f = m.p == (Port)8w1;");
    assert_eq!(said_of("m.p = m.m;"), "expected Port, found bit<8>");
    assert_eq!(said_of("m.p = m.p + m.p;"), "this operator is not defined for Port");
}

#[test]
fn casts_8_11_1() {
    is_right("m.w = (bit<16>)h.h.i; h.h.i = (int<8>)m.w; m.f = (bool)m.m[0:0]; m.m[0:0] = (bit<1>)m.f;");
    is_right("h.h = (A){ 1, 2, 3, true }; tuple<bit<8>, bool> t = (tuple<bit<8>, bool>){ 1, true };");
    assert_eq!(said_of("m.m = (bit<8>)m.f;"), "bool cannot be cast to bit<8>");
    assert_eq!(said_of("m.f = (bool)m.m;"), "bit<8> cannot be cast to bool");
    assert_eq!(said_of("m.c = (Colour)m.m;"), "bit<8> cannot be cast to Colour");
}

#[test]
fn division_is_of_unsigned_numbers_and_never_by_zero() {
    is_right("m.m = m.m / 3; m.m = m.m % h.h.a;");
    assert_eq!(said_of("m.m = m.m / 0;"), "this divides by zero");
    assert_eq!(said_of("m.m = 5 % 0;"), "this divides by zero");
    assert_eq!(said_of("h.h.i = h.h.i / 2;"), "division and modulo are not defined for int<W>");
    assert_eq!(said_of("m.m = -5 / 2;"), "division and modulo are not defined for negative numbers");
}

#[test]
fn shifts_8_6() {
    is_right("m.m = m.m << m.w; m.m = m.m >> 300; h.h.i = h.h.i >> 1; m.m = m.m << 1000000000000;");
    assert_eq!(said_of("m.m = m.m << -1;"), "a shift cannot be by a negative number");
    assert_eq!(said_of("m.m = m.m << h.h.i;"), "a shift is by bit<W> or int, not by int<8>");
    assert_eq!(said_of("m.m = 1 << m.m;"), "what is shifted has no width, and the shift is not known now");
    assert_eq!(said_of("m.m = 1 << 100000;"), "this number is too large");
}

#[test]
fn slices_and_concatenation_8_6() {
    is_right("m.m[3:0] = m.m[7:4]; m.w = m.m ++ h.h.i; m.m[m.m[2:0] +: 1] = 1; m.m[4 +: 2] = m.w[m.m +: 2];");
    assert_eq!(said_of("m.m = m.m[8:1];"), "the upper bound of a slice must be from 0 to 7, not 8");
    assert_eq!(said_of("m.m[3:4] = 1;"), "the bounds of a slice are [high:low], not [3:4]");
    assert_eq!(
        said_of("m.m = m.m[m.m:0];"),
        "the upper bound of a slice must be an integer that is known at compile time"
    );
    assert_eq!(said_of("m.w = m.m ++ 5;"), "`++` is not defined for int");
    assert_eq!(said_of("m.m = m.m[7 +: 2];"), "2 bits from bit 7 on are not all within 8 bits");
}

#[test]
fn equality_is_defined_for_composites_too_8_16() {
    is_right("m.f = h.h == h.s[1]; m.f = h.h == { 1, 2, 3, true }; m.f = h.s == h.s; m.f = h.u == h.u;");
    is_right("m.f = h.v.v == h.v.v; m.f = { 1, 2 } == { m.m, m.m }; m.f = m.c != Colour.Red;");
    assert_eq!(said_of("m.f = h.h == h.g;"), "expected A, found B");
    assert_eq!(said_of("m.f = m.c == m.k;"), "expected Colour, found Kind");
}

#[test]
fn lists_and_structs_take_the_type_that_is_wanted_8_12() {
    is_right("h.h = { a = 1, b = 2, ... }; h.h = { 1, ... }; h.h = {#}; h.u = {#}; Headers x = ...;");
    assert_eq!(said_of("h.h = { 1, 2, 3 };"), "A has 4 fields, but 3 are given");
    assert_eq!(said_of("h.h = { a = 1 };"), "no value is given for `b`, `i`, `f`");
    assert_eq!(said_of("h.h = { a = 1, z = 2, ... };"), "A has no field `z`");
    assert_eq!(said_of("h.h = { a = 1, a = 2, ... };"), "`a` is given twice");
    assert_eq!(said_of("h.h = { 1, 2, 3, 4 };"), "expected bool, found int");
}

#[test]
fn an_integer_without_a_width_does_not_reach_run_time() {
    assert_eq!(
        said_of("m.m = m.f ? 1 : 2;"),
        "both values are integers without a width: give one of them one, as in 8w5"
    );
    assert_eq!(
        said_of("int x = 3;"),
        "an integer without a width cannot exist at run time: give it one, as in 8w5"
    );
}

#[test]
fn names_that_are_not_there_are_told_with_the_nearest_one() {
    let (_, errors, _) = super::compile(&program("", "", "", "m.m = h.hh.a;"));
    assert_eq!(errors[0].message, "Headers has no field `hh`");
    assert_eq!(errors[0].hint.as_deref(), Some("did you mean `h`?"));
    assert_eq!(said_of("m.m = x;"), "`x` is not declared");
    assert_eq!(said_of("m.m = h.h.a.b;"), "bit<8> has no field `b`");
}

#[test]
fn stacks_8_18() {
    is_right(
        "h.s.push_front(1); h.s.pop_front(9); m.m = h.s[m.m].a; m.w = (bit<16>)h.s.size; h.s[1].setValid();",
    );
    assert_eq!(said_of("m.m = h.s.last.a;"), "`last` of a stack can be used in parsers only");
    assert_eq!(said_of("m.m = h.s[-1].a;"), "the index of a stack cannot be negative");
    assert_eq!(said_of("m.m = m.m[2];"), "bit<8> has no elements");
    let found = warnings(&program("", "", "", "m.m = h.s[4].a;"));
    assert_eq!(found, ["the stack has 4 elements: this index is out of range"]);
}

#[test]
fn sizes_of_headers_are_known_at_compile_time() {
    assert_eq!(value("h.h.minSizeInBits() + h.g.minSizeInBytes()"), "27");
    assert_eq!(value("h.v.minSizeInBits()"), "8");
    assert_eq!(value("h.v.maxSizeInBits() + h.u.maxSizeInBytes() + h.u.minSizeInBytes()"), "78");
    is_right("m.w = (bit<16>)h.v.sizeInBits(); m.w = (bit<16>)h.v.sizeInBytes();");
}
