//! Lexer: text to tokens.

use logos::Logos;

use super::token::{Interner, Token, TokenKind};
use crate::source::{FileId, Span};

/// Splits a text into tokens, from a byte offset on. Invalid text becomes [`TokenKind::Unknown`], because it may be in
/// a part that is skipped.
pub(super) fn lex(text: &str, from: usize, file: FileId, interner: &mut Interner) -> Vec<Token> {
    let mut tokens = Vec::with_capacity((text.len() - from) / 4);
    let (mut line_start, mut space_before) = (from == 0, false);
    let mut lexer = TokenKind::lexer(text);
    lexer.bump(from);
    while let Some(kind) = lexer.next() {
        let kind = kind.unwrap_or(TokenKind::Unknown);
        match kind {
            TokenKind::Newline => line_start = true,
            TokenKind::Space | TokenKind::Continuation | TokenKind::LineComment | TokenKind::BlockComment => {
                space_before = true;
            }
            _ => {
                let range = lexer.span();
                tokens.push(Token {
                    kind,
                    symbol: interner.intern(lexer.slice()),
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
    let mut lexer = TokenKind::lexer(text);
    let kind = lexer.next()?.ok()?;
    lexer.next().is_none().then_some(kind)
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
}
