//! P4 parser: any text gives a tree or diagnostics, without a panic or an endless loop.

#![no_main]

use std::sync::Arc;

use jettison_p4_front::source::Sources;
use jettison_p4_front::syntax::{self, NoFiles, Options};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let mut sources = Sources::default();
    let main = sources.add("fuzz.p4", input);
    let options = Options { loader: Arc::new(NoFiles), ..Options::default() };
    if let Err(errors) = syntax::parse(&mut sources, main, &options) {
        assert!(!errors.is_empty());
        for error in errors {
            assert!(!error.one_line(&sources).is_empty() && !error.render(&sources, false).is_empty());
        }
    }
});
