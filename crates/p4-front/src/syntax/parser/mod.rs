//! The grammar (appendix "P4 grammar" of the specification), by recursive descent.
//!
//! The grammar needs to know of a name whether it is a type's: `(x) - 1` is a cast or a difference. [`Scopes`] keeps
//! book of what is declared. Depth is bounded, because the tree is walked by recursion here and later.

mod annotations;
mod decl;
mod expr;
mod fault;
mod parser_decl;
mod scopes;
mod stmt;
mod table;
mod types;

#[cfg(test)]
mod tests;

use self::fault::Fault;
use self::scopes::Scopes;
use super::MOST_ERRORS;
use super::ast::{Name, Program};
use super::token::{Interner, Token, TokenKind};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// How deep expressions, types and statements may be nested, and how high the tree of an expression may be.
const DEEPEST: u32 = 250;

/// Reads a program's tokens, of which the last is [`TokenKind::End`].
pub(super) fn program(tokens: &[Token], interner: &Interner) -> Result<Program, Vec<Diagnostic>> {
    let mut parser = Parser {
        tokens,
        interner,
        at: 0,
        steps: 0,
        most_steps: tokens.len() as u64 * 50 + 10_000,
        depth: 0,
        height: 0,
        in_state: false,
        scopes: Scopes::default(),
        diagnostics: Vec::new(),
    };
    let declarations = parser.all_declarations();
    if parser.steps > parser.most_steps {
        let fault = parser.too_long();
        parser.report(fault);
    }
    if parser.diagnostics.is_empty() { Ok(Program { declarations }) } else { Err(parser.diagnostics) }
}

struct Parser<'a> {
    tokens: &'a [Token],
    interner: &'a Interner,
    /// The token that is read next.
    at: usize,
    /// Tokens read, those read again included. What must be tried to be known may be tried within itself, so the
    /// number is bounded.
    steps: u64,
    most_steps: u64,
    /// How deep in the grammar this is.
    depth: u32,
    /// How high the tree of the last expression is.
    height: u32,
    /// Whether this is the body of a parser's state.
    in_state: bool,
    scopes: Scopes,
    diagnostics: Vec<Diagnostic>,
}

impl Parser<'_> {
    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    /// The kind of the token that many places further.
    fn kind_at(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.at + ahead).map_or(TokenKind::End, |token| token.kind)
    }

    fn text(&self, token: Token) -> &str {
        self.interner.text(token.symbol)
    }

    /// The span of the token that is read next.
    fn span(&self) -> Span {
        self.token().span
    }

    /// From that place to the last token read.
    fn since(&self, start: Span) -> Span {
        start.to(self.last())
    }

    /// The span of the last token read.
    fn last(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        self.steps += 1;
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn is(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.is(kind);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind, what: &str) -> Result<Token, Fault> {
        if self.is(kind) { Ok(self.bump()) } else { Err(self.expected(what)) }
    }

    /// A `;`. Where it is missing at the end of a line, reading goes on as if it were there.
    fn semicolon(&mut self) -> Result<(), Fault> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        let next = self.token();
        let fault = self.expected_semicolon();
        if (next.line_start || next.kind == TokenKind::RightBrace) && self.depth < DEEPEST {
            self.report(fault);
            return Ok(());
        }
        Err(fault)
    }

    fn name(&mut self, what: &str) -> Result<Name, Fault> {
        if !self.kind().is_name() {
            return Err(self.expected_name(what));
        }
        let token = self.bump();
        Ok(Name { text: self.interner.text(token.symbol).clone(), span: token.span })
    }

    /// Whether a name that is written here is a type's.
    fn is_type_name(&self, ahead: usize) -> bool {
        let Some(&token) = self.tokens.get(self.at + ahead) else { return false };
        token.kind.is_name() && self.scopes.is_type(self.interner.text(token.symbol))
    }

    /// Reads something one level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth >= DEEPEST {
            return Err(self.too_deep());
        }
        if self.steps > self.most_steps {
            return Err(self.too_long());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Tries to read something; if that fails, nothing was read.
    fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Option<T> {
        let (at, height, diagnostics) = (self.at, self.height, self.diagnostics.len());
        match read(self) {
            Ok(value) if self.diagnostics.len() == diagnostics => Some(value),
            _ => {
                (self.at, self.height) = (at, height);
                self.diagnostics.truncate(diagnostics);
                None
            }
        }
    }

    /// Whether something can be read here. Nothing is.
    fn probe<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> bool {
        let (at, height) = (self.at, self.height);
        let found = self.attempt(read).is_some();
        (self.at, self.height) = (at, height);
        found
    }

    /// Reads something in a scope of its own.
    fn scoped<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        self.scopes.open();
        let result = read(self);
        self.scopes.close();
        result
    }

    fn report(&mut self, fault: Fault) {
        if self.diagnostics.len() < MOST_ERRORS {
            self.diagnostics.push(*fault.0);
        }
    }

    /// Whether there are so many errors that reading on is not worth while.
    fn is_hopeless(&self) -> bool {
        self.diagnostics.len() >= MOST_ERRORS || self.steps > self.most_steps
    }

    /// Behind an error inside braces: goes on behind the next `;` or block, or at the closing brace.
    fn recover(&mut self, fault: Fault, start: usize) {
        self.report(fault);
        let mut depth = 0_u32;
        loop {
            match self.kind() {
                TokenKind::End => return,
                TokenKind::Semicolon if depth == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::RightBrace if depth == 0 => return,
                TokenKind::RightBrace if depth == 1 => {
                    self.bump();
                    return;
                }
                TokenKind::RightBrace => depth -= 1,
                TokenKind::LeftBrace => depth += 1,
                // A word that only a declaration starts with.
                kind if depth == 0
                    && self.at > start
                    && self.token().line_start
                    && starts_declaration(kind) =>
                {
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Reads what stands in braces up to the closing one, which is read too.
    fn braced(&mut self, mut item: impl FnMut(&mut Self) -> Result<(), Fault>) -> Result<(), Fault> {
        let open = self.expect(TokenKind::LeftBrace, "`{`")?;
        self.items(open.span, &mut item)
    }

    /// What stands between a brace that was read and the closing one, which is read too.
    fn items(
        &mut self,
        open: Span,
        item: &mut dyn FnMut(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        while !self.is(TokenKind::RightBrace) {
            if self.is(TokenKind::End) || self.is_hopeless() {
                return Err(self.unclosed(open));
            }
            let (start, depth) = (self.at, self.depth);
            if let Err(fault) = item(self) {
                self.depth = depth;
                self.recover(fault, start);
                if self.at == start {
                    self.bump();
                }
            }
        }
        self.bump();
        Ok(())
    }
}

/// Whether only a declaration at the top level, in a parser or in a control starts with it.
fn starts_declaration(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Header
            | HeaderUnion
            | Struct
            | Enum
            | Typedef
            | Extern
            | Parser
            | Control
            | Package
            | Action
            | Table
            | Const
    )
}
