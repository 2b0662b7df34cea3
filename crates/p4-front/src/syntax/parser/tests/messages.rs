//! Messages of syntax errors.

use super::errors;

/// Source texts, each with a part of its only error.
const MESSAGES: &[(&str, &str)] = &[
    ("const bit<8> x = 1\nconst bit<8> y = 2;", "1:18: error: expected `;`, found the keyword `const`"),
    ("struct s { bit<8> x }", "expected `;`, found `}`"),
    (
        "struct s { bit<8> x, bit<8> y; }",
        "expected `;`, found `,` (write a separate declaration for each name",
    ),
    ("struct s { bit<8> in; }", "expected the name of a field, found the keyword `in` (`in` is a keyword"),
    ("struct s { H x[3]; }", "write the size of a header stack after its type"),
    ("struct s { H[2][3] x; }", "arrays of arrays are not supported"),
    ("struct s { bit<8> x;", "expected `}`, found the end of the program"),
    ("struct s { bit<W + 1> x; }", "write a computed width in parentheses"),
    ("struct s { varbit x; }", "the maximum width of the varbit"),
    ("enum E { A = 1 }", "needs an underlying type"),
    ("bit<8> x = 1;", "a value at the top level must be a constant"),
    ("bit<8> x;", "declare variables inside a parser"),
    ("}", "a `}` is not allowed at the top level"),
    ("table t { }", "a table is not allowed at the top level (declare tables inside a control)"),
    ("state s { }", "a state is not allowed at the top level"),
    ("if (x) { }", "a statement is not allowed at the top level"),
    ("f() { }", "if this is a function, add its result type"),
    ("void f();", "a function needs a body"),
    ("control c() { }", "missing `apply` block in this control (add `apply { }`"),
    ("control c() { apply { } bit<8> x; }", "the `apply` block must be the last item of a control"),
    ("control c() { if (x) { } apply { } }", "move statements into the control's `apply"),
    ("control c() { struct s { } apply { } }", "move it to the top level"),
    ("control c() { void f() { } apply { } }", "declare functions at the top level"),
    ("control c(bit<8>) { apply { } }", "a parameter needs a type and a name"),
    (
        "control c() { apply { if (x = 1) { } } }",
        "expected `)`, found `=` (use `==` to compare; `=` assigns)",
    ),
    ("control c() { apply { x++; } }", "to increment, write `x = x + 1`"),
    ("control c() { apply { x + 1; } }", "expected `=` or a call's `(`, found `+`"),
    ("control c() { apply { f(x } }", "expected `)` or `,`, found `}`"),
    (
        "control c() { apply { x = f(1; } }",
        "expected `)` or `,`, found `;` (check for an unclosed parenthesis",
    ),
    ("control c() { apply { x = 1 } }", "expected `;`, found `}`"),
    ("control c() { apply { x = 1 y = 2; } }", "expected `;`, found `y`"),
    ("control c() { apply { if (x) a(); b(); else c(); } }", "this `else` has no `if`"),
    ("control c() { apply { switch (x) { _: { } } } }", "use `default` to label the remaining cases"),
    ("control c() { table t { key = { x; } } apply { } }", "expected `:` and a match kind, found `;`"),
    ("control c() { table t { actions = { a, b } } apply { } }", "items of a table's lists end with `;`"),
    ("control c() { table t { actions { a; } } apply { } }", "expected `=`, found `{`"),
    (
        "control c() { table t { entries = { 1, 2 : a; } } apply { } }",
        "expected `:` and an action, found `,`",
    ),
    ("control c() { table t { entries = { (1, 2 3) : a; } } apply { } }", "expected `)` or `,`, found `3`"),
    ("control c() { action a() { } ", "expected `}`, found the end of the program"),
    ("parser p() { state start { transition accept } }", "expected `;`, found `}`"),
    (
        "parser p() { state start { transition accept; x = 1; } }",
        "`transition` must be the last statement of a state",
    ),
    ("parser p() { state start { exit; } }", "`exit` is not allowed in a parser state"),
    ("parser p() { state start { { transition accept; } } }", "`transition` is not allowed"),
    ("parser p() { state start { } bit<8> x; }", "before the parser's first state"),
    ("parser p() { action a() { } state start { } }", "an action is not allowed in a parser"),
    (
        "parser p() { state start { transition select(x) { 1 accept; } } }",
        "expected `:` and a state, found `accept`",
    ),
    (
        "extern E { F(); }",
        "missing result type of the method `F` (write `void` for a method without a result; only a constructor, named `E`",
    ),
    ("header ethernet_t ethernet;", "expected `{`, found `ethernet`"),
    ("header_type ethernet_t { fields { dst : 48; } }", "this looks like P4_14"),
    ("control ingress { apply(t); }", "expected `(` and parameters, found `{` (this looks like P4_14"),
    ("parser start { extract(x); return ingress; }", "this looks like P4_14"),
    ("@name(\"x\" const bit<8> x = 1;", "expected `)`, found the end of the program"),
    ("@5 const bit<8> x = 1;", "expected an annotation's name, found `5`"),
    ("control C() { Q.R x; apply { } }", "expected the name of a variable, found `.`"),
    ("const bit<8> x = 5 $ 6;", "unexpected character `$`"),
    ("const string x = \"abc;", "unterminated string literal (add the closing"),
    ("/* const", "unterminated comment"),
];

#[test]
fn messages_state_what_is_expected_and_hints_suggest_a_fix() {
    let mut wrong = String::new();
    for (text, wanted) in MESSAGES {
        let found = errors(text);
        if found.len() != 1 || !found[0].contains(wanted) {
            wrong.push_str(&format!("{text}\n  wanted {wanted}\n  got {found:#?}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn parsing_continues_after_an_error() {
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
