//! Resolution of statements to steps: names to ids, values to their widths.

use num_bigint::BigUint;
use num_traits::Zero;

use crate::control::{self, Command};
use jettison_p4_exec::table::{Entry, EntryAction};
use jettison_p4_front::diagnostic::Diagnostic;
use jettison_p4_front::ir::{
    ActionValue, ExternId, ExternKind, Key, KeyMatch, MatchKind, Program, Table, TableId,
};
use jettison_p4_front::source::{Sources, Span};

use super::number::{Number, ones};
use super::script::{Element, Expectation, Script, Step, StepKind};
use super::statement::{Call, Index, KeyValue, Name, Statement, StatementKind, Test, Value};

/// Resolves the names of a test.
///
/// # Errors
/// One for each line that does not match the program.
pub fn resolve(test: &Test, program: &Program) -> Result<Script, Vec<Diagnostic>> {
    let mut resolver = Resolver { program, script: Script::default(), entries: Vec::new() };
    let errors: Vec<Diagnostic> =
        test.statements.iter().filter_map(|statement| resolver.statement(statement).err()).collect();
    if errors.is_empty() { Ok(resolver.script) } else { Err(errors) }
}

struct Resolver<'a> {
    program: &'a Program,
    script: Script,
    /// Names of entries, and the steps that add them.
    entries: Vec<(String, usize)>,
}

