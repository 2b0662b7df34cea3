//! Tokens.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::source::Span;

/// Kind of a token. Contextual keywords (`apply`, `key`, …) have their own kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[rustfmt::skip]
pub(super) enum TokenKind {
    // Separators, which the lexer drops.
    Space, Newline, Continuation, LineComment, BlockComment,

    Identifier, Number, String,

    // Keywords.
    Abstract, Action, Actions, Apply, Bool, Bit, Break, Const, Continue, Control, Default, Else, Entries,
    Enum, Error, Exit, Extern, False, For, Header, HeaderUnion, If, In, InOut, Int, Key, List, MatchKind,
    Out, Package, Parser, Priority, Return, Select, State, StringType, Struct, Switch, Table, This,
    Transition, True, Tuple, Type, Typedef, ValueSet, Varbit, Void, Underscore,

    // Operators and punctuation.
    LeftParen, RightParen, LeftBracket, RightBracket, LeftBrace, RightBrace, InvalidHeader, Semicolon,
    Colon, Comma, Dot, DotDot, Dots, Question, At, Hash, HashHash, Assign, Equal, NotEqual, Less,
    LessOrEqual, Greater, GreaterOrEqual, Not, Tilde, Plus, PlusPlus, Minus, Star, Slash, Percent, And,
    AndAnd, Mask, Or, OrOr, PlusSaturating, MinusSaturating, Caret, ShiftLeft, PlusAssign, MinusAssign,
    StarAssign, SlashAssign, PercentAssign, AndAssign, OrAssign, CaretAssign, ShiftLeftAssign,
    PlusSaturatingAssign, MinusSaturatingAssign,

    // Invalid text: a stray character, or an unterminated string or comment.
    Unknown,
    // End of input.
    End,
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
