//! Declarations unreachable from `main`, elaborated only to find their errors.

use super::apply::BlockParameter;
use super::calls::read_only_reason;
use super::constructor::{Instance, apply_parameters, constructor_parameters};
use super::resolve::type_parameters;
use super::scope::{Entity, Variable, declared_name};
use super::ty::Ty;
use super::value::{Kind, Object, Value};
use super::{Checker, Output};
use crate::syntax::ast::{Declaration, DeclarationKind, Parameter};

impl<'a> Checker<'a> {
    pub(super) fn check_unreached(&mut self) {
        let declarations = self.declarations;
        self.output = Output::default();
        for (number, declaration) in declarations.iter().enumerate() {
            if self.too_large {
                return;
            }
            if !self.reached.contains(&number) {
                self.check_declaration(number, declaration);
            }
        }
    }

    fn check_declaration(&mut self, number: usize, declaration: &'a Declaration) -> Option<()> {
        let is_generic = !type_parameters(&declaration.kind).is_empty();
        if is_generic {
            // The meaning of a generic declaration depends on its use.
            return Some(());
        }
        match &declaration.kind {
            DeclarationKind::Constant { .. } | DeclarationKind::Action { .. } => {
                let name = declared_name(&declaration.kind)?;
                self.find(&name.text, true).map(|_| ())
            }
            DeclarationKind::Instance { name, .. } if &*name.text != "main" => {
                self.find(&name.text, true).map(|_| ())
            }
            DeclarationKind::Composite { .. }
            | DeclarationKind::Enum { .. }
            | DeclarationKind::Alias { .. } => {
                self.declared(number, Vec::new(), declaration.span).map(|_| ())
            }
            DeclarationKind::Function { .. } => self.check_function(number),
            DeclarationKind::Parser(_) | DeclarationKind::Control(_) => self.check_block(number, declaration),
            _ => Some(()),
        }
    }

    fn check_block(&mut self, number: usize, declaration: &'a Declaration) -> Option<()> {
        let mut constructed = Vec::new();
        for parameter in constructor_parameters(&declaration.kind) {
            let ty = self.parameter_types(std::slice::from_ref(parameter), &[])?.pop()?;
            constructed.push((&parameter.name, self.some_argument(parameter, ty)?));
        }
        let parameters = apply_parameters(&declaration.kind);
        let tys = self.parameter_types(parameters, &[])?;
        let mut own = Vec::with_capacity(parameters.len());
        for (written, ty) in parameters.iter().zip(tys) {
            let entity = match self.object_for(&ty) {
                Some(object) => Entity::Object(object, ty),
                None => {
                    let id = self.lower_ty(&ty, written.ty.span)?;
                    let place = self.placeholder(&written.name.text, id);
                    Entity::Variable(Variable { place, ty, read_only: read_only_reason(written.direction) })
                }
            };
            own.push(BlockParameter { written, entity, reset: None });
        }
        self.output.instances.push(Instance {
            declaration: number,
            types: Vec::new(),
            constructed,
            path: declared_name(&declaration.kind)?.text.clone(),
            applications: 1,
            done: None,
        });
        let instance = self.output.instances.len() - 1;
        self.block_instance(instance, own, declaration.span).map(|_| ())
    }

    /// A dummy argument for a constructor parameter.
    fn some_argument(&mut self, parameter: &'a Parameter, ty: Ty) -> Option<Entity> {
        if let Some(object) = self.object_for(&ty) {
            return Some(Entity::Object(object, ty));
        }
        let kind = match self.types.base(&ty) {
            Ty::Bit(_) | Ty::Int(_) | Ty::InfInt => Kind::Int(1.into()),
            _ => self.zero(&ty, parameter.ty.span)?.kind,
        };
        Some(Entity::Value(Value::new(ty, kind)))
    }

    fn object_for(&self, ty: &Ty) -> Option<Object> {
        match ty {
            Ty::Extern(id) => Some(match &*self.types.named[*id].name {
                "packet_in" => Object::PacketIn,
                "packet_out" => Object::PacketOut,
                _ => Object::Opaque,
            }),
            Ty::Block(_) | Ty::Package(_) => Some(Object::Opaque),
            _ => None,
        }
    }
}
