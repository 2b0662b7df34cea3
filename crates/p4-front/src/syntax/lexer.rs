//! Lexer: text to tokens.

use super::token::{Interner, Token, TokenKind};
use crate::source::{FileId, Span};

/// Keywords, sorted by their bytes for the binary search.
#[rustfmt::skip]
const KEYWORDS: [(&str, TokenKind); 49] = [
    ("_", TokenKind::Underscore), ("abstract", TokenKind::Abstract), ("action", TokenKind::Action),
    ("actions", TokenKind::Actions), ("apply", TokenKind::Apply), ("bit", TokenKind::Bit),
    ("bool", TokenKind::Bool), ("break", TokenKind::Break), ("const", TokenKind::Const),
    ("continue", TokenKind::Continue), ("control", TokenKind::Control),
    ("default", TokenKind::Default), ("else", TokenKind::Else), ("entries", TokenKind::Entries),
    ("enum", TokenKind::Enum), ("error", TokenKind::Error), ("exit", TokenKind::Exit),
    ("extern", TokenKind::Extern), ("false", TokenKind::False), ("for", TokenKind::For),
    ("header", TokenKind::Header), ("header_union", TokenKind::HeaderUnion), ("if", TokenKind::If),
    ("in", TokenKind::In), ("inout", TokenKind::InOut), ("int", TokenKind::Int),
    ("key", TokenKind::Key), ("list", TokenKind::List), ("match_kind", TokenKind::MatchKind),
    ("out", TokenKind::Out), ("package", TokenKind::Package), ("parser", TokenKind::Parser),
    ("priority", TokenKind::Priority), ("return", TokenKind::Return), ("select", TokenKind::Select),
    ("state", TokenKind::State), ("string", TokenKind::StringType), ("struct", TokenKind::Struct),
    ("switch", TokenKind::Switch), ("table", TokenKind::Table), ("this", TokenKind::This),
    ("transition", TokenKind::Transition), ("true", TokenKind::True), ("tuple", TokenKind::Tuple),
    ("type", TokenKind::Type), ("typedef", TokenKind::Typedef), ("value_set", TokenKind::ValueSet),
    ("varbit", TokenKind::Varbit), ("void", TokenKind::Void),
];

/// Operators, longer ones first. `>>` and `>>=` are several tokens, because `>>` also closes two lists of type arguments.
#[rustfmt::skip]
const OPERATORS: [(&str, TokenKind); 52] = [
    ("|+|=", TokenKind::PlusSaturatingAssign), ("|-|=", TokenKind::MinusSaturatingAssign),
    ("{#}", TokenKind::InvalidHeader), ("...", TokenKind::Dots), ("&&&", TokenKind::Mask),
    ("|+|", TokenKind::PlusSaturating), ("|-|", TokenKind::MinusSaturating),
    ("<<=", TokenKind::ShiftLeftAssign), ("..", TokenKind::DotDot), ("##", TokenKind::HashHash),
    ("==", TokenKind::Equal), ("!=", TokenKind::NotEqual), ("<=", TokenKind::LessOrEqual),
    (">=", TokenKind::GreaterOrEqual), ("++", TokenKind::PlusPlus), ("&&", TokenKind::AndAnd),
    ("||", TokenKind::OrOr), ("<<", TokenKind::ShiftLeft), ("+=", TokenKind::PlusAssign),
    ("-=", TokenKind::MinusAssign), ("*=", TokenKind::StarAssign), ("/=", TokenKind::SlashAssign),
    ("%=", TokenKind::PercentAssign), ("&=", TokenKind::AndAssign), ("|=", TokenKind::OrAssign),
    ("^=", TokenKind::CaretAssign), ("(", TokenKind::LeftParen), (")", TokenKind::RightParen),
    ("[", TokenKind::LeftBracket), ("]", TokenKind::RightBracket), ("{", TokenKind::LeftBrace),
    ("}", TokenKind::RightBrace), (";", TokenKind::Semicolon), (":", TokenKind::Colon),
    (",", TokenKind::Comma), (".", TokenKind::Dot), ("?", TokenKind::Question), ("@", TokenKind::At),
    ("#", TokenKind::Hash), ("=", TokenKind::Assign), ("<", TokenKind::Less),
    (">", TokenKind::Greater), ("!", TokenKind::Not), ("~", TokenKind::Tilde), ("+", TokenKind::Plus),
    ("-", TokenKind::Minus), ("*", TokenKind::Star), ("/", TokenKind::Slash),
    ("%", TokenKind::Percent), ("&", TokenKind::And), ("|", TokenKind::Or), ("^", TokenKind::Caret),
];

