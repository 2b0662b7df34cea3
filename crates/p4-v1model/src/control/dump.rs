//! Text dump of a table's entries.

use std::fmt::Write;

use jettison_p4_exec::table::{EntryAction, TableState};
use jettison_p4_front::ir::{ActionValue, KeyMatch, MatchKind, Program, TableId};

/// One line per entry, in the order of insertion, and one for the default action.
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
            // In the sign convention of commands.
            priority => format!(" priority {}", -priority),
        };
        let action = entry_action(program, id, &entry.action);
        let _ = writeln!(text, "{}: {matches} => {action}{priority}", handle.0); // writing to a String cannot fail
    }
    let _ = writeln!(text, "default: {}", entry_action(program, id, state.default()));
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

fn entry_action(program: &Program, table: TableId, action: &EntryAction) -> String {
    match action {
        EntryAction::Action(value) => action_value(program, table, value),
        EntryAction::Member(member) => format!("member {member}"),
        EntryAction::Group(group) => format!("group {group}"),
    }
}

fn action_value(program: &Program, table: TableId, value: &ActionValue) -> String {
    let action = &program.tables[table.index()].actions[value.action as usize];
    let data: Vec<String> =
        action.data.iter().zip(&value.data).map(|((name, _), value)| format!("{name}={value:#x}")).collect();
    format!("{}({})", action.name, data.join(", "))
}
