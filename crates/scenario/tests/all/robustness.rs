//! Arbitrary files and options give a scenario or a message, never a panic.

use crate::support;

use proptest::prelude::*;
use support::{GOOD, parse_with};

/// Pieces that parsers trip over.
const PIECES: [&str; 24] = [
    "",
    "\"",
    "'",
    "[",
    "]",
    "[[vary]]",
    "{",
    "}",
    "=",
    ".",
    "\n",
    "0",
    "-1",
    "1e400",
    "nan",
    "\u{feff}",
    "é\u{301}",
    "true",
    "1979-05-27",
    "\"\\u0000\"",
    "links",
    "kind = \"codel\"",
    "[[[[[[[[",
    "{a={a={a={a={",
];

fn mangled() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), 0..12usize, prop::sample::select(&PIECES[..]));
    prop::collection::vec(edit, 1..4).prop_map(|edits| {
        edits.into_iter().fold(GOOD.to_owned(), |text, (at, length, piece)| {
            let chars: Vec<char> = text.chars().collect();
            let at = at.index(chars.len());
            let end = (at + length).min(chars.len());
            chars[..at].iter().chain(piece.chars().collect::<Vec<_>>().iter()).chain(&chars[end..]).collect()
        })
    })
}

/// A scenario whose values have been swapped with one another: good TOML, and rarely a good scenario.
fn shuffled() -> impl Strategy<Value = String> {
    let values: Vec<&str> = GOOD.lines().filter_map(|line| Some(line.split_once(" = ")?.1)).collect();
    let count = values.len();
    prop::collection::vec((0..count, 0..count), 1..4).prop_map(move |swaps| {
        let mut number = 0;
        let line = |line: &str| match line.split_once(" = ") {
            None => line.to_owned(),
            Some((key, value)) => {
                let swap = swaps.iter().find(|(from, _)| *from == number);
                number += 1;
                format!("{key} = {}", swap.map_or(value, |(_, to)| values[*to]))
            }
        };
        GOOD.lines().map(line).collect::<Vec<_>>().join("\n")
    })
}

fn answers(text: &str, set: &[&str]) -> Result<(), TestCaseError> {
    match parse_with(text, set, true) {
        Ok(scenario) => prop_assert!(!scenario.variants.is_empty()),
        Err(messages) => {
            prop_assert!(!messages.is_empty());
            for message in messages.lines() {
                let named = ["s.toml:", "--set ", "shelf/"].iter().any(|start| message.starts_with(start));
                prop_assert!(named, "{message}");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text_is_answered(text: String) {
        answers(&text, &[])?;
    }

    #[test]
    fn mangled_scenarios_are_answered(text in mangled()) {
        answers(&text, &[])?;
    }

    #[test]
    fn shuffled_values_are_answered(text in shuffled()) {
        answers(&text, &[])?;
    }

    #[test]
    fn arbitrary_options_are_answered(path in "[a-z\"'.\\[\\]0-9]{0,12}", value: String) {
        answers(GOOD, &[&format!("{path}={value}"), &value])?;
    }

    #[test]
    fn any_key_may_be_set_to_anything(
        key in prop::sample::select(&["nodes.h1", "links.bottleneck.queue", "links.bottleneck.reverse", "flows.bulk.app",
            "flows.bulk.transport.gains", "vary[0].values", "vary[0].path", "seeds", "queues", "links", "vary", "name"][..]),
        value in prop::sample::select(&["1", "-1", "1.5", "\"\"", "[]", "{}", "[[]]", "{ kind = 1 }", "{ kind = \"host\" }",
            "[1, \"a\", {}]", "true", "\"h1\"", "{ a = { b = [{}] } }", "18446744073709551616", "\"h1.b[0]\""][..]),
    ) {
        answers(GOOD, &[&format!("{key}={value}")])?;
    }
}
