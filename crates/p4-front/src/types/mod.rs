//! Checking and elaboration: from the syntax tree to the [`ir`].
//!
//! One pass does both. Every type is concrete when something is elaborated: generic functions, structs and blocks are
//! templates that are elaborated for each use. Elaboration starts at the package `main`; declarations that it does not
//! reach are elaborated too, for their errors, and the result is thrown away.

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
mod objects;
mod operators;
mod package;
mod parser;
mod place;
mod print;
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
mod unreached;
mod v1model;
mod value;
mod warnings;
mod work;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::Diagnostic;
use crate::ir;
use crate::ir::VarId;
use crate::source::Span;
use crate::syntax::ast;

use scope::Scopes;
use ty::{Ty, TypeTable};

/// Checks a program and elaborates it from `main`. Beside the result there are warnings; an `Err` holds errors, and the
/// warnings too.
///
/// # Errors
/// Everything that is wrong with the program.
pub fn elaborate(program: &ast::Program) -> Result<(ir::Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut checker = Checker::new(program);
    let result = checker.program();
    checker.check_unreached();
    let mut diagnostics = checker.diagnostics;
    if let Some(program) = result
        && diagnostics.iter().all(|diagnostic| !diagnostic.is_error())
    {
        work::too_much(&program, &mut diagnostics);
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err(diagnostics);
        }
        warnings::uninitialised(&program, &mut diagnostics);
        return Ok((program, diagnostics));
    }
    if diagnostics.iter().all(|diagnostic| !diagnostic.is_error()) {
        diagnostics.push(Diagnostic::without_place("the program cannot be elaborated"));
    }
    Err(diagnostics)
}

/// Nesting beyond this is an error: everything here recurses over the tree.
const DEEPEST: u32 = 600;

/// The most statements and variables that elaboration may make.
const MOST_PIECES: usize = 1 << 19;

/// The state of elaboration.
struct Checker<'a> {
    /// The declarations at the top level.
    declarations: &'a [ast::Declaration],
    /// Their numbers by name.
    globals: FxHashMap<Arc<str>, Vec<usize>>,
    /// What is wrong so far.
    diagnostics: Vec<Diagnostic>,
    /// What was said already.
    said: FxHashSet<(Option<Span>, String)>,
    /// All errors, `NoError` first.
    errors: Vec<Arc<str>>,
    /// All kinds of matches.
    match_kinds: Vec<Arc<str>>,
    /// Composite types and others with a declaration.
    types: TypeTable,
    /// What names mean here.
    scopes: Scopes,
    /// What has been made.
    made: Made<'a>,
    /// The block that statements go to.
    out: ir::Block,
    /// In what the elaboration is.
    context: Context,
    /// Blocks, functions and constants that are being elaborated: meeting one again is a recursion.
    busy: FxHashSet<Busy>,
    /// How often each instance of the block that is being elaborated is applied in its text.
    applications: FxHashMap<Arc<str>, u32>,
    /// Top-level declarations that have been elaborated.
    reached: FxHashSet<usize>,
    /// Nesting.
    depth: u32,
    /// Statements emitted.
    pieces: usize,
    /// Whether the bound on `pieces` has been reported.
    full: bool,
}

/// What may not contain itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Busy {
    Global(usize),
    Function(usize, Vec<Ty>),
    Block(usize),
    Type(usize, Vec<Ty>),
}

/// What is being elaborated.
#[derive(Debug, Clone)]
struct Context {
    /// The kind of body.
    body: Body,
    /// The instance's full name, in front of the names of what is declared in it; empty at the top level.
    path: Arc<str>,
    /// A function's result: type and variable.
    result: Option<(Ty, VarId)>,
    /// Loops around.
    loops: u32,
}

/// What kind of body is being elaborated.
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

