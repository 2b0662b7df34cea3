//! Parser of packet tests: any text gives statements or diagnostics, without a panic or an endless loop.

#![no_main]

use jettison_p4_front::source::Sources;
use jettison_p4_v1model::stf::{StatementKind, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let mut sources = Sources::default();
    let file = sources.add("fuzz.stf", input);
    match parse(&sources, file) {
        Ok(test) => {
            for statement in &test.statements {
                assert!(!sources.text(statement.span).is_empty());
                if let StatementKind::Expect { pattern: Some(pattern), .. } = &statement.kind {
                    let _ = pattern.difference(&[0xab; 20]);
                }
            }
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in errors {
                let _ = error.render(&sources, false);
            }
        }
    }
});
