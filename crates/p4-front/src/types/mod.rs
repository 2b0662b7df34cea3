//! Type checking and elaboration: syntax tree to [`ir`].
//!
//! One pass does both. All types are concrete during elaboration: generic functions, structs and blocks are templates
//! that are elaborated for each use. Elaboration starts at the package `main`. Unreached declarations are elaborated
//! too, only to find their errors.

mod apply;
mod binding;
mod builtins;
mod calls;
mod checksum;
mod constant;
mod constructor;
mod control;
mod convert;
mod emit;
mod entries;
mod expr;
mod field_lists;
mod infer;
mod keyset;
mod local;
mod loops;
mod lower;
mod lvalue;
mod members;
mod notes;
mod objects;
mod operators;
mod order;
mod package;
mod parser;
mod place;
mod print;
mod psa;
mod resolve;
mod scope;
mod select;
mod stmt;
mod switch;
mod table;
mod table_actions;
#[cfg(test)]
mod tests;
mod ty;
mod unique;
mod unreached;
mod v1model;
mod validity;
mod value;
mod warnings;
mod work;

use std::sync::Arc;

use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::Diagnostic;
use crate::ir;
use crate::ir::VarId;
use crate::source::Span;
use crate::syntax::ast;

use scope::Scopes;
use ty::{Ty, TypeTable};

/// Checks and elaborates a program from `main` on. Returns the elaborated program with warnings.
///
/// # Errors
/// All errors of the program, and the warnings.
pub fn elaborate(
    program: &ast::Program,
    target: ir::TargetModel,
) -> Result<(ir::Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut checker = Checker::new(program, target);
    crate::rules::check(program).into_iter().for_each(|found| checker.report(found));
    let result = checker.program();
    checker.check_unreached();
    let mut diagnostics = checker.diagnostics;
    if let Some(program) = result
        && diagnostics.iter().all(|diagnostic| !diagnostic.is_error())
    {
        unique::control_plane_names(&program, &mut diagnostics);
        psa::direct_objects(&program, &mut diagnostics);
        work::check_cost(&program, &mut diagnostics);
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err(diagnostics);
        }
        warnings::uninitialised(&program, &mut diagnostics);
        validity::invalid_reads(&program, &mut diagnostics);
        return Ok((program, diagnostics));
    }
    if diagnostics.iter().all(|diagnostic| !diagnostic.is_error()) {
        diagnostics.push(Diagnostic::without_span("elaboration failed"));
    }
    Err(diagnostics)
}

/// Maximum nesting depth, because the passes recurse over the tree.
const MAX_DEPTH: u32 = 600;

/// Maximum number of statements and variables of an elaborated program.
const MAX_PIECES: usize = 1 << 19;

/// State of the elaboration.
struct Checker<'a> {
    /// Whose behaviour the program gets where there is a choice.
    target: ir::TargetModel,
    /// Top-level declarations.
    declarations: &'a [ast::Declaration],
    /// Indices of the top-level declarations by name.
    globals: FxHashMap<Arc<str>, Vec<usize>>,
    /// Positions of the top-level declarations.
    order: order::Order,
    /// Diagnostics so far.
    diagnostics: Vec<Diagnostic>,
    /// Reported diagnostics, to report each only once.
    reported: FxHashSet<(Option<Span>, String)>,
    /// Names of all errors, `NoError` first.
    errors: Vec<Arc<str>>,
    /// Names of all match kinds.
    match_kinds: Vec<Arc<str>>,
    /// Composite types and other declared types.
    types: TypeTable,
    /// Names in scope.
    scopes: Scopes,
    /// Elaborated parts of the program.
    output: Output<'a>,
    /// The block that receives emitted statements.
    out: ir::Block,
    /// Context of the elaboration.
    context: Context,
    /// Blocks, functions and constants under elaboration, to detect recursion.
    in_progress: FxHashSet<InProgress>,
    /// Number of applications of each instance in the text of the current block.
    applications: FxHashMap<Arc<str>, u32>,
    /// Elaborated top-level declarations.
    reached: FxHashSet<usize>,
    /// Nesting depth.
    depth: u32,
    /// Number of emitted statements and variables.
    pieces: usize,
    /// Whether the excess of `MAX_PIECES` has been reported.
    too_large: bool,
}

/// A construct that must not contain itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum InProgress {
    Global(usize),
    Function(usize, Vec<Ty>),
    Block(usize),
    Type(usize, Vec<Ty>),
}

/// What a function is elaborated for: declaration, type arguments, arguments of type `int`.
type FunctionKey = (usize, Vec<Ty>, Vec<BigInt>);

/// Context of an elaboration.
#[derive(Debug, Clone)]
struct Context {
    /// Kind of the current body.
    body: Body,
    /// Full name of the current instance, a prefix of the names declared in it; empty at the top level.
    path: Arc<str>,
    /// Type and variable of the current function's result.
    result: Option<(Ty, VarId)>,
    /// Number of enclosing loops.
    loops: u32,
}

/// Kind of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    Top,
    Function,
    Action,
    Control,
    Parser,
    Table,
}

impl Context {
    fn top() -> Context {
        Context { body: Body::Top, path: Arc::from(""), result: None, loops: 0 }
    }
}

