//! The package instance `main`: `V1Switch(…) main;`, and the elaboration of a package's blocks. PSA's is in [`super::psa`].

use std::sync::Arc;

use super::apply::BlockParameter;
use super::constructor::{DoneBlock, apply_parameters};
use super::print::count;
use super::scope::{Entity, Variable};
use super::ty::Ty;
use super::value::{Kind, Object};
use super::{Checker, Context};
use crate::diagnostic::Diagnostic;
use crate::ir::{self, Pipeline, Place, Program};
use crate::source::Span;
use crate::syntax::ast::{Argument, DeclarationKind, Direction, Parameter, TypeRef};

/// Apply parameters of each block of V1Switch: index of the shared variable, or `None` for the packet.
const BLOCKS: [(&str, &[Option<usize>]); 6] = [
    ("parser", &[None, Some(0), Some(1), Some(2)]),
    ("verify checksum control", &[Some(0), Some(1)]),
    ("ingress control", &[Some(0), Some(1), Some(2)]),
    ("egress control", &[Some(0), Some(1), Some(2)]),
    ("compute checksum control", &[Some(0), Some(1)]),
    ("deparser", &[None, Some(0)]),
];

/// What a package requires of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockRule<'r> {
    pub package: &'r str,
    /// Kind of the block, which ends with `parser`, `control` or `deparser`.
    pub what: &'r str,
    /// For each parameter, the index of a part of the state, or `None` for the packet.
    pub parameters: &'r [Option<usize>],
}

fn is_parser(what: &str) -> bool {
    what.ends_with("parser") && !what.ends_with("deparser")
}

impl<'a> Checker<'a> {
    /// Elaborates the program from `main` on.
    pub(super) fn program(&mut self) -> Option<Program> {
        let declarations = self.declarations;
        let main = self.globals.get("main").and_then(|numbers| numbers.first()).copied();
        let Some(main) = main else {
            let error = Diagnostic::without_span("missing package instance `main`");
            return self.fail(error.hint("add `V1Switch(MyParser(), …) main;`, or `PSA_Switch(…) main;`"));
        };
        let declaration = &declarations[main];
        let span = declaration.span;
        let DeclarationKind::Instance { ty, arguments, .. } = &declaration.kind else {
            return self.error(span, "`main` must be a package instance: `V1Switch(…) main;`");
        };
        self.reached.insert(main);
        let (pipeline, _) =
            self.in_new_scope(Context::top(), |checker| checker.pipeline(ty, arguments, span));
        let pipeline = pipeline?;
        let numbered_lists = self.numbered_lists(span);
        self.note_controller_headers();
        let made = std::mem::take(&mut self.output);
        Some(Program {
            types: made.types,
            variables: made.variables,
            functions: made.functions,
            parsers: made.parsers,
            tables: made.tables,
            externs: made.externs,
            profiles: made.profiles,
            value_sets: made.value_sets,
            field_lists: made.field_lists,
            numbered_lists,
            errors: self.errors.clone(),
            pipeline,
            reads_dequeue_rate: made.reads_dequeue_rate,
            reads_packet_length: made.reads_packet_length,
            reads_qid: made.reads_qid,
            control_plane: made.control_plane,
            target: self.target,
        })
    }

    fn pipeline(&mut self, ty: &'a TypeRef, arguments: &'a [Argument], span: Span) -> Option<Pipeline> {
        let written = match &ty.kind {
            crate::syntax::ast::TypeRefKind::Named { name, .. }
            | crate::syntax::ast::TypeRefKind::Specialized { name, .. } => name,
            _ => return self.error(ty.span, "`main` must be a package instance: `V1Switch(…) main;`"),
        };
        let Some(Entity::Declared(number)) = self.find(&written.text, true) else {
            return self.error(ty.span, format!("`{}` is not a package", written.text));
        };
        let declarations = self.declarations;
        let DeclarationKind::Package { name, parameters, .. } = &declarations[number].kind else {
            return self.error(ty.span, format!("`{}` is not a package", written.text));
        };
        match &*name.text {
            "V1Switch" => self.v1_switch(parameters, arguments, span),
            "PSA_Switch" => self.psa_switch(parameters, arguments, span),
            other => {
                let message = format!("unsupported package `{other}`; supported are V1Switch and PSA_Switch");
                self.error(ty.span, message)
            }
        }
    }

