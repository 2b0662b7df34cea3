//! Robustness: any text gives a tree or diagnostics.

use proptest::prelude::*;

use super::{declarations, errors, read};

/// Fragments of programs, which reach deeper into the parser than random characters.
const PIECES: &[&str] = &[
    "control",
    "parser",
    "c",
    "T",
    "<",
    ">",
    ">>",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ":",
    ",",
    ".",
    "..",
    "...",
    "@",
    "=",
    "==",
    "+",
    "-",
    "++",
    "|+|",
    "&&&",
    "&",
    "?",
    "!",
    "apply",
    "state",
    "start",
    "transition",
    "select",
    "accept",
    "table",
    "key",
    "actions",
    "entries",
    "priority",
    "default_action",
    "const",
    "bit<8>",
    "bit",
    "int<",
    "varbit<8>",
    "tuple<",
    "list<",
    "error",
    "match_kind",
    "void",
    "in",
    "out",
    "inout",
    "x",
    "y",
    "5",
    "8w0xFF",
    "\"s\"",
    "if",
    "else",
    "switch",
    "for",
    "return",
    "exit",
    "header",
    "struct",
    "header_union",
    "enum",
    "typedef",
    "type",
    "extern",
    "package",
    "action",
    "value_set<",
    "default",
    "_",
    "this",
    "{#}",
    "\n",
    "\n#define F(a, b) a ## b #a\n",
    "\n#define X X F(X, X)\n",
    "F(",
    "X",
    "\n#if 1 +",
    "\n#else\n",
    "\n#endif\n",
    "\n#include <core.p4>\n",
    "@pragma",
    "/*",
    "*/",
    "//",
    "\\\n",
    "\"",
    "'",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_characters_give_a_tree_or_messages(text in "\\PC{0,200}") {
        let (sources, program) = read(&text);
        if let Err(errors) = program {
            prop_assert!(!errors.is_empty());
            for error in errors {
                error.render(&sources, false);
            }
        }
    }

    #[test]
    fn any_pieces_give_a_tree_or_messages(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..120)) {
        let text = pieces.join(" ");
        let (sources, program) = read(&text);
        if let Err(errors) = program {
            prop_assert!(!errors.is_empty() && errors.len() <= 20);
            for error in errors {
                error.render(&sources, false);
            }
        }
    }
}

#[test]
fn too_deep_nesting_is_reported() {
    let cases = [
        format!("const bit<8> x = {}1{};", "(".repeat(10_000), ")".repeat(10_000)),
        format!("const bit<8> x = {}1;", "- ".repeat(10_000)),
        format!("const bit<8> x = {}1;", "(bit<8>) ".repeat(10_000)),
        format!("const bit<8> x = 1{};", " + 1".repeat(100_000)),
        format!("const bit<8> x = {}1;", "1 ? 1 : ".repeat(10_000)),
        format!("const bit<8> x = a{};", ".a".repeat(100_000)),
        format!("const bit<8> x = a{};", "[1]".repeat(100_000)),
        format!("const bit<8> x = {}1;", "{".repeat(100_000)),
        format!("const bit<8> x = {};", "f(".repeat(100_000)),
        format!("const {} x = 1;", "tuple<".repeat(10_000)),
        format!("control c() {{ apply {}", "{".repeat(100_000)),
        format!("control c() {{ apply {{ {} }} }}", "if (true) ".repeat(10_000)),
        format!("control c() {{ apply {{ {} }} }}", "if (true) {} else ".repeat(10_000)),
        format!("const bit<8> x = {}", "f < bit<(".repeat(10_000)),
        format!("struct s {{}} const bit<8> x = {}", "f<s<s<".repeat(10_000)),
    ];
    for text in cases {
        let errors = errors(&text);
        let bounded =
            ["nesting is too deep", "nesting is too complex"].iter().any(|what| errors[0].contains(what));
        assert!(bounded, "{}: {errors:?}", &text[..60]);
    }
}

#[test]
fn realistic_nesting_is_parsed() {
    declarations(&format!("const bit<8> x = {}1{};", "(".repeat(200), ")".repeat(200)));
    declarations(&format!("const bit<8> x = 1{};", " + 1".repeat(200)));
    let chain = "if (true) {} else ".repeat(100);
    declarations(&format!("control c() {{ apply {{ {chain} {{}} }} }}"));
}

#[test]
fn there_are_at_most_twenty_errors() {
    assert_eq!(errors(&"struct s { 5 }\n".repeat(100)).len(), 20);
}