impl Resolver<'_> {
    fn statement(&mut self, statement: &Statement) -> Result<(), Diagnostic> {
        let span = statement.span;
        let kind = match &statement.kind {
            StatementKind::Expect { port, pattern } => {
                self.name_port(*port);
                self.script.expectations.push(Expectation { port: *port, pattern: pattern.clone(), span });
                return Ok(());
            }
            StatementKind::NoPacket => {
                self.script.strict = true;
                return Ok(());
            }
            StatementKind::Packet { port, bytes } => {
                self.name_port(*port);
                StepKind::Packet { port: *port, bytes: bytes.as_slice().into() }
            }
            StatementKind::MirroringGet => return Ok(()),
            StatementKind::Wait => StepKind::Wait,
            StatementKind::RemoveAll => StepKind::RemoveAll,
            StatementKind::Add { table, priority, keys, action, handle } => {
                let added = self.add(table, *priority, keys, action)?;
                if let Some(handle) = handle {
                    self.entries.push((handle.text.clone(), self.script.steps.len()));
                }
                added
            }
            StatementKind::SetDefault { table, action } => {
                let (id, table) = self.table(table)?;
                let action = self.action(table, action)?;
                match table.profile {
                    Some(profile) => StepKind::AddMember { profile, action, table: id, entry: None },
                    None => StepKind::Command(Command::TableSetDefault {
                        table: id,
                        action: EntryAction::Action(action),
                    }),
                }
            }
            StatementKind::CheckCounter { counter, index, unit, comparison } => {
                let id = self.counter(counter)?;
                let index = match index {
                    Index::Number(number) => Element::Number(u64::from(*number)),
                    Index::Entry(name) => Element::Entry(self.entry(name)?),
                };
                let Some(comparison) = comparison.clone() else { return Ok(()) };
                StepKind::CheckCounter { counter: id, index, unit: *unit, comparison }
            }
            StatementKind::CheckRegister { register, index, comparison } => {
                let register =
                    self.object("register", register, |kind| matches!(kind, ExternKind::Register { .. }))?;
                let (Some(index), Some(comparison)) = (*index, comparison.clone()) else { return Ok(()) };
                StepKind::CheckRegister { register, index: u64::from(index), comparison }
            }
            StatementKind::Command(text) => StepKind::Command(command(text, span, self.program)?),
        };
        self.script.steps.push(Step { kind, span });
        Ok(())
    }

    fn name_port(&mut self, port: u16) {
        if !self.script.ports.contains(&port) {
            self.script.ports.push(port);
        }
    }

    /// The step that adds a named entry.
    fn entry(&self, name: &Name) -> Result<usize, Diagnostic> {
        let found = self.entries.iter().rev().find(|(entry, _)| *entry == name.text);
        found.map(|(_, step)| *step).ok_or_else(|| {
            Diagnostic::error(name.span, format!("unknown entry `{}`", name.text)).hint(
                "name the entry where it is added, before this line: `add TABLE key:value action() = name`",
            )
        })
    }

    fn object(
        &self,
        kind_name: &str,
        name: &Name,
        is: impl Fn(ExternKind) -> bool,
    ) -> Result<ExternId, Diagnostic> {
        let objects = (0u32..).zip(&self.program.externs).filter(|(_, object)| is(object.kind));
        choose(kind_name, name, objects.map(|(id, object)| (ExternId(id), &*object.name)))
    }

    fn table(&self, name: &Name) -> Result<(TableId, &Table), Diagnostic> {
        let tables = (0u32..).zip(&self.program.tables).map(|(id, table)| (TableId(id), &*table.name));
        let id = choose("table", name, tables)?;
        Ok((id, &self.program.tables[id.index()]))
    }

    /// A counter, by its name or by the name of its table.
    fn counter(&self, name: &Name) -> Result<ExternId, Diagnostic> {
        let is = |kind| matches!(kind, ExternKind::Counter { .. } | ExternKind::DirectCounter);
        self.object("counter", name, is).or_else(|error| {
            let of_tables =
                self.program.tables.iter().filter_map(|table| Some((table.direct_counter?, &*table.name)));
            choose("counter", name, of_tables).map_err(|_| error)
        })
    }

    fn add(
        &self,
        name: &Name,
        priority: Option<(i64, Span)>,
        keys: &[KeyValue],
        action: &Call,
    ) -> Result<StepKind, Diagnostic> {
        let (id, table) = self.table(name)?;
        let matched: Vec<&Key> = table.keys.iter().filter(|key| key.kind != MatchKind::Selector).collect();
        let mut found: Vec<Option<KeyMatch>> = vec![None; matched.len()];
        for given in keys {
            let names = matched.iter().enumerate().map(|(at, key)| (at, key_name(&key.name)));
            let names: Vec<(usize, String)> = names.collect();
            let wanted = Name { text: key_name(&given.name.text), span: given.name.span };
            let at = choose("key", &wanted, names.iter().map(|(at, name)| (*at, name.as_str())))?;
            if found[at].is_some() {
                return Err(Diagnostic::error(given.name.span, "duplicate value for this key"));
            }
            let width = self.program.types.bits(matched[at].expr.ty);
            let value = key_match(&given.value, matched[at].kind, width);
            found[at] = Some(value.map_err(|message| Diagnostic::error(given.span, message))?);
        }
        // Entries with such keys can overlap, so a priority has to decide.
        let ranked =
            |key: &&Key| matches!(key.kind, MatchKind::Ternary | MatchKind::Range | MatchKind::Optional);
        let priority = match priority {
            _ if !matched.iter().any(ranked) => 0,
            Some((priority, _)) => priority,
            None => {
                return Err(Diagnostic::error(
                    name.span,
                    "missing priority: entries of this table require one",
                )
                .label("entries may overlap")
                .hint("write it after the table's name (the larger wins): `add TABLE 10 key:value ...`"));
            }
        };
        let keys = found.into_iter().zip(&matched).map(|(found, key)| found.unwrap_or(omitted(key.kind)));
        let (keys, action) = (keys.collect(), self.action(table, action)?);
        Ok(match table.profile {
            Some(profile) => {
                StepKind::AddMember { profile, action, table: id, entry: Some((keys, priority)) }
            }
            None => {
                let entry = Entry { keys, priority, action: EntryAction::Action(action) };
                StepKind::Command(Command::TableAdd { table: id, entry })
            }
        })
    }

    fn action(&self, table: &Table, call: &Call) -> Result<ActionValue, Diagnostic> {
        let actions = (0u32..).zip(&table.actions).map(|(at, action)| (at, &*action.name));
        let index = choose("action", &call.name, actions)?;
        let action = &table.actions[index as usize];
        let mut data: Vec<Option<BigUint>> = vec![None; action.data.len()];
        for (position, argument) in call.arguments.iter().enumerate() {
            let at = match &argument.name {
                None if position < data.len() => position,
                None => {
                    let message = format!(
                        "too many arguments for the action `{}` (maximum {})",
                        action.name,
                        data.len()
                    );
                    return Err(Diagnostic::error(argument.span, message));
                }
                Some(name) => {
                    let names = action.data.iter().enumerate().map(|(at, (name, _))| (at, &**name));
                    choose("parameter", name, names)?
                }
            };
            if data[at].is_some() {
                return Err(Diagnostic::error(argument.span, "duplicate value for this parameter"));
            }
            let (_, variable) = &action.data[at];
            let width = self.program.types.bits(self.program.variables[variable.index()].ty);
            let value = argument.value.to_pattern(width);
            data[at] = Some(value.map_err(|message| Diagnostic::error(argument.span, message))?);
        }
        let missing = data.iter().zip(&action.data).find(|(value, _)| value.is_none());
        if let Some((_, (name, _))) = missing {
            let message = format!("missing value for the parameter `{name}` of `{}`", action.name);
            return Err(Diagnostic::error(call.name.span, message));
        }
        Ok(ActionValue { action: index, data: data.into_iter().flatten().collect() })
    }
}