    /// Elaborates `V1Switch(…) main;`.
    fn v1_switch(
        &mut self,
        parameters: &'a [Parameter],
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Pipeline> {
        let instances = self.package_blocks(parameters, arguments, span)?;
        let tys = self.shared_types(instances[0], span)?;
        let mut shared = Vec::with_capacity(3);
        for (ty, name) in tys.iter().zip(["headers", "metadata", "standard_metadata"]) {
            let id = self.lower_ty(ty, span)?;
            shared.push(self.variable(name, id));
        }
        let [headers, metadata, standard_metadata]: [Place; 3] = shared.try_into().ok()?;
        let places = [headers, metadata, standard_metadata];
        let [headers, metadata, standard_metadata] = [places[0].root, places[1].root, places[2].root];
        let [h, m, s] = tys.clone();
        self.output.shared = Some([(headers, h), (metadata, m), (standard_metadata, s)]);
        let mut done = Vec::with_capacity(6);
        for (instance, (what, wanted)) in instances.into_iter().zip(BLOCKS) {
            let rule = BlockRule { package: "V1Switch", what, parameters: wanted };
            done.push(self.pipeline_block(instance, &rule, &places, &tys, span));
        }
        let done: Vec<DoneBlock> = done.into_iter().collect::<Option<_>>()?;
        match done.as_slice() {
            [
                DoneBlock::Parser(parser),
                DoneBlock::Control(verify_checksum),
                DoneBlock::Control(ingress),
                DoneBlock::Control(egress),
                DoneBlock::Control(compute_checksum),
                DoneBlock::Control(deparser),
            ] => Some(Pipeline {
                headers,
                metadata,
                standard_metadata,
                parser: *parser,
                verify_checksum: *verify_checksum,
                ingress: *ingress,
                egress: *egress,
                compute_checksum: *compute_checksum,
                deparser: *deparser,
                psa: None,
            }),
            _ => None,
        }
    }

    /// Instances passed to the package, in the order of V1Switch's parameters.
    fn package_blocks(
        &mut self,
        parameters: &'a [Parameter],
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Vec<usize>> {
        let binding = self.bound(parameters, arguments, span)?;
        let mut instances = Vec::with_capacity(6);
        let mut sound = true;
        for (slot, (what, _)) in binding.iter().zip(BLOCKS) {
            let Some(argument) = slot.and_then(|index| arguments.get(index)) else {
                return self.error(span, format!("missing {what} of V1Switch"));
            };
            match self.expr(&argument.value).map(|value| value.kind) {
                Some(Kind::Object(Object::Block(instance))) => instances.push(instance),
                Some(_) => {
                    self.error::<()>(argument.value.span, format!("expected a {what}"));
                    sound = false;
                }
                None => sound = false,
            }
        }
        (sound && instances.len() == 6).then_some(instances)
    }

    /// Types of headers, metadata and standard metadata: those of the parser's parameters.
    fn shared_types(&mut self, parser: usize, span: Span) -> Option<[Ty; 3]> {
        let declarations = self.declarations;
        let made = self.output.instances.get(parser)?.clone();
        let declaration = &declarations[made.declaration];
        let DeclarationKind::Parser(written) = &declaration.kind else {
            return self.error(span, "the first argument of V1Switch must be a parser");
        };
        let tys = self.parameter_types(&written.parameters, &made.types)?;
        match tys.as_slice() {
            [_, headers, metadata, standard] => Some([headers.clone(), metadata.clone(), standard.clone()]),
            _ => self.error(
                written.name.span,
                format!("the parser of V1Switch must have 4 parameters, found {}", tys.len()),
            ),
        }
    }

    /// Elaborates a block of a package. `places` are the parts of the state that parameters can be aliases of.
    pub(super) fn pipeline_block(
        &mut self,
        instance: usize,
        rule: &BlockRule<'_>,
        places: &[Place],
        tys: &[Ty],
        span: Span,
    ) -> Option<DoneBlock> {
        let BlockRule { package, what, parameters: wanted } = *rule;
        let declarations = self.declarations;
        let made = self.output.instances.get(instance)?.clone();
        let declaration = &declarations[made.declaration];
        if matches!(declaration.kind, DeclarationKind::Parser(_)) != is_parser(what) {
            return self.error(span, format!("expected a {what} for {package}, found `{}`", made.path));
        }
        let parameters = apply_parameters(&declaration.kind);
        if parameters.len() != wanted.len() {
            let message = format!(
                "the {what} of {package} must have {}, found {}",
                count(wanted.len(), "parameter"),
                parameters.len()
            );
            return self.error(declaration.span, message);
        }
        let own = self.parameter_types(parameters, &made.types)?;
        let mut bound = Vec::with_capacity(parameters.len());
        for ((parameter, ty), wanted) in parameters.iter().zip(own).zip(wanted) {
            let mut reset = None;
            let entity = match wanted {
                None => self.packet_entity(parameter, &ty, what)?,
                Some(index) => {
                    // Parameters of the pipeline's blocks are aliases of the shared variables, so the types must be equal.
                    if ty != tys[*index] {
                        let (own, expected) = (self.types.show(&ty), self.types.show(&tys[*index]));
                        let message = format!(
                            "the parameter `{}` must have the type `{expected}` of the parser's parameter, found `{own}`",
                            parameter.name.text
                        );
                        return self.error(parameter.ty.span, message);
                    }
                    let read_only = match parameter.direction {
                        Direction::In => Some("an `in` parameter"),
                        _ => None,
                    };
                    let place = places[*index].clone();
                    // What a parser writes is empty already.
                    reset =
                        (parameter.direction == Direction::Out && !is_parser(what)).then(|| place.clone());
                    Entity::Variable(Variable { place, ty, read_only })
                }
            };
            bound.push(BlockParameter { written: parameter, entity, reset });
        }
        self.block_instance(instance, bound, span)
    }

    fn packet_entity(&mut self, parameter: &'a Parameter, ty: &Ty, what: &str) -> Option<Entity> {
        let name: Option<Arc<str>> = match ty {
            Ty::Extern(id) => Some(self.types.named[*id].name.clone()),
            _ => None,
        };
        match name.as_deref() {
            Some("packet_in") if is_parser(what) => Some(Entity::Object(Object::PacketIn, ty.clone())),
            Some("packet_out") if what.ends_with("deparser") => {
                Some(Entity::Object(Object::PacketOut, ty.clone()))
            }
            _ => {
                self.error(parameter.ty.span, format!("the first parameter of the {what} must be the packet"))
            }
        }
    }

    /// A dummy place of a type, for code elaborated only to find its errors.
    pub(super) fn placeholder(&mut self, name: &Arc<str>, id: ir::TypeId) -> Place {
        self.variable(name.clone(), id)
    }
}
