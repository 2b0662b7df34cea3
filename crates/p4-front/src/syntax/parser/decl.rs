//! Declarations.

use super::super::ast::{
    Annotation, BlockKind, Composite, ControlDeclaration, Declaration, DeclarationKind, Direction,
    EnumMember, Field, Method, Name, Parameter, ParserDeclaration, Signature, TypeRef, TypeRefKind,
};
use super::super::token::TokenKind;
use super::{Fault, Parser};
use crate::source::Span;

/// Context of a declaration, which determines the allowed kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Top,
    Parser,
    Control,
    Object,
}

impl Place {
    fn name(self) -> &'static str {
        match self {
            Place::Top => "at the top level",
            Place::Parser => "in a parser",
            Place::Control => "in a control",
            Place::Object => "in an object's block",
        }
    }
}

impl Parser<'_> {
    /// Parses the whole program.
    pub(super) fn all_declarations(&mut self) -> Vec<Declaration> {
        let mut declarations = Vec::new();
        while !self.is(TokenKind::End) && !self.has_too_many_errors() {
            if self.eat(TokenKind::Semicolon) {
                continue;
            }
            let start = self.at;
            if let Err(fault) = self.declaration(Place::Top, &mut declarations) {
                self.depth = 0;
                self.in_state = false;
                self.recover(fault, start);
                if self.is(TokenKind::RightBrace) || self.at == start {
                    self.bump();
                }
            }
        }
        declarations
    }

    /// Parses a declaration of any kind that is allowed in the context.
    pub(super) fn declaration(&mut self, place: Place, out: &mut Vec<Declaration>) -> Result<(), Fault> {
        let start = self.span();
        let annotations = self.annotations()?;
        if place == Place::Top && self.is(TokenKind::End) {
            // Annotations without a declaration: a `@pragma` at the end of the file.
            return if annotations.is_empty() { Err(self.expected("a declaration")) } else { Ok(()) };
        }
        self.check_allowed(place)?;
        let kind = match self.kind() {
            TokenKind::Const => self.constant()?,
            TokenKind::Action => self.action()?,
            TokenKind::Table => self.table()?,
            TokenKind::ValueSet => self.value_set()?,
            TokenKind::Extern => match self.external()? {
                Some(kind) => kind,
                None => return Ok(()),
            },
            TokenKind::Header => self.composite(Composite::Header)?,
            TokenKind::HeaderUnion => self.composite(Composite::Union)?,
            TokenKind::Struct => self.composite(Composite::Struct)?,
            TokenKind::Enum => self.enumeration()?,
            TokenKind::Typedef => self.alias(out)?,
            TokenKind::Type if self.is_type_alias() => self.alias(out)?,
            TokenKind::Parser => self.block_declaration(BlockKind::Parser)?,
            TokenKind::Control => self.block_declaration(BlockKind::Control)?,
            TokenKind::Package => self.package()?,
            TokenKind::Error if self.kind_at(1) == TokenKind::LeftBrace => {
                self.bump();
                DeclarationKind::Error { members: self.names("the name of an error")? }
            }
            TokenKind::MatchKind if self.kind_at(1) == TokenKind::LeftBrace => {
                self.bump();
                DeclarationKind::MatchKind { members: self.names("the name of a match kind")? }
            }
            _ => self.typed(place)?,
        };
        out.push(Declaration { kind, annotations, span: self.since(start) });
        Ok(())
    }

    /// Rejects declarations that the context does not allow.
    fn check_allowed(&self, place: Place) -> Result<(), Fault> {
        use TokenKind as T;
        let (what, hint) = match (self.kind(), place) {
            (T::Table, Place::Top | Place::Parser | Place::Object) => {
                ("a table", "declare tables inside a control")
            }
            (T::Action, Place::Parser | Place::Object) => {
                ("an action", "declare actions inside a control or at the top level")
            }
            (T::ValueSet, Place::Top | Place::Control | Place::Object) => {
                ("a value set", "declare value sets inside a parser")
            }
            (T::State, Place::Top) => {
                ("a state", "declare states inside a parser; check for an extra `}` before this")
            }
            (
                T::Header
                | T::HeaderUnion
                | T::Struct
                | T::Enum
                | T::Typedef
                | T::Extern
                | T::Package
                | T::Control
                | T::Parser,
                Place::Parser | Place::Control | Place::Object,
            ) => ("this declaration", "move it to the top level, or check for a missing `}` before this"),
            (T::RightBrace, Place::Top) => {
                ("a `}`", "it has no matching `{`: remove it, or check for an extra `}` before this")
            }
            (T::Transition | T::Apply | T::If | T::Switch | T::Return | T::For, Place::Top) => {
                ("a statement", "move statements into the body of a control, state, action or function")
            }
            (T::If | T::Switch | T::Return | T::Exit | T::For, Place::Control) => {
                ("a statement", "move statements into the control's `apply { … }` block")
            }
            _ => return Ok(()),
        };
        let text = format!("{what} is not allowed {}", place.name());
        Err(Fault::new(crate::diagnostic::Diagnostic::error(self.span(), text).hint(hint)))
    }

    /// Parses a declaration that starts with a type: a function, an instance or a variable.
    fn typed(&mut self, place: Place) -> Result<DeclarationKind, Fault> {
        if !(self.kind().is_name() || self.kind().is_base_type() || self.is(TokenKind::Dot)) {
            return Err(self.expected("a declaration"));
        }
        let ty = self.type_ref()?;
        if self.is(TokenKind::LeftParen) {
            let arguments = self.arguments()?;
            let kind = self.instance(ty, arguments)?;
            self.semicolon()?;
            return Ok(kind);
        }
        let is_function = self.kind().is_name()
            && (self.kind_at(1) == TokenKind::LeftParen || self.kind_at(1) == TokenKind::Less);
        if is_function && matches!(place, Place::Top | Place::Object) {
            return self.function(ty);
        }
        if !matches!(place, Place::Parser | Place::Control) {
            self.name("a name")?;
            let fault = if place == Place::Top && self.is(TokenKind::Assign) {
                self.expected("`(`").hint("a value at the top level must be a constant: add `const`")
            } else {
                self.expected("`(`").hint("declare variables inside a parser, control, action or function")
            };
            return Err(fault);
        }
        let kind = self.variable(ty)?;
        if self.is(TokenKind::LeftParen) {
            return Err(self.expected("`=` or `;`").hint("declare functions at the top level"));
        }
        self.semicolon()?;
        Ok(kind)
    }

    fn function(&mut self, result: TypeRef) -> Result<DeclarationKind, Fault> {
        let name = self.name("the name of a function")?;
        self.scopes.declare_value(&name);
        self.scoped(|parser| {
            let signature = parser.signature(result, name)?;
            if parser.is(TokenKind::Semicolon) {
                return Err(parser
                    .expected("`{`")
                    .hint("a function needs a body; only `extern` functions are declared without one"));
            }
            let body = parser.block()?;
            Ok(DeclarationKind::Function { signature, body })
        })
    }

    /// Parses a signature after the function's name, in the function's scope.
    fn signature(&mut self, result: TypeRef, name: Name) -> Result<Signature, Fault> {
        let type_parameters = self.type_parameters()?;
        let parameters = self.parameters()?;
        Ok(Signature { result, name, type_parameters, parameters })
    }

    /// Parses an instance after its arguments; without the `;`.
    pub(super) fn instance(
        &mut self,
        ty: TypeRef,
        arguments: Vec<super::super::ast::Argument>,
    ) -> Result<DeclarationKind, Fault> {
        let name = match self.name("the name of the instance") {
            Ok(name) => name,
            Err(fault) if self.is(TokenKind::LeftBrace) => {
                return Err(fault.hint("if this is a function, add its result type: `void f(…) { … }`"));
            }
            Err(fault) => return Err(fault),
        };
        self.scopes.declare_value(&name);
        let mut body = None;
        if self.eat(TokenKind::Assign) {
            let mut members = Vec::new();
            self.scoped(|parser| parser.braced(|parser| parser.declaration(Place::Object, &mut members)))?;
            body = Some(members);
        }
        Ok(DeclarationKind::Instance { ty, arguments, name, body })
    }

    pub(super) fn constant(&mut self) -> Result<DeclarationKind, Fault> {
        self.bump();
        let ty = self.type_ref()?;
        let name = self.name("the name of a constant")?;
        self.expect(TokenKind::Assign, "`=` and the constant's value")?;
        let value = self.expression()?;
        self.scopes.declare_value(&name);
        self.semicolon()?;
        Ok(DeclarationKind::Constant { ty, name, value })
    }

    fn action(&mut self) -> Result<DeclarationKind, Fault> {
        self.bump();
        let name = self.name("the name of an action")?;
        self.scopes.declare_value(&name);
        self.scoped(|parser| {
            let parameters = parser.parameters()?;
            parser.annotations()?;
            let body = parser.block()?;
            Ok(DeclarationKind::Action { name, parameters, body })
        })
    }

    /// Parses `(…)`, in the scope of the declaration.
    pub(super) fn parameters(&mut self) -> Result<Vec<Parameter>, Fault> {
        if !self.is(TokenKind::LeftParen) {
            return Err(self.expected_parameters());
        }
        self.bump();
        let mut parameters = Vec::new();
        while !self.is(TokenKind::RightParen) {
            parameters.push(self.parameter()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RightParen, "`)` or `,`")?;
        for parameter in &parameters {
            self.scopes.declare_value(&parameter.name);
        }
        Ok(parameters)
    }

    fn parameter(&mut self) -> Result<Parameter, Fault> {
        let annotations = self.annotations()?;
        let direction = match self.kind() {
            TokenKind::In => Direction::In,
            TokenKind::Out => Direction::Out,
            TokenKind::InOut => Direction::InOut,
            _ => Direction::None,
        };
        if direction != Direction::None {
            self.bump();
        }
        let ty = self.type_ref()?;
        let name = match self.name("the name of a parameter") {
            Ok(name) => name,
            Err(fault) if matches!(self.kind(), TokenKind::Comma | TokenKind::RightParen) => {
                return Err(fault.hint("a parameter needs a type and a name: `in bit<8> x`"));
            }
            Err(fault) => return Err(fault),
        };
        let default = if self.eat(TokenKind::Assign) { Some(self.expression()?) } else { None };
        Ok(Parameter { direction, ty, name, default, annotations })
    }

    /// Parses `extern …`; returns nothing for the forward declaration `extern E;`.
    fn external(&mut self) -> Result<Option<DeclarationKind>, Fault> {
        self.bump();
        let is_object = self.kind().is_name()
            && match self.kind_at(1) {
                TokenKind::LeftBrace | TokenKind::Semicolon => true,
                TokenKind::Less => self.probe(|parser| {
                    parser.type_ref()?;
                    parser.expect(TokenKind::LeftBrace, "`{`")
                }),
                _ => false,
            };
        if !is_object {
            let result = self.type_ref()?;
            let name = self.name("the name of a function")?;
            self.scopes.declare_value(&name);
            let signature = self.scoped(|parser| parser.signature(result, name))?;
            self.semicolon()?;
            return Ok(Some(DeclarationKind::ExternFunction { signature }));
        }
        let name = self.name("the name of an object")?;
        self.scopes.declare_type(&name);
        if self.eat(TokenKind::Semicolon) {
            return Ok(None);
        }
        self.scoped(|parser| {
            let type_parameters = parser.type_parameters()?;
            let mut methods = Vec::new();
            parser.braced(|parser| {
                methods.push(parser.scoped(|parser| parser.method(&name))?);
                Ok(())
            })?;
            Ok(Some(DeclarationKind::ExternObject { name, type_parameters, methods }))
        })
    }

    fn method(&mut self, object: &Name) -> Result<Method, Fault> {
        let annotations = self.annotations()?;
        let is_abstract = self.eat(TokenKind::Abstract);
        let constructor = self.kind().is_name() && self.kind_at(1) == TokenKind::LeftParen;
        let result = if constructor {
            TypeRef { kind: TypeRefKind::Void, span: self.span() }
        } else {
            self.type_ref()?
        };
        let name = self.name("the name of a method")?;
        if constructor && name.text != object.text {
            let text = format!("missing result type of the method `{}`", name.text);
            let hint = format!(
                "write `void` for a method without a result; only a constructor, named `{}`, has no result type",
                object.text
            );
            return Err(Fault::new(crate::diagnostic::Diagnostic::error(name.span, text).hint(hint)));
        }
        let signature = self.signature(result, name)?;
        self.semicolon()?;
        Ok(Method { signature, constructor, is_abstract, annotations })
    }

    fn composite(&mut self, what: Composite) -> Result<DeclarationKind, Fault> {
        self.bump();
        let name = self.name("the name of a type")?;
        self.scopes.declare_type(&name);
        self.scoped(|parser| {
            let type_parameters = parser.type_parameters()?;
            let mut fields = Vec::new();
            parser.braced(|parser| {
                let annotations = parser.annotations()?;
                let ty = parser.type_ref()?;
                let name = parser.name("the name of a field")?;
                if parser.is(TokenKind::LeftBracket) {
                    let fault = parser.expected("`;`");
                    return Err(fault.hint("write the size of a header stack after its type: `H[4] name;`"));
                }
                parser.semicolon()?;
                fields.push(Field { ty, name, annotations });
                Ok(())
            })?;
            Ok(DeclarationKind::Composite { what, name, type_parameters, fields })
        })
    }

    fn enumeration(&mut self) -> Result<DeclarationKind, Fault> {
        self.bump();
        let simple = self.kind().is_name() && self.kind_at(1) == TokenKind::LeftBrace;
        let underlying = if simple { None } else { Some(self.type_ref()?) };
        let name = self.name("the name of an enum")?;
        self.scopes.declare_type(&name);
        self.expect(TokenKind::LeftBrace, "`{`")?;
        let mut members = Vec::new();
        while !self.is(TokenKind::RightBrace) {
            self.annotations()?;
            let name = self.name("the name of a member")?;
            let value = if self.is(TokenKind::Assign) && underlying.is_none() {
                let fault = self.expected("`,` or `}`");
                return Err(fault.hint(
                    "an enum whose members have values needs an underlying type: `enum bit<8> E { A = 1 }`",
                ));
            } else if self.eat(TokenKind::Assign) {
                Some(self.expression()?)
            } else {
                None
            };
            members.push(EnumMember { name, value });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RightBrace, "`,` or `}`")?;
        Ok(DeclarationKind::Enum { name, underlying, members })
    }

    /// Parses `{ a, b }`.
    fn names(&mut self, what: &str) -> Result<Vec<Name>, Fault> {
        self.expect(TokenKind::LeftBrace, "`{`")?;
        let mut names = Vec::new();
        while !self.is(TokenKind::RightBrace) {
            names.push(self.name(what)?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RightBrace, "`,` or `}`")?;
        Ok(names)
    }

    /// Whether `type` starts `type T N;` here, rather than being a name.
    fn is_type_alias(&self) -> bool {
        let next = self.kind_at(1);
        next.is_base_type() || next.is_name() || next == TokenKind::Dot
    }

    /// Parses `typedef T N;` and `type T N;`. A composite declared inline is moved in front.
    fn alias(&mut self, out: &mut Vec<Declaration>) -> Result<DeclarationKind, Fault> {
        let distinct = self.bump().kind == TokenKind::Type;
        let start = self.span();
        let annotations: Vec<Annotation> = self.annotations()?;
        let inner = match self.kind() {
            TokenKind::Header => Some(self.composite(Composite::Header)?),
            TokenKind::HeaderUnion => Some(self.composite(Composite::Union)?),
            TokenKind::Struct => Some(self.composite(Composite::Struct)?),
            TokenKind::Enum => Some(self.enumeration()?),
            _ => None,
        };
        let ty = match inner {
            None => self.type_ref()?,
            Some(kind) => {
                let (DeclarationKind::Composite { name, .. } | DeclarationKind::Enum { name, .. }) = &kind
                else {
                    return Err(self.expected("a type"));
                };
                let ty = TypeRef {
                    kind: TypeRefKind::Named { name: name.clone(), global: false },
                    span: name.span,
                };
                out.push(Declaration { kind, annotations, span: self.since(start) });
                ty
            }
        };
        let name = self.name("the new type's name")?;
        self.scopes.declare_type(&name);
        self.semicolon()?;
        Ok(DeclarationKind::Alias { distinct, ty, name })
    }

    fn package(&mut self) -> Result<DeclarationKind, Fault> {
        self.bump();
        let name = self.name("the name of a package")?;
        self.scopes.declare_type(&name);
        let (type_parameters, parameters) =
            self.scoped(|parser| Ok((parser.type_parameters()?, parser.parameters()?)))?;
        self.semicolon()?;
        Ok(DeclarationKind::Package { name, type_parameters, parameters })
    }

    /// Parses `parser …` and `control …`: types (without a body) and declarations.
    fn block_declaration(&mut self, what: BlockKind) -> Result<DeclarationKind, Fault> {
        self.bump();
        let name = self.name(match what {
            BlockKind::Parser => "the name of a parser",
            BlockKind::Control => "the name of a control",
        })?;
        self.scopes.declare_type(&name);
        self.scoped(|parser| parser.block_rest(what, name))
    }

    fn block_rest(&mut self, what: BlockKind, name: Name) -> Result<DeclarationKind, Fault> {
        let type_parameters = self.type_parameters()?;
        let parameters = self.parameters()?;
        if self.eat(TokenKind::Semicolon) {
            return Ok(DeclarationKind::BlockType { what, name, type_parameters, parameters });
        }
        let constructor = if self.is(TokenKind::LeftParen) { self.parameters()? } else { Vec::new() };
        let open: Span = self.expect(TokenKind::LeftBrace, "`{` or `;`")?.span;
        match what {
            BlockKind::Parser => {
                let (locals, states) = self.parser_body(open)?;
                Ok(DeclarationKind::Parser(Box::new(ParserDeclaration {
                    name,
                    type_parameters,
                    parameters,
                    constructor,
                    locals,
                    states,
                })))
            }
            BlockKind::Control => {
                let (locals, body) = self.control_body(open)?;
                Ok(DeclarationKind::Control(Box::new(ControlDeclaration {
                    name,
                    type_parameters,
                    parameters,
                    constructor,
                    locals,
                    body,
                })))
            }
        }
    }
}