/// What elaboration makes, as a whole: the check of unreached declarations puts another one in its place.
#[derive(Default)]
struct Made<'a> {
    types: ir::Types,
    lowered: FxHashMap<Ty, ir::TypeId>,
    variables: Vec<ir::Variable>,
    /// Temporaries, which nothing writes again before they are read.
    settled: Vec<bool>,
    functions: Vec<ir::Function>,
    parsers: Vec<ir::Parser>,
    tables: Vec<ir::Table>,
    externs: Vec<ir::ExternInstance>,
    profiles: Vec<ir::ActionProfile>,
    value_sets: Vec<ir::ValueSet>,
    field_lists: Vec<ir::FieldList>,
    /// Functions by declaration and type arguments.
    function_cache: FxHashMap<(usize, Vec<Ty>), Option<std::rc::Rc<calls::FunctionInfo>>>,
    actions: Vec<std::rc::Rc<calls::ActionInfo<'a>>>,
    table_infos: Vec<std::rc::Rc<table::TableInfo>>,
    instances: Vec<constructor::Instance<'a>>,
    /// The top level's names as far as they have been looked up.
    global_entities: FxHashMap<Arc<str>, scope::Entity>,
    /// The pipeline's shared variables: headers, metadata, standard metadata.
    shared: Option<[(VarId, Ty); 3]>,
}

impl<'a> Checker<'a> {
    fn new(program: &'a ast::Program) -> Checker<'a> {
        let mut checker = Checker {
            declarations: &program.declarations,
            globals: FxHashMap::default(),
            diagnostics: Vec::new(),
            said: FxHashSet::default(),
            errors: vec![Arc::from("NoError")],
            match_kinds: Vec::new(),
            types: TypeTable::default(),
            scopes: Scopes::default(),
            made: Made::default(),
            out: Vec::new(),
            context: Context::top(),
            busy: FxHashSet::default(),
            applications: FxHashMap::default(),
            reached: FxHashSet::default(),
            depth: 0,
            pieces: 0,
            full: false,
        };
        checker.collect();
        checker
    }

    /// Reports something once.
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.said.insert((diagnostic.span, diagnostic.message.clone())) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports an error: `None`, for `return`.
    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.report(diagnostic);
        None
    }

    /// Reports an error that needs no hint.
    fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Option<T> {
        self.fail(Diagnostic::error(span, message))
    }

    /// Reports a warning.
    fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::warning(span, message));
    }

    /// Runs `inner` one level deeper, or says that it is too deep.
    fn deeper<T>(&mut self, span: Span, inner: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.full {
            return None;
        }
        if self.depth >= DEEPEST {
            return self.error(span, format!("this is nested deeper than {DEEPEST} levels"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Runs `inner` away from here, as what is elaborated at a use is: with no names but the top level's, a block of its
    /// own and another context. Gives the block too.
    fn elsewhere<T>(&mut self, context: Context, inner: impl FnOnce(&mut Self) -> T) -> (T, ir::Block) {
        let scopes = std::mem::take(&mut self.scopes);
        let result = self.inside(context, inner);
        self.scopes = scopes;
        result
    }

    /// Runs `inner` in another context with a block of its own, but with the names of here.
    fn inside<T>(&mut self, context: Context, inner: impl FnOnce(&mut Self) -> T) -> (T, ir::Block) {
        let context = std::mem::replace(&mut self.context, context);
        let out = std::mem::take(&mut self.out);
        let result = inner(self);
        let block = std::mem::replace(&mut self.out, out);
        self.context = context;
        (result, block)
    }

    /// A full name below the instance that is being elaborated, as the control plane knows it: `@name` replaces the last
    /// part, or all of it where it begins with a dot.
    fn full_name(&self, name: &ast::Name, annotations: &[ast::Annotation]) -> Arc<str> {
        let own = written_name(annotations).unwrap_or_else(|| name.text.clone());
        self.below(&own)
    }

    /// The name below the instance that is being elaborated.
    fn below(&self, own: &str) -> Arc<str> {
        match own.strip_prefix('.') {
            Some(absolute) => Arc::from(absolute),
            None if self.context.path.is_empty() => Arc::from(own),
            None => Arc::from(format!("{}.{own}", self.context.path)),
        }
    }
}

/// What `@name("…")` says.
fn written_name(annotations: &[ast::Annotation]) -> Option<Arc<str>> {
    annotation(annotations, "name").and_then(|annotation| match &annotation.body {
        ast::AnnotationBody::Expressions(items) => match items.first().map(|item| &item.kind) {
            Some(ast::ExprKind::String(text)) if !text.is_empty() => Some(text.clone()),
            _ => None,
        },
        _ => None,
    })
}

/// The annotation of that name.
fn annotation<'b>(annotations: &'b [ast::Annotation], name: &str) -> Option<&'b ast::Annotation> {
    annotations.iter().find(|annotation| &*annotation.name.text == name)
}
