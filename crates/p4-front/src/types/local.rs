//! Declarations in blocks, controls and parsers.

use super::scope::{Entity, Variable, declared_name};
use super::ty::Ty;
use super::value::Object;
use super::{Checker, notes};
use crate::diagnostic::Diagnostic;
use crate::ir;
use crate::ir::MatchKind;
use crate::ir::{StmtKind, ValueSet, ValueSetId};
use crate::source::Span;
use crate::syntax::ast::{
    Annotation, AnnotationBody, Declaration, DeclarationKind, Expr, ExprKind, Name, TypeRef,
};

impl<'a> Checker<'a> {
    /// Elaborates a declaration below the top level.
    pub(super) fn local(&mut self, declaration: &'a Declaration) {
        let annotations = &declaration.annotations;
        let entity = match &declaration.kind {
            DeclarationKind::Constant { ty, name, value } => self.constant(ty, name, value),
            DeclarationKind::Variable { ty, name, value } => {
                self.local_variable(ty, name, value.as_ref(), declaration.span)
            }
            DeclarationKind::Instance { ty, arguments, name, .. } => {
                self.instance(ty, arguments, name, annotations, declaration.span)
            }
            DeclarationKind::Action { name, parameters, body } => {
                self.action(name, parameters, body, annotations, declaration.span)
            }
            DeclarationKind::Table { name, properties } => {
                self.table(name, properties, annotations, declaration.span)
            }
            DeclarationKind::ValueSet { ty, size, name } => self.value_set(ty, size, name, annotations),
            _ => self.error(declaration.span, "this declaration is allowed only at the top level"),
        };
        if let Some(name) = declared_name(&declaration.kind) {
            self.declare(name, entity.unwrap_or(Entity::Broken));
        }
    }

    fn local_variable(
        &mut self,
        ty: &'a TypeRef,
        name: &'a Name,
        value: Option<&'a Expr>,
        span: Span,
    ) -> Option<Entity> {
        let written = self.ty(ty)?;
        let id = self.lower_ty(&written, ty.span)?;
        let given = match value {
            None => None,
            Some(e) => {
                let given = match e.kind {
                    ExprKind::Invalid | ExprKind::Dots => self.expr(e),
                    _ => self.operand(e),
                };
                let given = given.and_then(|given| self.convert(given, &written, e.span));
                Some(given.and_then(|given| self.lower(&given, e.span)))
            }
        };
        let place = self.variable(name.text.clone(), id);
        match given {
            None => self.emit(span, StmtKind::Reset(place.clone())),
            Some(Some(value)) => self.emit(span, StmtKind::Assign { to: place.clone(), value }),
            // An error was reported; the variable is declared anyway.
            Some(None) => {}
        }
        Some(Entity::Variable(Variable { place, ty: written, read_only: None }))
    }

    /// Elaborates `value_set<T>(n) v;`.
    fn value_set(
        &mut self,
        ty: &'a TypeRef,
        size: &'a Expr,
        name: &'a Name,
        annotations: &'a [Annotation],
    ) -> Option<Entity> {
        let element = self.ty(ty)?;
        let size = self.number(size, "the size of a value set", 0, u32::MAX)?;
        let mut keys = Vec::new();
        let kind = match_annotation(annotations).unwrap_or(MatchKind::Exact);
        self.value_set_keys(&element, kind, ty.span, &mut keys)?;
        let name = self.full_name(name, annotations);
        self.output.value_sets.push(ValueSet { name, size, keys });
        self.output.control_plane.value_sets.push(notes::converted(annotations));
        let id = ValueSetId(u32::try_from(self.output.value_sets.len() - 1).ok()?);
        Some(Entity::Object(Object::ValueSet(id), Ty::Set(element.into())))
    }

    fn value_set_keys(
        &mut self,
        ty: &Ty,
        kind: MatchKind,
        span: Span,
        keys: &mut Vec<(ir::TypeId, MatchKind)>,
    ) -> Option<()> {
        match ty {
            Ty::Composite(_, id) => {
                let declarations = self.declarations;
                let written = match &declarations[self.types.named[*id].declaration].kind {
                    DeclarationKind::Composite { fields, .. } => fields.as_slice(),
                    _ => &[],
                };
                let fields = self.types.fields(*id);
                for (field, written) in fields.iter().zip(written) {
                    let kind = match_annotation(&written.annotations).unwrap_or(kind);
                    self.value_set_keys(&field.ty, kind, span, keys)?;
                }
                Some(())
            }
            Ty::Tuple(items) => items.iter().try_for_each(|item| self.value_set_keys(item, kind, span, keys)),
            Ty::Stack(..) | Ty::Varbit(_) => {
                let shown = self.types.show(ty);
                self.fail(Diagnostic::error(
                    span,
                    format!("the elements of a value set cannot contain `{shown}`"),
                ))
            }
            _ => {
                let id = self.lower_ty(ty, span)?;
                keys.push((id, kind));
                Some(())
            }
        }
    }
}

/// Match kind given by `@match(kind)`.
fn match_annotation(annotations: &[Annotation]) -> Option<MatchKind> {
    match &super::annotation(annotations, "match")?.body {
        AnnotationBody::Expressions(items) => match &items.first()?.kind {
            ExprKind::Name { name, .. } => match_kind(&name.text),
            _ => None,
        },
        _ => None,
    }
}

/// Match kind by name.
pub(super) fn match_kind(name: &str) -> Option<MatchKind> {
    Some(match name {
        "exact" => MatchKind::Exact,
        "lpm" => MatchKind::Lpm,
        "ternary" => MatchKind::Ternary,
        "range" => MatchKind::Range,
        "optional" => MatchKind::Optional,
        "selector" => MatchKind::Selector,
        _ => return None,
    })
}
