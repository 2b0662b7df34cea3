//! Resolution of written types.

use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::print::count;
use super::scope::Entity;
use super::ty::{FieldTy, Named, NamedBody, Ty};
use super::value::Kind;
use super::{Checker, Context, InProgress, annotation};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{
    AnnotationBody, Composite, DeclarationKind, EnumMember, Expr, ExprKind, Field, Name, TypeRef, TypeRefKind,
};

/// Maximum width of `bit`, `int` and `varbit`.
pub(super) const MAX_WIDTH: u32 = 1 << 14;

/// Maximum size of a stack.
pub(super) const MAX_STACK_SIZE: u32 = 1 << 12;

/// Maximum number of scalars of a type's values.
const MAX_FIELDS: u64 = 1 << 16;

impl<'a> Checker<'a> {
    /// Resolves a written type.
    pub(super) fn ty(&mut self, written: &'a TypeRef) -> Option<Ty> {
        let ty = self.deeper(written.span, |checker| checker.ty_inner(written))?;
        if self.types.pieces(&ty) > MAX_FIELDS {
            return self
                .error(written.span, format!("values of a type must have at most {MAX_FIELDS} fields"));
        }
        Some(ty)
    }

    fn ty_inner(&mut self, written: &'a TypeRef) -> Option<Ty> {
        Some(match &written.kind {
            TypeRefKind::Bool => Ty::Bool,
            TypeRefKind::Error => Ty::Error,
            TypeRefKind::String => Ty::String,
            TypeRefKind::MatchKind => Ty::MatchKind,
            TypeRefKind::Void => Ty::Void,
            TypeRefKind::InfInt => Ty::InfInt,
            TypeRefKind::DontCare => Ty::Any,
            TypeRefKind::Bit(None) => Ty::Bit(1),
            TypeRefKind::Bit(Some(width)) => Ty::Bit(self.width(width, 0)?),
            TypeRefKind::Int(width) => Ty::Int(self.width(width, 1)?),
            TypeRefKind::Varbit(width) => Ty::Varbit(self.width(width, 0)?),
            TypeRefKind::Tuple(items) => {
                let items: Option<Vec<Ty>> = items.iter().map(|item| self.ty(item)).collect();
                Ty::Tuple(items?.into())
            }
            TypeRefKind::List(item) => Ty::List(Arc::new(self.ty(item)?)),
            TypeRefKind::Named { name, global } => self.named(name, *global, &[], written.span)?,
            TypeRefKind::Specialized { name, global, arguments } => {
                self.named(name, *global, arguments, written.span)?
            }
            TypeRefKind::Stack(element, size) => {
                let ty = self.ty(element)?;
                if !may_be_element(&ty) {
                    let shown = self.types.show(&ty);
                    let error = Diagnostic::error(
                        element.span,
                        format!("elements of an array must not be of type `{shown}`"),
                    );
                    return self.fail(error.hint(
                        "allowed are headers, header unions, structs, enums, errors, `bool`, `bit<W>`, `int<W>`, `varbit<W>`",
                    ));
                }
                let size = self.number(size, "size of a stack", 0, MAX_STACK_SIZE)?;
                Ty::Stack(Arc::new(ty), size)
            }
        })
    }

    fn width(&mut self, width: &'a Expr, least: u32) -> Option<u32> {
        self.number(width, "width", least, MAX_WIDTH)
    }

    /// Evaluates a compile-time number within bounds.
    pub(super) fn number(&mut self, e: &'a Expr, what: &str, least: u32, most: u32) -> Option<u32> {
        let value = self.integer(e, what)?;
        match value.to_u32().filter(|value| (least..=most).contains(value)) {
            Some(value) => Some(value),
            None => self.error(e.span, format!("{what} must be from {least} to {most}, got {value}")),
        }
    }

    /// Evaluates a compile-time integer.
    pub(super) fn integer(&mut self, e: &'a Expr, what: &str) -> Option<BigInt> {
        let value = self.expr(e)?;
        match value.kind {
            Kind::Int(value) => Some(value),
            _ => self.error(e.span, format!("{what} must be a compile-time integer")),
        }
    }

    fn named(&mut self, name: &'a Name, global: bool, arguments: &'a [TypeRef], span: Span) -> Option<Ty> {
        let mut tys = Vec::with_capacity(arguments.len());
        for argument in arguments {
            tys.push(self.ty(argument)?);
        }
        match self.lookup(name, global)? {
            Entity::Type(ty) if tys.is_empty() => Some(ty),
            Entity::Type(_) => self.error(span, format!("the type `{}` takes no type arguments", name.text)),
            Entity::Declared(number) => self.declared(number, tys, span),
            // A nearer declaration hides a type at the top level.
            _ => match self.find(&name.text, true) {
                Some(Entity::Declared(number)) => self.declared(number, tys, span),
                _ => self.error(span, format!("`{}` is not a type", name.text)),
            },
        }
    }

