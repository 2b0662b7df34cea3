//! Arguments and parameters.

use super::{elaborated, errors, is_right, program, said_of};

fn with(top: &str, apply: &str) -> Vec<String> {
    errors(&program(top, "", "", apply))
}

#[test]
fn overloads_differ_in_number_and_names_of_parameters() {
    let top = "
bit<8> f(in bit<8> a) { return a; }
bit<8> f(in bit<8> a, in bit<8> b) { return a + b; }
";
    elaborated(&program(top, "", "", "m.m = f(1); m.m = f(1, 2); m.m = f(b = 1, a = 2);"));
    assert_eq!(with(top, "m.m = f(1, 2, 3);"), ["no `f` takes these arguments"]);
}

#[test]
fn defaults_and_optional_parameters_may_be_left_out() {
    let top = "bit<8> f(in bit<8> a, in bit<8> b = 4) { return a + b; }";
    elaborated(&program(top, "", "", "m.m = f(1); m.m = f(b = 2, a = 1);"));
    assert_eq!(with(top, "m.m = f();"), ["no argument is given for `a`"]);
    assert_eq!(with(top, "m.m = f(1, c = 2);"), ["there is no parameter `c`"]);
    assert_eq!(with(top, "m.m = f(1, a = 2);"), ["`a` is given twice"]);
}

#[test]
fn what_out_parameters_are_given_can_be_written_and_has_their_type() {
    let top = "void f(out bit<8> x) { x = 1; } void g(inout bit<16> x) { }";
    elaborated(&program(top, "", "", "f(m.m); f(m.m[7:0]); f(_); g(m.w);"));
    assert_eq!(with(top, "f(1);"), ["this cannot be written"]);
    assert_eq!(with(top, "g(m.m);"), ["`x` is bit<16>, and what is given is bit<8>"]);
    assert_eq!(with(top, "g(_);"), ["this cannot be written"]);
}

#[test]
fn in_parameters_and_constants_cannot_be_written() {
    assert_eq!(
        with("void f(in bit<8> x) { x = 1; }", ""),
        ["`x` cannot be written: it is an `in` parameter"]
    );
    assert_eq!(
        errors(&program("const bit<8> K = 3;", "", "", "K = 4;")),
        ["`K` cannot be written: it is a constant"]
    );
    assert_eq!(
        errors(&program("", "", "action a(bit<8> x) { x = 1; }", "")),
        ["`x` cannot be written: it is a parameter without direction"]
    );
}

#[test]
fn generic_functions_are_inferred_or_told() {
    let top = "
T id<T>(in T x) { return x; }
void swap<T>(inout T a, inout T b) { T t = a; a = b; b = t; }
struct Two<T> { T a; T b; }
T first<T>(in Two<T> x) { return x.a; }
";
    elaborated(&program(
        top,
        "",
        "",
        "m.m = id(m.m); h.h = id(h.s[0]); swap(h.h, h.s[1]); swap(m.m, h.h.a); m.w = id<bit<16>>(5);
         Two<bit<8>> x = { 1, 2 }; m.m = first(x); m.m = first<bit<8>>({ 3, 4 });",
    ));
    let found = with(top, "swap(m.m, m.w);");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(with(top, "m.m = id(5);").len(), 1);
}

#[test]
fn recursion_is_an_error() {
    assert_eq!(with("bit<8> f(in bit<8> x) { return f(x); }", ""), ["the function `f` calls itself"]);
    let found = errors(&program("control R(inout Meta m) { R() r; apply { r.apply(m); } }", "", "", ""));
    assert_eq!(found, ["this block applies itself"]);
}

#[test]
fn what_is_called_must_be_callable() {
    assert_eq!(said_of("m.m();"), "bit<8> has no method `m`".replace("bit<8>", "Meta"));
    assert_eq!(said_of("unknown(1);"), "`unknown` is not declared");
    assert_eq!(said_of("h.h.foo();"), "A has no method `foo`");
    assert_eq!(said_of("m.f = m.m.isValid();"), "bit<8> has no validity");
    assert_eq!(said_of("m.m.setValid();"), "the validity of bit<8> cannot be set");
    assert_eq!(said_of("h.h.setValid(1);"), "this method takes no arguments");
}

#[test]
fn externs_of_v1model_are_known() {
    is_right(
        "mark_to_drop(sm); random(m.m, 0, 10); truncate(32w10); assert(m.f); assume(m.f); log_msg(\"x {}\", { m.m });
         hash(m.w, HashAlgorithm.crc32, 16w0, { h.h, m.m, 4w3 }, 32w1000); digest(1, { m.m, h.h.a }); digest(1, { x = m.m, y = 16w4 });
         clone(CloneType.I2E, 5); clone3(CloneType.E2E, 32w5, { m.m, sm }); resubmit({ m.m }); recirculate(m);
         clone_preserving_field_list(CloneType.I2E, 5, 1);",
    );
    let locals = "
        register<bit<32>>(10) r; counter(5, CounterType.packets) c; meter(5, MeterType.bytes) mm;
        direct_counter(CounterType.packets) dc; direct_meter<bit<8>>(MeterType.bytes) dm; Checksum16() ck;
        action a() { dc.count(); dm.read(m.m); }
        table t { key = { m.m : exact; m.w : selector; } actions = { a; } counters = dc; meters = dm;
                  implementation = action_selector(HashAlgorithm.crc16, 32w16, 32w8); }
    ";
    let apply = "bit<32> x; r.read(x, 3); r.write((bit<32>)m.m, x + 1); c.count(2); mm.execute_meter(1, m.m);
                 m.w = ck.get({ h.h.a, m.m }); t.apply();";
    elaborated(&program("", "", locals, apply));
    let found = errors(&program("extern void other(in bit<8> x);", "", "", "other(m.m);"));
    assert_eq!(found, ["the extern function `other` is not implemented"]);
    let found = errors(&program("", "", "register(10) r;", ""));
    assert_eq!(found, ["a register needs the type of its elements"]);
}

#[test]
fn a_static_assertion_is_checked() {
    is_right("static_assert(1 + 1 == 2, \"sums\");");
    assert_eq!(said_of("static_assert(1 == 2, \"sums\");"), "the static assertion does not hold: sums");
}

#[test]
fn fields_of_the_lists_are_numbered() {
    let top = "struct N { @field_list(1, 2) bit<8> a; @field_list(2) A x; bit<8> z; }";
    let text = program(top, "", "", "").replace("inout Meta m", "inout N m");
    let program = elaborated(&text);
    let places = |number: u8| program.field_lists[program.numbered_lists[&number].index()].places.len();
    assert_eq!((places(1), places(2)), (1, 2));
}
