//! Parser of the language of `simple_switch_CLI`: one command per line; comments after `#` and `//`.

use jettison_registry::nearest;
use jettison_switch::Port;

use super::Command;
use super::values::key_match;
use super::words::{Word, Words, number};
use crate::{MirrorSession, MirrorTarget};
use jettison_p4_exec::objects::{CrcParameters, MeterRate};
use jettison_p4_exec::table::{Entry, EntryAction, Handle};
use jettison_p4_front::diagnostic::Diagnostic;
use jettison_p4_front::ir::{
    ActionProfileId, ActionValue, ExternKind, HashAlgorithm, KeyMatch, MatchKind, Program, TableId,
};
use jettison_p4_front::source::{FileId, Sources, Span};

/// A command with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The command.
    pub command: Command,
    /// Position of the line, from the first word to the last.
    pub span: Span,
}

/// Parses the commands of a file.
///
/// # Errors
/// One for each line that is not a valid command for the program.
pub fn parse(sources: &Sources, file: FileId, program: &Program) -> Result<Vec<Located>, Vec<Diagnostic>> {
    let text = &sources.file(file).text;
    let (mut commands, mut errors) = (Vec::new(), Vec::new());
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut words = Words::new(line, file, start, program);
        start += line.len();
        let Some(span) = words.span() else { continue };
        if words.peek().is_some_and(|word| PORT_COMMANDS.contains(&word.text)) {
            continue;
        }
        match command(&mut words) {
            Ok(command) => commands.push(Located { command, span }),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(commands) } else { Err(errors) }
}

/// Commands about the devices of `simple_switch`, which are skipped: here links and the command line give a switch its
/// ports.
const PORT_COMMANDS: [&str; 3] = ["port_add", "port_remove", "show_ports"];

