//! Instances of parsers, controls, packages and extern objects.

use std::sync::Arc;

use num_traits::ToPrimitive;

use super::Checker;
use super::binding::{Bound, bind};
use super::infer::Inference;
use super::resolve::type_parameters;
use super::scope::Entity;
use super::ty::Ty;
use super::value::{Kind, Object, Value};
use crate::diagnostic::Diagnostic;
use crate::ir::{
    ActionProfile, ActionProfileId, CounterUnit, ExternId, ExternInstance, ExternKind, ExternNotes,
    HashAlgorithm, MeterUnit, ParserId, Place,
};
use crate::source::Span;
use crate::syntax::ast::{Annotation, Argument, DeclarationKind, Method, Name, Parameter, TypeRef};

/// Maximum number of elements of a register, counter or meter.
const MAX_SIZE: u32 = 1 << 26;

/// An instance of a parser or control.
#[derive(Debug, Clone)]
pub(super) struct Instance<'a> {
    /// Index of its top-level declaration.
    pub declaration: usize,
    /// Type arguments, by name.
    pub types: Vec<(&'a Name, Ty)>,
    /// Constructor arguments, by name.
    pub constructed: Vec<(&'a Name, Entity)>,
    /// Full name.
    pub path: Arc<str>,
    /// Number of applications in the text; if 1, parameters can be aliases of the caller's places.
    pub applications: u32,
    /// Elaborated block, once elaborated.
    pub done: Option<Done>,
}

/// An elaborated instance.
#[derive(Debug, Clone)]
pub(super) struct Done {
    pub block: DoneBlock,
    /// Places of the parameters; `None` for objects and for aliases of the caller's places.
    pub parameters: Vec<Option<Place>>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum DoneBlock {
    Control(crate::ir::FunctionId),
    Parser(ParserId),
}

/// Cost of an instance of a parser or control, in the size of a program. It has its own names, scopes and contexts, and
/// without this cost, blocks that each contain two of the next would grow exponentially.
const INSTANCE: usize = 64;

impl<'a> Checker<'a> {
    /// Elaborates `T(arguments) name;`.
    pub(super) fn instance(
        &mut self,
        ty: &'a TypeRef,
        arguments: &'a [Argument],
        name: &'a Name,
        annotations: &'a [Annotation],
        span: Span,
    ) -> Option<Entity> {
        let ty = self.ty(ty)?;
        let path = self.full_name(name, annotations);
        if matches!(ty, Ty::Extern(_)) {
            self.unique_object(&path, name.span);
        }
        let object = self.construct(&ty, arguments, path, span)?;
        self.note_object(&object, annotations);
        if let Object::Block(instance) = object
            && let Some(count) = self.applications.get(&name.text)
        {
            self.output.instances[instance].applications = *count;
        }
        Some(Entity::Object(object, ty))
    }

    /// Elaborates a constructor call.
    pub(super) fn construct(
        &mut self,
        ty: &Ty,
        arguments: &'a [Argument],
        path: Arc<str>,
        span: Span,
    ) -> Option<Object> {
        match ty {
            Ty::Block(id) => self.construct_block(*id, arguments, path, span),
            Ty::Extern(id) => self.construct_extern(*id, arguments, path, span),
            Ty::Package(id) => {
                let number = self.types.named[*id].declaration;
                self.construct_package(number, arguments, span)
            }
            _ => {
                let shown = self.types.show(ty);
                self.error(span, format!("the type `{shown}` has no constructor"))
            }
        }
    }

    fn construct_block(
        &mut self,
        id: usize,
        arguments: &'a [Argument],
        path: Arc<str>,
        span: Span,
    ) -> Option<Object> {
        self.charge(INSTANCE, span)?;
        let named = self.types.named[id].clone();
        let declarations = self.declarations;
        let declaration = &declarations[named.declaration];
        let (DeclarationKind::Parser(_) | DeclarationKind::Control(_)) = &declaration.kind else {
            return self
                .error(span, format!("the type `{}` has no body and thus no constructor", named.name));
        };
        let parameters = constructor_parameters(&declaration.kind);
        let names: Vec<(&'a Name, Ty)> =
            type_parameters(&declaration.kind).iter().zip(named.arguments.iter().cloned()).collect();
        let constructed = self.constructor_arguments(parameters, &names, arguments, span)?;
        self.output.instances.push(Instance {
            declaration: named.declaration,
            types: names,
            constructed,
            path,
            applications: 2,
            done: None,
        });
        Some(Object::Block(self.output.instances.len() - 1))
    }

    /// Elaborates constructor arguments: constants and objects.
    fn constructor_arguments(
        &mut self,
        parameters: &'a [Parameter],
        names: &[(&'a Name, Ty)],
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Vec<(&'a Name, Entity)>> {
        let tys = self.parameter_types(parameters, names)?;
        let bound = self.evaluate(parameters, &tys, arguments, &mut Inference::default(), span)?;
        let mut constructed = Vec::with_capacity(bound.len());
        for (parameter, bound) in parameters.iter().zip(bound) {
            let entity = match bound {
                Bound::In(value) if value.is_constant() => Entity::Value(value),
                Bound::Object(object, ty) => Entity::Object(object, ty),
                Bound::Absent => Entity::Broken,
                _ => {
                    let message = format!(
                        "the constructor argument `{}` must be known at compile time",
                        parameter.name.text
                    );
                    return self.error(span, message);
                }
            };
            constructed.push((&parameter.name, entity));
        }
        Some(constructed)
    }

    fn construct_extern(
        &mut self,
        id: usize,
        arguments: &'a [Argument],
        path: Arc<str>,
        span: Span,
    ) -> Option<Object> {
        let named = self.types.named[id].clone();
        let declarations = self.declarations;
        let DeclarationKind::ExternObject { methods, type_parameters, .. } =
            &declarations[named.declaration].kind
        else {
            return None;
        };
        let constructors: Vec<&'a Method> = methods.iter().filter(|method| method.constructor).collect();
        let fitting = constructors
            .iter()
            .find(|method| bind(&method.signature.parameters, arguments).is_ok())
            .or(constructors.first());
        let Some(constructor) = fitting else {
            return self.error(span, format!("the type `{}` has no constructor", named.name));
        };
        let names: Vec<(&'a Name, Ty)> = type_parameters
            .iter()
            .enumerate()
            .map(|(index, name)| (name, named.arguments.get(index).cloned().unwrap_or(Ty::Any)))
            .collect();
        let parameters = &constructor.signature.parameters;
        let constructed = self.constructor_arguments(parameters, &names, arguments, span)?;
        let values: Vec<Value> = constructed
            .into_iter()
            .filter_map(|(_, entity)| match entity {
                Entity::Value(value) => Some(value),
                _ => None,
            })
            .collect();
        self.extern_object(&named.name, &named.arguments, &values, path, span)
    }

    fn extern_object(
        &mut self,
        name: &str,
        types: &[Ty],
        values: &[Value],
        path: Arc<str>,
        span: Span,
    ) -> Option<Object> {
        if let Some(made) = self.psa_object(name, types, values, &path, span) {
            return made;
        }
        Some(match (name, values) {
            ("register", [size]) => {
                let Some(ty) = types.first().filter(|ty| **ty != Ty::Any) else {
                    return self.fail(
                        Diagnostic::error(span, "missing element type of the register")
                            .hint("write the type: `register<bit<32>>(1024) name;`"),
                    );
                };
                let id = self.lower_ty(ty, span)?;
                let size = self.size_of(size, span)?;
                Object::Register(self.add_extern(path, ExternKind::Register { size, ty: id }), ty.clone())
            }
            ("counter", [size, unit]) => {
                let size = self.size_of(size, span)?;
                let id = self.add_extern(path, ExternKind::Counter { size });
                self.note_counter(id, unit);
                Object::Counter(id)
            }
            ("direct_counter", [unit]) => {
                let id = self.add_extern(path, ExternKind::DirectCounter);
                self.note_counter(id, unit);
                Object::DirectCounter(id)
            }
            ("meter", [size, unit]) => {
                let size = self.size_of(size, span)?;
                let unit = self.meter_unit(unit);
                Object::Meter(self.add_extern(path, ExternKind::Meter { size, unit }))
            }
            ("direct_meter", [unit]) => {
                let unit = self.meter_unit(unit);
                Object::DirectMeter(self.add_extern(path, ExternKind::DirectMeter { unit }))
            }
            ("Checksum16", []) => Object::Checksum16,
            ("action_profile", [size]) => return self.profile_of(path, size, None, span),
            ("action_selector", [algorithm, size, width]) => {
                let algorithm = self.algorithm(algorithm, span)?;
                return self.profile_of(path, size, Some((algorithm, width)), span);
            }
            _ => {
                let message = format!("the extern object `{name}` is not implemented here");
                return self.fail(Diagnostic::error(span, message).hint(super::v1model::NOT_IMPLEMENTED));
            }
        })
    }

    /// Adds an action profile, or a selector with its algorithm and number of hash bits.
    pub(super) fn profile_of(
        &mut self,
        name: Arc<str>,
        size: &Value,
        selector: Option<(HashAlgorithm, &Value)>,
        span: Span,
    ) -> Option<Object> {
        let size = self.size_of(size, span)?;
        let selector = match selector {
            Some((algorithm, width)) => Some((algorithm, self.size_of(width, span)?)),
            None => None,
        };
        Some(self.add_profile(ActionProfile { name, size, selector }))
    }

    pub(super) fn add_extern(&mut self, name: Arc<str>, kind: ExternKind) -> ExternId {
        self.output.externs.push(ExternInstance { name, kind, initial: None });
        self.output.control_plane.externs.push(ExternNotes::default());
        ExternId(u32::try_from(self.output.externs.len() - 1).unwrap_or(u32::MAX))
    }

    fn add_profile(&mut self, profile: ActionProfile) -> Object {
        self.output.profiles.push(profile);
        self.output.control_plane.profiles.push(Vec::new());
        Object::Profile(ActionProfileId(u32::try_from(self.output.profiles.len() - 1).unwrap_or(u32::MAX)))
    }

    pub(super) fn size_of(&mut self, value: &Value, span: Span) -> Option<u32> {
        match &value.kind {
            Kind::Int(number) => match number.to_u32().filter(|size| *size <= MAX_SIZE) {
                Some(size) => Some(size),
                None => self.error(span, format!("size must be from 0 to {MAX_SIZE}, got {number}")),
            },
            _ => self.error(span, "size must be known at compile time"),
        }
    }

    pub(super) fn note_counter(&mut self, id: ExternId, unit: &Value) {
        let counts = match self.enum_member(unit).as_deref() {
            Some("bytes" | "BYTES") => CounterUnit::Bytes,
            Some("packets" | "PACKETS") => CounterUnit::Packets,
            _ => CounterUnit::Both,
        };
        if let Some(notes) = self.output.control_plane.externs.get_mut(id.index()) {
            notes.counts = counts;
        }
    }

    pub(super) fn meter_unit(&self, value: &Value) -> MeterUnit {
        match self.enum_member(value).as_deref() {
            Some("bytes" | "BYTES") => MeterUnit::Bytes,
            _ => MeterUnit::Packets,
        }
    }
}

/// Constructor parameters of a parser or control.
pub(super) fn constructor_parameters(kind: &DeclarationKind) -> &[Parameter] {
    match kind {
        DeclarationKind::Parser(parser) => &parser.constructor,
        DeclarationKind::Control(control) => &control.constructor,
        _ => &[],
    }
}

/// Apply parameters of a parser or control.
pub(super) fn apply_parameters(kind: &DeclarationKind) -> &[Parameter] {
    match kind {
        DeclarationKind::Parser(parser) => &parser.parameters,
        DeclarationKind::Control(control) => &control.parameters,
        _ => &[],
    }
}
