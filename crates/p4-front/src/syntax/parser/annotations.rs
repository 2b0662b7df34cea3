//! Annotations.

use super::super::ast::{Annotation, AnnotationBody, Expr, ExprKind, Name, TypeRefKind};
use super::super::token::TokenKind;
use super::{Fault, Parser};

impl Parser<'_> {
    /// Parses all annotations at this position, including `@pragma`.
    pub(super) fn annotations(&mut self) -> Result<Vec<Annotation>, Fault> {
        let mut annotations = Vec::new();
        while self.is(TokenKind::At) {
            annotations.push(self.annotation()?);
        }
        Ok(annotations)
    }

    fn annotation(&mut self) -> Result<Annotation, Fault> {
        let start = self.bump().span;
        let name = self.annotation_name()?;
        let body = match self.kind() {
            _ if &*name.text == "pragma" => return self.pragma(start),
            TokenKind::LeftParen => self.free_body(&*name.text == "p4runtime_translation")?,
            TokenKind::LeftBracket => self.structured_body()?,
            _ => AnnotationBody::Empty,
        };
        Ok(Annotation { name, body, span: self.since(start) })
    }

    /// Parses the name of an annotation; keywords are allowed.
    fn annotation_name(&mut self) -> Result<Name, Fault> {
        let token = self.token();
        if !self.text(token).starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Err(self.expected("an annotation's name"));
        }
        self.bump();
        Ok(Name { text: self.interner.text(token.symbol).clone(), span: token.span })
    }

    /// Parses `@pragma name anything`, up to the end of the line.
    fn pragma(&mut self, start: crate::source::Span) -> Result<Annotation, Fault> {
        let name = self.annotation_name()?;
        let mut body = AnnotationBody::Empty;
        while !self.token().line_start && !self.is(TokenKind::End) {
            self.bump();
            body = AnnotationBody::Unread;
        }
        Ok(Annotation { name, body, span: self.since(start) })
    }

    /// Parses `(…)`: any tokens with balanced parentheses, as expressions if possible. With `types`, arguments may be types of
    /// a controller.
    fn free_body(&mut self, types: bool) -> Result<AnnotationBody, Fault> {
        let open = self.span();
        let mut depth = 0_u32;
        let mut close = self.at;
        loop {
            match self.tokens[close].kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen if depth == 1 => break,
                TokenKind::RightParen => depth -= 1,
                TokenKind::End => {
                    self.at = close;
                    let fault = self.expected("`)`");
                    let diagnostic = fault.0.related(open, "the annotation's `(` is here");
                    return Err(Fault::new(diagnostic));
                }
                _ => {}
            }
            close += 1;
        }
        let expressions = self.attempt(|parser| {
            parser.bump();
            let mut expressions = Vec::new();
            while parser.at < close {
                let is_type = types && matches!(parser.kind(), TokenKind::Bit | TokenKind::StringType);
                expressions.push(if is_type { parser.controller_type()? } else { parser.expression()? });
                if !parser.eat(TokenKind::Comma) {
                    break;
                }
            }
            if parser.at == close { Ok(expressions) } else { Err(parser.expected("`)`")) }
        });
        self.steps += (close - self.at) as u64;
        self.at = close + 1;
        Ok(expressions.map_or(AnnotationBody::Unread, AnnotationBody::Expressions))
    }

    /// Parses the controller's type of `@p4runtime_translation`: `bit<W>` is its width, and `string` the text of that name.
    fn controller_type(&mut self) -> Result<Expr, Fault> {
        let ty = self.type_ref()?;
        match ty.kind {
            TypeRefKind::Bit(Some(width)) => Ok(*width),
            TypeRefKind::String => Ok(Expr { kind: ExprKind::String("string".into()), span: ty.span }),
            _ => Err(self.expected("`)`")),
        }
    }

    /// Parses `[…]`: expressions or pairs.
    fn structured_body(&mut self) -> Result<AnnotationBody, Fault> {
        self.bump();
        let paired = self.kind().is_name() && self.kind_at(1) == TokenKind::Assign;
        let (mut expressions, mut pairs) = (Vec::new(), Vec::new());
        while !self.is(TokenKind::RightBracket) {
            if paired {
                let key = self.name("a key")?;
                self.expect(TokenKind::Assign, "`=`")?;
                pairs.push((key, self.expression()?));
            } else {
                expressions.push(self.expression()?);
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RightBracket, "`]` or `,`")?;
        Ok(if paired { AnnotationBody::Pairs(pairs) } else { AnnotationBody::Expressions(expressions) })
    }
}
