//! Scenario parser: any text of a file and of `--set` options gives a scenario or messages, without a panic.
//!
//! The text before a line `%%` is the file; each line after it is an option.

#![no_main]

use std::cell::OnceCell;

use jettison_scenario::build::Builder;
use jettison_scenario::{Changes, NoFiles, Registries, Scenario};
use libfuzzer_sys::fuzz_target;

thread_local! {
    static REGISTRIES: OnceCell<Registries> = const { OnceCell::new() };
}

fuzz_target!(|input: &str| {
    let (text, options) = input.split_once("\n%%\n").unwrap_or((input, ""));
    let set: Vec<String> = options.lines().take(8).map(str::to_owned).collect();
    REGISTRIES.with(|cell| {
        let registries = cell.get_or_init(|| Builder::standard().registries());
        for quick in [false, true] {
            let changes = Changes { set: set.clone(), quick };
            match Scenario::parse(text, "fuzz.toml", &NoFiles, &changes, registries) {
                Ok(scenario) => assert!(!scenario.variants.is_empty()),
                Err(error) => assert!(!error.errors.is_empty()),
            }
        }
    });
});
