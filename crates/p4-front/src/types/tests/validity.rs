//! Warnings about reads from headers that are never valid.

use super::{program, warnings};

const NONE: [&str; 0] = [];

fn warned(parser: &str, locals: &str, apply: &str) -> Vec<String> {
    warnings(&program("", parser, locals, apply))
}

fn never(field: &str, header: &str) -> [String; 1] {
    [format!("the field `{field}` is read, but the header `{header}` is never valid here")]
}

#[test]
fn a_header_that_no_path_makes_valid_gives_a_warning() {
    assert_eq!(warned("", "", "m.w = h.g.w;"), never("w", "g"));
    assert_eq!(warned("", "", "m.m = h.s[2].a;"), never("a", "s[2]"));
    assert_eq!(warned("", "A x;", "m.m = x.a;"), never("a", "x"));
    assert_eq!(warned("", "", "h.h.setInvalid(); m.m = h.h.a;"), never("a", "h"));
    assert_eq!(
        warned("", "", "if (m.f) { h.h.setInvalid(); } else { h.h = {#}; } m.m = h.h.a;"),
        never("a", "h")
    );
    let key = "table t { key = { h.g.w: exact; } actions = { NoAction; } }";
    assert_eq!(warned("", key, "t.apply();"), never("w", "g"));
    let action = "action a() { m.w = h.g.w; } table t { actions = { a; NoAction; } }";
    assert_eq!(warned("", action, "t.apply();"), never("w", "g"));
    let select = "state start { transition select(h.h.a) { 1: more; default: accept; } }
                  state more { p.extract(h.h); transition accept; }";
    assert_eq!(warned(select, "", ""), never("a", "h"));
    // Once per header.
    assert_eq!(warned("", "", "m.w = h.g.w; m.w = h.g.w + 1;"), never("w", "g"));
}

#[test]
fn a_header_that_some_path_makes_valid_gives_none() {
    assert_eq!(warned("", "", "m.m = h.h.a;"), NONE);
    assert_eq!(warned("", "", "if (m.f) { h.g.setValid(); } m.w = h.g.w;"), NONE);
    assert_eq!(warned("", "", "h.g = { 3 }; m.w = h.g.w;"), NONE);
    assert_eq!(warned("", "", "if (h.g.isValid()) { m.w = h.g.w; }"), NONE);
    assert_eq!(warned("", "", "if (h.g.isValid() && h.g.w == 3) { m.m = 1; }"), NONE);
    let key = "table t { key = { h.g.isValid(): exact; h.g.w: ternary; } actions = { NoAction; } }";
    assert_eq!(warned("", key, "t.apply();"), NONE);
    let action = "action a() { h.g.setValid(); } table t { actions = { a; NoAction; } }";
    assert_eq!(warned("", action, "t.apply(); m.w = h.g.w;"), NONE);
    let stack =
        "state start { p.extract(h.s.next); transition select(h.s.last.a) { 1: start; default: accept; } }";
    assert_eq!(warned(stack, "", "m.m = h.s[3].a; h.s.push_front(1); m.m = h.s[1].a;"), NONE);
    let later = "state start { transition select(m.m) { 1: more; default: accept; } }
                 state more { m.m = h.h.a; transition again; }
                 state again { p.extract(h.h); transition more; }";
    assert_eq!(warned(later, "", ""), NONE);
    assert_eq!(
        warned(
            "",
            "",
            "for (bit<8> i = 0; i < 2; i = i + 1) { if (i == 1) { m.w = h.g.w; } h.g.setValid(); }"
        ),
        NONE
    );
    assert_eq!(warned("", "", "if (m.f) { h.g.setValid(); exit; } h.h.a = 1;"), NONE);
}
