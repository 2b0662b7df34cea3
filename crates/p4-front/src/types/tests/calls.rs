//! Arguments and parameters.

use super::{assert_valid, elaborated, error_of, errors, program};

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
    assert_eq!(with(top, "m.m = f(1, 2, 3);"), ["no overload of `f` matches these arguments"]);
}

#[test]
fn defaults_and_optional_parameters_may_be_left_out() {
    let top = "bit<8> f(in bit<8> a, in bit<8> b = 4) { return a + b; }";
    elaborated(&program(top, "", "", "m.m = f(1); m.m = f(b = 2, a = 1);"));
    assert_eq!(with(top, "m.m = f();"), ["missing argument for the parameter `a`"]);
    assert_eq!(with(top, "m.m = f(1, c = 2);"), ["unknown parameter `c`"]);
    assert_eq!(with(top, "m.m = f(1, a = 2);"), ["duplicate argument for the parameter `a`"]);
}

#[test]
fn arguments_of_out_parameters_are_writable_and_of_their_type() {
    let top = "void f(out bit<8> x) { x = 1; } void g(inout bit<16> x) { }";
    elaborated(&program(top, "", "", "f(m.m); f(m.m[7:0]); f(_); g(m.w);"));
    assert_eq!(with(top, "f(1);"), ["cannot assign to this expression"]);
    assert_eq!(with(top, "g(m.m);"), ["the parameter `x` requires `bit<16>`, found `bit<8>`"]);
    assert_eq!(with(top, "g(_);"), ["cannot assign to this expression"]);
}

#[test]
fn in_parameters_and_constants_cannot_be_written() {
    assert_eq!(with("void f(in bit<8> x) { x = 1; }", ""), ["cannot assign to `x`: it is an `in` parameter"]);
    assert_eq!(
        errors(&program("const bit<8> K = 3;", "", "", "K = 4;")),
        ["cannot assign to `K`: it is a constant"]
    );
    assert_eq!(
        errors(&program("", "", "action a(bit<8> x) { x = 1; }", "")),
        ["cannot assign to `x`: it is a parameter without a direction"]
    );
}

#[test]
fn type_arguments_are_inferred_or_reported() {
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
    assert_eq!(
        with("bit<8> f(in bit<8> x) { return f(x); }", ""),
        ["recursion is not allowed: the function `f` calls itself"]
    );
    let found = errors(&program("control R(inout Meta m) { R() r; apply { r.apply(m); } }", "", "", ""));
    assert_eq!(found, ["a block must not apply itself"]);
}

#[test]
fn only_callable_expressions_can_be_called() {
    assert_eq!(error_of("m.m();"), "`Meta` has no method `m`");
    assert_eq!(error_of("unknown(1);"), "`unknown` is not declared");
    assert_eq!(error_of("h.h.foo();"), "`A` has no method `foo`");
    assert_eq!(error_of("m.f = m.m.isValid();"), "`bit<8>` has no validity");
    assert_eq!(error_of("m.m.setValid();"), "cannot set the validity of `bit<8>`: only headers have one");
    assert_eq!(error_of("h.h.setValid(1);"), "expected no arguments");
}

#[test]
fn externs_of_v1model_are_known() {
    assert_valid(
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
    assert_eq!(found, ["the extern function `other` is not implemented here"]);
    let found = errors(&program("", "", "register(10) r;", ""));
    assert_eq!(found, ["missing element type of the register"]);
}

#[test]
fn a_static_assertion_is_checked() {
    assert_valid("static_assert(1 + 1 == 2, \"sums\");");
    assert_eq!(error_of("static_assert(1 == 2, \"sums\");"), "static assertion failed: sums");
}

#[test]
fn fields_of_the_lists_are_numbered() {
    let top = "struct N { @field_list(1, 2) bit<8> a; @field_list(2) A x; bit<8> z; }";
    let text = program(top, "", "", "").replace("inout Meta m", "inout N m");
    let program = elaborated(&text);
    let places = |number: u8| program.field_lists[program.numbered_lists[&number].index()].places.len();
    assert_eq!((places(1), places(2)), (1, 2));
}
