//! Conditions of `#if`.

use super::super::literal;
use super::super::token::{Interner, Token, TokenKind};
use super::Preprocessor;
use super::directive::is_macro_name;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

use num_traits::ToPrimitive;

/// Maximum nesting depth of a condition.
const MAX_DEPTH: u32 = 100;

impl Preprocessor<'_> {
    /// Evaluates the condition of an `#if`. An invalid condition is reported and counts as false.
    pub(super) fn condition(&mut self, tokens: &[Token], whole: Span) -> bool {
        let mut known = Vec::with_capacity(tokens.len());
        let mut at = 0;
        while let Some(&token) = tokens.get(at) {
            at += 1;
            if self.text(token) != "defined" {
                known.push(token);
                continue;
            }
            let is = |at: usize, kind| tokens.get(at).is_some_and(|token: &Token| token.kind == kind);
            let paren = is(at, TokenKind::LeftParen);
            let name = tokens.get(at + usize::from(paren)).copied().filter(|&name| is_macro_name(name));
            let Some(name) = name.filter(|_| !paren || is(at + 2, TokenKind::RightParen)) else {
                self.report(Diagnostic::error(token.span, "`defined` requires a macro name"));
                return false;
            };
            at += if paren { 3 } else { 1 };
            let value = if self.macros.contains_key(&name.symbol) { "1" } else { "0" };
            known.push(self.made(TokenKind::Number, value, token));
        }
        let tokens = self.replaced(known);
        let mut reader =
            Condition { tokens: &tokens, interner: &self.interner, at: 0, depth: 0, skipped: 0, whole };
        let value = reader.conditional().and_then(|value| match reader.peek() {
            None => Ok(value),
            Some(token) => Err(reader.unexpected(token)),
        });
        match value {
            Ok(value) => value != 0,
            Err(diagnostic) => {
                self.report(*diagnostic);
                false
            }
        }
    }
}

/// Evaluator of a condition, in 64-bit arithmetic as in C.
struct Condition<'a> {
    tokens: &'a [Token],
    interner: &'a Interner,
    at: usize,
    depth: u32,
    /// Number of enclosing operands whose value is not needed. If above 0, a division by 0 is not an error.
    skipped: u32,
    whole: Span,
}

