//! Which hosts ping each other.

use std::path::Path;

use jettison_registry::suggestion;

use crate::error::ProjectError;
use crate::network::Host;

/// Which hosts ping each other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Pings {
    /// Each host pings all others, as `pingall` of Mininet does.
    #[default]
    All,
    /// These pairs of names: from and to.
    Pairs(Vec<(String, String)>),
    /// None.
    Off,
}

impl Pings {
    /// The flows: name, from and to.
    pub(crate) fn among(
        &self,
        hosts: &[Host],
        file: &Path,
    ) -> Result<Vec<(String, String, String)>, ProjectError> {
        let flow = |from: &str, to: &str| (format!("{from}-{to}"), from.to_owned(), to.to_owned());
        let pairs = match self {
            Pings::Off => return Ok(Vec::new()),
            Pings::All => {
                let others = |from: &Host| {
                    let from = from.name.clone();
                    let others = hosts.iter().filter(move |to| to.name != from);
                    others.map(|to| to.name.clone()).collect::<Vec<_>>()
                };
                let pairs =
                    hosts.iter().flat_map(|from| others(from).into_iter().map(|to| (from.name.clone(), to)));
                return Ok(pairs.map(|(from, to)| flow(&from, &to)).collect());
            }
            Pings::Pairs(pairs) => pairs,
        };
        for name in pairs.iter().flat_map(|(from, to)| [from, to]) {
            if !hosts.iter().any(|host| host.name == *name) {
                let message = format!("has no host `{}`", name.escape_debug());
                let help = suggestion(name, hosts.iter().map(|host| host.name.as_str()));
                return Err(ProjectError::new(file, "", message).help(help));
            }
        }
        if let Some((name, _)) = pairs.iter().find(|(from, to)| from == to) {
            return Err(ProjectError::new(file, "", format!("`{name}` cannot ping itself")));
        }
        let mut flows: Vec<(String, String, String)> = Vec::new();
        for (from, to) in pairs {
            let flow = flow(from, to);
            if !flows.contains(&flow) {
                flows.push(flow);
            }
        }
        Ok(flows)
    }
}
