//! Statements.

use super::super::ast::{
    BinaryOp, Block, Declaration, DeclarationKind, Expr, ExprKind, Stmt, StmtKind, SwitchCase, TypeRef,
    TypeRefKind,
};
use super::super::token::TokenKind;
use super::{Fault, Parser};
use crate::diagnostic::Diagnostic;

impl Parser<'_> {
    /// Parses `{ … }` in a new scope. Errors inside it are reported here.
    pub(super) fn block(&mut self) -> Result<Block, Fault> {
        let start = self.span();
        let mut statements = Vec::new();
        self.scoped(|parser| {
            parser.braced(|parser| {
                statements.push(parser.statement()?);
                Ok(())
            })
        })?;
        Ok(Block { statements, span: self.since(start) })
    }

    /// Parses a statement, or a declaration among statements.
    pub(super) fn statement(&mut self) -> Result<Stmt, Fault> {
        self.deeper(|parser| {
            let start = parser.span();
            let annotations = parser.annotations()?;
            let kind = parser.statement_kind()?;
            Ok(Stmt { kind, annotations, span: parser.since(start) })
        })
    }

    fn statement_kind(&mut self) -> Result<StmtKind, Fault> {
        if self.in_state {
            self.reject_in_state()?;
        }
        Ok(match self.kind() {
            TokenKind::Semicolon => {
                self.bump();
                StmtKind::Empty
            }
            TokenKind::LeftBrace => StmtKind::Block(self.block()?),
            TokenKind::If => return self.conditional_statement(),
            TokenKind::Switch => return self.switch(),
            TokenKind::For => return self.scoped(Self::for_loop),
            TokenKind::Return => {
                self.bump();
                let value = if self.is(TokenKind::Semicolon) { None } else { Some(self.expression()?) };
                self.semicolon()?;
                StmtKind::Return(value)
            }
            TokenKind::Exit => self.keyword_statement(StmtKind::Exit)?,
            TokenKind::Break => self.keyword_statement(StmtKind::Break)?,
            TokenKind::Continue => self.keyword_statement(StmtKind::Continue)?,
            TokenKind::Const => {
                let start = self.span();
                let kind = self.constant()?;
                let span = self.since(start);
                StmtKind::Declaration(Box::new(Declaration { kind, annotations: Vec::new(), span }))
            }
            TokenKind::Else => {
                let fault = self.expected("a statement");
                return Err(fault.hint(
                    "this `else` has no `if`: an `if` takes one statement, so enclose several in `{` and `}`",
                ));
            }
            _ => {
                let kind = self.simple_statement()?;
                self.semicolon()?;
                kind
            }
        })
    }

    fn reject_in_state(&self) -> Result<(), Fault> {
        let what = match self.kind() {
            TokenKind::Switch => "`switch`",
            TokenKind::Return => "`return`",
            TokenKind::Exit => "`exit`",
            TokenKind::Transition => "`transition`",
            _ => return Ok(()),
        };
        let text = format!("{what} is not allowed in a parser state");
        let hint = "end the state with one `transition`: use `select` to branch and `verify` to reject";
        Err(Fault::new(Diagnostic::error(self.span(), text).hint(hint)))
    }

    fn keyword_statement(&mut self, kind: StmtKind) -> Result<StmtKind, Fault> {
        self.bump();
        self.semicolon()?;
        Ok(kind)
    }

    /// Parses a statement that is also allowed in the head of a `for`, without its `;`: a variable, an assignment or a
    /// call.
    fn simple_statement(&mut self) -> Result<StmtKind, Fault> {
        if self.starts_variable() {
            return self.variable_or_instance();
        }
        if self.starts_direct_application() {
            let ty = self.type_ref()?;
            self.bump();
            self.bump();
            return Ok(StmtKind::DirectApply { ty, arguments: self.arguments()? });
        }
        let start = self.span();
        let left = match self.kind() {
            kind if kind.is_name() => self.postfix()?,
            TokenKind::Dot | TokenKind::This | TokenKind::LeftParen => self.postfix()?,
            _ => return Err(self.expected("a statement")),
        };
        if let Some((operator, length)) = self.assignment() {
            for _ in 0..length {
                self.bump();
            }
            let value = self.expression()?;
            return Ok(match operator {
                None => StmtKind::Assign { to: left, value },
                Some(operator) => StmtKind::OperatorAssign { to: left, operator, value },
            });
        }
        match left.kind {
            ExprKind::Call { callee, type_arguments, arguments } if self.kind().is_name() => {
                // `E<T>(x) name;`: an instance. The grammar does not allow instances here, but older programs contain
                // them.
                let ty = match callee.kind {
                    ExprKind::Name { name, global } if type_arguments.is_empty() => {
                        TypeRef { kind: TypeRefKind::Named { name, global }, span: callee.span }
                    }
                    ExprKind::Name { name, global } => {
                        let kind = TypeRefKind::Specialized { name, global, arguments: type_arguments };
                        TypeRef { kind, span: callee.span }
                    }
                    ExprKind::Type(ty) => *ty,
                    _ => return Err(self.expected_semicolon()),
                };
                let kind = self.instance(ty, arguments)?;
                let span = self.since(start);
                let declaration = Declaration { kind, annotations: Vec::new(), span };
                Ok(StmtKind::Declaration(Box::new(declaration)))
            }
            ExprKind::Call { .. } => Ok(StmtKind::Call(left)),
            _ => {
                let fault = self.expected("`=` or a call's `(`");
                Err(fault.or_hint("an expression alone is not a statement: assign it, call it or declare it"))
            }
        }
    }

    /// Peeks at an assignment operator (none for `=`) and its number of tokens.
    fn assignment(&self) -> Option<(Option<BinaryOp>, usize)> {
        use TokenKind as T;
        let operator = match self.kind() {
            T::Assign => return Some((None, 1)),
            T::PlusAssign => BinaryOp::Add,
            T::MinusAssign => BinaryOp::Subtract,
            T::PlusSaturatingAssign => BinaryOp::AddSaturating,
            T::MinusSaturatingAssign => BinaryOp::SubtractSaturating,
            T::StarAssign => BinaryOp::Multiply,
            T::SlashAssign => BinaryOp::Divide,
            T::PercentAssign => BinaryOp::Modulo,
            T::AndAssign => BinaryOp::BitAnd,
            T::OrAssign => BinaryOp::BitOr,
            T::CaretAssign => BinaryOp::BitXor,
            T::ShiftLeftAssign => BinaryOp::ShiftLeft,
            T::Greater if self.kind_at(1) == T::GreaterOrEqual => {
                return Some((Some(BinaryOp::ShiftRight), 2));
            }
            _ => return None,
        };
        Some((Some(operator), 1))
    }

    /// Whether a variable declaration follows: a type, then a name.
    pub(super) fn starts_variable(&mut self) -> bool {
        let first = self.kind();
        if first.is_base_type() {
            return true;
        }
        let name = usize::from(first == TokenKind::Dot);
        if !self.kind_at(name).is_name() {
            return false;
        }
        match self.kind_at(name + 1) {
            kind if kind.is_name() => true,
            TokenKind::Less | TokenKind::LeftBracket => self.probe(|parser| {
                parser.type_ref()?;
                if parser.kind().is_name() { Ok(()) } else { Err(parser.expected("a name")) }
            }),
            _ => false,
        }
    }

    /// Whether `T.apply(` or `T<A>.apply(` follows, with a type.
    fn starts_direct_application(&mut self) -> bool {
        let name = usize::from(self.is(TokenKind::Dot));
        if !self.is_type_name(name) {
            return false;
        }
        self.probe(|parser| {
            parser.type_ref()?;
            let kinds = [parser.kind(), parser.kind_at(1), parser.kind_at(2)];
            let wanted = [TokenKind::Dot, TokenKind::Apply, TokenKind::LeftParen];
            if kinds == wanted { Ok(()) } else { Err(parser.expected("`.apply(`")) }
        })
    }

    fn variable_or_instance(&mut self) -> Result<StmtKind, Fault> {
        let start = self.span();
        let ty = self.type_ref()?;
        let kind = self.variable(ty)?;
        let declaration = Declaration { kind, annotations: Vec::new(), span: self.since(start) };
        Ok(StmtKind::Declaration(Box::new(declaration)))
    }

    /// Parses a variable after its type; without the `;`.
    pub(super) fn variable(&mut self, ty: super::super::ast::TypeRef) -> Result<DeclarationKind, Fault> {
        let name = self.name("the name of a variable")?;
        let value = if self.eat(TokenKind::Assign) { Some(self.expression()?) } else { None };
        self.scopes.declare_value(&name);
        Ok(DeclarationKind::Variable { ty, name, value })
    }

    fn conditional_statement(&mut self) -> Result<StmtKind, Fault> {
        self.bump();
        let condition = self.in_parentheses()?;
        let then = Box::new(self.statement()?);
        let otherwise = if self.eat(TokenKind::Else) { Some(Box::new(self.statement()?)) } else { None };
        Ok(StmtKind::If { condition, then, otherwise })
    }

    fn in_parentheses(&mut self) -> Result<Expr, Fault> {
        self.expect(TokenKind::LeftParen, "`(`")?;
        let expr = self.expression()?;
        self.expect(TokenKind::RightParen, "`)`")?;
        Ok(expr)
    }

    fn switch(&mut self) -> Result<StmtKind, Fault> {
        self.bump();
        let on = self.in_parentheses()?;
        let mut cases = Vec::new();
        self.braced(|parser| {
            cases.push(parser.switch_case()?);
            Ok(())
        })?;
        Ok(StmtKind::Switch { on, cases })
    }

    fn switch_case(&mut self) -> Result<SwitchCase, Fault> {
        let start = self.span();
        let label = if self.is(TokenKind::Default) {
            let span = self.bump().span;
            Expr { kind: ExprKind::Default, span }
        } else if self.kind() == TokenKind::Underscore {
            return Err(self.expected("a label").hint("use `default` to label the remaining cases"));
        } else {
            self.expression()?
        };
        self.expect(TokenKind::Colon, "`:`")?;
        self.annotations()?;
        let body = if self.is(TokenKind::LeftBrace) { Some(self.block()?) } else { None };
        Ok(SwitchCase { label, body, span: self.since(start) })
    }

    /// Parses `for (init; condition; update) body` and `for (T x in e) body`.
    fn for_loop(&mut self) -> Result<StmtKind, Fault> {
        self.bump();
        self.expect(TokenKind::LeftParen, "`(`")?;
        if let Some(kind) = self.for_in()? {
            return Ok(kind);
        }
        let init = self.simple_statements(TokenKind::Semicolon)?;
        self.expect(TokenKind::Semicolon, "`;` and the loop's condition")?;
        let condition = self.expression()?;
        self.expect(TokenKind::Semicolon, "`;` and the loop's update")?;
        let update = self.simple_statements(TokenKind::RightParen)?;
        self.expect(TokenKind::RightParen, "`)`")?;
        let body = Box::new(self.statement()?);
        Ok(StmtKind::For { init, condition, update, body })
    }

    fn for_in(&mut self) -> Result<Option<StmtKind>, Fault> {
        let start = self.at;
        self.annotations()?;
        let ty = if self.kind().is_name() && self.kind_at(1) == TokenKind::In {
            None
        } else {
            let ty = self.attempt(|parser| {
                let ty = parser.type_ref()?;
                let is_in = parser.kind().is_name() && parser.kind_at(1) == TokenKind::In;
                if is_in { Ok(ty) } else { Err(parser.expected("`in`")) }
            });
            if ty.is_none() {
                self.at = start;
                return Ok(None);
            }
            ty
        };
        let variable = self.name("the name of a variable")?;
        self.bump();
        let from = self.span();
        let over = self.expression()?;
        let over = self.range_from(from, over)?;
        self.expect(TokenKind::RightParen, "`)` or `..`")?;
        if ty.is_some() {
            self.scopes.declare_value(&variable);
        }
        let body = Box::new(self.statement()?);
        Ok(Some(StmtKind::ForIn { ty, variable, over, body }))
    }

    /// Parses the statements of a loop's head, up to `end`.
    fn simple_statements(&mut self, end: TokenKind) -> Result<Vec<Stmt>, Fault> {
        let mut statements = Vec::new();
        if self.is(end) {
            return Ok(statements);
        }
        loop {
            let start = self.span();
            let annotations = self.annotations()?;
            let kind = self.simple_statement()?;
            statements.push(Stmt { kind, annotations, span: self.since(start) });
            if !self.eat(TokenKind::Comma) {
                return Ok(statements);
            }
        }
    }
}
