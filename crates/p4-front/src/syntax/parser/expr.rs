//! Expressions.

use super::super::ast::{Argument, BinaryOp, Expr, ExprKind, TypeRef, TypeRefKind, UnaryOp};
use super::super::literal;
use super::super::token::TokenKind;
use super::{Fault, MAX_DEPTH, Parser};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Precedence of the tightest infix operators.
const TIGHTEST: u8 = 10;

impl Parser<'_> {
    /// Parses an `expression`. The conditional `a ? b : c` is right-associative.
    pub(super) fn expression(&mut self) -> Result<Expr, Fault> {
        self.deeper(Self::conditional)
    }

    fn conditional(&mut self) -> Result<Expr, Fault> {
        let condition = self.binary(0)?;
        if !self.eat(TokenKind::Question) {
            return Ok(condition);
        }
        let mut height = self.height;
        let then = self.expression()?;
        height = height.max(self.height);
        self.expect(TokenKind::Colon, "`:` and the value if the condition is false")?;
        let otherwise = self.expression()?;
        self.grow_height(height)?;
        let span = condition.span.to(otherwise.span);
        let kind = ExprKind::Conditional {
            condition: Box::new(condition),
            then: Box::new(then),
            otherwise: Box::new(otherwise),
        };
        Ok(Expr { kind, span })
    }

    /// Sets the tree height to one above the given height and that of the last expression.
    fn grow_height(&mut self, height: u32) -> Result<(), Fault> {
        self.height = self.height.max(height) + 1;
        if self.height > MAX_DEPTH { Err(self.too_deep()) } else { Ok(()) }
    }

    /// Peeks at the next infix operator: operator, precedence and number of tokens. `&`, `^` and `|` bind tighter than
    /// comparisons, unlike in C.
    fn operator(&self) -> Option<(BinaryOp, u8, usize)> {
        use TokenKind as T;
        let next = self.tokens.get(self.at + 1).filter(|next| !next.space_before && !next.line_start);
        Some(match self.kind() {
            T::OrOr => (BinaryOp::Or, 1, 1),
            T::AndAnd => (BinaryOp::And, 2, 1),
            T::Equal => (BinaryOp::Equal, 3, 1),
            T::NotEqual => (BinaryOp::NotEqual, 3, 1),
            T::Greater => match next.map(|next| next.kind) {
                Some(T::Greater) => (BinaryOp::ShiftRight, 8, 2),
                // `>>=`
                Some(T::GreaterOrEqual) => return None,
                _ => (BinaryOp::Greater, 4, 1),
            },
            T::Less => (BinaryOp::Less, 4, 1),
            T::LessOrEqual => (BinaryOp::LessOrEqual, 4, 1),
            T::GreaterOrEqual => (BinaryOp::GreaterOrEqual, 4, 1),
            T::Or => (BinaryOp::BitOr, 5, 1),
            T::Caret => (BinaryOp::BitXor, 6, 1),
            T::And => (BinaryOp::BitAnd, 7, 1),
            T::ShiftLeft => (BinaryOp::ShiftLeft, 8, 1),
            T::PlusPlus => (BinaryOp::Concat, 9, 1),
            // `[low +: width]`
            T::Plus if self.kind_at(1) == T::Colon => return None,
            T::Plus => (BinaryOp::Add, 9, 1),
            T::Minus => (BinaryOp::Subtract, 9, 1),
            T::PlusSaturating => (BinaryOp::AddSaturating, 9, 1),
            T::MinusSaturating => (BinaryOp::SubtractSaturating, 9, 1),
            T::Star => (BinaryOp::Multiply, TIGHTEST, 1),
            T::Slash => (BinaryOp::Divide, TIGHTEST, 1),
            T::Percent => (BinaryOp::Modulo, TIGHTEST, 1),
            _ => return None,
        })
    }

    fn binary(&mut self, least: u8) -> Result<Expr, Fault> {
        let mut left = self.unary()?;
        while let Some((operator, rank, length)) = self.operator() {
            if rank < least {
                break;
            }
            for _ in 0..length {
                self.bump();
            }
            let height = self.height;
            let right = self.deeper(|parser| parser.binary(rank + 1))?;
            self.grow_height(height)?;
            let span = left.span.to(right.span);
            let kind = ExprKind::Binary { operator, left: Box::new(left), right: Box::new(right) };
            left = Expr { kind, span };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, Fault> {
        let start = self.span();
        let operator = match self.kind() {
            TokenKind::Not => UnaryOp::Not,
            TokenKind::Tilde => UnaryOp::Complement,
            TokenKind::Minus => UnaryOp::Minus,
            TokenKind::Plus => UnaryOp::Plus,
            TokenKind::LeftParen => {
                if let Some(to) = self.cast() {
                    let of = self.deeper(Self::unary)?;
                    self.grow_height(0)?;
                    let span = start.to(of.span);
                    return Ok(Expr { kind: ExprKind::Cast { to: Box::new(to), of: Box::new(of) }, span });
                }
                return self.postfix();
            }
            _ => return self.postfix(),
        };
        self.bump();
        let of = self.deeper(Self::unary)?;
        self.grow_height(0)?;
        let span = start.to(of.span);
        Ok(Expr { kind: ExprKind::Unary { operator, of: Box::new(of) }, span })
    }

    /// Parses `(T)` of a cast, if the next tokens are one. An undeclared name counts as a type where only an operand
    /// can follow, so that the error is about an unknown type.
    fn cast(&mut self) -> Option<TypeRef> {
        use TokenKind as T;
        let first = self.kind_at(1);
        let known = (first.is_base_type() && !(first == T::Error && self.kind_at(2) == T::Dot))
            || (first == T::List && self.kind_at(2) == T::Less)
            || self.is_type_name(1)
            || (first == T::Dot && self.is_type_name(2));
        if known {
            return self.attempt(|parser| {
                parser.bump();
                let ty = parser.type_ref()?;
                parser.expect(T::RightParen, "`)`")?;
                Ok(ty)
            });
        }
        let operand = |kind: T| {
            kind.is_name()
                || matches!(
                    kind,
                    T::Number | T::String | T::True | T::False | T::LeftBrace | T::Not | T::Tilde
                )
        };
        if first.is_name() && self.kind_at(2) == T::RightParen && operand(self.kind_at(3)) {
            self.bump();
            let ty = self.type_ref().ok();
            self.bump();
            return ty;
        }
        None
    }

    /// Parses an operand and its suffixes: members, indexes, slices, calls.
    pub(super) fn postfix(&mut self) -> Result<Expr, Fault> {
        let start = self.span();
        let mut expr = self.primary()?;
        loop {
            let kind = match self.kind() {
                TokenKind::Dot => {
                    self.bump();
                    let name = self.name("the name of a member")?;
                    self.grow_height(0)?;
                    ExprKind::Member { of: Box::new(expr), name }
                }
                TokenKind::LeftBracket => {
                    self.bump();
                    self.index(expr)?
                }
                TokenKind::LeftParen => {
                    let height = self.height;
                    let arguments = self.arguments()?;
                    self.grow_height(height)?;
                    ExprKind::Call { callee: Box::new(expr), type_arguments: Vec::new(), arguments }
                }
                TokenKind::Less if can_be_generic(&expr) && self.starts_type_argument() => {
                    let Some(type_arguments) = self.type_arguments_of_call()? else { return Ok(expr) };
                    let height = self.height;
                    let arguments = self.arguments()?;
                    self.grow_height(height)?;
                    ExprKind::Call { callee: Box::new(expr), type_arguments, arguments }
                }
                _ => return Ok(expr),
            };
            expr = Expr { kind, span: self.since(start) };
        }
    }

    /// Whether a type may follow the next `<`.
    fn starts_type_argument(&self) -> bool {
        let first = self.kind_at(1);
        first.is_base_type()
            || first == TokenKind::Underscore
            || (first == TokenKind::List && self.kind_at(2) == TokenKind::Less)
            || self.is_type_name(1)
            || (first == TokenKind::Dot && self.is_type_name(2))
    }

    /// Parses `<A, B>` if `(` follows; returns nothing for a comparison with an operand that starts with a type's name
    /// (`E.A`).
    fn type_arguments_of_call(&mut self) -> Result<Option<Vec<TypeRef>>, Fault> {
        let read = |parser: &mut Self| {
            let arguments = parser.type_arguments()?;
            if parser.is(TokenKind::LeftParen) {
                Ok(arguments)
            } else {
                Err(parser.expected("`(` and arguments"))
            }
        };
        let first = self.kind_at(1);
        if (first.is_base_type() && first != TokenKind::Error) || first == TokenKind::Underscore {
            return read(self).map(Some);
        }
        Ok(self.attempt(read))
    }

    /// Parses an index or slice after its `[`.
    fn index(&mut self, of: Expr) -> Result<ExprKind, Fault> {
        let of_height = self.height;
        let first = self.expression()?;
        let mut height = of_height.max(self.height);
        let (of, first) = (Box::new(of), Box::new(first));
        let kind = if self.eat(TokenKind::Colon) {
            let low = Box::new(self.expression()?);
            height = height.max(self.height);
            ExprKind::Slice { of, high: first, low }
        } else if self.is(TokenKind::Plus) && self.kind_at(1) == TokenKind::Colon {
            self.bump();
            self.bump();
            let width = Box::new(self.expression()?);
            height = height.max(self.height);
            ExprKind::PlusSlice { of, low: first, width }
        } else {
            ExprKind::Index { of, index: first }
        };
        self.expect(TokenKind::RightBracket, "`]`")?;
        self.grow_height(height)?;
        Ok(kind)
    }

    fn primary(&mut self) -> Result<Expr, Fault> {
        let start = self.span();
        self.height = 1;
        let kind = match self.kind() {
            TokenKind::Number => return self.integer(),
            TokenKind::String => {
                let token = self.bump();
                ExprKind::String(literal::string(self.text(token)).into())
            }
            TokenKind::True | TokenKind::False => ExprKind::Bool(self.bump().kind == TokenKind::True),
            TokenKind::This => {
                self.bump();
                ExprKind::This
            }
            TokenKind::Dots => {
                self.bump();
                ExprKind::Dots
            }
            TokenKind::InvalidHeader => {
                self.bump();
                ExprKind::Invalid
            }
            TokenKind::LeftBrace => return self.deeper(Self::braces),
            TokenKind::LeftParen => {
                self.bump();
                let mut inner = self.expression()?;
                self.expect(TokenKind::RightParen, "`)`")?;
                inner.span = self.since(start);
                return Ok(inner);
            }
            TokenKind::Error => self.type_expression()?,
            TokenKind::Dot if self.is_type_name(1) && self.kind_at(2) == TokenKind::Less => {
                self.type_expression()?
            }
            TokenKind::Dot => {
                self.bump();
                ExprKind::Name { name: self.name("a name")?, global: true }
            }
            kind if kind.is_name() => {
                if self.is_type_name(0) && self.kind_at(1) == TokenKind::Less {
                    self.type_expression()?
                } else {
                    ExprKind::Name { name: self.name("a name")?, global: false }
                }
            }
            TokenKind::Default | TokenKind::Underscore => {
                let fault = self.expected("an expression");
                return Err(fault.hint("`_` and `default` are allowed only in key sets and as arguments"));
            }
            kind if kind.is_base_type() => {
                return Err(self
                    .expected("an expression")
                    .hint("write the type of a cast in parentheses: `(bit<8>) x`"));
            }
            _ => return Err(self.expected("an expression")),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    /// Parses a type in the position of an expression.
    fn type_expression(&mut self) -> Result<ExprKind, Fault> {
        let ty = self.type_ref()?;
        if let TypeRefKind::Error = ty.kind
            && !self.is(TokenKind::Dot)
        {
            return Err(self.expected("`.` and the name of an error"));
        }
        Ok(ExprKind::Type(Box::new(ty)))
    }

    /// Parses an integer literal.
    pub(super) fn integer(&mut self) -> Result<Expr, Fault> {
        let token = self.expect(TokenKind::Number, "a number")?;
        self.height = 1;
        match literal::integer(self.text(token)) {
            Ok(literal::Integer { value, width, signed }) => {
                Ok(Expr { kind: ExprKind::Integer { value, width, signed }, span: token.span })
            }
            Err(text) => {
                let hint =
                    "valid forms are `12`, `0xFF`, `0b101`, `0o17`, `8w12` (bit<8>) and `8s12` (int<8>)";
                Err(Fault::new(Diagnostic::error(token.span, text).hint(hint)))
            }
        }
    }

    /// Parses `{ a, b }` or `{ a = 1, b = 2 }`, either with an optional `...` at the end.
    fn braces(&mut self) -> Result<Expr, Fault> {
        let start = self.bump().span;
        let named = self.kind().is_name() && self.kind_at(1) == TokenKind::Assign;
        let (mut items, mut fields, mut rest) = (Vec::new(), Vec::new(), None);
        let mut height = 0;
        while !self.is(TokenKind::RightBrace) {
            if self.is(TokenKind::Dots) {
                rest = Some(self.bump().span);
                self.eat(TokenKind::Comma);
                break;
            }
            if named {
                let name = self.name("the name of a field")?;
                self.expect(TokenKind::Assign, "`=`")?;
                fields.push((name, self.expression()?));
            } else {
                items.push(self.expression()?);
            }
            height = height.max(self.height);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RightBrace, "`,` or `}`")?;
        self.height = 0;
        self.grow_height(height)?;
        let kind = if named { ExprKind::Struct { fields, rest } } else { ExprKind::List { items, rest } };
        Ok(Expr { kind, span: self.since(start) })
    }

    /// Parses `(a, b = 1, _)`. Sets the tree height to that of the highest argument.
    pub(super) fn arguments(&mut self) -> Result<Vec<Argument>, Fault> {
        self.expect(TokenKind::LeftParen, "`(`")?;
        let mut arguments = Vec::new();
        let mut height = 0;
        while !self.is(TokenKind::RightParen) {
            let mut name = None;
            if self.kind().is_name() && self.kind_at(1) == TokenKind::Assign {
                name = Some(self.name("a parameter's name")?);
                self.bump();
            }
            let value = if self.is(TokenKind::Underscore) {
                let span = self.bump().span;
                Expr { kind: ExprKind::DontCare, span }
            } else {
                let value = self.expression()?;
                height = height.max(self.height);
                value
            };
            arguments.push(Argument { name, value });
            if !self.eat(TokenKind::Comma) {
                break;
            }
            if self.is(TokenKind::RightParen) {
                return Err(self.expected("another argument"));
            }
        }
        self.expect(TokenKind::RightParen, "`)` or `,`")?;
        self.height = height;
        Ok(arguments)
    }

    /// Parses a `keysetExpression`: one key set, or several in parentheses.
    pub(super) fn key_sets(&mut self) -> Result<Vec<Expr>, Fault> {
        if self.is(TokenKind::LeftParen) && self.is_parenthesized_key() {
            self.bump();
            let mut sets = vec![self.key_set()?];
            while self.eat(TokenKind::Comma) && !self.is(TokenKind::RightParen) {
                sets.push(self.key_set()?);
            }
            self.expect(TokenKind::RightParen, "`)` or `,`")?;
            return Ok(sets);
        }
        Ok(vec![self.key_set()?])
    }

    /// Whether the matching parenthesis of the next `(` is directly followed by a colon.
    fn is_parenthesized_key(&self) -> bool {
        let mut depth = 0_u32;
        for (at, token) in self.tokens[self.at..].iter().enumerate() {
            match token.kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen if depth == 1 => return self.kind_at(at + 1) == TokenKind::Colon,
                TokenKind::RightParen => depth -= 1,
                TokenKind::Semicolon => return false,
                _ => {}
            }
        }
        false
    }

    fn key_set(&mut self) -> Result<Expr, Fault> {
        let start = self.span();
        let single = match self.kind() {
            TokenKind::Default => Some(ExprKind::Default),
            TokenKind::Underscore => Some(ExprKind::DontCare),
            _ => None,
        };
        if let Some(kind) = single {
            self.bump();
            return Ok(Expr { kind, span: start });
        }
        let first = self.expression()?;
        let height = self.height;
        if self.eat(TokenKind::Mask) {
            let mask = self.expression()?;
            self.grow_height(height)?;
            let span = start.to(mask.span);
            return Ok(Expr { kind: ExprKind::Mask { value: Box::new(first), mask: Box::new(mask) }, span });
        }
        self.range_from(start, first)
    }

    /// Parses `a` or `a .. b` after `a`.
    pub(super) fn range_from(&mut self, start: Span, low: Expr) -> Result<Expr, Fault> {
        if !self.eat(TokenKind::DotDot) {
            return Ok(low);
        }
        let height = self.height;
        let high = self.expression()?;
        self.grow_height(height)?;
        let span = start.to(high.span);
        Ok(Expr { kind: ExprKind::Range { low: Box::new(low), high: Box::new(high) }, span })
    }
}

/// Whether type arguments may follow.
fn can_be_generic(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Name { .. } | ExprKind::Member { .. })
}