    /// The type of a top-level declaration with given type arguments.
    pub(super) fn declared(&mut self, number: usize, arguments: Vec<Ty>, span: Span) -> Option<Ty> {
        let key = (number, arguments);
        if let Some(ty) = self.types.by_key.get(&key) {
            return ty.clone();
        }
        let (number, arguments) = key;
        let declarations = self.declarations;
        let declaration = &declarations[number];
        let parameters = type_parameters(&declaration.kind);
        let (name, parameters) = (super::scope::declared_name(&declaration.kind)?, parameters);
        // Trailing type arguments of an extern are optional: `register<T>` where it has an index type too. Those of a
        // package follow from its blocks.
        let lenient = matches!(
            declaration.kind,
            DeclarationKind::ExternObject { .. } | DeclarationKind::Package { .. }
        );
        if arguments.len() > parameters.len() || (arguments.len() < parameters.len() && !lenient) {
            let error = Diagnostic::error(
                span,
                format!(
                    "`{}` requires {}, found {}",
                    name.text,
                    count(parameters.len(), "type argument"),
                    arguments.len()
                ),
            );
            return self.fail(error.related(name.span, "declared here"));
        }
        let in_progress = InProgress::Type(number, arguments.clone());
        if !self.in_progress.insert(in_progress.clone()) {
            return self.error(span, format!("the type `{}` must not contain itself", name.text));
        }
        let key = (number, arguments.clone());
        let (ty, _) = self.in_new_scope(Context::top(), |checker| {
            checker.scopes.open();
            for (index, parameter) in parameters.iter().enumerate() {
                let argument = arguments.get(index).cloned().unwrap_or(Ty::Any);
                checker.scopes.add(parameter.text.clone(), Some(parameter.span), Entity::Type(argument));
            }
            checker.deeper(span, |checker| checker.declare_type(number, &name.text, arguments))
        });
        self.in_progress.remove(&in_progress);
        self.types.by_key.insert(key, ty.clone());
        ty
    }

    fn declare_type(&mut self, number: usize, name: &Arc<str>, arguments: Vec<Ty>) -> Option<Ty> {
        let declarations = self.declarations;
        let declaration = &declarations[number];
        let (body, pieces): (NamedBody, u64) = match &declaration.kind {
            DeclarationKind::Composite { what, fields, .. } => {
                let fields = self.fields(*what, fields)?;
                let pieces =
                    fields.iter().fold(1u64, |sum, field| sum.saturating_add(self.types.pieces(&field.ty)));
                (NamedBody::Composite(fields.into()), pieces)
            }
            DeclarationKind::Enum { underlying: None, members, .. } => {
                (NamedBody::Enum(members.iter().map(|member| member.name.text.clone()).collect()), 1)
            }
            DeclarationKind::Enum { underlying: Some(underlying), members, .. } => {
                (self.serializable(underlying, members)?, 1)
            }
            DeclarationKind::Alias { distinct, ty, .. } => {
                let base = self.ty(ty)?;
                if !distinct {
                    return Some(base);
                }
                let pieces = self.types.pieces(&base);
                (NamedBody::Newtype(base), pieces)
            }
            _ => (NamedBody::Other, 1),
        };
        let id = self.types.named.len();
        let ty = match &declaration.kind {
            DeclarationKind::Composite { what, .. } => Ty::Composite(*what, id),
            DeclarationKind::Enum { underlying: None, .. } => Ty::Enum(id),
            DeclarationKind::Enum { .. } => Ty::Serializable(id),
            DeclarationKind::Alias { .. } => Ty::Newtype(id),
            DeclarationKind::ExternObject { .. } => Ty::Extern(id),
            DeclarationKind::BlockType { .. } | DeclarationKind::Parser(_) | DeclarationKind::Control(_) => {
                Ty::Block(id)
            }
            DeclarationKind::Package { .. } => Ty::Package(id),
            _ => return self.error(declaration.span, format!("`{name}` is not a type")),
        };
        self.types.named.push(Named {
            declaration: number,
            arguments: arguments.clone(),
            name: name.clone(),
            body,
            pieces,
        });
        Some(ty)
    }

    fn fields(&mut self, what: Composite, fields: &'a [Field]) -> Option<Vec<FieldTy>> {
        let mut done: Vec<FieldTy> = Vec::with_capacity(fields.len());
        let mut sound = true;
        for field in fields {
            if done.iter().any(|other| other.name == field.name.text) {
                let message = format!("duplicate field `{}`", field.name.text);
                self.error::<()>(field.name.span, message);
                sound = false;
            }
            let Some(ty) = self.ty(&field.ty) else {
                sound = false;
                continue;
            };
            if let Some(why) = self.misplaced(what, &ty) {
                let shown = self.types.show(&ty);
                self.error::<()>(field.ty.span, format!("{why} must not be of type `{shown}`"));
                sound = false;
            }
            let lists = self.field_list_numbers(field);
            done.push(FieldTy { name: field.name.text.clone(), ty, lists });
        }
        sound.then_some(done)
    }

