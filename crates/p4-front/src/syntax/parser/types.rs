//! Types.

use super::super::ast::{Expr, ExprKind, Name, TypeRef, TypeRefKind};
use super::super::token::TokenKind;
use super::{Fault, Parser};

impl Parser<'_> {
    /// Parses a `typeRef` or `void`. A name may be undeclared: it may be a type variable bound later.
    pub(super) fn type_ref(&mut self) -> Result<TypeRef, Fault> {
        self.deeper(Self::any_type)
    }

    fn any_type(&mut self) -> Result<TypeRef, Fault> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::Bool => self.keyword_type(TypeRefKind::Bool),
            TokenKind::Error => self.keyword_type(TypeRefKind::Error),
            TokenKind::StringType => self.keyword_type(TypeRefKind::String),
            TokenKind::MatchKind => self.keyword_type(TypeRefKind::MatchKind),
            TokenKind::Void => self.keyword_type(TypeRefKind::Void),
            TokenKind::Bit => {
                self.bump();
                TypeRefKind::Bit(self.width()?)
            }
            TokenKind::Int => {
                self.bump();
                self.width()?.map_or(TypeRefKind::InfInt, TypeRefKind::Int)
            }
            TokenKind::Varbit => {
                self.bump();
                let width = self.width()?;
                TypeRefKind::Varbit(
                    width.ok_or_else(|| self.expected("`<` and the maximum width of the varbit"))?,
                )
            }
            TokenKind::Tuple => {
                self.bump();
                TypeRefKind::Tuple(self.type_arguments()?)
            }
            TokenKind::List if self.kind_at(1) == TokenKind::Less => {
                self.bump();
                self.bump();
                let element = self.type_argument()?;
                self.expect(TokenKind::Greater, "`>`")?;
                TypeRefKind::List(Box::new(element))
            }
            TokenKind::Dot => {
                self.bump();
                return self.named_type(start, true);
            }
            kind if kind.is_name() => return self.named_type(start, false),
            _ => return Err(self.expected_name("a type")),
        };
        let ty = TypeRef { kind, span: self.since(start) };
        self.array(ty, start)
    }

    fn keyword_type(&mut self, kind: TypeRefKind) -> TypeRefKind {
        self.bump();
        kind
    }

    fn named_type(&mut self, start: crate::source::Span, global: bool) -> Result<TypeRef, Fault> {
        let name = self.name("a type's name")?;
        let kind = if self.is(TokenKind::Less) {
            TypeRefKind::Specialized { name, global, arguments: self.type_arguments()? }
        } else {
            TypeRefKind::Named { name, global }
        };
        let ty = TypeRef { kind, span: self.since(start) };
        self.array(ty, start)
    }

    /// Parses the `[n]` of an array after the type of its elements, if present.
    fn array(&mut self, ty: TypeRef, start: crate::source::Span) -> Result<TypeRef, Fault> {
        if !self.eat(TokenKind::LeftBracket) {
            return Ok(ty);
        }
        let size = self.expression()?;
        self.expect(TokenKind::RightBracket, "`]`")?;
        let kind = TypeRefKind::Stack(Box::new(ty), Box::new(size));
        let ty = TypeRef { kind, span: self.since(start) };
        if self.is(TokenKind::LeftBracket) {
            let fault = self.expected("the end of the type");
            return Err(fault.hint("arrays of arrays are not supported"));
        }
        Ok(ty)
    }

    /// Parses `<8>` or `<(W + 1)>`, if present.
    fn width(&mut self) -> Result<Option<Box<Expr>>, Fault> {
        if !self.eat(TokenKind::Less) {
            return Ok(None);
        }
        let width = match self.kind() {
            TokenKind::Number => self.integer()?,
            TokenKind::LeftParen => {
                self.bump();
                let width = self.expression()?;
                self.expect(TokenKind::RightParen, "`)`")?;
                width
            }
            // Not in the grammar, but p4c's messages and many programs use it.
            kind if kind.is_name() => {
                let name = self.name("a width")?;
                let span = name.span;
                Expr { kind: ExprKind::Name { name, global: false }, span }
            }
            _ => return Err(self.expected("a width")),
        };
        match self.kind() {
            TokenKind::Greater => {
                self.bump();
            }
            _ => {
                return Err(self
                    .expected("`>`")
                    .hint("write a computed width in parentheses: `bit<(W + 1)>`"));
            }
        }
        Ok(Some(Box::new(width)))
    }

    /// Parses `<A, B>`.
    pub(super) fn type_arguments(&mut self) -> Result<Vec<TypeRef>, Fault> {
        self.expect(TokenKind::Less, "`<`")?;
        let mut arguments = Vec::new();
        while !self.is(TokenKind::Greater) {
            arguments.push(self.type_argument()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::Greater, "`>` or `,`")?;
        Ok(arguments)
    }

    fn type_argument(&mut self) -> Result<TypeRef, Fault> {
        if self.is(TokenKind::Underscore) {
            let span = self.bump().span;
            return Ok(TypeRef { kind: TypeRefKind::DontCare, span });
        }
        self.type_ref()
    }

    /// Parses `<A, B>` of a declaration and declares the names as types.
    pub(super) fn type_parameters(&mut self) -> Result<Vec<Name>, Fault> {
        let mut names = Vec::new();
        if !self.eat(TokenKind::Less) {
            return Ok(names);
        }
        loop {
            let name = self.name("the name of a type parameter")?;
            self.scopes.declare_type(&name);
            names.push(name);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::Greater, "`>` or `,`")?;
        Ok(names)
    }
}
