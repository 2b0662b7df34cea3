//! Collection of what a controller is told about the program: [`ir::ControlPlane`].

use std::sync::Arc;

use super::print::text;
use super::psa::PsaObject;
use super::ty::{NamedBody, Ty};
use super::value::Object;
use super::{Checker, written_name};
use crate::ir::{self, AnnotationValue, ControllerHeader, NewType, SerializableEnum, ValueNotes};
use crate::syntax::ast::{self, AnnotationBody, DeclarationKind, ExprKind};

/// Converts annotations.
pub(super) fn converted(annotations: &[ast::Annotation]) -> Vec<ir::Annotation> {
    annotations.iter().map(convert).collect()
}

fn convert(annotation: &ast::Annotation) -> ir::Annotation {
    let name = annotation.name.text.clone();
    let arguments: &[ast::Expr] = match &annotation.body {
        AnnotationBody::Expressions(items) => items,
        _ => &[],
    };
    let written: Vec<String> = arguments.iter().map(text).collect();
    let text = match written.is_empty() {
        true => format!("@{name}"),
        false => format!("@{name}({})", written.join(", ")),
    };
    let arguments = arguments.iter().map(|argument| match &argument.kind {
        ExprKind::Integer { value, .. } => AnnotationValue::Number(value.clone()),
        ExprKind::String(text) => AnnotationValue::Text(text.clone()),
        _ => AnnotationValue::Other,
    });
    ir::Annotation { name, arguments: arguments.collect(), text }
}

impl Checker<'_> {
    /// Facts about a value of a type.
    pub(super) fn value_notes(
        &mut self,
        name: Arc<str>,
        ty: &Ty,
        annotations: &[ast::Annotation],
    ) -> ValueNotes {
        let bits = match self.types.base(ty) {
            Ty::Bool => 1,
            Ty::Bit(width) | Ty::Int(width) | Ty::Varbit(width) => width,
            _ => 32,
        };
        let type_name = self.new_type(ty, bits);
        ValueNotes { name, annotations: converted(annotations), type_name, bits }
    }

    /// Records a type declared with `type`, or an enum with an underlying type; returns the name of the former.
    fn new_type(&mut self, ty: &Ty, bits: u32) -> Option<Arc<str>> {
        let (Ty::Newtype(id) | Ty::Serializable(id)) = ty else { return None };
        let named = self.types.named[*id].clone();
        if let NamedBody::Serializable { members, .. } = &named.body {
            let annotations = converted(&self.declarations[named.declaration].annotations);
            let note = SerializableEnum { bits, members: members.clone(), annotations };
            self.output.control_plane.enums.insert(named.name.clone(), note);
        }
        if !matches!(named.body, NamedBody::Newtype(_)) {
            return None;
        }
        let annotations = converted(&self.declarations[named.declaration].annotations);
        let signed = self.types.base(ty).is_signed();
        let new = NewType { bits, signed, annotations };
        self.output.control_plane.new_types.insert(named.name.clone(), new);
        Some(named.name)
    }

    /// Records the annotations of an object.
    pub(super) fn note_object(&mut self, object: &Object, annotations: &[ast::Annotation]) {
        let notes = &mut self.output.control_plane;
        let place = match object {
            Object::Register(id, _)
            | Object::Counter(id)
            | Object::DirectCounter(id)
            | Object::Meter(id)
            | Object::DirectMeter(id) => {
                notes.externs.get_mut(id.index()).map(|extern_| &mut extern_.annotations)
            }
            Object::Psa(PsaObject::DirectCounter(id) | PsaObject::Meter(id) | PsaObject::DirectMeter(id)) => {
                notes.externs.get_mut(id.index()).map(|extern_| &mut extern_.annotations)
            }
            Object::Profile(id) => notes.profiles.get_mut(id.index()),
            _ => None,
        };
        if let Some(place) = place {
            place.extend(converted(annotations));
        }
    }

    /// Records the headers with `@controller_header`.
    pub(super) fn note_controller_headers(&mut self) {
        for (number, declaration) in self.declarations.iter().enumerate() {
            let DeclarationKind::Composite { what: ast::Composite::Header, name, fields: written, .. } =
                &declaration.kind
            else {
                continue;
            };
            let Some(annotation) = super::annotation(&declaration.annotations, "controller_header") else {
                continue;
            };
            let Some(AnnotationValue::Text(header)) = convert(annotation).arguments.into_iter().next() else {
                continue;
            };
            let Some(Ty::Composite(_, id)) = self.declared(number, Vec::new(), name.span) else { continue };
            let types = self.types.fields(id);
            let fields = written.iter().zip(types.iter()).map(|(field, ty)| {
                let name = written_name(&field.annotations).unwrap_or_else(|| field.name.text.clone());
                self.value_notes(name, &ty.ty, &field.annotations)
            });
            let fields = fields.collect();
            let annotations = converted(&declaration.annotations);
            let header = ControllerHeader { name: header, annotations, fields };
            self.output.control_plane.controller_headers.push(header);
        }
    }
}
