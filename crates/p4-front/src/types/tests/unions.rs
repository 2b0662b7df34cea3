//! Header unions (§8.20 of the specification).

use super::ingress;

#[test]
fn a_valid_member_makes_the_others_invalid_8_20() {
    let found = ingress("", "", "h.u.x.setValid();");
    assert_eq!(found[found.len() - 2..], ["set valid headers.u.x", "set invalid headers.u.y"]);
    assert_eq!(
        ingress("", "", "h.u.x.setInvalid();"),
        ["lengthen by -3 bytes if valid(headers.u.x)", "set invalid headers.u.x"]
    );
    assert_eq!(
        ingress("", "", "h.u.y = h.g;"),
        ["headers.u.y = headers.g", "if valid(headers.u.y) {", "set invalid headers.u.x", "}"]
    );
}

#[test]
fn unions_are_copied_and_tested_as_a_whole() {
    assert_eq!(ingress("", "U v;", "v = h.u;"), ["reset v", "v = headers.u"]);
    assert_eq!(ingress("", "", "m.f = h.u.isValid();"), ["metadata.f = valid(headers.u)"]);
}

#[test]
fn an_out_argument_is_a_member_like_any_other() {
    let found = ingress("void f(out B b) { b.setValid(); }", "", "f(h.u.y);");
    assert_eq!(
        found,
        ["call f", "headers.u.y = f.b", "if valid(headers.u.y) {", "set invalid headers.u.x", "}"]
    );
}
