//! P4Info of a program (§6).

mod digests;
mod ids;
mod names;
mod objects;
mod tables;
mod text;
mod types;

use std::collections::BTreeMap;

pub use digests::digest_types;
pub use ids::Prefix;
pub use text::to_text;

use ids::Ids;
use jettison_p4_front::ir::{Annotation, AnnotationValue, FunctionId, Program};

use crate::proto::info::{Documentation, P4Info, PkgInfo, Preamble};

/// Values of `MatchField.match_type`.
pub mod match_type {
    #![allow(missing_docs)] // the specification's names
    pub const EXACT: i32 = 2;
    pub const LPM: i32 = 3;
    pub const TERNARY: i32 = 4;
    pub const RANGE: i32 = 5;
    pub const OPTIONAL: i32 = 6;
}

/// Ids of a program's objects, in the order of the program's lists.
pub(crate) struct ProgramIds {
    pub tables: Vec<u32>,
    pub actions: BTreeMap<FunctionId, u32>,
    pub externs: Vec<u32>,
    pub profiles: Vec<u32>,
    pub value_sets: Vec<u32>,
    pub headers: Vec<u32>,
    pub digests: Vec<u32>,
}

/// Describes a program.
///
/// # Errors
/// If two objects have the same `@id`, or an `@id` has the prefix of another kind of object.
pub fn describe(program: &Program) -> Result<P4Info, String> {
    let ids = ProgramIds::new(program)?;
    let arch = if program.pipeline.psa.is_some() { "psa" } else { "v1model" };
    let mut info = P4Info {
        pkg_info: Some(PkgInfo { arch: arch.to_owned(), ..PkgInfo::default() }),
        ..P4Info::default()
    };
    tables::describe(program, &ids, &mut info);
    objects::describe(program, &ids, &mut info);
    types::describe(program, &mut info);
    names::set_aliases(&mut info);
    Ok(info)
}

impl ProgramIds {
    fn new(program: &Program) -> Result<ProgramIds, String> {
        let notes = &program.control_plane;
        let none = Vec::new();
        let mut ids = Ids::default();
        let tables: Vec<(&str, &[Annotation])> = (program.tables.iter().enumerate())
            .map(|(at, table)| {
                (&*table.name, notes.tables.get(at).map_or(&none[..], |note| &note.annotations))
            })
            .collect();
        let mut functions: Vec<FunctionId> =
            program.tables.iter().flat_map(|table| &table.actions).map(|action| action.function).collect();
        functions.sort_unstable();
        functions.dedup();
        let actions: Vec<(&str, &[Annotation])> = (functions.iter())
            .map(|id| {
                let annotations = notes.actions.get(id).map_or(&none[..], |note| &note.annotations);
                (&*program.functions[id.index()].name, annotations)
            })
            .collect();
        let externs: Vec<(Prefix, &str, &[Annotation])> = (program.externs.iter().enumerate())
            .map(|(at, object)| {
                let annotations = notes.externs.get(at).map_or(&none[..], |note| &note.annotations);
                (Prefix::of(object.kind), &*object.name, annotations)
            })
            .collect();
        let annotated = |names: Vec<&'_ str>, of: &[Vec<Annotation>]| -> Vec<(String, Vec<Annotation>)> {
            let at = |at: usize| of.get(at).cloned().unwrap_or_default();
            names.into_iter().enumerate().map(|(n, name)| (name.to_owned(), at(n))).collect()
        };
        let profiles =
            annotated(program.profiles.iter().map(|profile| &*profile.name).collect(), &notes.profiles);
        let sets = annotated(program.value_sets.iter().map(|set| &*set.name).collect(), &notes.value_sets);
        let headers: Vec<(String, Vec<Annotation>)> = (notes.controller_headers.iter())
            .map(|header| (header.name.to_string(), header.annotations.clone()))
            .collect();
        let digests: Vec<(String, Vec<Annotation>)> =
            digest_types(program).into_iter().map(|(_, name)| (name, Vec::new())).collect();
        let owned = |list: &[(String, Vec<Annotation>)], prefix| -> Vec<(Prefix, String, Vec<Annotation>)> {
            list.iter().map(|(name, annotations)| (prefix, name.clone(), annotations.clone())).collect()
        };
        let borrowed = |list: &[(&str, &[Annotation])], prefix| -> Vec<(Prefix, String, Vec<Annotation>)> {
            list.iter()
                .map(|(name, annotations)| (prefix, (*name).to_owned(), annotations.to_vec()))
                .collect()
        };
        let lists = [
            borrowed(&tables, Prefix::Table),
            borrowed(&actions, Prefix::Action),
            externs.iter().map(|(prefix, name, a)| (*prefix, (*name).to_owned(), a.to_vec())).collect(),
            owned(&profiles, Prefix::ActionProfile),
            owned(&sets, Prefix::ValueSet),
            owned(&headers, Prefix::ControllerHeader),
            owned(&digests, Prefix::Digest),
        ];
        // Written ids first, so that no hash takes one of them.
        for (prefix, name, annotations) in lists.iter().flatten() {
            ids.reserve(*prefix, plain(name), annotations)?;
        }
        let [tables, actions, externs, profiles, value_sets, headers, digests] = lists.map(|list| {
            list.iter().map(|(prefix, name, _)| ids.id(*prefix, plain(name))).collect::<Vec<u32>>()
        });
        let actions = functions.into_iter().zip(actions).collect();
        Ok(ProgramIds { tables, actions, externs, profiles, value_sets, headers, digests })
    }
}

