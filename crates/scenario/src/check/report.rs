//! Checks of what tables show: the bottleneck and the columns.

use jettison_registry::{KeyPath, suggestion};

use super::Checker;
use crate::column_name::ColumnName;
use crate::paths::Hop;

impl Checker<'_> {
    /// The bottleneck is a direction of a link.
    pub(super) fn bottleneck(&mut self) {
        let settings = self.settings;
        let Some(name) = &settings.bottleneck else { return };
        let directions =
            settings.links.keys().flat_map(|link| [true, false].map(|forward| Hop { link, forward }.name()));
        let directions: Vec<String> = directions.collect();
        if !directions.contains(name) {
            let message = format!("`bottleneck` must name a direction of a link, got `{name}`");
            let help = match settings.links.contains_key(name) {
                true => format!("write `{name}.forward` or `{name}.reverse`"),
                false => suggestion(name, directions.iter().map(String::as_str)),
            };
            self.find(&KeyPath::root().key("bottleneck"), message, help);
        }
    }

    /// Each column is of a metric with summary values.
    pub(super) fn columns(&mut self) {
        for (index, name) in self.settings.report.columns.iter().enumerate() {
            if let Err(error) = ColumnName::parse(name) {
                let at = KeyPath::root().key("report").key("columns").index(index);
                self.find(&at, error.to_string(), error.help());
            }
        }
    }
}