/// Output of the elaboration, replaced temporarily while unreached declarations are checked.
#[derive(Default)]
struct Output<'a> {
    types: ir::Types,
    lowered: FxHashMap<Ty, ir::TypeId>,
    variables: Vec<ir::Variable>,
    /// Whether each variable is a temporary, which is written only once.
    write_once: Vec<bool>,
    functions: Vec<ir::Function>,
    parsers: Vec<ir::Parser>,
    tables: Vec<ir::Table>,
    externs: Vec<ir::ExternInstance>,
    profiles: Vec<ir::ActionProfile>,
    value_sets: Vec<ir::ValueSet>,
    field_lists: Vec<ir::FieldList>,
    /// Elaborated functions.
    function_cache: FxHashMap<FunctionKey, Option<std::rc::Rc<calls::FunctionInfo>>>,
    actions: Vec<std::rc::Rc<calls::ActionInfo<'a>>>,
    table_infos: Vec<std::rc::Rc<table::TableInfo>>,
    instances: Vec<constructor::Instance<'a>>,
    packages: Vec<psa::PackageInstance>,
    /// Number of digests of PSA.
    digests: u32,
    /// Positions of the extern objects by full name.
    objects: FxHashMap<Arc<str>, Span>,
    /// Entities of the top-level names that have been looked up.
    global_entities: FxHashMap<Arc<str>, scope::Entity>,
    /// The pipeline's shared variables: headers, metadata and standard metadata.
    shared: Option<[(VarId, Ty); 3]>,
    reads_dequeue_rate: bool,
    reads_packet_length: bool,
    reads_qid: bool,
    control_plane: ir::ControlPlane,
}

impl<'a> Checker<'a> {
    fn new(program: &'a ast::Program, target: ir::TargetModel) -> Checker<'a> {
        let mut checker = Checker {
            target,
            declarations: &program.declarations,
            globals: FxHashMap::default(),
            order: order::Order::of(&program.declarations),
            diagnostics: Vec::new(),
            reported: FxHashSet::default(),
            errors: vec![Arc::from("NoError")],
            match_kinds: Vec::new(),
            types: TypeTable::default(),
            scopes: Scopes::default(),
            output: Output::default(),
            out: Vec::new(),
            context: Context::top(),
            in_progress: FxHashSet::default(),
            applications: FxHashMap::default(),
            reached: FxHashSet::default(),
            depth: 0,
            pieces: 0,
            too_large: false,
        };
        checker.collect();
        checker
    }

    /// Reports a diagnostic, once per position and message.
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.reported.insert((diagnostic.span, diagnostic.message.clone())) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports an error and returns `None`.
    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.report(diagnostic);
        None
    }

    /// Reports an error without a hint and returns `None`.
    fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Option<T> {
        self.fail(Diagnostic::error(span, message))
    }

    /// Reports a warning.
    fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::warning(span, message));
    }

    /// Runs `inner` one nesting level deeper, or reports that the nesting is too deep.
    fn deeper<T>(&mut self, span: Span, inner: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.too_large {
            return None;
        }
        if self.depth >= MAX_DEPTH {
            return self.error(span, format!("nested deeper than {MAX_DEPTH} levels"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Runs `inner` for a declaration elaborated at its use: only top-level names are in scope, and context and block
    /// are new. Returns the block too.
    fn in_new_scope<T>(&mut self, context: Context, inner: impl FnOnce(&mut Self) -> T) -> (T, ir::Block) {
        let scopes = std::mem::take(&mut self.scopes);
        let result = self.in_context(context, inner);
        self.scopes = scopes;
        result
    }

    /// Runs `inner` in another context with a new block, keeping the names in scope.
    fn in_context<T>(&mut self, context: Context, inner: impl FnOnce(&mut Self) -> T) -> (T, ir::Block) {
        let context = std::mem::replace(&mut self.context, context);
        let out = std::mem::take(&mut self.out);
        let result = inner(self);
        let block = std::mem::replace(&mut self.out, out);
        self.context = context;
        (result, block)
    }

    /// Full name below the current instance, for the control plane. `@name` replaces the last part, or the whole name
    /// if it starts with a dot.
    fn full_name(&self, name: &ast::Name, annotations: &[ast::Annotation]) -> Arc<str> {
        let own = written_name(annotations).unwrap_or_else(|| name.text.clone());
        self.below(&own)
    }

    /// Prefixes a name with the current instance's full name.
    fn below(&self, own: &str) -> Arc<str> {
        match own.strip_prefix('.') {
            Some(absolute) => Arc::from(absolute),
            None if self.context.path.is_empty() => Arc::from(own),
            None => Arc::from(format!("{}.{own}", self.context.path)),
        }
    }
}

/// Name given by `@name("…")`.
fn written_name(annotations: &[ast::Annotation]) -> Option<Arc<str>> {
    annotation(annotations, "name").and_then(|annotation| match &annotation.body {
        ast::AnnotationBody::Expressions(items) => match items.first().map(|item| &item.kind) {
            Some(ast::ExprKind::String(text)) if !text.is_empty() => Some(text.clone()),
            _ => None,
        },
        _ => None,
    })
}

/// Finds an annotation by name.
fn annotation<'b>(annotations: &'b [ast::Annotation], name: &str) -> Option<&'b ast::Annotation> {
    annotations.iter().find(|annotation| &*annotation.name.text == name)
}
