//! A table's entries for a reader.

use std::fmt::Write;

use jettison_p4_exec::table::{TableState, Then};
use jettison_p4_front::ir::{ActionValue, KeyMatch, MatchKind, Program, TableId};

/// A line an entry, in the order of insertion, and one for the default.
pub(super) fn table_dump(program: &Program, id: TableId, state: &TableState) -> String {
    let table = &program.tables[id.index()];
    let keys: Vec<&str> =
        table.keys.iter().filter(|key| key.kind != MatchKind::Selector).map(|key| &*key.name).collect();
    let mut text = format!("table {}\n", table.name);
    for (handle, entry) in state.entries() {
        let matches = keys.iter().zip(&entry.keys).map(|(name, wanted)| format!("{name}={}", key(wanted)));
        let matches = matches.collect::<Vec<_>>().join(" ");
        let priority = match entry.priority {
            0 => String::new(),
            // As commands write it.
            priority => format!(" priority {}", -priority),
        };
        let then = then(program, id, &entry.then);
        let _ = writeln!(text, "{}: {matches} => {then}{priority}", handle.0); // a String takes everything
    }
    let _ = writeln!(text, "default: {}", then(program, id, state.default()));
    text
}

fn key(wanted: &KeyMatch) -> String {
    match wanted {
        KeyMatch::Exact(value) => format!("{value:#x}"),
        KeyMatch::Lpm(value, length) => format!("{value:#x}/{length}"),
        KeyMatch::Ternary(value, mask) => format!("{value:#x}&&&{mask:#x}"),
        KeyMatch::Range(low, high) => format!("{low:#x}->{high:#x}"),
        KeyMatch::Any => "*".to_owned(),
    }
}

fn then(program: &Program, table: TableId, then: &Then) -> String {
    match then {
        Then::Action(value) => action(program, table, value),
        Then::Member(member) => format!("member {member}"),
        Then::Group(group) => format!("group {group}"),
    }
}

fn action(program: &Program, table: TableId, value: &ActionValue) -> String {
    let action = &program.tables[table.index()].actions[value.action as usize];
    let data: Vec<String> =
        action.data.iter().zip(&value.data).map(|((name, _), value)| format!("{name}={value:#x}")).collect();
    format!("{}({})", action.name, data.join(", "))
}
