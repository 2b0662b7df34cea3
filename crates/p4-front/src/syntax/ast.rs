//! The syntax tree, close to the grammar of the P4_16 specification (appendix "P4 grammar").
//!
//! Names are not resolved here. Every node that a diagnostic may point at has a span.

use std::sync::Arc;

use num_bigint::BigInt;

use crate::source::Span;

/// A written name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Name {
    /// The identifier.
    pub text: Arc<str>,
    /// Where it stands.
    pub span: Span,
}

/// A whole program: what is left after preprocessing.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The declarations, in order.
    pub declarations: Vec<Declaration>,
}

/// `@name("x")`, `@field_list(1, 2)`, `@anything[a = 1]`.
#[derive(Debug, Clone)]
pub struct Annotation {
    /// Without the `@`.
    pub name: Name,
    /// What is in the parentheses or brackets.
    pub body: AnnotationBody,
    /// The whole annotation.
    pub span: Span,
}

/// What an annotation holds.
#[derive(Debug, Clone)]
pub enum AnnotationBody {
    /// Nothing.
    Empty,
    /// In parentheses, where it can be read as expressions (the annotations that mean something to us are).
    Expressions(Vec<Expr>),
    /// In brackets: `key = value` pairs.
    Pairs(Vec<(Name, Expr)>),
    /// Anything else, as tokens that nobody reads.
    Unread,
}

/// A declaration, at the top, in a parser or in a control.
#[derive(Debug, Clone)]
pub struct Declaration {
    /// What is declared.
    pub kind: DeclarationKind,
    /// The annotations in front of it.
    pub annotations: Vec<Annotation>,
    /// The whole declaration.
    pub span: Span,
}

/// What is declared.
#[derive(Debug, Clone)]
#[allow(missing_docs)] // the fields are the grammar's
pub enum DeclarationKind {
    /// `const T x = e;`
    Constant { ty: TypeRef, name: Name, value: Expr },
    /// `T x = e;`, inside a parser or control.
    Variable { ty: TypeRef, name: Name, value: Option<Expr> },
    /// `T(args) name;` and `T(args) name = { … };`, with abstract methods' bodies in the block.
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
    /// `typedef T N;` (`distinct` false) and `type T N;` (true). A composite declared in place has been put in front.
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

/// What has named fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Composite {
    /// `header`
    Header,
    /// `header_union`
    Union,
    /// `struct`
    Struct,
}

/// What is applied.
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
    /// Its type.
    pub ty: TypeRef,
    /// Its name.
    pub name: Name,
    /// `@field_list(…)` and others.
    pub annotations: Vec<Annotation>,
}

/// A member of an enum.
#[derive(Debug, Clone)]
pub struct EnumMember {
    /// Its name.
    pub name: Name,
    /// Its value, in a serializable enum.
    pub value: Option<Expr>,
}

/// A function's head.
#[derive(Debug, Clone)]
pub struct Signature {
    /// What it returns.
    pub result: TypeRef,
    /// Its name.
    pub name: Name,
    /// Its type parameters.
    pub type_parameters: Vec<Name>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
}

/// A method of an extern object. A constructor has the object's name and the result `void`.
#[derive(Debug, Clone)]
pub struct Method {
    /// Its head.
    pub signature: Signature,
    /// Whether it is a constructor.
    pub constructor: bool,
    /// Whether it is `abstract`.
    pub is_abstract: bool,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
}

/// A parameter's direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// None written: action data, a constructor's or an extern's parameter.
    None,
    /// `in`
    In,
    /// `out`
    Out,
    /// `inout`
    InOut,
}

/// A parameter of anything.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its direction.
    pub direction: Direction,
    /// Its type.
    pub ty: TypeRef,
    /// Its name.
    pub name: Name,
    /// Its default value.
    pub default: Option<Expr>,
    /// `@optional` and others.
    pub annotations: Vec<Annotation>,
}

/// `parser P(…)(…) { … }`
#[derive(Debug, Clone)]
pub struct ParserDeclaration {
    /// Its name.
    pub name: Name,
    /// Its type parameters.
    pub type_parameters: Vec<Name>,
    /// What it is applied to.
    pub parameters: Vec<Parameter>,
    /// What it is constructed with.
    pub constructor: Vec<Parameter>,
    /// Local constants, variables, instances and value sets.
    pub locals: Vec<Declaration>,
    /// Its states.
    pub states: Vec<State>,
}

/// A state of a parser.
#[derive(Debug, Clone)]
pub struct State {
    /// Its name.
    pub name: Name,
    /// What it does.
    pub body: Vec<Stmt>,
    /// Where it goes; without one, to `reject`.
    pub transition: Option<Transition>,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// The whole state.
    pub span: Span,
}