/// A control-plane name without the leading dot of a top-level name.
pub(crate) fn plain(name: &str) -> &str {
    name.trim_start_matches('.')
}

/// Preamble of an object; the alias is set when all names are known.
fn preamble(id: u32, name: &str, annotations: &[Annotation]) -> Option<Preamble> {
    let doc = documentation(annotations);
    let annotations = texts(annotations);
    Some(Preamble { id, name: plain(name).to_owned(), alias: String::new(), annotations, doc })
}

/// Annotations as text, without those that P4Info expresses itself.
fn texts(annotations: &[Annotation]) -> Vec<String> {
    let told = ["id", "brief", "description"];
    let kept = annotations.iter().filter(|annotation| !told.contains(&&*annotation.name));
    kept.map(|annotation| annotation.text.clone()).collect()
}

/// `@brief("…")` and `@description("…")`.
fn documentation(annotations: &[Annotation]) -> Option<Documentation> {
    let text = |name: &str| {
        let annotation = annotations.iter().find(|annotation| &*annotation.name == name)?;
        match annotation.arguments.first()? {
            AnnotationValue::Text(text) => Some(text.to_string()),
            _ => None,
        }
    };
    let (brief, description) = (text("brief"), text("description"));
    if brief.is_none() && description.is_none() {
        return None;
    }
    Some(Documentation { brief: brief.unwrap_or_default(), description: description.unwrap_or_default() })
}

/// First argument of an annotation as a number.
fn number(annotations: &[Annotation], name: &str) -> Option<u32> {
    let annotation = annotations.iter().find(|annotation| &*annotation.name == name)?;
    match annotation.arguments.first()? {
        AnnotationValue::Number(number) => u32::try_from(number).ok(),
        _ => None,
    }
}

/// Ids of fields or parameters: `@id`, else the position from 1; a position that an `@id` has taken is skipped.
fn field_ids(annotations: &[&[Annotation]]) -> Vec<u32> {
    let written: Vec<Option<u32>> = annotations.iter().map(|annotations| number(annotations, "id")).collect();
    let mut next = 1;
    let given = written.iter().map(|id| match id {
        Some(id) => *id,
        None => {
            while written.contains(&Some(next)) {
                next += 1;
            }
            next += 1;
            next - 1
        }
    });
    given.collect()
}

/// Clamps a width or size to the type of P4Info's fields.
fn clamp(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests;
