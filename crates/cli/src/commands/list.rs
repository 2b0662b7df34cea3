//! `jettison list`.

use jettison_registry::{EntryDoc, ParameterDoc};
use jettison_scenario::build::Builder;

use crate::options::Listing;
use crate::output::{Failure, print, print_record, width};

/// Lists components of one kind or of all kinds, with parameters, defaults, units and source documents.
pub fn list(listing: Option<Listing>, json: bool) -> Result<(), Failure> {
    let kind = match listing {
        Some(Listing::Reasons) => return super::declared::reasons(json),
        Some(Listing::Metrics) => return super::declared::metrics(json),
        Some(Listing::Gauges) => return super::declared::gauges(json),
        listing => listing.and_then(Listing::kind),
    };
    let all = Builder::standard().catalogue();
    let entries = all.iter().filter(|entry| kind.is_none_or(|kind| entry.kind == kind));
    for (index, entry) in entries.enumerate() {
        if json {
            print_record(entry)?;
        } else {
            print(format_args!("{}{}", if index == 0 { "" } else { "\n" }, text(entry, width())))?;
        }
    }
    Ok(())
}

fn text(entry: &EntryDoc, width: usize) -> String {
    let mut text = format!("{}  {}\n  source: {}\n", entry.id, entry.summary, entry.source);
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
