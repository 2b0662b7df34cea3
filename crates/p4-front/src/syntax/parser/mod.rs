//! Recursive-descent parser for the grammar in the specification's appendix "P4 grammar".
//!
//! The grammar depends on whether a name denotes a type: `(x) - 1` is a cast or a subtraction. [`Scopes`] tracks the
//! declared names. Nesting depth is bounded, because this parser and later passes walk the tree recursively.

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
use super::MAX_ERRORS;
use super::ast::{Name, Program};
use super::token::{Interner, Token, TokenKind};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Maximum nesting depth of expressions, types and statements, and maximum height of an expression tree.
const MAX_DEPTH: u32 = 250;

/// Parses the tokens of a program; the last token is [`TokenKind::End`].
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
        let fault = parser.too_complex();
        parser.report(fault);
    }
    if parser.diagnostics.is_empty() { Ok(Program { declarations }) } else { Err(parser.diagnostics) }
}

struct Parser<'a> {
    tokens: &'a [Token],
    interner: &'a Interner,
    /// Index of the next token.
    at: usize,
    /// Number of tokens consumed, including those consumed again after backtracking. Bounded, because speculative
    /// parses may be nested.
    steps: u64,
    most_steps: u64,
    /// Current nesting depth in the grammar.
    depth: u32,
    /// Height of the last expression's tree.
    height: u32,
    /// Whether the parser is inside a state's body.
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

    /// Kind of the token `ahead` positions after the next one.
    fn kind_at(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.at + ahead).map_or(TokenKind::End, |token| token.kind)
    }

    fn text(&self, token: Token) -> &str {
        self.interner.text(token.symbol)
    }

    /// Span of the next token.
    fn span(&self) -> Span {
        self.token().span
    }

    /// Span from `start` to the last consumed token.
    fn since(&self, start: Span) -> Span {
        start.to(self.last())
    }

    /// Span of the last consumed token.
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

    /// Consumes a `;`. If it is missing at the end of a line, reports the error and continues as if it were there.
    fn semicolon(&mut self) -> Result<(), Fault> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        let next = self.token();
        let fault = self.expected_semicolon();
        if (next.line_start || next.kind == TokenKind::RightBrace) && self.depth < MAX_DEPTH {
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

    /// Whether the name `ahead` positions after the next token denotes a type.
    fn is_type_name(&self, ahead: usize) -> bool {
        let Some(&token) = self.tokens.get(self.at + ahead) else { return false };
        token.kind.is_name() && self.scopes.is_type(self.interner.text(token.symbol))
    }

    /// Parses one nesting level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        if self.steps > self.most_steps {
            return Err(self.too_complex());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Parses speculatively; on failure, nothing is consumed.
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

    /// Whether a construct can be parsed here; nothing is consumed.
    fn probe<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> bool {
        let (at, height) = (self.at, self.height);
        let found = self.attempt(read).is_some();
        (self.at, self.height) = (at, height);
        found
    }

    /// Parses in a new scope.
    fn scoped<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        self.scopes.open();
        let result = read(self);
        self.scopes.close();
        result
    }

    fn report(&mut self, fault: Fault) {
        if self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(*fault.0);
        }
    }

    /// Whether the error limit has been reached, so that parsing stops.
    fn has_too_many_errors(&self) -> bool {
        self.diagnostics.len() >= MAX_ERRORS || self.steps > self.most_steps
    }

    /// Recovers from an error inside braces: continues after the next `;` or block, or at the closing brace.
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
                // A keyword that only starts declarations.
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

    /// Parses the items in braces, including the closing brace.
    fn braced(&mut self, mut item: impl FnMut(&mut Self) -> Result<(), Fault>) -> Result<(), Fault> {
        let open = self.expect(TokenKind::LeftBrace, "`{`")?;
        self.items(open.span, &mut item)
    }

    /// Parses the items after an opening brace, including the closing brace.
    fn items(
        &mut self,
        open: Span,
        item: &mut dyn FnMut(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        while !self.is(TokenKind::RightBrace) {
            if self.is(TokenKind::End) || self.has_too_many_errors() {
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

/// Whether the token starts only declarations at the top level, in a parser or in a control.
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
