//! Syntax tree, close to the grammar of the P4_16 specification (appendix "P4 grammar").
//!
//! Names are unresolved. Every node that a diagnostic may refer to has a span.

use std::sync::Arc;

use num_bigint::BigInt;

use crate::source::Span;

/// A name in the source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Name {
    /// Identifier.
    pub text: Arc<str>,
    /// Position.
    pub span: Span,
}

/// A whole program, after preprocessing.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// Declarations, in order.
    pub declarations: Vec<Declaration>,
}

/// `@name("x")`, `@field_list(1, 2)`, `@anything[a = 1]`.
#[derive(Debug, Clone)]
pub struct Annotation {
    /// Name, without the `@`.
    pub name: Name,
    /// Content of the parentheses or brackets.
    pub body: AnnotationBody,
    /// The whole annotation.
    pub span: Span,
}

/// Content of an annotation.
#[derive(Debug, Clone)]
pub enum AnnotationBody {
    /// No content.
    Empty,
    /// In parentheses, if the content parses as expressions (it does for all annotations that have a meaning here).
    Expressions(Vec<Expr>),
    /// In brackets: `key = value` pairs.
    Pairs(Vec<(Name, Expr)>),
    /// Any other content; the tokens are ignored.
    Unread,
}

/// A declaration, at the top level, in a parser or in a control.
#[derive(Debug, Clone)]
pub struct Declaration {
    /// Declared entity.
    pub kind: DeclarationKind,
    /// Annotations in front of the declaration.
    pub annotations: Vec<Annotation>,
    /// The whole declaration.
    pub span: Span,
}

/// Declared entity.
#[derive(Debug, Clone)]
#[allow(missing_docs)] // the fields are the grammar's
pub enum DeclarationKind {
    /// `const T x = e;`
    Constant { ty: TypeRef, name: Name, value: Expr },
    /// `T x = e;`, inside a parser or control.
    Variable { ty: TypeRef, name: Name, value: Option<Expr> },
    /// `T(args) name;` and `T(args) name = { … };`, whose block implements abstract methods.
    Instance { ty: TypeRef, arguments: Vec<Argument>, name: Name, body: Option<Vec<Declaration>> },
    /// `action a(…) { … }`
    Action { name: Name, parameters: Vec<Parameter>, body: Block },
    /// `T f<X>(…) { … }`
    Function { signature: Signature, body: Block },
    /// `extern T f<X>(…);`
    ExternFunction { signature: Signature },
    /// `extern E<X> { … }`
    ExternObject { name: Name, type_parameters: Vec<Name>, methods: Vec<Method> },
    /// `header H<X> { … }`, `struct S<X> { … }`, `header_union U<X> { … }`
    Composite { what: Composite, name: Name, type_parameters: Vec<Name>, fields: Vec<Field> },
    /// `enum E { A, B }`, `enum bit<8> E { A = 1, B = 2 }`
    Enum { name: Name, underlying: Option<TypeRef>, members: Vec<EnumMember> },
    /// `error { A, B }`
    Error { members: Vec<Name> },
    /// `match_kind { a, b }`
    MatchKind { members: Vec<Name> },
    /// `typedef T N;` (`distinct` is false) and `type T N;` (true). A composite type declared inline has been moved in
    /// front.
    Alias { distinct: bool, ty: TypeRef, name: Name },
    /// `parser P<X>(…);` and `control C<X>(…);`
    BlockType { what: BlockKind, name: Name, type_parameters: Vec<Name>, parameters: Vec<Parameter> },
    /// `parser P<X>(…)(…) { … }`
    Parser(Box<ParserDeclaration>),
    /// `control C<X>(…)(…) { … }`
    Control(Box<ControlDeclaration>),
    /// `package P<X>(…);`
    Package { name: Name, type_parameters: Vec<Name>, parameters: Vec<Parameter> },
    /// `table t { … }`
    Table { name: Name, properties: Vec<Property> },
    /// `value_set<T>(n) v;`
    ValueSet { ty: TypeRef, size: Expr, name: Name },
}

/// Kind of a type with named fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Composite {
    /// `header`
    Header,
    /// `header_union`
    Union,
    /// `struct`
    Struct,
}