/// Parses a command in the language of `simple_switch_CLI`.
fn command(text: &str, span: Span, program: &Program) -> Result<Command, Diagnostic> {
    let mut sources = Sources::default();
    let file = sources.add("", text);
    let here =
        |inner: Span| Span { file: span.file, start: span.start + inner.start, end: span.start + inner.end };
    match control::parse(&sources, file, program) {
        Ok(commands) => match commands.into_iter().next() {
            Some(located) => Ok(located.command),
            None => Err(Diagnostic::error(span, "missing command")),
        },
        Err(errors) => Err(match errors.into_iter().next() {
            Some(error) => Diagnostic {
                span: error.span.map(here),
                related: error.related.into_iter().map(|(span, text)| (here(span), text)).collect(),
                ..error
            },
            None => Diagnostic::error(span, "invalid command"),
        }),
    }
}

/// Match criterion for an omitted key.
fn omitted(kind: MatchKind) -> KeyMatch {
    match kind {
        MatchKind::Exact => KeyMatch::Exact(BigUint::zero()),
        MatchKind::Lpm => KeyMatch::Lpm(BigUint::zero(), 0),
        _ => KeyMatch::Any,
    }
}

/// Normalized name of a key: `[0]` for `$0`, `$valid$` for `isValid()`, without spaces.
fn key_name(name: &str) -> String {
    let name = name.replace("isValid()", "$valid$").replace(' ', "");
    let mut out = String::with_capacity(name.len());
    let mut rest = name.as_str();
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits == 0 {
            out.push('$');
        } else {
            out.push('[');
            out.push_str(&behind[..digits]);
            out.push(']');
        }
        rest = &behind[digits..];
    }
    out.push_str(rest);
    out
}

/// Match criterion of a written value for a key of this kind and width.
fn key_match(value: &Value, kind: MatchKind, width: u32) -> Result<KeyMatch, String> {
    match (value, kind) {
        (Value::Any, MatchKind::Exact) => Err("an exact key requires a value, found `*`".to_owned()),
        (Value::Any, kind) => Ok(omitted(kind)),
        (Value::Number(number), MatchKind::Exact | MatchKind::Optional) => {
            if kind == MatchKind::Optional && number.bits.is_some_and(|bits| number.any == ones(bits)) {
                return Ok(KeyMatch::Any);
            }
            Ok(KeyMatch::Exact(number.to_pattern(width)?))
        }
        (Value::Number(number), MatchKind::Lpm) => prefix(number, width),
        (Value::Number(number), MatchKind::Ternary) => {
            let mask = match number.bits {
                None => ones(width),
                // Only the written digits are compared.
                Some(bits) => (ones(bits) ^ &number.any) & ones(width),
            };
            Ok(KeyMatch::Ternary(known(number).to_pattern(width)? & &mask, mask))
        }
        (Value::Number(number), MatchKind::Range) => {
            let low = known(number).to_pattern(width)?;
            let high = &low | (&number.any & ones(width));
            if (&number.any & (&number.any + 1u8)) != BigUint::zero() {
                return Err("`*` in a range is allowed only at the end".to_owned());
            }
            Ok(KeyMatch::Range(low, high))
        }
        (Value::Slash(value, length), MatchKind::Lpm | MatchKind::Ternary) => {
            let value = value.to_pattern(width)?;
            let mask = match length.to_u32() {
                Ok(length) if length <= width => ones(width) ^ ones(width - length),
                _ if length.bits.is_some() => length.to_pattern(width)?,
                _ => return Err(format!("the prefix length must be from 0 to {width}")),
            };
            if kind == MatchKind::Ternary {
                return Ok(KeyMatch::Ternary(value & &mask, mask));
            }
            let length = mask.count_ones() as u32;
            if mask != ones(width) ^ ones(width - length) {
                return Err("the mask must be a prefix (ones, then zeros)".to_owned());
            }
            Ok(KeyMatch::Lpm(value & mask, length))
        }
        (Value::Mask(value, mask), MatchKind::Ternary) => {
            let mask = mask.to_pattern(width)?;
            Ok(KeyMatch::Ternary(value.to_pattern(width)? & &mask, mask))
        }
        (Value::Range(low, high), MatchKind::Range) => {
            let (low, high) = (low.to_pattern(width)?, high.to_pattern(width)?);
            Ok(KeyMatch::Range(low, high))
        }
        (Value::Number(_), MatchKind::Selector) => Err("selector keys are not part of entries".to_owned()),
        (Value::Slash(..), _) => Err("`/` is allowed only for lpm and ternary keys".to_owned()),
        (Value::Mask(..), _) => Err("`&&&` is allowed only for ternary keys".to_owned()),
        (Value::Range(..), _) => Err("`->` is allowed only for range keys".to_owned()),
    }
}

