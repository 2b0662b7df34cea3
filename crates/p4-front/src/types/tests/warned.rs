//! Reads before writes.

use super::{program, warnings};

fn of(top: &str, locals: &str, apply: &str) -> Vec<String> {
    warnings(&program(top, "", locals, apply))
}

#[test]
fn a_variable_that_is_read_before_it_is_written() {
    assert_eq!(of("", "bit<8> x;", "m.m = x;"), ["`x` may be read before it is written"]);
    assert_eq!(of("", "bit<8> x;", "if (m.f) { x = 1; } m.m = x;"), ["`x` may be read before it is written"]);
    assert_eq!(
        of("void f(out bit<8> y) { m2(y); } void m2(in bit<8> z) { }", "", "f(m.m);"),
        ["`y` may be read before it is written"]
    );
}

#[test]
fn a_variable_that_is_written_on_every_way() {
    let none: [&str; 0] = [];
    assert_eq!(of("", "bit<8> x;", "if (m.f) { x = 1; } else { x = 2; } m.m = x;"), none);
    assert_eq!(of("", "bit<8> x;", "if (m.f) { return; } else { x = 2; } m.m = x;"), none);
    assert_eq!(of("", "bit<8> x; action a() { x = 1; }", "a(); m.m = x;"), none);
    let table = "bit<8> x; action a() { x = 1; } action b() { x = 2; }
                 table t { actions = { a; b; } default_action = a; }";
    assert_eq!(of("", table, "t.apply(); m.m = x;"), none);
    assert_eq!(of("void f(out bit<8> y) { y = 3; }", "bit<8> x;", "f(x); m.m = x;"), none);
}

#[test]
fn a_function_without_a_return_on_some_way() {
    let found = of("bit<8> f(in bit<8> x) { if (x == 1) { return 2; } }", "", "m.m = f(m.m);");
    assert_eq!(found[0], "`f` does not return a value on every path");
}

#[test]
fn a_table_property_that_nobody_knows() {
    let found = of("", "table t { actions = { NoAction; } colour = 3; }", "t.apply();");
    assert_eq!(found, ["the table property `colour` is not known: it does nothing"]);
}