/// Kind of a block that can be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// `parser`
    Parser,
    /// `control`
    Control,
}

/// A field of a header, union or struct.
#[derive(Debug, Clone)]
pub struct Field {
    /// Type.
    pub ty: TypeRef,
    /// Name.
    pub name: Name,
    /// `@field_list(…)` and others.
    pub annotations: Vec<Annotation>,
}

/// A member of an enum.
#[derive(Debug, Clone)]
pub struct EnumMember {
    /// Name.
    pub name: Name,
    /// Value, in a serializable enum.
    pub value: Option<Expr>,
}

/// Signature of a function.
#[derive(Debug, Clone)]
pub struct Signature {
    /// Result type.
    pub result: TypeRef,
    /// Name.
    pub name: Name,
    /// Type parameters.
    pub type_parameters: Vec<Name>,
    /// Parameters.
    pub parameters: Vec<Parameter>,
}

/// A method of an extern object. A constructor has the object's name and the result type `void`.
#[derive(Debug, Clone)]
pub struct Method {
    /// Signature.
    pub signature: Signature,
    /// Whether it is a constructor.
    pub constructor: bool,
    /// Whether it is `abstract`.
    pub is_abstract: bool,
    /// Annotations.
    pub annotations: Vec<Annotation>,
}

/// A parameter's direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// No direction: action data, or a parameter of a constructor or extern.
    None,
    /// `in`
    In,
    /// `out`
    Out,
    /// `inout`
    InOut,
}

/// A parameter of a function, action, block, constructor or package.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Direction.
    pub direction: Direction,
    /// Type.
    pub ty: TypeRef,
    /// Name.
    pub name: Name,
    /// Default value.
    pub default: Option<Expr>,
    /// `@optional` and others.
    pub annotations: Vec<Annotation>,
}

/// `parser P(…)(…) { … }`
#[derive(Debug, Clone)]
pub struct ParserDeclaration {
    /// Name.
    pub name: Name,
    /// Type parameters.
    pub type_parameters: Vec<Name>,
    /// Apply parameters.
    pub parameters: Vec<Parameter>,
    /// Constructor parameters.
    pub constructor: Vec<Parameter>,
    /// Local constants, variables, instances and value sets.
    pub locals: Vec<Declaration>,
    /// States.
    pub states: Vec<State>,
}

/// A state of a parser.
#[derive(Debug, Clone)]
pub struct State {
    /// Name.
    pub name: Name,
    /// Body.
    pub body: Vec<Stmt>,
    /// Transition; a state without one goes to `reject`.
    pub transition: Option<Transition>,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The whole state.
    pub span: Span,
}

/// Transition of a state.
#[derive(Debug, Clone)]
pub enum Transition {
    /// `transition s;`
    To(Name),
    /// `transition select(…) { … }`
    Select {
        /// Selected expressions.
        on: Vec<Expr>,
        /// Cases, in order: the first match wins.
        cases: Vec<SelectCase>,
        /// The whole transition.
        span: Span,
    },
}

/// `keyset: state;`
#[derive(Debug, Clone)]
pub struct SelectCase {
    /// One key set per expression of `select`, or a single one; a tuple in parentheses gives several.
    pub keys: Vec<Expr>,
    /// Target state.
    pub to: Name,
    /// The whole case.
    pub span: Span,
}

/// `control C(…)(…) { … apply { … } }`
#[derive(Debug, Clone)]
pub struct ControlDeclaration {
    /// Name.
    pub name: Name,
    /// Type parameters.
    pub type_parameters: Vec<Name>,
    /// Apply parameters.
    pub parameters: Vec<Parameter>,
    /// Constructor parameters.
    pub constructor: Vec<Parameter>,
    /// Constants, variables, instances, actions and tables.
    pub locals: Vec<Declaration>,
    /// The `apply` block.
    pub body: Block,
}

/// A property of a table.
#[derive(Debug, Clone)]
pub struct Property {
    /// Kind and value.
    pub kind: PropertyKind,
    /// Whether the property is `const`.
    pub is_const: bool,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The whole property.
    pub span: Span,
}

