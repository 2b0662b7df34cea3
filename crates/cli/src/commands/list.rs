//! `jettison list`.

use jettison_registry::{EntryDoc, ParameterDoc, suggestion};
use jettison_scenario::build::Builder;

use crate::listing::Listing;
use crate::output::{Failure, print, print_record, width};

/// Lists components of one kind or of all kinds, one line each; in detail (`all`, or one `id`) with parameters, defaults, units
/// and source documents. Records are always complete.
pub fn list(listing: Option<Listing>, id: Option<&str>, all: bool, json: bool) -> Result<(), Failure> {
    let kind = match listing {
        Some(Listing::Reasons) => return super::declared::reasons(id, all, json),
        Some(Listing::Metrics) => return super::declared::metrics(id, all, json),
        Some(Listing::Presets) => return super::declared::presets(id, json),
        Some(Listing::Gauges) => return super::declared::gauges(id, all, json),
        listing => listing.and_then(Listing::kind),
    };
    let catalogue = Builder::standard().catalogue();
    let of_kind: Vec<&EntryDoc> =
        catalogue.iter().filter(|entry| kind.is_none_or(|kind| entry.kind == kind)).collect();
    let is = |entry: &EntryDoc, id: &str| entry.id == id || entry.aliases.contains(&id);
    let entries: Vec<&EntryDoc> =
        of_kind.iter().copied().filter(|entry| id.is_none_or(|id| is(entry, id))).collect();
    if entries.is_empty() {
        return Err(unknown(id.unwrap_or_default(), of_kind.iter().map(|entry| entry.id)));
    }
    if json {
        return entries.into_iter().try_for_each(print_record);
    }
    if id.is_none() && !all {
        return print(short(&entries));
    }
    for (index, entry) in entries.into_iter().enumerate() {
        print(format_args!("{}{}", if index == 0 { "" } else { "\n" }, text(entry, width())))?;
    }
    Ok(())
}

/// The error about an id that is not in the list.
pub(super) fn unknown<'a>(id: &str, known: impl Iterator<Item = &'a str>) -> Failure {
    Failure::of(format!("unknown id `{id}`; {}", suggestion(id, known)))
}

/// One line per component; the names alone, by kind, if there are several kinds.
fn short(entries: &[&EntryDoc]) -> String {
    if entries.windows(2).any(|pair| pair[0].kind != pair[1].kind) {
        let names = names_by(entries.iter().map(|entry| (entry.kind, entry.id)));
        return names
            + "\n`jettison list queues` describes those of a kind, `list queues codel` one in detail, `--all` all.\n";
    }
    let longest = entries.iter().map(|entry| entry.id.chars().count()).max().unwrap_or(0);
    let line = |entry: &&EntryDoc| format!("{:<longest$}  {}\n", entry.id, entry.summary);
    entries.iter().map(line).collect()
}

/// A name in a column of `column` characters, and a text beside it, wrapped at the width of the terminal.
pub(super) fn beside(name: &str, column: usize, text: &str) -> String {
    let lines = wrap(text, width().saturating_sub(column + 2).max(20));
    let indent = " ".repeat(column + 2);
    format!("{name:<column$}  {}\n", lines.join(&format!("\n{indent}")))
}

/// Names under the heading that they belong to, a paragraph each.
pub fn names_by<'a>(entries: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut by_heading: Vec<(&str, Vec<&str>)> = Vec::new();
    for (heading, name) in entries {
        match by_heading.iter_mut().find(|(other, _)| *other == heading) {
            Some((_, names)) => names.push(name),
            None => by_heading.push((heading, vec![name])),
        }
    }
    let paragraph = |(heading, names): (&str, Vec<&str>)| {
        let lines = wrap(&format!("{heading}: {}", names.join(", ")), width().saturating_sub(2));
        lines.join("\n  ") + "\n"
    };
    by_heading.into_iter().map(paragraph).collect()
}

fn text(entry: &EntryDoc, width: usize) -> String {
    let mut text = format!("{}  {}\n  {}; source: {}\n", entry.id, entry.summary, entry.kind, entry.source);
    let longest = |of: &dyn Fn(&ParameterDoc) -> usize| entry.parameters.iter().map(of).max().unwrap_or(0);
    let name_width = longest(&|p| p.name.chars().count());
    let default_width = longest(&|p| shown_default(p).chars().count()).min(24);
    let unit_width = longest(&|p| p.unit.chars().count()).min(24);
    for parameter in &entry.parameters {
        let head = format!(
            "  {:<name_width$}  {:<default_width$}  {:<unit_width$}  ",
            parameter.name,
            shown_default(parameter),
            parameter.unit,
        );
        let indent = 6;
        text.push_str(head.trim_end());
        text.push('\n');
        for line in wrap(&parameter.description, width.saturating_sub(indent)) {
            text.push_str(&format!("{:indent$}{line}\n", ""));
        }
    }
    text
}

fn shown_default(parameter: &ParameterDoc) -> String {
    parameter.default.clone().unwrap_or_else(|| "–".to_owned())
}

/// Breaks text at blanks into lines of at most `width` characters; a longer word gets a line of its own.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
