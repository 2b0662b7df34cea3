//! The six blocks of `PSA_Switch`, and the state that they share (PSA 1.2, "Programmable blocks", "Packet Path Details").

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::ir::{
    Composite, CompositeKind, Field, FieldList, FieldListId, FunctionKind, Pipeline, Place, Psa, Step, Type,
    TypeId,
};
use crate::source::Span;
use crate::syntax::ast::{Argument, DeclarationKind, Direction, Parameter};
use crate::types::Checker;
use crate::types::constructor::{DoneBlock, apply_parameters};
use crate::types::package::BlockRule;
use crate::types::scope::declared_name;
use crate::types::ty::Ty;
use crate::types::value::{Kind, Object};

/// An instance of `IngressPipeline` or `EgressPipeline`.
#[derive(Debug, Clone)]
pub(in crate::types) struct PackageInstance {
    /// Name of the package.
    name: Arc<str>,
    /// Its arguments that are blocks, with their positions.
    blocks: Vec<(usize, Span)>,
}

/// A part of the state. The first two are headers, the next seven metadata, the others structs of the architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    IngressHeaders,
    EgressHeaders,
    IngressMetadata,
    EgressMetadata,
    Normal,
    CloneI2e,
    CloneE2e,
    Resubmit,
    Recirculate,
    IngressParserInput,
    IngressInput,
    IngressOutput,
    EgressParserInput,
    EgressInput,
    EgressOutput,
    EgressDeparserInput,
}

const PARTS: usize = 16;

/// Names of the parts in the three variables of the state, and the types of those that the architecture declares.
const NAMES: [(&str, Option<&str>); PARTS] = [
    ("ingress", None),
    ("egress", None),
    ("ingress", None),
    ("egress", None),
    ("normal_meta", None),
    ("clone_i2e_meta", None),
    ("clone_e2e_meta", None),
    ("resubmit_meta", None),
    ("recirculate_meta", None),
    ("ingress_parser_input", Some("psa_ingress_parser_input_metadata_t")),
    ("ingress_input", Some("psa_ingress_input_metadata_t")),
    ("ingress_output", Some("psa_ingress_output_metadata_t")),
    ("egress_parser_input", Some("psa_egress_parser_input_metadata_t")),
    ("egress_input", Some("psa_egress_input_metadata_t")),
    ("egress_output", Some("psa_egress_output_metadata_t")),
    ("egress_deparser_input", Some("psa_egress_deparser_input_metadata_t")),
];

use Direction::{In, InOut, None as Undirected, Out};

/// Parameters of a block: direction and part; the packet has no part.
type Parameters = &'static [(Direction, Option<Part>)];

/// The blocks, in the order of the packages: kind, and parameters.
const BLOCKS: [(&str, Parameters); 6] = [
    (
        "ingress parser",
        &[
            (Undirected, None),
            (Out, Some(Part::IngressHeaders)),
            (InOut, Some(Part::IngressMetadata)),
            (In, Some(Part::IngressParserInput)),
            (In, Some(Part::Resubmit)),
            (In, Some(Part::Recirculate)),
        ],
    ),
    (
        "ingress control",
        &[
            (InOut, Some(Part::IngressHeaders)),
            (InOut, Some(Part::IngressMetadata)),
            (In, Some(Part::IngressInput)),
            (InOut, Some(Part::IngressOutput)),
        ],
    ),
    (
        "ingress deparser",
        &[
            (Undirected, None),
            (Out, Some(Part::CloneI2e)),
            (Out, Some(Part::Resubmit)),
            (Out, Some(Part::Normal)),
            (InOut, Some(Part::IngressHeaders)),
            (In, Some(Part::IngressMetadata)),
            (In, Some(Part::IngressOutput)),
        ],
    ),
    (
        "egress parser",
        &[
            (Undirected, None),
            (Out, Some(Part::EgressHeaders)),
            (InOut, Some(Part::EgressMetadata)),
            (In, Some(Part::EgressParserInput)),
            (In, Some(Part::Normal)),
            (In, Some(Part::CloneI2e)),
            (In, Some(Part::CloneE2e)),
        ],
    ),
    (
        "egress control",
        &[
            (InOut, Some(Part::EgressHeaders)),
            (InOut, Some(Part::EgressMetadata)),
            (In, Some(Part::EgressInput)),
            (InOut, Some(Part::EgressOutput)),
        ],
    ),
    (
        "egress deparser",
        &[
            (Undirected, None),
            (Out, Some(Part::CloneE2e)),
            (Out, Some(Part::Recirculate)),
            (InOut, Some(Part::EgressHeaders)),
            (In, Some(Part::EgressMetadata)),
            (In, Some(Part::EgressOutput)),
            (In, Some(Part::EgressDeparserInput)),
        ],
    ),
];

