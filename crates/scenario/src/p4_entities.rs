//! Files of entities for P4 switches: table entries, multicast groups and clone sessions as JSON.
//!
//! The format is that of the `sX-runtime.json` files of the P4 tutorials (`table_entries`, `multicast_group_entries`,
//! `clone_session_entries`), whose names are those of P4Info and whose priorities are P4Runtime's (P4Runtime 1.4 §9.1: the
//! highest wins, and is above zero where ternary, range or optional keys match).

use jettison_p4_exec::table::{Entry, EntryAction};
use jettison_p4_front::ir::{ActionValue, KeyMatch, MatchKind, Program, TableId};
use jettison_p4_v1model::control::{Command, Names, key_match, parse_value};
use jettison_p4_v1model::{MirrorSession, MirrorTarget};
use jettison_registry::{nearest, suggestion};
use jettison_switch::Port;
use serde_json::{Map, Value};

/// First multicast group that a clone session with several replicas uses: sessions are numbered below it.
const SESSION_GROUPS: u32 = MirrorSession::MAX + 1;

/// Keys of the whole file. The files that it names are those of another switch and its compiler.
const KEYS: [&str; 6] =
    ["target", "p4info", "bmv2_json", "table_entries", "multicast_group_entries", "clone_session_entries"];

/// An entity with an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EntityError {
    /// Path of keys: `table_entries[2].match`; empty for the whole file.
    pub path: String,
    /// Line and column, from 1, of malformed JSON.
    pub position: Option<(usize, usize)>,
    /// The problem.
    pub message: String,
}

/// Commands that create the entities of a file, with the path of each entity. `nodes` is the number of multicast nodes that
/// earlier commands have created.
///
/// # Errors
/// One for each entity that is not right for the program.
pub(crate) fn commands(
    text: &str,
    program: &Program,
    nodes: u32,
) -> Result<Vec<(String, Command)>, Vec<EntityError>> {
    let tree: Value = serde_json::from_str(text).map_err(|error| {
        let shown = error.to_string();
        // The position is part of the text, too.
        let message = shown.rsplit_once(" at line ").map_or(shown.as_str(), |(message, _)| message);
        let position = Some((error.line(), error.column().max(1)));
        vec![EntityError { path: String::new(), position, message: format!("invalid JSON: {message}") }]
    })?;
    let mut reader =
        Reader { program, names: Names::new(program), commands: Vec::new(), errors: Vec::new(), nodes };
    reader.file(&tree);
    if reader.errors.is_empty() { Ok(reader.commands) } else { Err(reader.errors) }
}

struct Reader<'a> {
    program: &'a Program,
    names: Names<'a>,
    commands: Vec<(String, Command)>,
    errors: Vec<EntityError>,
    /// Number of the next multicast node.
    nodes: u32,
}

/// Reads an entity and adds the commands that create it.
type Read<'a> = fn(&mut Reader<'a>, &Value, &mut Vec<Command>) -> Result<(), Problem>;

/// A problem below the path of an entity: the rest of the path, and the message.
type Problem = (String, String);

fn problem(path: &str, message: impl Into<String>) -> Problem {
    (path.to_owned(), message.into())
}