    /// Why a composite must not have a field of a type (§7.2.8 of the specification).
    fn misplaced(&self, what: Composite, ty: &Ty) -> Option<&'static str> {
        let base = self.types.base(ty);
        match (what, &base) {
            (_, Ty::Var(_) | Ty::Any) => None,
            (
                _,
                Ty::InfInt
                | Ty::Void
                | Ty::MatchKind
                | Ty::Extern(_)
                | Ty::Block(_)
                | Ty::Package(_)
                | Ty::Set(_),
            ) => Some("a struct field"),
            (Composite::Header, Ty::Bit(_) | Ty::Int(_) | Ty::Varbit(_) | Ty::Bool) => None,
            (Composite::Header, Ty::Composite(Composite::Struct, id)) => {
                let flat = |field: &FieldTy| self.misplaced(Composite::Header, &field.ty).is_none();
                if self.types.fields(*id).iter().all(flat) { None } else { Some("a header field") }
            }
            (Composite::Header, _) => Some("a header field"),
            (Composite::Union, Ty::Composite(Composite::Header, _)) => None,
            (Composite::Union, _) => Some("a header union member"),
            (Composite::Struct, _) => None,
        }
    }

    fn field_list_numbers(&mut self, field: &'a Field) -> Vec<u8> {
        let Some(annotation) = annotation(&field.annotations, "field_list") else { return Vec::new() };
        let AnnotationBody::Expressions(items) = &annotation.body else { return Vec::new() };
        let mut numbers = Vec::new();
        for item in items {
            if let Some(number) = self.number(item, "field list number", 0, 255) {
                numbers.push(u8::try_from(number).unwrap_or_default());
            }
        }
        numbers
    }

    fn serializable(&mut self, underlying: &'a TypeRef, members: &'a [EnumMember]) -> Option<NamedBody> {
        let ty = self.ty(underlying)?;
        let base = self.types.base(&ty);
        if base.width().is_none() {
            let shown = self.types.show(&ty);
            return self.error(
                underlying.span,
                format!("underlying type of an enum must be `bit<W>` or `int<W>`, found `{shown}`"),
            );
        }
        let mut values = Vec::with_capacity(members.len());
        for member in members {
            let Some(value) = &member.value else {
                let message = format!(
                    "missing value of the member `{}`: the enum has an underlying type",
                    member.name.text
                );
                return self.error(member.name.span, message);
            };
            let given = self.expr(value)?;
            let given = self.convert(given, &base, value.span)?;
            let Kind::Int(number) = given.kind else {
                return self.error(value.span, "value of an enum member must be known at compile time");
            };
            values.push((member.name.text.clone(), number));
        }
        Some(NamedBody::Serializable { underlying: base, members: values })
    }

    /// The type that an expression names, if it can only be a type: `T`, `.T`, `error`, `T<A>`.
    pub(super) fn type_of_name(&mut self, e: &'a Expr) -> Option<Option<Ty>> {
        match &e.kind {
            ExprKind::Type(written) => Some(self.ty(written)),
            ExprKind::Name { name, global } => match self.find(&name.text, *global)? {
                Entity::Type(ty) => Some(Some(ty)),
                Entity::Declared(number) => {
                    self.check_order(name);
                    Some(self.declared(number, Vec::new(), e.span))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// Whether an array may have elements of a type (§7.2.9). Arrays of arrays, which an architecture may disallow, are not
/// supported.
fn may_be_element(ty: &Ty) -> bool {
    matches!(
        ty,
        Ty::Bool
            | Ty::Bit(_)
            | Ty::Int(_)
            | Ty::Varbit(_)
            | Ty::Error
            | Ty::Composite(..)
            | Ty::Enum(_)
            | Ty::Serializable(_)
            | Ty::Newtype(_)
            | Ty::Var(_)
            | Ty::Any
    )
}

/// Type parameters of a declaration.
pub(super) fn type_parameters(kind: &DeclarationKind) -> &[Name] {
    match kind {
        DeclarationKind::ExternObject { type_parameters, .. }
        | DeclarationKind::Composite { type_parameters, .. }
        | DeclarationKind::BlockType { type_parameters, .. }
        | DeclarationKind::Package { type_parameters, .. } => type_parameters,
        DeclarationKind::Function { signature, .. } | DeclarationKind::ExternFunction { signature } => {
            &signature.type_parameters
        }
        DeclarationKind::Parser(parser) => &parser.type_parameters,
        DeclarationKind::Control(control) => &control.type_parameters,
        _ => &[],
    }
}
