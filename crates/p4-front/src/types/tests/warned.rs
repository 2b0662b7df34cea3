//! Warnings.

use super::{program, warnings};

fn warnings_of(top: &str, locals: &str, apply: &str) -> Vec<String> {
    warnings(&program(top, "", locals, apply))
}

#[test]
fn a_read_before_a_write_gives_a_warning() {
    assert_eq!(warnings_of("", "bit<8> x;", "m.m = x;"), ["`x` may be read before it is initialized"]);
    assert_eq!(
        warnings_of("", "bit<8> x;", "if (m.f) { x = 1; } m.m = x;"),
        ["`x` may be read before it is initialized"]
    );
    assert_eq!(
        warnings_of("void m2(in bit<8> z) { } void f(out bit<8> y) { m2(y); }", "", "f(m.m);"),
        ["`y` may be read before it is initialized"]
    );
}

#[test]
fn a_variable_written_on_every_path_gives_no_warning() {
    let none: [&str; 0] = [];
    assert_eq!(warnings_of("", "bit<8> x;", "if (m.f) { x = 1; } else { x = 2; } m.m = x;"), none);
    assert_eq!(warnings_of("", "bit<8> x;", "if (m.f) { return; } else { x = 2; } m.m = x;"), none);
    assert_eq!(warnings_of("", "bit<8> x; action a() { x = 1; }", "a(); m.m = x;"), none);
    let table = "bit<8> x; action a() { x = 1; } action b() { x = 2; }
                 table t { actions = { a; b; } default_action = a; }";
    assert_eq!(warnings_of("", table, "t.apply(); m.m = x;"), none);
    assert_eq!(warnings_of("void f(out bit<8> y) { y = 3; }", "bit<8> x;", "f(x); m.m = x;"), none);
}

#[test]
fn an_unknown_table_property_gives_a_warning() {
    let found = warnings_of("", "table t { actions = { NoAction; } colour = 3; }", "t.apply();");
    assert_eq!(found, ["unknown table property `colour` is ignored"]);
}
