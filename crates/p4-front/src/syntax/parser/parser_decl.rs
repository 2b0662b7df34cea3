//! Bodies of parsers and controls.

use super::super::ast::{Block, Declaration, DeclarationKind, SelectCase, State, Stmt, Transition};
use super::super::token::TokenKind;
use super::decl::Place;
use super::{Fault, Parser};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

impl Parser<'_> {
    /// Parses a parser's body after its opening brace.
    pub(super) fn parser_body(&mut self, open: Span) -> Result<(Vec<Declaration>, Vec<State>), Fault> {
        let (mut locals, mut states) = (Vec::new(), Vec::new());
        self.items(open, &mut |parser| {
            if parser.eat(TokenKind::Semicolon) {
                return Ok(());
            }
            if parser.is_state() {
                states.push(parser.state()?);
                return Ok(());
            }
            if !states.is_empty() {
                let fault = parser.expected("a state or `}`");
                return Err(
                    fault.hint("declare constants, variables and instances before the parser's first state")
                );
            }
            parser.declaration(Place::Parser, &mut locals)
        })?;
        Ok((locals, states))
    }

    /// Whether a state follows, after its annotations.
    fn is_state(&mut self) -> bool {
        let is_state = |parser: &Self| parser.is(TokenKind::State) && parser.kind_at(1).is_name();
        if !self.is(TokenKind::At) {
            return is_state(self);
        }
        self.probe(|parser| {
            parser.annotations()?;
            if is_state(parser) { Ok(()) } else { Err(parser.expected("`state`")) }
        })
    }

    fn state(&mut self) -> Result<State, Fault> {
        let start = self.span();
        let annotations = self.annotations()?;
        self.bump();
        let name = self.name("the name of a state")?;
        let (mut body, mut transition) = (Vec::new(), None);
        let outer = std::mem::replace(&mut self.in_state, true);
        let read = self.scoped(|parser| {
            parser.braced(|parser| {
                if parser.is(TokenKind::Transition) && transition.is_none() {
                    transition = Some(parser.transition()?);
                    if !parser.is(TokenKind::RightBrace) {
                        let fault = parser.expected("`}`");
                        return Err(fault.hint("`transition` must be the last statement of a state"));
                    }
                    return Ok(());
                }
                let statement: Stmt = parser.statement()?;
                body.push(statement);
                Ok(())
            })
        });
        self.in_state = outer;
        read?;
        Ok(State { name, body, transition, annotations, span: self.since(start) })
    }

    fn transition(&mut self) -> Result<Transition, Fault> {
        self.bump();
        if !self.is(TokenKind::Select) {
            let name = self.name("the name of a state or `select`")?;
            self.semicolon()?;
            return Ok(Transition::To(name));
        }
        let start = self.bump().span;
        self.expect(TokenKind::LeftParen, "`(`")?;
        let mut on = Vec::new();
        while !self.is(TokenKind::RightParen) {
            on.push(self.expression()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RightParen, "`)` or `,`")?;
        let mut cases = Vec::new();
        self.braced(|parser| {
            cases.push(parser.select_case()?);
            Ok(())
        })?;
        let span = self.since(start);
        // Not in the grammar, but common in programs.
        self.eat(TokenKind::Semicolon);
        Ok(Transition::Select { on, cases, span })
    }

    fn select_case(&mut self) -> Result<SelectCase, Fault> {
        let start = self.span();
        let keys = self.key_sets()?;
        self.expect(TokenKind::Colon, "`:` and a state")?;
        let to = self.name("the name of a state")?;
        self.semicolon()?;
        Ok(SelectCase { keys, to, span: self.since(start) })
    }

    /// Parses `value_set<T>(n) v;`.
    pub(super) fn value_set(&mut self) -> Result<DeclarationKind, Fault> {
        self.bump();
        let mut types = self.type_arguments()?;
        let ty = match (types.pop(), types.is_empty()) {
            (Some(ty), true) => ty,
            _ => {
                let text = "a value set takes exactly one type argument: `value_set<bit<16>>(8) name;`";
                return Err(Fault::new(Diagnostic::error(self.last(), text)));
            }
        };
        self.expect(TokenKind::LeftParen, "`(` and the size of the value set")?;
        let size = self.expression()?;
        self.expect(TokenKind::RightParen, "`)`")?;
        let name = self.name("the name of a value set")?;
        self.scopes.declare_value(&name);
        self.semicolon()?;
        Ok(DeclarationKind::ValueSet { ty, size, name })
    }

    /// Parses a control's body after its opening brace.
    pub(super) fn control_body(&mut self, open: Span) -> Result<(Vec<Declaration>, Block), Fault> {
        let (mut locals, mut body) = (Vec::new(), None);
        self.items(open, &mut |parser| {
            if parser.eat(TokenKind::Semicolon) {
                return Ok(());
            }
            if body.is_some() {
                let fault = parser.expected("`}`");
                return Err(fault.hint("the `apply` block must be the last item of a control"));
            }
            if parser.is(TokenKind::Apply)
                && matches!(parser.kind_at(1), TokenKind::LeftBrace | TokenKind::At)
            {
                parser.bump();
                parser.annotations()?;
                body = Some(parser.block()?);
                return Ok(());
            }
            parser.declaration(Place::Control, &mut locals)
        })?;
        match body {
            Some(body) => Ok((locals, body)),
            // The `apply` block may be where the reported error was.
            None if !self.diagnostics.is_empty() => {
                let span = self.last();
                Ok((locals, Block { statements: Vec::new(), span }))
            }
            None => {
                let text = "missing `apply` block in this control";
                let diagnostic =
                    Diagnostic::error(self.last(), text).related(open, "the control's body starts here");
                Err(Fault::new(diagnostic.hint("add `apply { }` for a control that does nothing")))
            }
        }
    }
}