/// Where a state goes.
#[derive(Debug, Clone)]
pub enum Transition {
    /// `transition s;`
    To(Name),
    /// `transition select(…) { … }`
    Select {
        /// What is looked at.
        on: Vec<Expr>,
        /// Where it leads, in order: the first match counts.
        cases: Vec<SelectCase>,
        /// The whole transition.
        span: Span,
    },
}

/// `keyset: state;`
#[derive(Debug, Clone)]
pub struct SelectCase {
    /// One key set an expression of `select`, or a single one: a tuple in parentheses is several.
    pub keys: Vec<Expr>,
    /// The state.
    pub to: Name,
    /// The whole case.
    pub span: Span,
}

/// `control C(…)(…) { … apply { … } }`
#[derive(Debug, Clone)]
pub struct ControlDeclaration {
    /// Its name.
    pub name: Name,
    /// Its type parameters.
    pub type_parameters: Vec<Name>,
    /// What it is applied to.
    pub parameters: Vec<Parameter>,
    /// What it is constructed with.
    pub constructor: Vec<Parameter>,
    /// Constants, variables, instances, actions and tables.
    pub locals: Vec<Declaration>,
    /// The `apply` block.
    pub body: Block,
}

/// A property of a table.
#[derive(Debug, Clone)]
pub struct Property {
    /// What it says.
    pub kind: PropertyKind,
    /// Whether `const` stands in front of it.
    pub is_const: bool,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// The whole property.
    pub span: Span,
}

/// What a table's property says.
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
        /// The property's name.
        name: Name,
        /// Its value.
        value: Expr,
    },
}

/// An element of a table's key.
#[derive(Debug, Clone)]
pub struct KeyElement {
    /// What is looked up.
    pub expr: Expr,
    /// `exact`, `lpm`, …
    pub kind: Name,
    /// `@name("x")` and others.
    pub annotations: Vec<Annotation>,
}

/// An action in a table's list.
#[derive(Debug, Clone)]
pub struct ActionRef {
    /// Its name: [`ExprKind::Name`].
    pub name: Expr,
    /// Arguments for its directed parameters.
    pub arguments: Vec<Argument>,
    /// `@defaultonly`, `@tableonly`.
    pub annotations: Vec<Annotation>,
    /// The whole reference.
    pub span: Span,
}

/// A table entry written in the program.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Whether `const` stands in front of it.
    pub is_const: bool,
    /// `priority = 10 :`
    pub priority: Option<Expr>,
    /// One key set a key.
    pub keys: Vec<Expr>,
    /// The action: a name or a call.
    pub action: Expr,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// The whole entry.
    pub span: Span,
}

/// A type as written.
#[derive(Debug, Clone)]
pub struct TypeRef {
    /// The type.
    pub kind: TypeRefKind,
    /// Where it stands.
    pub span: Span,
}

/// A type as written.
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
    /// `int` without a width: any size, compile time only
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
        /// Its name.
        name: Name,
        /// Whether a dot stands in front of it: looked up at the top level.
        global: bool,
    },
    /// `T<A, B>`
    Specialized {
        /// The generic type's name.
        name: Name,
        /// Whether a dot stands in front of it.
        global: bool,
        /// What it is given.
        arguments: Vec<TypeRef>,
    },
    /// `T[4]`
    Stack(Box<TypeRef>, Box<Expr>),
}

/// An argument of a call.
#[derive(Debug, Clone)]
pub struct Argument {
    /// `name = …`
    pub name: Option<Name>,
    /// Its value ([`ExprKind::DontCare`] for `_`).
    pub value: Expr,
}

/// A block in braces.
#[derive(Debug, Clone)]
pub struct Block {
    /// Its statements.
    pub statements: Vec<Stmt>,
    /// With the braces.
    pub span: Span,
}

/// A statement.
#[derive(Debug, Clone)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// The whole statement.
    pub span: Span,
}

/// What a statement does.
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
    /// `C.apply(…)` of a type: an instance made and applied on the spot.
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
    /// `for (T x in e) body` (`ty` is `None` where an existing variable is named)
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
    /// [`ExprKind::Default`] for `default`.
    pub label: Expr,
    /// Without one, the next label's block.
    pub body: Option<Block>,
    /// The whole case.
    pub span: Span,
}

/// An expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What it says.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression says.
#[derive(Debug, Clone)]
#[allow(missing_docs)] // the fields are the grammar's
pub enum ExprKind {
    /// `5`, `8w5`, `8s5`, `0x_ff`: `width` and signedness where written.
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
    /// A type where an expression stands: `E.A` has a name as its base, but `bit<8>` can only be this; also
    /// `T<A>` in `T<A>(…)`, which constructs.
    Type(Box<TypeRef>),
    /// `error` in `error.NoMatch` stands as `Type`.
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
    /// A function, method, action, table, constructor.
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
    /// As it is written.
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