/// Name, usage and parser of a command.
struct Rule {
    name: &'static str,
    usage: &'static str,
    read: fn(&mut Words<'_>) -> Result<Command, Diagnostic>,
}

macro_rules! rules {
    ($($name:literal $usage:literal => $read:expr;)*) => {
        &[$(Rule { name: $name, usage: concat!("usage: ", $name, " ", $usage), read: $read },)*]
    };
}

const RULES: &[Rule] = rules! {
    "table_add" "TABLE ACTION KEY... => DATA... [PRIORITY]" => table_add;
    "table_indirect_add" "TABLE KEY... => MEMBER [PRIORITY]" => |words| table_indirect_add(words, EntryAction::Member, "member");
    "table_indirect_add_with_group" "TABLE KEY... => GROUP [PRIORITY]" => |words| table_indirect_add(words, EntryAction::Group, "group");
    "table_modify" "TABLE ACTION ENTRY [=>] DATA..." => table_modify;
    "table_delete" "TABLE ENTRY" => table_delete;
    "table_indirect_delete" "TABLE ENTRY" => table_delete;
    "table_clear" "TABLE" => |words| Ok(Command::TableClear { table: table(words)? });
    "table_set_default" "TABLE ACTION [=>] DATA..." => table_set_default;
    "table_indirect_set_default" "TABLE MEMBER" => |words| {
        Ok(Command::TableSetDefault { table: table(words)?, action: EntryAction::Member(words.number32("member")?) })
    };
    "table_indirect_set_default_with_group" "TABLE GROUP" => |words| {
        Ok(Command::TableSetDefault { table: table(words)?, action: EntryAction::Group(words.number32("group")?) })
    };
    "table_reset_default" "TABLE" => |words| Ok(Command::TableResetDefault { table: table(words)? });
    "table_indirect_reset_default" "TABLE" => |words| Ok(Command::TableResetDefault { table: table(words)? });
    "table_dump" "TABLE" => |words| Ok(Command::TableDump { table: table(words)? });
    "table_num_entries" "TABLE" => |words| Ok(Command::TableCount { table: table(words)? });

    "act_prof_create_member" "PROFILE ACTION DATA..." => |words| {
        let profile = profile(words)?;
        Ok(Command::MemberCreate { profile, action: profile_action(words, profile, |_| Ok(()))?.1 })
    };
    "act_prof_modify_member" "PROFILE ACTION MEMBER DATA..." => |words| {
        let profile = profile(words)?;
        let (member, action) = profile_action(words, profile, |words| words.number32("member"))?;
        Ok(Command::MemberModify { profile, member, action })
    };
    "act_prof_delete_member" "PROFILE MEMBER" => |words| {
        Ok(Command::MemberDelete { profile: profile(words)?, member: words.number32("member")? })
    };
    "act_prof_create_group" "PROFILE" => |words| Ok(Command::MemberGroupCreate { profile: profile(words)? });
    "act_prof_delete_group" "PROFILE GROUP" => |words| {
        Ok(Command::MemberGroupDelete { profile: profile(words)?, group: words.number32("group")? })
    };
    "act_prof_add_member_to_group" "PROFILE MEMBER GROUP" => |words| {
        let (profile, member) = (profile(words)?, words.number32("member")?);
        Ok(Command::MemberGroupAdd { profile, member, group: words.number32("group")? })
    };
    "act_prof_remove_member_from_group" "PROFILE MEMBER GROUP" => |words| {
        let (profile, member) = (profile(words)?, words.number32("member")?);
        Ok(Command::MemberGroupRemove { profile, member, group: words.number32("group")? })
    };

    "pvs_add" "VALUE_SET VALUE" => |words| {
        let (set, member) = value_set_member(words)?;
        Ok(Command::ValueSetAdd { set, member })
    };
    "pvs_remove" "VALUE_SET VALUE" => |words| {
        let (set, member) = value_set_member(words)?;
        Ok(Command::ValueSetRemove { set, member })
    };
    "pvs_clear" "VALUE_SET" => |words| {
        let names = words.names;
        Ok(Command::ValueSetClear { set: words.read("value set", |name| names.value_set(name))? })
    };

    "mirroring_add" "SESSION PORT [priority=N] [truncate=BYTES]" => |words| {
        let session = session(words)?;
        let port = port(words)?;
        Ok(Command::MirroringAdd { session, config: mirror(words, MirrorTarget::Port(port))? })
    };
    "mirroring_add_mc" "SESSION GROUP [priority=N] [truncate=BYTES]" => |words| {
        let session = session(words)?;
        let group = words.number16("multicast group")?;
        Ok(Command::MirroringAdd { session, config: mirror(words, MirrorTarget::Group(group))? })
    };
    "mirroring_delete" "SESSION" => |words| Ok(Command::MirroringDelete { session: session(words)? });

    "set_queue_depth" "PACKETS [PORT [PRIORITY]]" => |words| {
        let packets = words.number("number of packets", 0..=u64::MAX)?;
        let (port, priority) = queue(words)?;
        Ok(Command::QueueDepth { packets, port, priority })
    };
    "set_queue_rate" "PACKETS_PER_SECOND [PORT [PRIORITY]]" => |words| {
        let packets_per_second = words.number("number of packets per second", 0..=u64::MAX)?;
        let (port, priority) = queue(words)?;
        Ok(Command::QueueRate { packets_per_second, port, priority })
    };

    "mc_mgrp_create" "GROUP" => |words| Ok(Command::GroupCreate { group: words.number16("multicast group")? });
    "mc_mgrp_destroy" "GROUP" => |words| Ok(Command::GroupDestroy { group: words.number16("multicast group")? });
    "mc_node_create" "RID PORT..." => |words| {
        Ok(Command::NodeCreate { rid: words.number16("replication id")?, ports: ports(words)? })
    };
    "mc_node_update" "NODE PORT..." => |words| {
        Ok(Command::NodeUpdate { node: words.number32("node")?, ports: ports(words)? })
    };
    "mc_node_associate" "GROUP NODE" => |words| {
        Ok(Command::NodeAssociate { group: words.number16("multicast group")?, node: words.number32("node")? })
    };
    "mc_node_dissociate" "GROUP NODE" => |words| {
        Ok(Command::NodeDissociate { group: words.number16("multicast group")?, node: words.number32("node")? })
    };
    "mc_node_destroy" "NODE" => |words| Ok(Command::NodeDestroy { node: words.number32("node")? });

    "register_read" "REGISTER [INDEX]" => |words| {
        let names = words.names;
        let register = words.read("register", |name| names.register(name))?;
        let index = if words.left() > 0 { Some(index(words)?) } else { None };
        Ok(Command::RegisterRead { register, index })
    };
    "register_write" "REGISTER INDEX VALUE" => register_write;
    "register_reset" "REGISTER" => |words| {
        let names = words.names;
        Ok(Command::RegisterReset { register: words.read("register", |name| names.register(name))? })
    };
    "counter_read" "COUNTER INDEX" => |words| {
        Ok(Command::CounterRead { counter: counter(words)?, index: index(words)? })
    };
    "counter_write" "COUNTER INDEX PACKETS BYTES" => |words| {
        let (counter, index) = (counter(words)?, index(words)?);
        let packets = words.number("number of packets", 0..=u64::MAX)?;
        let bytes = words.number("number of bytes", 0..=u64::MAX)?;
        Ok(Command::CounterWrite { counter, index, packets, bytes })
    };
    "counter_reset" "COUNTER" => |words| Ok(Command::CounterReset { counter: counter(words)? });
    "meter_set_rates" "METER INDEX RATE:BURST RATE:BURST" => |words| {
        let meter = meter(words)?;
        let index = Some(index(words)?);
        Ok(Command::MeterRates { meter, index, rates: rates(words)? })
    };
    "meter_array_set_rates" "METER RATE:BURST RATE:BURST" => |words| {
        Ok(Command::MeterRates { meter: meter(words)?, index: None, rates: rates(words)? })
    };

    "set_crc16_parameters" "NAME POLYNOMIAL INITIAL FINAL_XOR REFLECT_DATA REFLECT_REMAINDER" => |words| {
        crc(words, HashAlgorithm::Crc16Custom, u64::from(u16::MAX))
    };
    "set_crc32_parameters" "NAME POLYNOMIAL INITIAL FINAL_XOR REFLECT_DATA REFLECT_REMAINDER" => |words| {
        crc(words, HashAlgorithm::Crc32Custom, u64::from(u32::MAX))
    };
};

/// Parses a non-empty line.
fn command(words: &mut Words<'_>) -> Result<Command, Diagnostic> {
    let name = words.next("command")?;
    let Some(rule) = RULES.iter().find(|rule| rule.name == name.text) else {
        let error = Diagnostic::error(name.span, format!("unknown command `{}`", name.text));
        let near = nearest(name.text, RULES.iter().map(|rule| rule.name));
        return Err(match near {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error,
        });
    };
    words.usage = rule.usage;
    let command = (rule.read)(words)?;
    words.end()?;
    Ok(command)
}

fn table(words: &mut Words<'_>) -> Result<TableId, Diagnostic> {
    let names = words.names;
    words.read("table", |name| names.table(name))
}

/// Parses a table and one of its actions.
fn table_and_action(words: &mut Words<'_>) -> Result<(TableId, u32), Diagnostic> {
    let names = words.names;
    let table = table(words)?;
    Ok((table, words.read("action", |name| names.action(table, name))?))
}

fn table_add(words: &mut Words<'_>) -> Result<Command, Diagnostic> {
    let (table, action) = table_and_action(words)?;
    let keys = words.keys(table)?;
    let data = words.data(table, action)?;
    let priority = words.priority(table)?;
    let action = EntryAction::Action(ActionValue { action, data });
    Ok(Command::TableAdd { table, entry: Entry { keys, priority, action } })
}

fn table_indirect_add(
    words: &mut Words<'_>,
    to_action: fn(u32) -> EntryAction,
    number_name: &str,
) -> Result<Command, Diagnostic> {
    let table = table(words)?;
    let keys = words.keys(table)?;
    let action = to_action(words.number32(number_name)?);
    let priority = words.priority(table)?;
    Ok(Command::TableAdd { table, entry: Entry { keys, priority, action } })
}

fn table_modify(words: &mut Words<'_>) -> Result<Command, Diagnostic> {
    let (table, action) = table_and_action(words)?;
    let entry = Handle(words.number32("entry's handle")?);
    skip_arrow(words);
    let data = words.data(table, action)?;
    Ok(Command::TableModify { table, entry, action: EntryAction::Action(ActionValue { action, data }) })
}

fn table_delete(words: &mut Words<'_>) -> Result<Command, Diagnostic> {
    Ok(Command::TableDelete { table: table(words)?, entry: Handle(words.number32("entry's handle")?) })
}

fn table_set_default(words: &mut Words<'_>) -> Result<Command, Diagnostic> {
    let (table, action) = table_and_action(words)?;
    skip_arrow(words);
    let data = words.data(table, action)?;
    Ok(Command::TableSetDefault { table, action: EntryAction::Action(ActionValue { action, data }) })
}

/// Skips an arrow, because many command files have one where `simple_switch_CLI` accepts none.
fn skip_arrow(words: &mut Words<'_>) {
    if words.peek().is_some_and(|word| word.text == "=>") {
        words.take();
    }
}

fn profile(words: &mut Words<'_>) -> Result<ActionProfileId, Diagnostic> {
    let names = words.names;
    words.read("action profile", |name| names.profile(name))
}

/// Parses an action of a profile, an item between its name and its data, and the data.
fn profile_action<'a, T>(
    words: &mut Words<'a>,
    profile: ActionProfileId,
    between: impl FnOnce(&mut Words<'a>) -> Result<T, Diagnostic>,
) -> Result<(T, ActionValue), Diagnostic> {
    let names = words.names;
    let table = words.names.table_of(profile);
    let read = |name: &str| {
        let table = table.ok_or_else(|| "this action profile is not used by any table".to_owned())?;
        Ok((table, names.action(table, name)?))
    };
    let (table, action) = words.read("action", read)?;
    let between = between(words)?;
    Ok((between, ActionValue { action, data: words.data(table, action)? }))
}

/// Parses a value set and one value per field, or, as in `simple_switch_CLI`, one number with the bits of all fields.
fn value_set_member(
    words: &mut Words<'_>,
) -> Result<(jettison_p4_front::ir::ValueSetId, Vec<KeyMatch>), Diagnostic> {
    let (names, program) = (words.names, words.program);
    let set = words.read("value set", |name| names.value_set(name))?;
    let keys = &program.value_sets[set.index()].keys;
    if words.left() != 1 || keys.len() == 1 {
        let mut member = Vec::with_capacity(keys.len());
        for (ty, kind) in keys {
            member.push(words.read("value", |text| key_match(text, *kind, *ty, &program.types))?);
        }
        return Ok((set, member));
    }
    let widths: Vec<u32> = keys.iter().map(|(ty, _)| program.types.bits(*ty)).collect();
    let read = |text: &str| {
        let mut types = jettison_p4_front::ir::Types::default();
        let all = types.add(jettison_p4_front::ir::Type::Bits { width: widths.iter().sum(), signed: false });
        super::parse_value(text, all, &types)
    };
    let packed = words.read("value", read)?;
    let mut left: u32 = widths.iter().sum();
    let fields = widths.iter().zip(keys).map(|(width, (_, kind))| {
        left -= width;
        let full = (num_bigint::BigUint::from(1u8) << *width) - 1u8;
        let value = (&packed >> left) & &full;
        match kind {
            MatchKind::Lpm => KeyMatch::Lpm(value, *width),
            MatchKind::Ternary => KeyMatch::Ternary(value, full),
            MatchKind::Range => KeyMatch::Range(value.clone(), value),
            _ => KeyMatch::Exact(value),
        }
    });
    Ok((set, fields.collect()))
}

fn session(words: &mut Words<'_>) -> Result<u32, Diagnostic> {
    words.number("clone session", 0..=u64::from(MirrorSession::MAX)).map(|number| number as u32)
}

/// Parses a port; for PSA, also its ports without a link, by name or number.
fn port(words: &mut Words<'_>) -> Result<Port, Diagnostic> {
    if words.program.pipeline.psa.is_some()
        && let Some(port) = words.peek().and_then(|word| crate::psa::named_port(word.text))
    {
        words.take();
        return Ok(port);
    }
    words.number16("port").map(Port)
}

fn ports(words: &mut Words<'_>) -> Result<Vec<Port>, Diagnostic> {
    let mut ports = Vec::new();
    while let Some(word) = words.peek() {
        if word.text == "|" {
            return Err(words.error(word, "link aggregation groups are not supported: list the ports"));
        }
        ports.push(port(words)?);
    }
    Ok(ports)
}

/// Parses the options after a session and its target.
fn mirror(words: &mut Words<'_>, to: MirrorTarget) -> Result<MirrorSession, Diagnostic> {
    let mut session = MirrorSession { to, truncate: None, priority: 0 };
    while let Some(word) = words.take() {
        let at = |words: &Words<'_>, message: String| words.error(word, message);
        match word.text.split_once('=') {
            Some(("priority", value)) => {
                let value = number(value, "priority", 0..=7).map_err(|message| at(words, message))?;
                session.priority = value as u8;
            }
            Some(("truncate", value)) => {
                let value = number(value, "number of bytes", 0..=u64::from(u32::MAX));
                session.truncate = Some(value.map_err(|message| at(words, message))? as u32);
            }
            _ => return Err(at(words, format!("unexpected argument `{}`", word.text))),
        }
    }
    Ok(session)
}

/// Parses a selection of queues: all, those of a port, or one.
fn queue(words: &mut Words<'_>) -> Result<(Option<Port>, Option<u8>), Diagnostic> {
    let port = if words.left() > 0 { Some(port(words)?) } else { None };
    let priority = if words.left() > 0 { Some(words.number("priority", 0..=7)? as u8) } else { None };
    Ok((port, priority))
}

fn index(words: &mut Words<'_>) -> Result<u64, Diagnostic> {
    words.number("index", 0..=u64::from(u32::MAX))
}

fn register_write(words: &mut Words<'_>) -> Result<Command, Diagnostic> {
    let (names, program) = (words.names, words.program);
    let register = words.read("register", |name| names.register(name))?;
    let index = index(words)?;
    let ExternKind::Register { ty, .. } = program.externs[register.index()].kind else {
        unreachable!("`Names::register` returns registers only")
    };
    Ok(Command::RegisterWrite { register, index, value: words.value("value", ty)? })
}

fn counter(words: &mut Words<'_>) -> Result<jettison_p4_front::ir::ExternId, Diagnostic> {
    let names = words.names;
    words.read("counter", |name| names.counter(name))
}

fn meter(words: &mut Words<'_>) -> Result<jettison_p4_front::ir::ExternId, Diagnostic> {
    let names = words.names;
    words.read("meter", |name| names.meter(name))
}

/// Parses the committed and the peak rate, the slower first.
fn rates(words: &mut Words<'_>) -> Result<[MeterRate; 2], Diagnostic> {
    let rate = |text: &str| text.parse::<MeterRate>().map_err(|error| error.to_string());
    let committed = words.read("committed rate", rate)?;
    let second: Option<Word<'_>> = words.peek();
    let peak = words.read("peak rate", rate)?;
    match second {
        Some(word) if peak.per_microsecond < committed.per_microsecond => {
            Err(words.error(word, "the peak rate (second) must be >= the committed rate (first)"))
        }
        _ => Ok([committed, peak]),
    }
}

/// Parses CRC parameters. There is one custom hash of each width, so the compiler-generated name is ignored.
fn crc(words: &mut Words<'_>, algorithm: HashAlgorithm, most: u64) -> Result<Command, Diagnostic> {
    words.next("name")?;
    let flag = |text: &str| match text {
        "true" | "True" | "1" => Ok(true),
        "false" | "False" | "0" => Ok(false),
        _ => Err(format!("expected `true` or `false`, got `{text}`")),
    };
    let parameters = CrcParameters {
        polynomial: words.number("polynomial", 0..=most)? as u32,
        initial: words.number("initial remainder", 0..=most)? as u32,
        final_xor: words.number("final xor value", 0..=most)? as u32,
        reflect_data: words.read("flag whether data are reflected", flag)?,
        reflect_remainder: words.read("flag whether the remainder is reflected", flag)?,
    };
    Ok(Command::CrcParameters { algorithm, parameters })
}