impl<'a> Checker<'a> {
    /// Elaborates an instance of a package, whose arguments are blocks or objects.
    pub(in crate::types) fn construct_package(
        &mut self,
        number: usize,
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Object> {
        let declarations = self.declarations;
        let DeclarationKind::Package { name, parameters, .. } = &declarations[number].kind else {
            return None;
        };
        let binding = self.bound(parameters, arguments, span)?;
        let mut blocks = Vec::new();
        for argument in binding.into_iter().flatten().filter_map(|index| arguments.get(index)) {
            if let Kind::Object(Object::Block(instance)) = self.expr(&argument.value)?.kind {
                blocks.push((instance, argument.value.span));
            }
        }
        self.output.packages.push(PackageInstance { name: name.text.clone(), blocks });
        Some(Object::Package(self.output.packages.len() - 1))
    }

    /// Elaborates `PSA_Switch(…) main;`.
    pub(in crate::types) fn psa_switch(
        &mut self,
        parameters: &'a [Parameter],
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Pipeline> {
        let blocks = self.psa_arguments(parameters, arguments, span)?;
        let tys = self.psa_types(&blocks)?;
        let (roots, places) = self.psa_state(&tys, span)?;
        let mut done = Vec::with_capacity(BLOCKS.len());
        for ((instance, at), (what, wanted)) in blocks.into_iter().zip(BLOCKS) {
            let wanted: Vec<Option<usize>> =
                wanted.iter().map(|(_, part)| part.map(|part| part as usize)).collect();
            let rule = BlockRule { package: "PSA_Switch", what, parameters: &wanted };
            done.push(self.pipeline_block(instance, &rule, &places, &tys, at));
        }
        let done: Vec<DoneBlock> = done.into_iter().collect::<Option<_>>()?;
        let [
            DoneBlock::Parser(parser),
            DoneBlock::Control(ingress),
            DoneBlock::Control(between),
            DoneBlock::Parser(egress_parser),
            DoneBlock::Control(egress),
            DoneBlock::Control(deparser),
        ] = done[..]
        else {
            return None;
        };
        let empty = self.add_function(Arc::from("none"), FunctionKind::Control, Vec::new(), span);
        let mut carried = |part: Part| self.psa_list(&places[part as usize]);
        let psa = Psa {
            deparser: between,
            parser: egress_parser,
            normal: carried(Part::Normal),
            clone_i2e: carried(Part::CloneI2e),
            clone_e2e: carried(Part::CloneE2e),
            resubmit: carried(Part::Resubmit),
            recirculate: carried(Part::Recirculate),
        };
        let [headers, metadata, standard_metadata] = roots.map(|root| root.root);
        Some(Pipeline {
            headers,
            metadata,
            standard_metadata,
            parser,
            verify_checksum: empty,
            ingress,
            egress,
            compute_checksum: empty,
            deparser,
            psa: Some(psa),
        })
    }

    /// The blocks of the two pipelines, with the positions of the arguments.
    fn psa_arguments(
        &mut self,
        parameters: &'a [Parameter],
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Vec<(usize, Span)>> {
        let binding = self.bound(parameters, arguments, span)?;
        let mut blocks = Vec::new();
        let wanted =
            ["IngressPipeline", "PacketReplicationEngine", "EgressPipeline", "BufferingQueueingEngine"];
        for (slot, wanted) in binding.iter().zip(wanted) {
            let Some(argument) = slot.and_then(|index| arguments.get(index)) else {
                return self.error(span, format!("missing {wanted} of PSA_Switch"));
            };
            let at = argument.value.span;
            let value = self.expr(&argument.value)?;
            let found: Arc<str> = match &value.kind {
                Kind::Object(Object::Package(package)) => self.output.packages[*package].name.clone(),
                _ => self.types.show(&value.ty).into(),
            };
            if &*found != wanted {
                let error = Diagnostic::error(at, format!("expected `{wanted}`, found `{found}`"));
                return self.fail(error.hint(
                    "`PSA_Switch(ingress_pipeline, PacketReplicationEngine(), egress_pipeline, BufferingQueueingEngine()) main;`",
                ));
            }
            if let Kind::Object(Object::Package(package)) = value.kind {
                let own = self.output.packages[package].blocks.clone();
                let half = if blocks.is_empty() { &BLOCKS[..3] } else { &BLOCKS[3..] };
                if own.len() != half.len() {
                    let message =
                        format!("the arguments of `{wanted}` must be a parser, a control and a deparser");
                    return self.error(at, message);
                }
                blocks.extend(own);
            }
        }
        (blocks.len() == BLOCKS.len()).then_some(blocks)
    }

    /// Types of the parts: each that of the first block with a parameter for it.
    fn psa_types(&mut self, blocks: &[(usize, Span)]) -> Option<Vec<Ty>> {
        let mut known: [Option<(Ty, Span)>; PARTS] = [const { None }; PARTS];
        let mut sound = true;
        for ((instance, at), (what, wanted)) in blocks.iter().zip(BLOCKS) {
            sound &= self.psa_block_types(*instance, *at, what, wanted, &mut known).is_some();
        }
        if !sound {
            return None;
        }
        known.into_iter().map(|known| known.map(|(ty, _)| ty)).collect()
    }

    fn psa_block_types(
        &mut self,
        instance: usize,
        at: Span,
        what: &str,
        wanted: Parameters,
        known: &mut [Option<(Ty, Span)>; PARTS],
    ) -> Option<()> {
        let made = self.output.instances.get(instance)?.clone();
        let declarations = self.declarations;
        let declaration = &declarations[made.declaration];
        let name = declared_name(&declaration.kind).map_or("?", |name| &name.text);
        let is_parser = matches!(declaration.kind, DeclarationKind::Parser(_));
        if is_parser != what.ends_with(" parser") {
            return self.error(at, format!("expected an {what} for PSA_Switch, found `{name}`"));
        }
        let parameters = apply_parameters(&declaration.kind);
        if parameters.len() != wanted.len() {
            let (needs, has) = (wanted.len(), parameters.len());
            let message = format!("the {what} of PSA_Switch must have {needs} parameters, found {has}");
            return self.error(declaration.span, message);
        }
        let tys = self.parameter_types(parameters, &made.types)?;
        for ((parameter, ty), (direction, part)) in parameters.iter().zip(tys).zip(wanted) {
            let (own, span) = (&parameter.name.text, parameter.ty.span);
            if parameter.direction != *direction {
                let message = format!("the parameter `{own}` of the {what} must be `{}`", word(*direction));
                return self.error(parameter.name.span, message);
            }
            let Some(part) = part else { continue };
            let shown = self.types.show(&ty);
            match (NAMES[*part as usize].1, &known[*part as usize]) {
                (Some(declared), _) if shown != declared => {
                    let message =
                        format!("the parameter `{own}` must have the type `{declared}`, found `{shown}`");
                    return self.error(span, message);
                }
                (_, Some((first, first_span))) if *first != ty => {
                    let (first, first_span) = (self.types.show(first), *first_span);
                    let message =
                        format!("the parameter `{own}` must have the type `{first}`, found `{shown}`");
                    let error = Diagnostic::error(span, message);
                    return self.fail(error.related(first_span, "as in this block"));
                }
                (_, Some(_)) => {}
                (_, None) => known[*part as usize] = Some((ty, span)),
            }
        }
        Some(())
    }

    /// The three variables of the state, and the places of the parts in them.
    fn psa_state(&mut self, tys: &[Ty], span: Span) -> Option<([Place; 3], Vec<Place>)> {
        let mut ids: Vec<TypeId> = Vec::with_capacity(tys.len());
        for ty in tys {
            ids.push(self.lower_ty(ty, span)?);
        }
        let length = self.output.types.add(Type::Bits { width: 32, signed: false });
        let standard = Part::IngressParserInput as usize;
        let ranges = [
            ("headers", 0..Part::IngressMetadata as usize),
            ("metadata", Part::IngressMetadata as usize..standard),
            ("standard_metadata", standard..PARTS),
        ];
        let (mut roots, mut places) = (Vec::new(), Vec::with_capacity(PARTS));
        for (name, parts) in ranges {
            let mut fields: Vec<Field> =
                parts.clone().map(|part| Field { name: Arc::from(NAMES[part].0), ty: ids[part] }).collect();
            if parts.start == standard {
                fields.push(Field { name: Arc::from("packet_length"), ty: length });
            }
            let composite = Composite { name: Arc::from(name), kind: CompositeKind::Struct, fields };
            let composite = self.output.types.add_composite(composite);
            let ty = self.output.types.add(Type::Composite(composite));
            let root = self.variable(name, ty);
            places.extend((0u32..).zip(parts).map(|(field, part)| root.step(Step::Field(field), ids[part])));
            roots.push(root);
        }
        Some((roots.try_into().ok()?, places))
    }

    fn psa_list(&mut self, place: &Place) -> FieldListId {
        self.output.field_lists.push(FieldList { places: vec![place.clone()] });
        FieldListId(u32::try_from(self.output.field_lists.len() - 1).unwrap_or(u32::MAX))
    }
}

/// A direction as written.
fn word(direction: Direction) -> &'static str {
    match direction {
        Undirected => "without a direction",
        In => "in",
        Out => "out",
        InOut => "inout",
    }
}
