//! What is said of what cannot be read.

use super::errors;

/// A text, and what must stand in its only error.
const SAID: &[(&str, &str)] = &[
    ("const bit<8> x = 1\nconst bit<8> y = 2;", "1:18: error: expected `;`, found the keyword `const`"),
    ("struct s { bit<8> x }", "expected `;`, found `}`"),
    ("struct s { bit<8> x, bit<8> y; }", "expected `;`, found `,` (each declaration has a type and a `;`"),
    ("struct s { bit<8> in; }", "expected the name of a field, found the keyword `in` (`in` is a keyword"),
    ("struct s { H x[3]; }", "the size of a stack belongs to its type"),
    ("struct s { H[2][3] x; }", "a stack has headers as its elements"),
    ("struct s { bit<8> x;", "expected `}`, found the end of the program"),
    ("struct s { bit<W + 1> x; }", "a width that is computed stands in parentheses"),
    ("struct s { varbit x; }", "the most bits of this varbit"),
    ("enum E { A = 1 }", "members with values need a type"),
    ("bit<8> x = 1;", "a value at the top level is a constant"),
    ("bit<8> x;", "variables are declared in parsers, controls, actions and functions"),
    ("}", "a `}` cannot stand here, at the top level"),
    ("table t { }", "a table cannot stand here, at the top level (tables are declared in controls)"),
    ("state s { }", "a state cannot stand here, at the top level"),
    ("if (x) { }", "a statement cannot stand here, at the top level"),
    ("f() { }", "is this a function? Then its result's type is missing"),
    ("void f();", "only `extern` functions have no body"),
    ("control c() { }", "this control has no `apply` block (write `apply { }`"),
    ("control c() { apply { } bit<8> x; }", "the `apply` block is the last thing in a control"),
    ("control c() { if (x) { } apply { } }", "a control's statements stand in its `apply"),
    ("control c() { struct s { } apply { } }", "types are declared at the top level"),
    ("control c() { void f() { } apply { } }", "functions are declared at the top level"),
    ("control c(bit<8>) { apply { } }", "a parameter has a type and a name"),
    ("control c() { apply { if (x = 1) { } } }", "expected `)`, found `=` (`==` compares, `=` assigns)"),
    ("control c() { apply { x++; } }", "to count up, write `x = x + 1`"),
    ("control c() { apply { x + 1; } }", "expected `=` or a call's `(`, found `+`"),
    ("control c() { apply { f(x } }", "expected `)` or `,`, found `}`"),
    ("control c() { apply { x = f(1; } }", "expected `)` or `,`, found `;` (is a parenthesis"),
    ("control c() { apply { x = 1 } }", "expected `;`, found `}`"),
    ("control c() { apply { x = 1 y = 2; } }", "expected `;`, found `y`"),
    ("control c() { apply { if (x) a(); b(); else c(); } }", "this `else` belongs to no `if`"),
    ("control c() { apply { switch (x) { _: { } } } }", "the label of what is left over is `default`"),
    ("control c() { table t { key = { x; } } apply { } }", "expected `:` and a match kind, found `;`"),
    ("control c() { table t { actions = { a, b } } apply { } }", "lists in tables end their items with `;`"),
    ("control c() { table t { actions { a; } } apply { } }", "expected `=`, found `{`"),
    (
        "control c() { table t { entries = { 1, 2 : a; } } apply { } }",
        "expected `:` and an action, found `,`",
    ),
    ("control c() { table t { entries = { (1, 2 3) : a; } } apply { } }", "expected `)` or `,`, found `3`"),
    ("control c() { action a() { } ", "expected `}`, found the end of the program"),
    ("parser p() { state start { transition accept } }", "expected `;`, found `}`"),
    ("parser p() { state start { transition accept; x = 1; } }", "a state ends with its `transition`"),
    ("parser p() { state start { exit; } }", "`exit` cannot stand here, in the state of a parser"),
    ("parser p() { state start { { transition accept; } } }", "`transition` cannot stand here"),
    ("parser p() { state start { } bit<8> x; }", "what a parser declares stands in front of its states"),
    ("parser p() { action a() { } state start { } }", "an action cannot stand here, in a parser"),
    (
        "parser p() { state start { transition select(x) { 1 accept; } } }",
        "expected `:` and a state, found `accept`",
    ),
    ("extern E { F(); }", "the method `F` has no type for its result (a constructor is called `E`"),
    ("header ethernet_t ethernet;", "expected `{`, found `ethernet`"),
    ("header_type ethernet_t { fields { dst : 48; } }", "this looks like P4_14"),
    ("control ingress { apply(t); }", "expected `(` and parameters, found `{` (this looks like P4_14"),
    ("parser start { extract(x); return ingress; }", "this looks like P4_14"),
    ("@name(\"x\" const bit<8> x = 1;", "expected `)`, found the end of the program"),
    ("@5 const bit<8> x = 1;", "expected an annotation's name, found `5`"),
    ("control C() { Q.R x; apply { } }", "expected the name of a variable, found `.`"),
    ("const bit<8> x = 5 $ 6;", "the character `$`"),
    ("const string x = \"abc;", "this string has no end (close it"),
    ("/* const", "this comment has no end"),
];

#[test]
fn messages_say_what_is_expected_and_hints_what_helps() {
    let mut wrong = String::new();
    for (text, said) in SAID {
        let said_of = errors(text);
        if said_of.len() != 1 || !said_of[0].contains(said) {
            wrong.push_str(&format!("{text}\n  wanted {said}\n  got {said_of:#?}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn reading_goes_on_behind_an_error() {
    let text = "
struct s { bit<8> 5; bool b }
control c() {
    action a() { x = ; y = 1 +; }
    table t { key = { x exact; y : lpm; } actions = { a b; } }
    apply { if (x { } f(); }
}
const bit<8> z = ;
enum E { A B }
bool f() { return 1 }
";
    let lines: Vec<String> =
        errors(text).iter().map(|error| error.split(':').nth(1).unwrap_or_default().to_owned()).collect();
    assert_eq!(lines, ["2", "2", "4", "4", "5", "5", "6", "8", "9", "10"]);
}