impl Condition<'_> {
    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.peek().is_some_and(|token| token.kind == kind);
        self.at += usize::from(found);
        found
    }

    fn unexpected(&self, token: Token) -> Box<Diagnostic> {
        let text = format!("unexpected `{}` in a preprocessor condition", self.interner.text(token.symbol));
        Box::new(
            Diagnostic::error(token.span, text).hint("only integers, `defined` and operators are allowed"),
        )
    }

    fn conditional(&mut self) -> Result<i64, Box<Diagnostic>> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Box::new(Diagnostic::error(self.whole, "preprocessor condition is nested too deep")));
        }
        let condition = self.binary(0)?;
        let mut value = condition;
        if self.eat(TokenKind::Question) {
            let then = self.operand_if(condition != 0, Self::conditional)?;
            if !self.eat(TokenKind::Colon) {
                return Err(Box::new(Diagnostic::error(
                    self.whole,
                    "missing `:` after `?` in a preprocessor condition",
                )));
            }
            let otherwise = self.operand_if(condition == 0, Self::conditional)?;
            value = if condition != 0 { then } else { otherwise };
        }
        self.depth -= 1;
        Ok(value)
    }

    /// Parses an operand whose value may be unneeded.
    fn operand_if(
        &mut self,
        counts: bool,
        read: impl FnOnce(&mut Self) -> Result<i64, Box<Diagnostic>>,
    ) -> Result<i64, Box<Diagnostic>> {
        self.skipped += u32::from(!counts);
        let value = read(self);
        self.skipped -= u32::from(!counts);
        value
    }

    /// Peeks at the next operator: kind, precedence and number of tokens.
    fn operator(&self) -> Option<(TokenKind, u8, usize)> {
        use TokenKind::*;
        let kind = self.peek()?.kind;
        let next = self.tokens.get(self.at + 1).filter(|next| !next.space_before).map(|next| next.kind);
        Some(match kind {
            OrOr => (kind, 1, 1),
            AndAnd => (kind, 2, 1),
            Or => (kind, 3, 1),
            Caret => (kind, 4, 1),
            And => (kind, 5, 1),
            Equal | NotEqual => (kind, 6, 1),
            Greater if next == Some(Greater) => (Greater, 8, 2),
            Less | LessOrEqual | Greater | GreaterOrEqual => (kind, 7, 1),
            ShiftLeft => (kind, 8, 1),
            Plus | Minus => (kind, 9, 1),
            Star | Slash | Percent => (kind, 10, 1),
            _ => return None,
        })
    }

    fn binary(&mut self, least: u8) -> Result<i64, Box<Diagnostic>> {
        let mut left = self.unary()?;
        while let Some((operator, rank, length)) = self.operator() {
            if rank < least {
                break;
            }
            let span = self.tokens[self.at].span;
            self.at += length;
            // C evaluates the right operand only if the left one does not decide.
            let counts = match operator {
                TokenKind::AndAnd => left != 0,
                TokenKind::OrOr => left == 0,
                _ => true,
            };
            let right = self.operand_if(counts, |reader| reader.binary(rank + 1))?;
            left = match operator {
                TokenKind::OrOr => i64::from(left != 0 || right != 0),
                TokenKind::AndAnd => i64::from(left != 0 && right != 0),
                TokenKind::Or => left | right,
                TokenKind::Caret => left ^ right,
                TokenKind::And => left & right,
                TokenKind::Equal => i64::from(left == right),
                TokenKind::NotEqual => i64::from(left != right),
                TokenKind::Less => i64::from(left < right),
                TokenKind::LessOrEqual => i64::from(left <= right),
                TokenKind::GreaterOrEqual => i64::from(left >= right),
                TokenKind::Greater if length == 1 => i64::from(left > right),
                TokenKind::Greater => left.wrapping_shr(shift(right)),
                TokenKind::ShiftLeft => left.wrapping_shl(shift(right)),
                TokenKind::Plus => left.wrapping_add(right),
                TokenKind::Minus => left.wrapping_sub(right),
                TokenKind::Star => left.wrapping_mul(right),
                _ if right == 0 && self.skipped > 0 => 0,
                _ if right == 0 => {
                    return Err(Box::new(Diagnostic::error(
                        span,
                        "division by zero in a preprocessor condition",
                    )));
                }
                TokenKind::Slash => left.wrapping_div(right),
                _ => left.wrapping_rem(right),
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<i64, Box<Diagnostic>> {
        let Some(token) = self.peek() else {
            let text = "expected a value at the end of the preprocessor condition";
            return Err(Box::new(Diagnostic::error(self.whole, text)));
        };
        self.at += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Box::new(Diagnostic::error(self.whole, "preprocessor condition is nested too deep")));
        }
        let value = match token.kind {
            TokenKind::Not => i64::from(self.unary()? == 0),
            TokenKind::Tilde => !self.unary()?,
            TokenKind::Minus => self.unary()?.wrapping_neg(),
            TokenKind::Plus => self.unary()?,
            TokenKind::LeftParen => {
                let value = self.conditional()?;
                if !self.eat(TokenKind::RightParen) {
                    return Err(Box::new(Diagnostic::error(
                        token.span,
                        "unclosed parenthesis in a preprocessor condition",
                    )));
                }
                value
            }
            TokenKind::Number => self.number(token)?,
            TokenKind::True => 1,
            _ if is_macro_name(token) => 0,
            _ => return Err(self.unexpected(token)),
        };
        self.depth -= 1;
        Ok(value)
    }

    fn number(&self, token: Token) -> Result<i64, Box<Diagnostic>> {
        // Suffixes as in C.
        let text = self.interner.text(token.symbol).trim_end_matches(['u', 'U', 'l', 'L']);
        let read = literal::integer(text).map_err(|error| Box::new(Diagnostic::error(token.span, error)))?;
        let value = read.value.to_i64().or_else(|| read.value.to_u64().map(u64::cast_signed));
        value.ok_or_else(|| Box::new(Diagnostic::error(token.span, "number must fit in 64 bits")))
    }
}

/// Distance of a shift, clamped where C leaves it undefined.
fn shift(by: i64) -> u32 {
    u32::try_from(by.clamp(0, 63)).unwrap_or(0)
}