/// Kind and value of a table property.
#[derive(Debug, Clone)]
pub enum PropertyKind {
    /// `key = { e : kind @name("x"); … }`
    Key(Vec<KeyElement>),
    /// `actions = { a; b(x); … }`
    Actions(Vec<ActionRef>),
    /// `entries = { … }`
    Entries(Vec<Entry>),
    /// `default_action = a(1);`, `size = 1024;`, `implementation = …;`, `counters = …;`, …
    Other {
        /// Name of the property.
        name: Name,
        /// Value.
        value: Expr,
    },
}

/// An element of a table's key.
#[derive(Debug, Clone)]
pub struct KeyElement {
    /// Expression to look up.
    pub expr: Expr,
    /// Match kind: `exact`, `lpm`, …
    pub kind: Name,
    /// `@name("x")` and others.
    pub annotations: Vec<Annotation>,
}

/// An action in a table's list.
#[derive(Debug, Clone)]
pub struct ActionRef {
    /// Name: [`ExprKind::Name`].
    pub name: Expr,
    /// Arguments for the directed parameters.
    pub arguments: Vec<Argument>,
    /// `@defaultonly`, `@tableonly`.
    pub annotations: Vec<Annotation>,
    /// The whole reference.
    pub span: Span,
}

/// A table entry declared in the program.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Whether the entry is `const`.
    pub is_const: bool,
    /// `priority = 10 :`
    pub priority: Option<Expr>,
    /// One key set per key.
    pub keys: Vec<Expr>,
    /// Action: a name or a call.
    pub action: Expr,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The whole entry.
    pub span: Span,
}

/// A type in the source.
#[derive(Debug, Clone)]
pub struct TypeRef {
    /// Kind.
    pub kind: TypeRefKind,
    /// Position.
    pub span: Span,
}

/// Kind of a type in the source.
#[derive(Debug, Clone)]
pub enum TypeRefKind {
    /// `bool`
    Bool,
    /// `error`
    Error,
    /// `string`
    String,
    /// `match_kind`
    MatchKind,
    /// `void`
    Void,
    /// `int` without a width: arbitrary precision, compile time only
    InfInt,
    /// `bit`, `bit<8>`, `bit<(W + 1)>`
    Bit(Option<Box<Expr>>),
    /// `int<8>`
    Int(Box<Expr>),
    /// `varbit<320>`
    Varbit(Box<Expr>),
    /// `tuple<A, B>`
    Tuple(Vec<TypeRef>),
    /// `list<T>`
    List(Box<TypeRef>),
    /// `_` as a type argument
    DontCare,
    /// `T`, `.T`
    Named {
        /// Name.
        name: Name,
        /// Whether a leading dot makes this a top-level name.
        global: bool,
    },
    /// `T<A, B>`
    Specialized {
        /// Name of the generic type.
        name: Name,
        /// Whether a leading dot makes this a top-level name.
        global: bool,
        /// Type arguments.
        arguments: Vec<TypeRef>,
    },
    /// `T[4]`
    Stack(Box<TypeRef>, Box<Expr>),
}

/// An argument of a call.
#[derive(Debug, Clone)]
pub struct Argument {
    /// Parameter name, in `name = …`.
    pub name: Option<Name>,
    /// Value ([`ExprKind::DontCare`] for `_`).
    pub value: Expr,
}

/// A block in braces.
#[derive(Debug, Clone)]
pub struct Block {
    /// Statements.
    pub statements: Vec<Stmt>,
    /// Position, including the braces.
    pub span: Span,
}

/// A statement.
#[derive(Debug, Clone)]
pub struct Stmt {
    /// Kind.
    pub kind: StmtKind,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// The whole statement.
    pub span: Span,
}