/// Splits a text into tokens, from a byte offset on. Invalid text becomes [`TokenKind::Unknown`], because it may be in
/// a part that is skipped.
pub(super) fn lex(text: &str, from: usize, file: FileId, interner: &mut Interner) -> Vec<Token> {
    let mut tokens = Vec::with_capacity((text.len() - from) / 4);
    let (mut line_start, mut space_before) = (from == 0, false);
    let mut at = from;
    while let Some((kind, length)) = first(&text[at..]) {
        let range = at..at + length;
        at = range.end;
        match kind {
            TokenKind::Newline => line_start = true,
            TokenKind::Space | TokenKind::Continuation | TokenKind::LineComment | TokenKind::BlockComment => {
                space_before = true;
            }
            _ => {
                tokens.push(Token {
                    kind,
                    symbol: interner.intern(&text[range.clone()]),
                    span: Span { file, start: offset(range.start), end: offset(range.end) },
                    line_start,
                    space_before,
                    painted: false,
                });
                (line_start, space_before) = (false, false);
            }
        }
    }
    tokens
}

/// Token kind of a text that is exactly one token; `None` otherwise.
pub(super) fn single(text: &str) -> Option<TokenKind> {
    let (kind, length) = first(text)?;
    (length == text.len() && kind != TokenKind::Unknown).then_some(kind)
}

/// First token of a text and its length in bytes, which is not 0; `None` for an empty text.
fn first(text: &str) -> Option<(TokenKind, usize)> {
    let found = match text.chars().next()? {
        '\n' => (TokenKind::Newline, 1),
        c if is_space(c) => (TokenKind::Space, run(text, is_space)),
        'A'..='Z' | 'a'..='z' | '_' => name(text),
        '0'..='9' => (TokenKind::Number, run(text, is_of_name)),
        '"' => string(text),
        '\\' => continuation(text),
        '/' if text.starts_with("//") => (TokenKind::LineComment, line_comment(text)),
        '/' if text.starts_with("/*") => block_comment(text),
        c => {
            let operator = OPERATORS.iter().find(|(operator, _)| text.starts_with(operator));
            operator.map_or((TokenKind::Unknown, c.len_utf8()), |(operator, kind)| (*kind, operator.len()))
        }
    };
    Some(found)
}

/// Length in bytes of the longest prefix of characters for which `of` holds.
fn run(text: &str, of: impl Fn(char) -> bool) -> usize {
    text.find(|c| !of(c)).unwrap_or(text.len())
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\x0b' | '\x0c' | '\u{a0}' | '\u{feff}')
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// An identifier or keyword.
fn name(text: &str) -> (TokenKind, usize) {
    let length = run(text, is_of_name);
    let found = KEYWORDS.binary_search_by_key(&&text[..length], |(keyword, _)| keyword);
    (found.map_or(TokenKind::Identifier, |place| KEYWORDS[place].1), length)
}

/// A string literal. Without a closing quote in its line, the rest of the line is one unknown token.
fn string(text: &str) -> (TokenKind, usize) {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return (TokenKind::Unknown, at),
            '"' if !is_escaped => return (TokenKind::String, at + 1),
            _ => is_escaped = c == '\\' && !is_escaped,
        }
    }
    (TokenKind::Unknown, text.len())
}

/// A backslash at the end of a line; spaces after it are allowed.
fn continuation(text: &str) -> (TokenKind, usize) {
    let spaces = 1 + run(&text[1..], |c| matches!(c, ' ' | '\t'));
    let rest = &text[spaces..];
    match rest.strip_prefix('\r').unwrap_or(rest).starts_with('\n') {
        true => (TokenKind::Continuation, spaces + run(rest, |c| c == '\r').min(1) + 1),
        false => (TokenKind::Unknown, 1),
    }
}

