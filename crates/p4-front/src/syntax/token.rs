//! Tokens.

use std::sync::Arc;

use logos::{Lexer, Logos};
use rustc_hash::FxHashMap;

use crate::source::Span;

/// Kind of a token. Contextual keywords (`apply`, `key`, …) have their own kinds.
#[derive(Logos, Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[rustfmt::skip]
pub(super) enum TokenKind {
    // Separators, which the lexer drops.
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

    // Invalid text: a stray character, or an unterminated string or comment.
    Unknown,
    // End of input.
    End,
}

/// Skips a `//` comment, which continues on the next line after a line continuation.
fn line_comment(lexer: &mut Lexer<'_, TokenKind>) {
    while lexer.slice().trim_end_matches('\r').ends_with('\\') && lexer.remainder().starts_with('\n') {
        let line = lexer.remainder()[1..].find('\n').map_or(lexer.remainder().len(), |end| end + 1);
        lexer.bump(line);
    }
}

/// Skips to `*/`; returns false at the end of input, which is an error.
fn block_comment(lexer: &mut Lexer<'_, TokenKind>) -> bool {
    let end = lexer.remainder().find("*/");
    lexer.bump(end.map_or(lexer.remainder().len(), |at| at + 2));
    end.is_some()
}

impl TokenKind {
    /// Whether the token can be a name: an identifier or a contextual keyword.
    pub(super) fn is_name(self) -> bool {
        use TokenKind::*;
        matches!(self, Identifier | Apply | Key | Actions | State | Entries | Type | Priority | List)
    }

    /// Whether the token starts a built-in type.
    pub(super) fn is_base_type(self) -> bool {
        use TokenKind::*;
        matches!(self, Bool | Bit | Int | Varbit | Error | StringType | MatchKind | Void | Tuple)
    }
}

/// Interned text of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Symbol(u32);

/// Texts of all tokens.
#[derive(Debug, Default)]
pub(super) struct Interner {
    texts: Vec<Arc<str>>,
    known: FxHashMap<Arc<str>, Symbol>,
}

impl Interner {
    /// Interns a text.
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

    /// Text of a symbol.
    pub(super) fn text(&self, symbol: Symbol) -> &Arc<str> {
        &self.texts[symbol.0 as usize]
    }
}

/// A token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    /// Kind.
    pub(super) kind: TokenKind,
    /// Text.
    pub(super) symbol: Symbol,
    /// Position; a token from a macro has the span of the macro's use.
    pub(super) span: Span,
    /// Whether the token is the first of its line.
    pub(super) line_start: bool,
    /// Whether a space or comment precedes the token.
    pub(super) space_before: bool,
    /// Whether the token names the macro that produced it, so that it is not expanded again.
    pub(super) painted: bool,
}
