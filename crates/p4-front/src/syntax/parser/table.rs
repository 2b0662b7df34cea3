//! Tables.

use super::super::ast::{
    ActionRef, DeclarationKind, Entry, Expr, ExprKind, KeyElement, Property, PropertyKind,
};
use super::super::token::TokenKind;
use super::{Fault, Parser};

impl Parser<'_> {
    pub(super) fn table(&mut self) -> Result<DeclarationKind, Fault> {
        self.bump();
        let name = self.name("the name of a table")?;
        self.scopes.declare_value(&name);
        let mut properties = Vec::new();
        self.braced(|parser| {
            if !parser.eat(TokenKind::Semicolon) {
                properties.push(parser.property()?);
            }
            Ok(())
        })?;
        Ok(DeclarationKind::Table { name, properties })
    }

    fn property(&mut self) -> Result<Property, Fault> {
        let start = self.span();
        let annotations = self.annotations()?;
        let is_const = self.eat(TokenKind::Const);
        let kind = match self.kind() {
            TokenKind::Key => PropertyKind::Key(self.list(Self::key_element)?),
            TokenKind::Actions => PropertyKind::Actions(self.list(Self::action_reference)?),
            TokenKind::Entries => PropertyKind::Entries(self.list(Self::entry)?),
            _ => {
                let name = self.name("a table property (key, actions, entries, default_action, size, …)")?;
                self.expect(TokenKind::Assign, "`=`")?;
                let value = self.expression()?;
                self.semicolon()?;
                PropertyKind::Other { name, value }
            }
        };
        Ok(Property { kind, is_const, annotations, span: self.since(start) })
    }

    /// Parses a list in braces, such as `key = { … }`.
    fn list<T>(&mut self, item: fn(&mut Self) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
        self.bump();
        self.expect(TokenKind::Assign, "`=`")?;
        let mut items = Vec::new();
        self.braced(|parser| {
            items.push(item(parser)?);
            Ok(())
        })?;
        Ok(items)
    }

    fn key_element(&mut self) -> Result<KeyElement, Fault> {
        let expr = self.expression()?;
        self.expect(TokenKind::Colon, "`:` and a match kind")?;
        let kind = self.name("a match kind (exact, lpm, ternary, …)")?;
        let annotations = self.annotations()?;
        self.semicolon()?;
        Ok(KeyElement { expr, kind, annotations })
    }

    /// Parses an element of `actions`.
    fn action_reference(&mut self) -> Result<ActionRef, Fault> {
        let start = self.span();
        let annotations = self.annotations()?;
        let name = self.action_name()?;
        let arguments = if self.is(TokenKind::LeftParen) { self.arguments()? } else { Vec::new() };
        self.semicolon()?;
        Ok(ActionRef { name, arguments, annotations, span: self.since(start) })
    }

    /// Parses `a` or `.a`.
    fn action_name(&mut self) -> Result<Expr, Fault> {
        let start = self.span();
        let global = self.eat(TokenKind::Dot);
        let name = self.name("the name of an action")?;
        Ok(Expr { kind: ExprKind::Name { name, global }, span: self.since(start) })
    }

    fn entry(&mut self) -> Result<Entry, Fault> {
        let start = self.span();
        let mut annotations = self.annotations()?;
        let is_const = self.eat(TokenKind::Const);
        let mut priority = None;
        if self.is(TokenKind::Priority) && self.kind_at(1) == TokenKind::Assign {
            self.bump();
            self.bump();
            priority = Some(self.expression()?);
            self.expect(TokenKind::Colon, "`:` and the entry's keys")?;
        }
        let keys = self.key_sets()?;
        self.expect(TokenKind::Colon, "`:` and an action")?;
        let mut action = self.action_name()?;
        if self.is(TokenKind::LeftParen) {
            let from = action.span;
            let arguments = self.arguments()?;
            let kind = ExprKind::Call { callee: Box::new(action), type_arguments: Vec::new(), arguments };
            action = Expr { kind, span: self.since(from) };
        }
        annotations.extend(self.annotations()?);
        self.semicolon()?;
        Ok(Entry { is_const, priority, keys, action, annotations, span: self.since(start) })
    }
}
