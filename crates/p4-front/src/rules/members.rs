//! Members of enums, of `error` and of `match_kind` have different names (§7.1.2, §7.1.3, §7.2.1).

use super::duplicate;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{DeclarationKind, EnumMember, Name, Program};

pub(super) fn enumeration(members: &[EnumMember], found: &mut Vec<Diagnostic>) {
    unique("enum member", members.iter().map(|member| &member.name), found);
}

/// Checks one declaration of errors. Another declaration may repeat its names: libraries of one program share errors.
pub(super) fn errors(members: &[Name], found: &mut Vec<Diagnostic>) {
    unique("error", members.iter(), found);
}

/// Checks the match kinds of all declarations, which share one namespace.
pub(super) fn match_kinds(program: &Program, found: &mut Vec<Diagnostic>) {
    let members = program.declarations.iter().filter_map(|declaration| match &declaration.kind {
        DeclarationKind::MatchKind { members } => Some(members),
        _ => None,
    });
    unique("match kind", members.flatten(), found);
}

fn unique<'a>(what: &str, names: impl Iterator<Item = &'a Name>, found: &mut Vec<Diagnostic>) {
    let mut seen: Vec<&Name> = Vec::new();
    for name in names {
        match seen.iter().find(|other| other.text == name.text) {
            Some(first) => found.push(duplicate(what, name, first.span)),
            None => seen.push(name),
        }
    }
}
