//! Tests of directives and macros.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::{Loader, Options};
use super::{Preprocessed, preprocess};
use crate::source::Sources;

/// Files in memory.
#[derive(Debug)]
struct Texts(BTreeMap<PathBuf, String>);

impl Loader for Texts {
    fn load(&self, path: &Path) -> io::Result<String> {
        self.0.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn with(files: &[(&str, &str)], folders: &[&str], defines: &[(&str, &str)]) -> Options {
    let texts = files.iter().map(|(name, text)| (PathBuf::from(name), (*text).to_owned())).collect();
    Options {
        include_dirs: folders.iter().map(PathBuf::from).collect(),
        defines: defines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        loader: Arc::new(Texts(texts)),
        ..Options::default()
    }
}

fn run_with(text: &str, options: &Options) -> (Sources, Preprocessed) {
    let mut sources = Sources::default();
    let main = sources.add("dir/main.p4", text);
    let done = preprocess(&mut sources, main, options);
    (sources, done)
}

/// The preprocessed tokens, separated by spaces.
fn text_with(text: &str, options: &Options) -> String {
    let (sources, done) = run_with(text, options);
    let errors: Vec<String> = done.errors.iter().map(|error| error.one_line(&sources)).collect();
    assert!(errors.is_empty(), "{text}\n{errors:#?}");
    let mut tokens: Vec<&str> = done.tokens.iter().map(|token| &**done.interner.text(token.symbol)).collect();
    tokens.pop();
    tokens.join(" ")
}

fn text(text: &str) -> String {
    text_with(text, &with(&[], &[], &[]))
}

fn errors_with(text: &str, options: &Options) -> Vec<String> {
    let (sources, done) = run_with(text, options);
    done.errors.iter().map(|error| error.one_line(&sources)).collect()
}

fn error(text: &str) -> String {
    let errors = errors_with(text, &with(&[], &[], &[]));
    assert_eq!(errors.len(), 1, "{text}: {errors:#?}");
    errors.into_iter().next().unwrap_or_default()
}

#[test]
fn macros_are_replaced_by_tokens() {
    assert_eq!(text("#define A 1\nA B A"), "1 B 1");
    assert_eq!(text("#define A B\n#define B C\nA"), "C");
    assert_eq!(text("#define A\nx A y"), "x y");
    assert_eq!(text("#define A 1\n#undef A\nA"), "A");
    assert_eq!(text("#define A 1 \\\n + 2\nA"), "1 + 2");
    assert_eq!(text("#define A 1 // not /* this\nA"), "1");
    assert_eq!(text("#define A 1 /* a\nb */ + 2\nA"), "1 + 2");
    assert_eq!(text("#define bit foo\nbit<8>"), "foo < 8 >");
    assert_eq!(text("#define A 1\n#define A 2\nA"), "2");
    assert_eq!(text("  #  define  A 1\nA"), "1");
}

#[test]
fn macros_take_arguments() {
    assert_eq!(text("#define F(a, b) b + a\nF(1, (2, 3)) F (x,\n y)"), "( 2 , 3 ) + 1 y + x");
    assert_eq!(text("#define F(a) [a]\nF() F( )"), "[ ] [ ]");
    assert_eq!(text("#define F(a, b) [a|b]\nF(,) F(1,)"), "[ | ] [ 1 | ]");
    assert_eq!(text("#define F() 1\nF() F( ) F"), "1 1 F");
    assert_eq!(text("#define F (x)\nF(1)"), "( x ) ( 1 )");
    assert_eq!(text("#define F(a) a\n#define G F\nG(1)"), "1");
    assert_eq!(text("#define F(a) a a\nF(F(1))"), "1 1 1 1");
    assert_eq!(
        text("#define MAX(a, b) ((a) > (b) ? (a) : (b))\nMAX(x, 2)"),
        "( ( x ) > ( 2 ) ? ( x ) : ( 2 ) )"
    );
    assert_eq!(text("#define F(a) a\nF\n#define B 2\n(B)"), "2");
    assert_eq!(text("#define F(a, ...) a[__VA_ARGS__]\nF(1, 2, 3) F(1) F(1,)"), "1 [ 2 , 3 ] 1 [ ] 1 [ ]");
    assert_eq!(text("#define F(a, b...) a[b]\nF(1, 2, 3)"), "1 [ 2 , 3 ]");
}

#[test]
fn a_macro_is_not_replaced_in_itself() {
    assert_eq!(text("#define A A B\n#define B A\nA"), "A A");
    assert_eq!(text("#define f(x) f(x + 1)\nf(f(1))"), "f ( f ( 1 + 1 ) + 1 )");
    // The specification of C (6.10.4.5) has this example.
    assert_eq!(
        text(
            "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
              #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n\
              f(y+1) + f(f(z)) % t(t(g)(0) + t)(1); g(x+(3,4)-w) | h 5) & m\n(f)^m(m);"
        ),
        "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; \
         f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;"
    );
}

#[test]
fn tokens_are_pasted_and_quoted() {
    assert_eq!(text("#define F(a, b) a ## b\nF(x, y) F(8w, 5) F(x,) F(, y) F(,) F(<, <)"), "xy 8w5 x y <<");
    assert_eq!(text("#define A 1\n#define F(a) a ## _t a\nF(A)"), "A_t 1");
    assert_eq!(text("#define F(a, b, c) a ## b ## c\nF(x, , z) F(, , z) F(x, y z, w)"), "xz z xy zw");
    assert_eq!(text("#define A x ## y\nA"), "xy");
    assert_eq!(text("#define Q(a) #a\nQ(x  +   1) Q(\"s\\n\") Q() Q( A )"), r#""x + 1" "\"s\\n\"" "" "A""#);
    assert_eq!(text("#define Q(a) #a\n#define R(a) Q(a)\n#define A 1\nQ(A) R(A)"), r#""A" "1""#);
    assert_eq!(
        text("#define H(n) header h_ ## n ## _t { bit<n> f; }\nH(8)"),
        "header h_8_t { bit < 8 > f ; }"
    );
    assert!(
        error("#define F(a, b) a ## b\nF(+, 1)").contains("joining `+` and `1` does not give a valid token")
    );
}

#[test]
fn strings_may_have_several_lines() {
    assert_eq!(text("a \"b\n#c\\\" d\" e \"f\"\n#define A 1\nA"), "a \"b\n#c\\\" d\" e \"f\" 1");
    assert_eq!(text("#if 0\nit\"s\n#endif\nx \"y\""), "x \"y\"");
    assert_eq!(text("x \"y\nz"), "x \"y z");
}

#[test]
fn line_and_file_macros_give_the_position() {
    assert_eq!(text("__LINE__\n\n__LINE__ __FILE__"), "1 3 \"dir/main.p4\"");
    assert_eq!(text("#define L __LINE__\n\nL"), "3");
}

#[test]
fn conditions_choose() {
    let is =
        |condition: &str| text(&format!("#define A 5\n#define E\n#if {condition}\n1\n#else\n0\n#endif\n"));
    for condition in [
        "1",
        "A == 5",
        "defined A",
        "defined(A) && !defined(B)",
        "B == 0",
        "(1 + 2) * 3 == 9",
        "1 ? 2 : 0",
        "~0 == -1",
        "0x10 == 16",
        "0b11 == 3",
        "1 << 4 == 16",
        "256 >> 4 == 16",
        "7 % 4 == 3",
        "7 / 2 == 3",
        "1 || 1 / 0",
        "-1 < 0",
        "A >= 5 && A <= 5 && A != 4",
        "5 & 4",
        "4 | 0",
        "4 ^ 1",
        "20200408L >= 20180101",
        "true",
        "!0",
        "1 - 2 - 3 == -4",
        "0 ? 1 / 0 : 1",
        "2 > 1 == 1",
        "9223372036854775807 + 1 < 0",
    ] {
        assert_eq!(is(condition), "1", "{condition}");
    }
    for condition in ["0", "A != 5", "defined B", "B", "false", "0 && 1 / 0", "1 > 2", "in"] {
        assert_eq!(is(condition), "0", "{condition}");
    }
    assert_eq!(text("#define F(a) a\n#if F(1) + F(1) == 2\nx\n#endif"), "x");
    assert_eq!(text("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif"), "b");
    assert_eq!(text("#if 1\na\n#elif 1 / 0\nb\n#else\nc\n#endif"), "a");
    assert_eq!(text("#ifdef A\na\n#else\nb\n#endif\n#ifndef A\nc\n#endif"), "b c");
    assert_eq!(text("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif"), "c");
    assert_eq!(text("#if 0\ndon't \"look /* here */\n#bad\n#if 1 +\n#endif\n#endif\nx"), "x");
    assert_eq!(text("#define F(a, b) a + b\nF(1,\n#if 1\n2\n#else\n3\n#endif\n)"), "1 + 2");
}

#[test]
fn p4c_macros_are_predefined() {
    assert_eq!(text("#ifdef __TARGET_BMV2__\nx\n#endif\n#if defined(__p4c__)\ny\n#endif"), "x y");
    assert_eq!(
        text_with("A B C(2)", &with(&[], &[], &[("A", "1"), ("B", ""), ("C(x)", "x + x")])),
        "1 2 + 2"
    );
}

#[test]
fn includes_are_searched_in_order() {
    let files = [
        ("dir/a.p4", "near"),
        ("inc/a.p4", "far"),
        ("inc/b.p4", "b"),
        ("inc2/b.p4", "b2"),
        ("dir/sub/c.p4", "#include \"d.p4\"\n#include \"../a.p4\""),
        ("dir/sub/d.p4", "d"),
        ("dir/sub/../a.p4", "near"),
        ("inc/core.p4", "other"),
    ];
    let options = with(&files, &["inc", "inc2"], &[("N", "\"a.p4\""), ("M", "<b.p4>")]);
    assert_eq!(text_with("#include \"a.p4\"\n#include <a.p4>\n#include \"b.p4\"", &options), "near far b");
    assert_eq!(text_with("#include \"sub/c.p4\"", &options), "d near");
    assert_eq!(text_with("#include N\n#include M", &options), "near b");
    assert_eq!(text_with("#include \"core.p4\"", &options), "other");
    assert!(text_with("#include <core.p4>", &options).contains("packet_in"));
    assert!(text("#include \"core.p4\"").contains("packet_in"));
    assert!(text("#include \"v1model.p4\"").contains("V1Switch"));
    let twice = "#include <core.p4>\n#include <v1model.p4>\n#include \"v1model.p4\"";
    assert_eq!(text(twice).matches("packet_out {").count(), 1);
    let errors = errors_with("#include <nowhere.p4>", &options);
    assert_eq!(errors, ["dir/main.p4:1:1: error: cannot find the include file `nowhere.p4`"]);
}

#[test]
fn the_version_of_v1model_can_be_chosen() {
    assert!(text("#include <v1model.p4>").contains("= 20180101 ;"));
    let new = text("#define V1MODEL_VERSION 20200408\n#include <v1model.p4>");
    assert!(new.contains("extern register < T , I >") && new.contains("PortId_t ingress_port"));
    let old = text_with("#include <v1model.p4>", &with(&[], &[], &[("V1MODEL_VERSION", "20180101")]));
    assert!(old.contains("extern register < T > {") && old.contains("bit < 9 > ingress_port"));
}

#[test]
fn invalid_directives_are_reported() {
    assert!(error("#if 1\nx").contains("1:1: error: unterminated conditional directive"));
    assert!(error("#endif").contains("this `#endif` has no matching `#if`"));
    assert!(error("#else").contains("this branch has no matching `#if`"));
    assert!(error("#if 1\n#else\n#else\n#endif").contains("a branch after `#else`"));
    assert!(error("#foo").contains("unknown directive `#foo`"));
    assert!(error("#error  no way, don't\n").contains("#error: no way, don't"));
    assert!(error("#define").contains("`#define` requires a macro name"));
    assert!(error("#define 5 x").contains("`5` is not a valid macro name"));
    assert!(error("#define F(a,, b) x").contains("macro parameters must be names"));
    assert!(error("#define F(a").contains("missing `)` after the macro's parameters"));
    assert!(error("#define F(a) ## a").contains("`##` requires an operand on both sides"));
    assert!(error("#define F(a) a\nF(1").contains("unterminated arguments of the macro `F`"));
    assert!(error("#define F(a) a\nF(1, 2)").contains("expected 1 argument of the macro `F`, found 2"));
    assert!(error("#include core.p4").contains("`#include` requires a file name"));
    assert!(error("#include").contains("`#include` requires a file name"));
    assert!(error("#undef").contains("`#undef` requires a macro name"));
    assert!(error("#ifdef\n#endif").contains("requires a macro name"));
    assert!(error("#if\n#endif").contains("expected a value at the end of the preprocessor condition"));
    assert!(error("#if 1 +\n#endif").contains("expected a value at the end of the preprocessor condition"));
    assert!(error("#if (1\n#endif").contains("unclosed parenthesis"));
    assert!(error("#if 1 2\n#endif").contains("unexpected `2` in a preprocessor condition"));
    assert!(error("#if 1 / 0\n#endif").contains("division by zero"));
    assert!(error("#if 99999999999999999999\n#endif").contains("number must fit in 64 bits"));
    assert!(error("#if defined\n#endif").contains("`defined` requires a macro name"));
    assert!(error(&format!("#if {}1\n#endif", "(".repeat(100_000))).contains("nested too deep"));
    assert!(error(&format!("#if {}1\n#endif", "!".repeat(100_000))).contains("nested too deep"));
}

#[test]
fn warnings_and_ignored_directives_are_not_errors() {
    let (sources, done) =
        run_with("#warning old\n#pragma once\n#line 5\n# 7 \"x.p4\"\n#\n#ident\nx", &with(&[], &[], &[]));
    assert!(done.errors.is_empty());
    assert_eq!(done.warnings[0].one_line(&sources), "dir/main.p4:1:1: warning: #warning: old");
    assert_eq!(done.tokens.len(), 2);
}

#[test]
fn expansion_is_bounded() {
    let options = with(&[("dir/main.p4", "#include \"main.p4\"\n#include \"main.p4\"")], &[], &[]);
    let errors = errors_with("#include \"main.p4\"\n#include \"main.p4\"", &options);
    assert!(errors[0].contains("includes are nested deeper than 64 files at `main.p4`"), "{errors:?}");

    let mut bomb = String::from("#define A0 x x\n");
    for i in 1..60 {
        bomb.push_str(&format!("#define A{i} A{} A{}\n", i - 1, i - 1));
    }
    assert!(error(&format!("{bomb}A59")).contains("at most"));
    assert!(
        error(&format!("{}A59", bomb.replace("x x", "")))
            .contains("macros and includes must expand to at most")
    );
    let arguments = format!("#define F(a) a a a\n{}x{}", "F(".repeat(50), ")".repeat(50));
    assert!(error(&arguments).contains("at most"));
    let deep = format!("#define F(a) a\n{}x{}", "F(".repeat(5_000), ")".repeat(5_000));
    assert!(error(&deep).contains("macro arguments are nested too deep"));
}
