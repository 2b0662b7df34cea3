//! Tables, actions and action profiles in P4Info.

use jettison_p4_front::ir::{
    ActionNotes, ActionProfileId, MatchKind, Program, Table as TableIr, TableNotes, Type, ValueNotes,
};

use super::{ProgramIds, clamp, documentation, field_ids, match_type, number, preamble, texts, types};
use crate::bytes;
use crate::proto::info::{
    Action, ActionProfile, ActionRef, MatchField, NamedType, P4Info, Param, Table, TableActionArgument,
    TableActionCall,
};

/// Size of a table without the property `size`, as p4c has it.
const DEFAULT_SIZE: u64 = 1024;

pub(super) fn describe(program: &Program, ids: &ProgramIds, info: &mut P4Info) {
    let notes = &program.control_plane;
    for (&function, &id) in &ids.actions {
        let noted = notes.actions.get(&function).cloned().unwrap_or_default();
        let name = &program.functions[function.index()].name;
        let params = parameters(program, function, &noted);
        info.actions.push(Action { preamble: preamble(id, name, &noted.annotations), params });
    }
    for (at, table) in program.tables.iter().enumerate() {
        let noted = notes.tables.get(at).cloned().unwrap_or_default();
        info.tables.push(describe_table(program, ids, info, at, table, &noted));
    }
    for (at, profile) in program.profiles.iter().enumerate() {
        let annotations = notes.profiles.get(at).cloned().unwrap_or_default();
        let own = Some(ActionProfileId(at as u32));
        let users = program.tables.iter().zip(&ids.tables).filter(|(table, _)| table.profile == own);
        info.action_profiles.push(ActionProfile {
            preamble: preamble(ids.profiles[at], &profile.name, &annotations),
            table_ids: users.map(|(_, id)| *id).collect(),
            with_selector: profile.selector.is_some(),
            size: i64::from(profile.size),
            max_group_size: number(&annotations, "max_group_size").map_or(0, clamp),
        });
    }
}

/// Parameters that the control plane supplies: those that the table's list of actions leaves open.
fn parameters(
    program: &Program,
    function: jettison_p4_front::ir::FunctionId,
    noted: &ActionNotes,
) -> Vec<Param> {
    let listed = program.tables.iter().flat_map(|table| &table.actions);
    let Some(listed) =
        listed.filter(|action| action.function == function).max_by_key(|action| action.data.len())
    else {
        return Vec::new();
    };
    let notes: Vec<ValueNotes> = (listed.data.iter())
        .map(|(name, variable)| {
            let noted = noted.parameters.iter().find(|parameter| parameter.name == *name).cloned();
            let bits = program.types.bits(program.variables[variable.index()].ty);
            noted.unwrap_or(ValueNotes { name: name.clone(), bits, ..ValueNotes::default() })
        })
        .collect();
    let annotations: Vec<_> = notes.iter().map(|note| &note.annotations[..]).collect();
    let ids = field_ids(&annotations);
    let params = notes.iter().zip(ids).map(|(note, id)| Param {
        id,
        name: note.name.to_string(),
        annotations: texts(&note.annotations),
        bitwidth: types::bit_width(program, note),
        doc: documentation(&note.annotations),
        type_name: named(note),
    });
    params.collect()
}

fn describe_table(
    program: &Program,
    ids: &ProgramIds,
    info: &P4Info,
    at: usize,
    table: &TableIr,
    noted: &TableNotes,
) -> Table {
    let fallback = |key: &jettison_p4_front::ir::Key| ValueNotes {
        name: key.name.clone(),
        bits: program.types.bits(key.expr.ty),
        ..ValueNotes::default()
    };
    let keys: Vec<(ValueNotes, MatchKind)> = (table.keys.iter().enumerate())
        .filter(|(_, key)| key.kind != MatchKind::Selector)
        .map(|(at, key)| (noted.keys.get(at).cloned().unwrap_or_else(|| fallback(key)), key.kind))
        .collect();
    let annotations: Vec<_> = keys.iter().map(|(note, _)| &note.annotations[..]).collect();
    let field_ids = field_ids(&annotations);
    let match_fields = keys.iter().zip(field_ids).map(|((note, kind), id)| MatchField {
        id,
        name: note.name.to_string(),
        annotations: texts(&note.annotations),
        bitwidth: types::bit_width(program, note),
        match_type: kind_number(*kind),
        doc: documentation(&note.annotations),
        type_name: named(note),
    });
    let action_refs = table.actions.iter().map(|action| ActionRef {
        id: ids.actions[&action.function],
        annotations: match (action.table_only, action.default_only) {
            (true, _) => vec!["@tableonly".to_owned()],
            (_, true) => vec!["@defaultonly".to_owned()],
            _ => Vec::new(),
        },
        scope: match (action.table_only, action.default_only) {
            (true, _) => 1,
            (_, true) => 2,
            _ => 0,
        },
    });
    let default = &table.actions[table.default.action as usize];
    let default_id = ids.actions[&default.function];
    let params =
        info.actions.iter().find(|action| action.preamble.as_ref().is_some_and(|p| p.id == default_id));
    let params = params.map(|action| &action.params[..]).unwrap_or_default();
    let arguments =
        params.iter().zip(&default.data).zip(&table.default.data).map(|((param, data), value)| {
            let ty = program.variables[data.1.index()].ty;
            let signed = matches!(program.types.get(ty), Type::Bits { signed: true, .. });
            let value = bytes::encode(value, program.types.bits(ty), signed);
            TableActionArgument { param_id: param.id, value }
        });
    let call = TableActionCall { action_id: default_id, arguments: arguments.collect() };
    let direct = [table.direct_counter, table.direct_meter];
    Table {
        preamble: preamble(ids.tables[at], &table.name, &noted.annotations),
        match_fields: match_fields.collect(),
        action_refs: action_refs.collect(),
        const_default_action_id: if table.default_is_const { default_id } else { 0 },
        initial_default_action: Some(call),
        implementation_id: table.profile.map_or(0, |profile| ids.profiles[profile.index()]),
        direct_resource_ids: direct.into_iter().flatten().map(|id| ids.externs[id.index()]).collect(),
        size: i64::try_from(table.size.unwrap_or(DEFAULT_SIZE)).unwrap_or(i64::MAX),
        idle_timeout_behavior: i32::from(noted.supports_timeout),
        is_const_table: table.entries_are_const,
        has_initial_entries: !table.entries.is_empty(),
    }
}

pub(super) fn kind_number(kind: MatchKind) -> i32 {
    match kind {
        MatchKind::Exact => match_type::EXACT,
        MatchKind::Lpm => match_type::LPM,
        MatchKind::Ternary => match_type::TERNARY,
        MatchKind::Range => match_type::RANGE,
        MatchKind::Optional => match_type::OPTIONAL,
        MatchKind::Selector => 0,
    }
}

pub(super) fn named(note: &ValueNotes) -> Option<NamedType> {
    note.type_name.as_ref().map(|name| NamedType { name: name.to_string() })
}