impl<'a> Reader<'a> {
    fn file(&mut self, tree: &Value) {
        let Some(table) = tree.as_object() else {
            return self.refuse("", format!("the file must be an object, got {}", kind(tree)));
        };
        for key in table.keys().filter(|key| !KEYS.contains(&key.as_str())) {
            self.refuse(key, format!("unknown key `{key}`; {}", suggestion(key, KEYS.into_iter())));
        }
        let lists: [(&str, Read<'a>); 3] = [
            ("table_entries", Reader::table_entry),
            ("multicast_group_entries", Reader::group),
            ("clone_session_entries", Reader::session),
        ];
        for (key, read) in lists {
            let Some(value) = table.get(key) else { continue };
            let Some(list) = value.as_array() else {
                self.refuse(key, format!("`{key}` must be a list, got {}", kind(value)));
                continue;
            };
            for (index, entity) in list.iter().enumerate() {
                let at = format!("{key}[{index}]");
                let mut made = Vec::new();
                match read(self, entity, &mut made) {
                    Ok(()) => self.commands.extend(made.into_iter().map(|command| (at.clone(), command))),
                    Err((below, message)) => {
                        let path = if below.is_empty() { at } else { format!("{at}.{below}") };
                        self.refuse(&path, message);
                    }
                }
            }
        }
    }

    fn refuse(&mut self, path: &str, message: String) {
        self.errors.push(EntityError { path: path.to_owned(), position: None, message });
    }

    fn table_entry(&mut self, entity: &Value, made: &mut Vec<Command>) -> Result<(), Problem> {
        const KEYS: [&str; 6] =
            ["table", "match", "default_action", "action_name", "action_params", "priority"];
        let object = object(entity, "", &KEYS)?;
        let name = text(object, "table")?;
        let table = self.names.table(name).map_err(|message| problem("table", message))?;
        let action = self.action(table, object)?;
        if object.get("default_action").is_some_and(|value| value.as_bool() != Some(false)) {
            if object["default_action"] != Value::Bool(true) {
                return Err(problem("default_action", "`default_action` must be true or false"));
            }
            if object.get("match").is_some_and(|value| value.as_object().is_none_or(|map| !map.is_empty())) {
                return Err(problem("match", "a default action has no `match`"));
            }
            made.push(Command::TableSetDefault { table, action });
            return Ok(());
        }
        let keys = self.keys(table, object.get("match"))?;
        let priority = self.priority(table, object.get("priority"))?;
        made.push(Command::TableAdd { table, entry: Entry { keys, priority, action } });
        Ok(())
    }

    fn action(&self, table: TableId, object: &Map<String, Value>) -> Result<EntryAction, Problem> {
        let name = text(object, "action_name")?;
        let action = self.names.action(table, name).map_err(|message| problem("action_name", message))?;
        let declared = &self.program.tables[table.index()].actions[action as usize].data;
        let none = Map::new();
        let given = match object.get("action_params") {
            None | Some(Value::Null) => &none,
            Some(Value::Object(given)) => given,
            Some(other) => {
                let message = format!("`action_params` must be an object, got {}", kind(other));
                return Err(problem("action_params", message));
            }
        };
        for parameter in given.keys() {
            if !declared.iter().any(|(known, _)| **known == **parameter) {
                let known: Vec<&str> = declared.iter().map(|(known, _)| &**known).collect();
                let message = match known.is_empty() {
                    true => format!("`{name}` has no parameters, got `{parameter}`"),
                    false => {
                        format!(
                            "`{name}` has no parameter `{parameter}`; {}",
                            suggestion(parameter, known.into_iter())
                        )
                    }
                };
                return Err(problem("action_params", message));
            }
        }
        let mut data = Vec::with_capacity(declared.len());
        for (parameter, variable) in declared {
            let path = format!("action_params.{parameter}");
            let value = given
                .get(&**parameter)
                .ok_or_else(|| problem(&path, format!("missing parameter of `{name}`")))?;
            let written = scalar(value).map_err(|message| problem(&path, message))?;
            let ty = self.program.variables[variable.index()].ty;
            data.push(
                parse_value(&written, ty, &self.program.types).map_err(|message| problem(&path, message))?,
            );
        }
        Ok(EntryAction::Action(ActionValue { action, data }))
    }

    /// Match criteria in the order of the table's keys. A field that is left out matches any value.
    fn keys(&self, table: TableId, given: Option<&Value>) -> Result<Vec<KeyMatch>, Problem> {
        let table = &self.program.tables[table.index()];
        let none = Map::new();
        let given = match given {
            None | Some(Value::Null) => &none,
            Some(Value::Object(given)) => given,
            Some(other) => {
                return Err(problem("match", format!("`match` must be an object, got {}", kind(other))));
            }
        };
        let fields = || table.keys.iter().filter(|key| key.kind != MatchKind::Selector);
        for name in given.keys() {
            if !fields().any(|key| *key.name == **name) {
                let known: Vec<&str> = fields().map(|key| &*key.name).collect();
                let near = match nearest(name, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("known: {}", known.join(", ")),
                };
                let message = format!("table `{}` has no match field `{name}`; {near}", table.name);
                return Err(problem("match", message));
            }
        }
        let criterion = |key: &jettison_p4_front::ir::Key| {
            let path = format!("match.{}", key.name);
            let written = match given.get(&*key.name) {
                Some(value) => written_key(value, key.kind).map_err(|message| problem(&path, message))?,
                None if key.kind == MatchKind::Exact => {
                    return Err(problem(&path, "missing match field, which is exact"));
                }
                None => "*".to_owned(),
            };
            key_match(&written, key.kind, key.expr.ty, &self.program.types)
                .map_err(|message| problem(&path, message))
        };
        fields().map(criterion).collect()
    }

    fn priority(&self, table: TableId, given: Option<&Value>) -> Result<i64, Problem> {
        let table = &self.program.tables[table.index()];
        let ranked = |kind| matches!(kind, MatchKind::Ternary | MatchKind::Range | MatchKind::Optional);
        let given = match given {
            None | Some(Value::Null) => 0,
            Some(value) => {
                let number = value.as_i64().filter(|number| (0..=i64::from(i32::MAX)).contains(number));
                number.ok_or_else(|| {
                    problem("priority", format!("the priority must be a number >= 0, got {value}"))
                })?
            }
        };
        match (table.keys.iter().any(|key| ranked(key.kind)), given) {
            (true, 0) => Err(problem(
                "priority",
                format!(
                    "the priority must be > 0, because table `{}` has ternary, range or optional keys",
                    table.name
                ),
            )),
            (true, priority) => Ok(priority),
            // The tutorials' files give some tables without such keys a priority, which is without effect.
            (false, _) => Ok(0),
        }
    }

    fn group(&mut self, entity: &Value, made: &mut Vec<Command>) -> Result<(), Problem> {
        let object = object(entity, "", &["multicast_group_id", "replicas"])?;
        let last = SESSION_GROUPS - 1;
        let group = number(object, "multicast_group_id", 1..=u64::from(last))? as u16;
        let replicas = replicas(object)?;
        self.create(group, &replicas, made);
        Ok(())
    }

    fn session(&mut self, entity: &Value, made: &mut Vec<Command>) -> Result<(), Problem> {
        const KEYS: [&str; 4] = ["clone_session_id", "replicas", "packet_length_bytes", "class_of_service"];
        let object = object(entity, "", &KEYS)?;
        let session = number(object, "clone_session_id", 1..=u64::from(MirrorSession::MAX))? as u32;
        let optional = |key: &str, most| match object.contains_key(key) {
            true => number(object, key, 0..=most),
            false => Ok(0),
        };
        let truncate = optional("packet_length_bytes", u64::from(u32::MAX))? as u32;
        let priority = optional("class_of_service", u64::from(u8::MAX))? as u8;
        let replicas = replicas(object)?;
        // A single replica without an instance needs no group.
        let to = match replicas[..] {
            [(0, port)] => MirrorTarget::Port(port),
            _ => {
                let group = (SESSION_GROUPS + session) as u16;
                self.create(group, &replicas, made);
                MirrorTarget::Group(group)
            }
        };
        let config = MirrorSession { to, truncate: (truncate > 0).then_some(truncate), priority };
        made.push(Command::MirroringAdd { session, config });
        Ok(())
    }

    /// Creates a group with one node per instance.
    fn create(&mut self, group: u16, replicas: &[(u16, Port)], made: &mut Vec<Command>) {
        made.push(Command::GroupCreate { group });
        let mut instances: Vec<u16> = replicas.iter().map(|(instance, _)| *instance).collect();
        instances.sort_unstable();
        instances.dedup();
        for rid in instances {
            let ports = replicas.iter().filter(|(instance, _)| *instance == rid).map(|(_, port)| *port);
            made.push(Command::NodeCreate { rid, ports: ports.collect() });
            made.push(Command::NodeAssociate { group, node: self.nodes });
            self.nodes += 1;
        }
    }
}

/// Instances (`egress_rid`) and ports.
fn replicas(object: &Map<String, Value>) -> Result<Vec<(u16, Port)>, Problem> {
    let given = object.get("replicas").ok_or_else(|| problem("replicas", "missing key `replicas`"))?;
    let Some(list) = given.as_array() else {
        return Err(problem("replicas", format!("`replicas` must be a list, got {}", kind(given))));
    };
    let mut replicas = Vec::with_capacity(list.len());
    for (index, replica) in list.iter().enumerate() {
        let below = |(key, message): Problem| {
            let dot = if key.is_empty() { "" } else { "." };
            (format!("replicas[{index}]{dot}{key}"), message)
        };
        let replica = self::object(replica, "", &["egress_port", "instance"]).map_err(below)?;
        let port = Port(number(replica, "egress_port", 0..=u64::from(u16::MAX)).map_err(below)? as u16);
        let instance = match replica.contains_key("instance") {
            true => number(replica, "instance", 0..=u64::from(u16::MAX)).map_err(below)? as u16,
            false => 0,
        };
        if replicas.contains(&(instance, port)) {
            let message = format!("the replica of port {} and instance {instance} is given twice", port.0);
            return Err(below((String::new(), message)));
        }
        replicas.push((instance, port));
    }
    Ok(replicas)
}

fn object<'v>(value: &'v Value, path: &str, known: &[&str]) -> Result<&'v Map<String, Value>, Problem> {
    let object =
        value.as_object().ok_or_else(|| problem(path, format!("must be an object, got {}", kind(value))))?;
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => {
            Err(problem(key, format!("unknown key `{key}`; {}", suggestion(key, known.iter().copied()))))
        }
        None => Ok(object),
    }
}

