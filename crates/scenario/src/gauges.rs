//! Check of named gauges: a component of some variant must have each.

use std::collections::BTreeSet;
use std::fmt;

use jettison_core::Gauge;
use jettison_registry::{KeyPath, nearest};

use crate::inputs::Contents;
use crate::origin::Origins;
use crate::scenario::Variant;
use crate::schema::{GaugeSettings, Settings};
use crate::validate::Finding;

/// Returns the gauges of the components of a variant.
#[allow(clippy::type_complexity)] // the struct is the name of that type
pub struct GaugesOf(pub Box<dyn Fn(&Settings, &Contents) -> BTreeSet<Gauge>>);

impl fmt::Debug for GaugesOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GaugesOf")
    }
}

/// The gauges named by variants, with their places.
#[derive(Debug, Default)]
pub(crate) struct NamedGauges(Vec<(String, KeyPath, Origins)>);

impl NamedGauges {
    /// Adds the gauges that a variant names.
    pub fn add(&mut self, settings: &Settings, origins: &Origins) {
        let Some(GaugeSettings::Named(names)) = &settings.gauges else { return };
        for (index, name) in names.iter().enumerate() {
            if !self.0.iter().any(|(known, ..)| known == name) {
                let at = KeyPath::root().key("gauges").index(index);
                self.0.push((name.clone(), at, origins.clone()));
            }
        }
    }

    /// A finding, with its origins, for each name that no component of any variant has.
    pub fn unknown(
        &self,
        variants: &[Variant],
        contents: &Contents,
        of: &GaugesOf,
    ) -> Vec<(Finding, &Origins)> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let gauges = variants.iter().flat_map(|variant| (of.0)(&variant.settings, contents));
        let known: BTreeSet<&str> = gauges.map(|gauge| gauge.name).collect();
        let unknown = self.0.iter().filter(|(name, ..)| !known.contains(name.as_str()));
        let finding = |name: &str, at: &KeyPath| {
            let message = format!("unknown gauge `{name}`, which no component of this scenario has");
            let near = nearest(name, known.iter().copied()).map(|near| format!("did you mean `{near}`? "));
            let list = known.iter().copied().collect::<Vec<_>>().join(", ");
            let help = match known.is_empty() {
                true => "its components have no gauges: remove `gauges`".to_owned(),
                false => format!("{}known: {list}", near.unwrap_or_default()),
            };
            Finding::value(at, message, help)
        };
        unknown.map(|(name, at, origins)| (finding(name, at), origins)).collect()
    }
}