/// Kind of a statement.
#[derive(Debug, Clone)]
#[allow(missing_docs)] // the fields are the grammar's
pub enum StmtKind {
    Empty,
    /// `a = b;`
    Assign {
        to: Expr,
        value: Expr,
    },
    /// `a += b;`, `a |+|= b;`
    OperatorAssign {
        to: Expr,
        operator: BinaryOp,
        value: Expr,
    },
    /// `f(x);`, `t.apply();`
    Call(Expr),
    /// `C.apply(…)` on a type: creates an instance and applies it.
    DirectApply {
        ty: TypeRef,
        arguments: Vec<Argument>,
    },
    /// A constant, variable or instance.
    Declaration(Box<Declaration>),
    If {
        condition: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    Block(Block),
    Switch {
        on: Expr,
        cases: Vec<SwitchCase>,
    },
    Return(Option<Expr>),
    Exit,
    Break,
    Continue,
    /// `for (init; condition; update) body`
    For {
        init: Vec<Stmt>,
        condition: Expr,
        update: Vec<Stmt>,
        body: Box<Stmt>,
    },
    /// `for (T x in e) body` (`ty` is `None` if an existing variable is named)
    ForIn {
        ty: Option<TypeRef>,
        variable: Name,
        over: Expr,
        body: Box<Stmt>,
    },
}

/// `label:` or `label: { … }`
#[derive(Debug, Clone)]
pub struct SwitchCase {
    /// Label; [`ExprKind::Default`] for `default`.
    pub label: Expr,
    /// Body; `None` to share the body of the next case.
    pub body: Option<Block>,
    /// The whole case.
    pub span: Span,
}

/// An expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// Kind.
    pub kind: ExprKind,
    /// Position.
    pub span: Span,
}

/// Kind of an expression.
#[derive(Debug, Clone)]
#[allow(missing_docs)] // the fields are the grammar's
pub enum ExprKind {
    /// `5`, `8w5`, `8s5`, `0x_ff`, with width and signedness if written.
    Integer {
        value: BigInt,
        width: Option<u32>,
        signed: bool,
    },
    Bool(bool),
    String(Arc<str>),
    /// `x`, `.x`
    Name {
        name: Name,
        global: bool,
    },
    /// A type in the position of an expression: `bit<8>`, or `T<A>` in the constructor call `T<A>(…)`. The `E` of `E.A`
    /// is a [`ExprKind::Name`] instead.
    Type(Box<TypeRef>),
    /// `of.name`. In `error.NoMatch`, `error` is a [`ExprKind::Type`].
    Member {
        of: Box<Expr>,
        name: Name,
    },
    This,
    Index {
        of: Box<Expr>,
        index: Box<Expr>,
    },
    /// `e[high:low]`
    Slice {
        of: Box<Expr>,
        high: Box<Expr>,
        low: Box<Expr>,
    },
    /// `e[low +: width]`
    PlusSlice {
        of: Box<Expr>,
        low: Box<Expr>,
        width: Box<Expr>,
    },
    Unary {
        operator: UnaryOp,
        of: Box<Expr>,
    },
    Binary {
        operator: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Conditional {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    Cast {
        to: Box<TypeRef>,
        of: Box<Expr>,
    },
    /// A call of a function, method, action, table or constructor.
    Call {
        callee: Box<Expr>,
        type_arguments: Vec<TypeRef>,
        arguments: Vec<Argument>,
    },
    /// `{ a, b, ... }`; `rest` is the span of a `...` at the end
    List {
        items: Vec<Expr>,
        rest: Option<Span>,
    },
    /// `{ a = 1, b = 2, ... }`
    Struct {
        fields: Vec<(Name, Expr)>,
        rest: Option<Span>,
    },
    /// `{#}`
    Invalid,
    /// `a &&& b`, in key sets
    Mask {
        value: Box<Expr>,
        mask: Box<Expr>,
    },
    /// `a .. b`, in key sets and `for`
    Range {
        low: Box<Expr>,
        high: Box<Expr>,
    },
    /// `_`
    DontCare,
    /// `default`
    Default,
    /// `...` as a whole initializer
    Dots,
}

/// A prefix operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `~`
    Complement,
    /// `-`
    Minus,
    /// `+`
    Plus,
}

/// An infix operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are the operators'
pub enum BinaryOp {
    Add,
    Subtract,
    /// `|+|`
    AddSaturating,
    /// `|-|`
    SubtractSaturating,
    Multiply,
    Divide,
    Modulo,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitOr,
    BitXor,
    /// `++`
    Concat,
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl BinaryOp {
    /// The operator's symbol.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::AddSaturating => "|+|",
            BinaryOp::SubtractSaturating => "|-|",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Modulo => "%",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Concat => "++",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessOrEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterOrEqual => ">=",
        }
    }
}
