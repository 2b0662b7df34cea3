//! P4 checker: any text gives an elaborated program or diagnostics, without a panic or an endless loop.

#![no_main]

use std::sync::Arc;

use jettison_p4_front::source::Sources;
use jettison_p4_front::syntax::{NoFiles, Options};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let mut sources = Sources::default();
    let main = sources.add("fuzz.p4", format!("#include <v1model.p4>\n{input}"));
    let options = Options { loader: Arc::new(NoFiles), ..Options::default() };
    match jettison_p4_front::compile(&mut sources, main, &options) {
        Ok((program, _)) => assert!(!program.to_string().is_empty()),
        Err(errors) => {
            assert!(errors.iter().any(|error| error.is_error()));
            assert!(errors.iter().all(|error| !error.render(&sources, false).is_empty()));
        }
    }
});
