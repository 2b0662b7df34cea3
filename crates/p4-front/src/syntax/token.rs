//! Tokens.

use std::sync::Arc;

use logos::{Lexer, Logos};
use rustc_hash::FxHashMap;

use crate::source::Span;

/// What a token is. Names that are keywords in some places only (`apply`, `key`, …) have kinds of their own.
#[derive(Logos, Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[rustfmt::skip]
pub(super) enum TokenKind {
    // What parts tokens; the lexer keeps none of them.
    #[regex(r"[ \t\r\x0b\x0c\u{a0}\u{feff}]+")] Space,
    #[token("\n")] Newline,
    #[regex(r"\\[ \t]*\r?\n")] Continuation,
    #[regex("//[^\n]*", line_comment, allow_greedy = true)] LineComment,
    #[token("/*", block_comment)] BlockComment,

    #[regex("[A-Za-z_][A-Za-z0-9_]*")] Identifier,
    #[regex("[0-9][0-9A-Za-z_]*")] Number,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)] String,

    #[token("abstract")] Abstract,
    #[token("action")] Action,
    #[token("actions")] Actions,
    #[token("apply")] Apply,
    #[token("bool")] Bool,
    #[token("bit")] Bit,
    #[token("break")] Break,
    #[token("const")] Const,
    #[token("continue")] Continue,
    #[token("control")] Control,
    #[token("default")] Default,
    #[token("else")] Else,
    #[token("entries")] Entries,
    #[token("enum")] Enum,
    #[token("error")] Error,
    #[token("exit")] Exit,
    #[token("extern")] Extern,
    #[token("false")] False,
    #[token("for")] For,
    #[token("header")] Header,
    #[token("header_union")] HeaderUnion,
    #[token("if")] If,
    #[token("in")] In,
    #[token("inout")] InOut,
    #[token("int")] Int,
    #[token("key")] Key,
    #[token("list")] List,
    #[token("match_kind")] MatchKind,
    #[token("out")] Out,
    #[token("package")] Package,
    #[token("parser")] Parser,
    #[token("priority")] Priority,
    #[token("return")] Return,
    #[token("select")] Select,
    #[token("state")] State,
    #[token("string")] StringType,
    #[token("struct")] Struct,
    #[token("switch")] Switch,
    #[token("table")] Table,
    #[token("this")] This,
    #[token("transition")] Transition,
    #[token("true")] True,
    #[token("tuple")] Tuple,
    #[token("type")] Type,
    #[token("typedef")] Typedef,
    #[token("value_set")] ValueSet,
    #[token("varbit")] Varbit,
    #[token("void")] Void,
    #[token("_", priority = 10)] Underscore,

    #[token("(")] LeftParen,
    #[token(")")] RightParen,
    #[token("[")] LeftBracket,
    #[token("]")] RightBracket,
    #[token("{")] LeftBrace,
    #[token("}")] RightBrace,
    #[token("{#}")] InvalidHeader,
    #[token(";")] Semicolon,
    #[token(":")] Colon,
    #[token(",")] Comma,
    #[token(".")] Dot,
    #[token("..")] DotDot,
    #[token("...")] Dots,
    #[token("?")] Question,
    #[token("@")] At,
    #[token("#")] Hash,
    #[token("##")] HashHash,
    #[token("=")] Assign,
    #[token("==")] Equal,
    #[token("!=")] NotEqual,
    #[token("<")] Less,
    #[token("<=")] LessOrEqual,
    #[token(">")] Greater,
    #[token(">=")] GreaterOrEqual,
    #[token("!")] Not,
    #[token("~")] Tilde,
    #[token("+")] Plus,
    #[token("++")] PlusPlus,
    #[token("-")] Minus,
    #[token("*")] Star,
    #[token("/")] Slash,
    #[token("%")] Percent,
    #[token("&")] And,
    #[token("&&")] AndAnd,
    #[token("&&&")] Mask,
    #[token("|")] Or,
    #[token("||")] OrOr,
    #[token("|+|")] PlusSaturating,
    #[token("|-|")] MinusSaturating,
    #[token("^")] Caret,
    // `>>` and `>>=` are several tokens, because `>>` also closes two lists of type arguments.
    #[token("<<")] ShiftLeft,
    #[token("+=")] PlusAssign,
    #[token("-=")] MinusAssign,
    #[token("*=")] StarAssign,
    #[token("/=")] SlashAssign,
    #[token("%=")] PercentAssign,
    #[token("&=")] AndAssign,
    #[token("|=")] OrAssign,
    #[token("^=")] CaretAssign,
    #[token("<<=")] ShiftLeftAssign,
    #[token("|+|=")] PlusSaturatingAssign,
    #[token("|-|=")] MinusSaturatingAssign,

    // What is none: a stray character, a string or comment without an end.
    Unknown,
    // Behind the last token.
    End,
}

/// A `//` comment goes on in the next line after a line continuation.
fn line_comment(lexer: &mut Lexer<'_, TokenKind>) {
    while lexer.slice().trim_end_matches('\r').ends_with('\\') && lexer.remainder().starts_with('\n') {
        let line = lexer.remainder()[1..].find('\n').map_or(lexer.remainder().len(), |end| end + 1);
        lexer.bump(line);
    }
}

/// Up to `*/`, or else to the end: an error then.
fn block_comment(lexer: &mut Lexer<'_, TokenKind>) -> bool {
    let end = lexer.remainder().find("*/");
    lexer.bump(end.map_or(lexer.remainder().len(), |at| at + 2));
    end.is_some()
}

impl TokenKind {
    /// Whether it can be a name anywhere: identifiers, and the words that are keywords in some places only.
    pub(super) fn is_name(self) -> bool {
        use TokenKind::*;
        matches!(self, Identifier | Apply | Key | Actions | State | Entries | Type | Priority | List)
    }

    /// Whether a type that needs no declaration starts with it.
    pub(super) fn is_base_type(self) -> bool {
        use TokenKind::*;
        matches!(self, Bool | Bit | Int | Varbit | Error | StringType | MatchKind | Void | Tuple)
    }
}

/// The text of a token, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Symbol(u32);

/// The texts of all tokens.
#[derive(Debug, Default)]
pub(super) struct Interner {
    texts: Vec<Arc<str>>,
    known: FxHashMap<Arc<str>, Symbol>,
}

impl Interner {
    /// The symbol of a text.
    pub(super) fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.known.get(text) {
            return symbol;
        }
        let text: Arc<str> = text.into();
        let symbol = Symbol(u32::try_from(self.texts.len()).expect("fewer texts than bytes of source"));
        self.texts.push(text.clone());
        self.known.insert(text, symbol);
        symbol
    }

    /// The text of a symbol.
    pub(super) fn text(&self, symbol: Symbol) -> &Arc<str> {
        &self.texts[symbol.0 as usize]
    }
}

/// A token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    /// What it is.
    pub(super) kind: TokenKind,
    /// What is written.
    pub(super) symbol: Symbol,
    /// Where it stands; what a macro stands for has the span of the macro's use.
    pub(super) span: Span,
    /// Whether it is the first of its line.
    pub(super) line_start: bool,
    /// Whether there is a space or comment in front of it.
    pub(super) space_before: bool,
    /// Whether it names the macro that it comes from, and so is not replaced again.
    pub(super) painted: bool,
}