/// Length of a `//` comment; a backslash at the end of the line continues it.
fn line_comment(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let content = line.strip_suffix('\n').unwrap_or(line);
        if !content.trim_end_matches('\r').ends_with('\\') {
            return end + content.len();
        }
        end += line.len();
    }
    end
}

/// A block comment. Without `*/`, the rest of the text is one unknown token.
fn block_comment(text: &str) -> (TokenKind, usize) {
    match text[2..].find("*/") {
        Some(at) => (TokenKind::BlockComment, at + 4),
        None => (TokenKind::Unknown, text.len()),
    }
}

/// Converts an offset into a text. Texts are far shorter than 4 GiB (see `include.rs`).
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::TokenKind::*;
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        lex(text, 0, FileId(0), &mut Interner::default()).iter().map(|token| token.kind).collect()
    }

    #[test]
    fn the_longest_operator_counts_but_greater_stays_single() {
        assert_eq!(
            kinds("&&& && & |+|= |+| |-| || | ++ += ... .. ."),
            [
                Mask,
                AndAnd,
                And,
                PlusSaturatingAssign,
                PlusSaturating,
                MinusSaturating,
                OrOr,
                Or,
                PlusPlus,
                PlusAssign,
                Dots,
                DotDot,
                Dot
            ]
        );
        assert_eq!(
            kinds(">> >>= <<= <<"),
            [Greater, Greater, Greater, GreaterOrEqual, ShiftLeftAssign, ShiftLeft]
        );
        assert_eq!(kinds("{#} {"), [InvalidHeader, LeftBrace]);
    }

    #[test]
    fn numbers_are_one_token_each_and_do_not_eat_ranges() {
        assert_eq!(kinds("8w0x_FF 16s5 0b1010 0..3"), [Number, Number, Number, Number, DotDot, Number]);
    }

    #[test]
    fn keywords_end_where_names_do() {
        assert_eq!(
            kinds("in inout int intx _ _x bit"),
            [In, InOut, Int, Identifier, Underscore, Identifier, Bit]
        );
    }

    #[test]
    fn comments_and_continuations_are_space() {
        let tokens = lex("a /* b\n c */ d // e \\\n f\ng \\\n h", 0, FileId(0), &mut Interner::default());
        let starts: Vec<(bool, u32)> =
            tokens.iter().map(|token| (token.line_start, token.span.start)).collect();
        assert_eq!(starts, [(true, 0), (false, 13), (true, 25), (false, 30)]);
    }

    #[test]
    fn invalid_text_becomes_unknown_tokens() {
        assert_eq!(kinds("a é $ \"x\ny"), [Identifier, Unknown, Unknown, Unknown, Identifier]);
        assert_eq!(kinds("a /* no end"), [Identifier, Unknown]);
        assert_eq!(single("8w5"), Some(Number));
        assert_eq!(single("-5"), None);
        assert_eq!(single(""), None);
    }

    #[test]
    fn the_tables_are_in_their_order() {
        assert!(KEYWORDS.is_sorted_by(|a, b| a.0 < b.0));
        for (place, (operator, _)) in OPERATORS.iter().enumerate() {
            let hides = |(later, _): &&(&str, TokenKind)| later.starts_with(operator);
            assert_eq!(OPERATORS[place + 1..].iter().find(hides), None, "{operator}");
        }
        for (text, kind) in KEYWORDS.iter().chain(&OPERATORS) {
            assert_eq!(single(text), Some(*kind), "{text}");
        }
    }

    #[test]
    fn strings_end_at_a_quote_that_is_not_escaped() {
        assert_eq!(kinds(r#""" "a\"b" "\\" x"#), [String, String, String, Identifier]);
        assert_eq!(kinds("\"a\\\"\n\"\""), [Unknown, String], "the quote is escaped");
        assert_eq!(kinds("\"a\\\nb\""), [Unknown, Identifier, Unknown], "no line break in a string");
    }

    #[test]
    fn a_backslash_is_a_token_unless_it_ends_a_line() {
        assert_eq!(kinds("a \\ \t\r\n b \\\n\\ c"), [Identifier, Identifier, Unknown, Identifier]);
        assert_eq!(kinds("// a \\\r\n b \\\n c\nd // e \\"), [Identifier]);
    }
}