/// A prefix without an explicit length: the bits of the digits before `*`, or all bits of a decimal number.
fn prefix(number: &Number, width: u32) -> Result<KeyMatch, String> {
    let value = known(number).to_pattern(width)?;
    let free = number.any.bits();
    if number.any != ones(free as u32) {
        return Err("`*` in a prefix is allowed only at the end".to_owned());
    }
    let length = match number.bits {
        Some(bits) => bits.saturating_sub(free as u32).min(width),
        None => width,
    };
    let mask = ones(width) ^ ones(width - length);
    Ok(KeyMatch::Lpm(value & mask, length))
}

/// The number with zeros for `*`.
fn known(number: &Number) -> Number {
    Number { any: BigUint::zero(), ..number.clone() }
}

/// Finds an object by its full name, or by a suffix after `.`; of several, the least nested one.
pub(super) fn choose<'a, T: Copy + PartialEq>(
    kind_name: &str,
    name: &Name,
    among: impl Iterator<Item = (T, &'a str)>,
) -> Result<T, Diagnostic> {
    let wanted = name.text.trim_start_matches('.');
    let among: Vec<(T, &str)> = among.map(|(id, full)| (id, full.trim_start_matches('.'))).collect();
    if let Some((id, _)) = among.iter().find(|(_, full)| *full == wanted) {
        return Ok(*id);
    }
    let ends = |full: &str| full.strip_suffix(wanted).is_some_and(|before| before.ends_with('.'));
    let fitting: Vec<(T, &str)> = among.iter().filter(|(_, full)| ends(full)).copied().collect();
    let depth = |full: &str| full.matches('.').count();
    let least = fitting.iter().map(|(_, full)| depth(full)).min();
    let nearest: Vec<&(T, &str)> = fitting.iter().filter(|(_, full)| Some(depth(full)) == least).collect();
    let listed = |names: &mut dyn Iterator<Item = &str>| {
        let names: Vec<String> = names.take(12).map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    match nearest.as_slice() {
        [] if among.is_empty() => Err(Diagnostic::error(
            name.span,
            format!("unknown {kind_name} `{}`: the program has none", name.text),
        )),
        [] => Err(Diagnostic::error(name.span, format!("unknown {kind_name} `{}`", name.text))
            .hint(format!("known: {}", listed(&mut among.iter().map(|(_, name)| *name))))),
        [first, others @ ..] if others.iter().all(|other| other.0 == first.0) => Ok(first.0),
        several => {
            Err(Diagnostic::error(name.span, format!("ambiguous name `{}` of a {kind_name}", name.text))
                .hint(format!("did you mean one of {}?", listed(&mut several.iter().map(|(_, name)| *name)))))
        }
    }
}