fn text<'v>(object: &'v Map<String, Value>, key: &str) -> Result<&'v str, Problem> {
    match object.get(key) {
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(problem(key, format!("`{key}` must be a string, got {}", kind(other)))),
        None => Err(problem(key, format!("missing key `{key}`"))),
    }
}

fn number(
    object: &Map<String, Value>,
    key: &str,
    range: std::ops::RangeInclusive<u64>,
) -> Result<u64, Problem> {
    let value = object.get(key).ok_or_else(|| problem(key, format!("missing key `{key}`")))?;
    value.as_u64().filter(|number| range.contains(number)).ok_or_else(|| {
        let message =
            format!("`{key}` must be a number from {} to {}, got {value}", range.start(), range.end());
        problem(key, message)
    })
}

/// A criterion in the syntax of `simple_switch_CLI`.
fn written_key(value: &Value, kind: MatchKind) -> Result<String, String> {
    let joint = match kind {
        MatchKind::Lpm => "/",
        MatchKind::Ternary | MatchKind::Optional => "&&&",
        MatchKind::Range => "->",
        MatchKind::Exact | MatchKind::Selector => "",
    };
    match value.as_array().map(|list| &list[..]) {
        None => scalar(value),
        Some([only]) => scalar(only),
        Some([first, second]) if !joint.is_empty() => {
            Ok(format!("{}{joint}{}", scalar(first)?, scalar(second)?))
        }
        Some(list) => {
            let wanted = if joint.is_empty() { "one value" } else { "two values" };
            Err(format!("a match of this kind has {wanted}, got {}", list.len()))
        }
    }
}

/// A number or address as text.
fn scalar(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(truth) => Ok(truth.to_string()),
        Value::Array(list) if list.len() == 1 => scalar(&list[0]),
        other => Err(format!("must be a number or a string, got {}", kind(other))),
    }
}

/// What a value is, for messages.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
