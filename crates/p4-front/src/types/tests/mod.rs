//! Checker tests: elaborated programs and diagnostics.

mod accepted;
mod any_program;
mod calls;
mod declarations;
mod expressions;
mod order;
mod parsers;
mod psa;
mod rules;
mod sound;
mod statements;
mod tables;
mod unions;
mod validity;
mod warned;

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::ir::Program;
use crate::source::Sources;
use crate::syntax::{NoFiles, Options};

/// Start of every program in these tests.
const HEAD: &str = "
#include <core.p4>
#include <v1model.p4>
header A { bit<8> a; bit<8> b; int<8> i; bool f; }
header B { bit<16> w; }
header L { bit<8> n; varbit<64> v; }
header_union U { A x; B y; }
enum Colour { Red, Green }
enum bit<8> Kind { One = 1, Two = 2 }
type bit<8> Port;
struct Headers { A h; B g; L v; U u; A[4] s; }
struct Meta { bit<8> m; bit<16> w; bool f; Colour c; Kind k; Port p; }
error { Odd }
";

/// Compiles a program: the elaborated program, if it is valid, and the diagnostics.
fn compile(text: &str) -> (Option<Program>, Vec<Diagnostic>, Sources) {
    let mut sources = Sources::default();
    let main = sources.add("test.p4", text);
    let options = Options { loader: Arc::new(NoFiles), ..Options::default() };
    match crate::compile(&mut sources, main, &options) {
        Ok((program, warnings)) => (Some(program), warnings, sources),
        Err(errors) => (None, errors, sources),
    }
}

/// Diagnostics, one per line.
fn lines(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    diagnostics.iter().map(|one| one.one_line(sources)).collect::<Vec<_>>().join("\n")
}

/// A whole program around some of its parts.
fn program(top: &str, parser: &str, locals: &str, apply: &str) -> String {
    let parser =
        if parser.is_empty() { "state start { p.extract(h.h); transition accept; }" } else { parser };
    format!(
        "{HEAD}{top}
parser P(packet_in p, out Headers h, inout Meta m, inout standard_metadata_t sm) {{ {parser} }}
control V(inout Headers h, inout Meta m) {{ apply {{ }} }}
control I(inout Headers h, inout Meta m, inout standard_metadata_t sm) {{ {locals} apply {{ {apply} }} }}
control E(inout Headers h, inout Meta m, inout standard_metadata_t sm) {{ apply {{ }} }}
control C(inout Headers h, inout Meta m) {{ apply {{ }} }}
control D(packet_out p, in Headers h) {{ apply {{ p.emit(h); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"
    )
}

/// The elaborated program; the text must be valid.
fn elaborated(text: &str) -> Program {
    let (program, said, sources) = compile(text);
    let program = program.unwrap_or_else(|| panic!("{}\n{text}", lines(&said, &sources)));
    sound::check(&program);
    program
}

/// The messages of the errors, in order.
fn errors(text: &str) -> Vec<String> {
    let (_, said, _) = compile(text);
    said.into_iter().filter(Diagnostic::is_error).map(|error| error.message).collect()
}

/// The messages of the warnings, in order; the program must be valid.
fn warnings(text: &str) -> Vec<String> {
    let (program, said, sources) = compile(text);
    assert!(program.is_some(), "{}\n{text}", lines(&said, &sources));
    said.into_iter().map(|warning| warning.message).collect()
}

/// The statements of ingress, as text, without indentation.
fn ingress(top: &str, locals: &str, apply: &str) -> Vec<String> {
    let program = elaborated(&program(top, "", locals, apply));
    let text = program.to_string();
    let at = text.find(&format!("control {} I {{\n", program.pipeline.ingress.0)).expect("it is written");
    let body = text[at..].lines().skip(1);
    let lines = body.take_while(|line| *line != "}").map(|line| line.trim().to_owned());
    lines.map(|line| without_numbers(&line)).collect()
}

/// Removes the numbers of variables.
fn without_numbers(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('#') {
        let digits = rest[at + 1..].chars().take_while(char::is_ascii_digit).count();
        out.push_str(&rest[..at]);
        rest = &rest[at + 1 + digits..];
    }
    out.push_str(rest);
    out
}

/// The only error of a program with this apply block in ingress.
fn error_of(apply: &str) -> String {
    let found = errors(&program("", "", "", apply));
    assert_eq!(found.len(), 1, "{apply}: {found:?}");
    found[0].clone()
}

/// Asserts that this apply block is valid in ingress.
fn assert_valid(apply: &str) {
    elaborated(&program("", "", "", apply));
}
