//! Mutation tests: randomly changed programs and packet tests are rejected with a diagnostic or run to the end, without
//! a panic, a hang, or a disagreement of the two machines.
//!
//! `MUTATIONS=100000 FROM=5000 cargo test -p jettison-p4-v1model mutations -- --nocapture` runs more seeds.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::source::Sources;
use jettison_p4_front::syntax::Options;
use jettison_p4_oracle::Reference;
use jettison_p4_v1model::control;
use jettison_p4_v1model::stf::{self, Outcome};

/// Replacements for numbers.
const NUMBERS: &str = "\
    0 1 2 7 8 63 64 65 127 128 129 255 256 511 2048 65535 65536 4294967295 4294967296 \
    99999999999999999999999 8w255 16s1";

/// Texts inserted between tokens or in place of one.
const TOKENS: &str = "\
    ( ) { } [ ] < > ; : , . = + - * / % << >> & | ^ ~ ! && || == != <= >= ? ++ |+| |-| &&& .. _ default \
    exit return if else switch for break in out inout table action control parser state transition \
    select const bit int bool true ... {#} this";

#[test]
fn mutated_programs_are_rejected_or_run_to_the_end() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    let (from, count) = (number("FROM", 0), number("MUTATIONS", 8000));
    let corpus = corpus();
    let mut accepted = 0u64;
    for seed in from..from + count {
        let case = Mutation::new(&corpus, seed);
        match catch_unwind(AssertUnwindSafe(|| case.run())) {
            Ok(ran) => accepted += u64::from(ran),
            Err(_) => panic!("seed {seed}: {}", case.shown()),
        }
    }
    println!("{accepted} of {count} ran");
    assert!(accepted > 0, "some mutants are still valid");
}

/// Every packet test with its program.
fn corpus() -> Vec<(PathBuf, String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stf");
    let mut found = Vec::new();
    for folder in fs::read_dir(&root).expect("the folder is beside this file") {
        for file in fs::read_dir(folder.expect("it can be read").path()).expect("it is a folder") {
            let test = file.expect("it can be read").path();
            if test.extension().is_some_and(|extension| extension == "stf") {
                let text = fs::read_to_string(&test).expect("it can be read");
                let program =
                    fs::read_to_string(test.with_extension("p4")).expect("its program is beside it");
                found.push((test, program, text));
            }
        }
    }
    found.sort();
    found
}

/// A program and its test, one of them mutated.
struct Mutation {
    path: PathBuf,
    program: String,
    test: String,
}

impl Mutation {
    fn new(corpus: &[(PathBuf, String, String)], seed: u64) -> Mutation {
        let mut choices = Choices::new(seed);
        let (path, program, test) = corpus[choices.below(corpus.len())].clone();
        let mut case = Mutation { path, program, test };
        for _ in 0..1 + choices.below(3) {
            match choices.below(4) {
                0 => case.test = changed(&case.test, &mut choices),
                _ => case.program = changed(&case.program, &mut choices),
            }
        }
        case
    }

    fn shown(&self) -> String {
        format!("{}\n{}\n-- test\n{}", self.path.display(), self.program, self.test)
    }

    /// Runs the mutant; returns whether it was valid.
    fn run(&self) -> bool {
        let mut sources = Sources::default();
        let main = sources.add(self.path.with_extension("p4").display().to_string(), self.program.clone());
        let test = sources.add(self.path.display().to_string(), self.test.clone());
        let commands = self.test.replace("add ", "table_add ").replace("setdefault ", "table_set_default ");
        let commands = sources.add("commands", commands);
        let parsed = stf::parse(&sources, test);
        let program = match jettison_p4_front::compile(&mut sources, main, &Options::default()) {
            Ok((program, warnings)) => {
                warnings.iter().for_each(|warning| drop(warning.render(&sources, false)));
                Arc::new(program)
            }
            Err(errors) => {
                assert!(!errors.is_empty(), "a rejected program has an error");
                errors.iter().for_each(|error| drop(error.render(&sources, false)));
                return false;
            }
        };
        drop(control::parse(&sources, commands, &program));
        let script = match parsed.and_then(|parsed| stf::resolve(&parsed, &program)) {
            Ok(script) => script,
            Err(errors) => {
                assert!(!errors.is_empty(), "a rejected test has an error");
                errors.iter().for_each(|error| drop(error.render(&sources, false)));
                return false;
            }
        };
        let fast = stf::run(&program, &script, Compiled::new(program.clone()));
        let exact = stf::run(&program, &script, Reference::new(program.clone()));
        let shown = |outcome: &Outcome| format!("{:?}", outcome.problems);
        assert_eq!(shown(&fast), shown(&exact), "the machines agree");
        true
    }
}

/// Applies one random change to a text.
fn changed(text: &str, choices: &mut Choices) -> String {
    if choices.below(5) == 0 {
        return changed_lines(text, choices);
    }
    let mut tokens: Vec<String> = tokens(text);
    if tokens.is_empty() {
        return text.to_owned();
    }
    let words: Vec<usize> = (0..tokens.len()).filter(|at| !tokens[*at].trim().is_empty()).collect();
    if words.is_empty() {
        return text.to_owned();
    }
    let at = words[choices.below(words.len())];
    let other = words[choices.below(words.len())];
    let digits: Vec<usize> =
        words.iter().copied().filter(|at| tokens[*at].starts_with(|c: char| c.is_ascii_digit())).collect();
    match choices.below(10) {
        0 => tokens[at].clear(),
        1 => {
            let again = format!(" {} {} ", tokens[at], tokens[at]);
            tokens[at] = again;
        }
        2 => tokens.swap(at, other),
        3 | 4 => tokens[at] = tokens[other].clone(),
        5 => tokens[at] = format!(" {} ", choices.word(TOKENS)),
        6 => tokens[at] = format!(" {} {}", choices.word(TOKENS), tokens[at]),
        7 => {
            // Repeat a long range.
            let (low, high) = (at.min(other), at.max(other).min(at.min(other) + 40));
            let again: String = tokens[low..=high].concat();
            tokens[high].push_str(&again);
        }
        _ if digits.is_empty() => tokens[at].clear(),
        _ => tokens[digits[choices.below(digits.len())]] = choices.word(NUMBERS).to_owned(),
    }
    tokens.concat()
}

fn changed_lines(text: &str, choices: &mut Choices) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() {
        return String::new();
    }
    let (at, other) = (choices.below(lines.len()), choices.below(lines.len()));
    match choices.below(4) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(other, lines[at]),
        2 => lines.swap(at, other),
        _ => lines.truncate(at),
    }
    lines.join("\n") + "\n"
}

/// Tokens of a text: words, numbers, runs of spaces, and single signs.
fn tokens(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    for c in text.chars() {
        match found.last_mut() {
            Some(last) if kind(c) != 2 && last.chars().next_back().map(kind) == Some(kind(c)) => last.push(c),
            _ => found.push(c.to_string()),
        }
    }
    found
}

/// Stream of random choices.
struct Choices(u64);

impl Choices {
    fn new(seed: u64) -> Choices {
        Choices(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// A random word of a text.
    fn word<'a>(&mut self, text: &'a str) -> &'a str {
        let number = self.below(text.split(' ').count());
        text.split(' ').nth(number).expect("the number is below the number of words")
    }

    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 16) % most as u64).expect("the remainder fits in a usize")
    }
}
