//! `jettison live FILE --shell HOST`: an interactive shell on a host of the running topology.
//!
//! The shell is a flow whose program owns the terminal, so the run ends with it. The other hosts are named network namespaces
//! there: `ip netns exec h2 COMMAND`.

use jettison_registry::suggestion;
use jettison_scenario::schema::Node;
use jettison_scenario::{Changes, Scenario};

use crate::output::Failure;

/// How long a shell may stay open.
const DURATION: &str = "1440 min";
/// Variables of the terminal and of its user that the shell gets.
const PASSED: [&str; 5] = ["TERM", "COLORTERM", "PS1", "EDITOR", "PAGER"];

/// A shell on a host.
pub struct HostShell {
    /// Name of its flow.
    pub flow: String,
    /// The changes of the scenario that add it.
    settings: Vec<String>,
}

impl HostShell {
    /// A shell on the host of that name.
    ///
    /// # Errors
    /// If there is no such host, no other one, or the scenario has several variants.
    pub fn new(host: &str, scenario: &Scenario) -> Result<HostShell, Failure> {
        let [variant] = &scenario.variants[..] else {
            let count = scenario.variants.len();
            let message =
                format!("--shell is for one variant, the scenario has {count}: choose one with --set");
            return Err(Failure::of(message));
        };
        let nodes = &variant.settings.nodes;
        let hosts = || nodes.iter().filter(|(_, node)| node.is_host()).map(|(name, _)| name.as_str());
        if !matches!(nodes.get(host), Some(Node::Host(_))) {
            let near = suggestion(host, hosts());
            return Err(Failure::of(format!("--shell {host}: the scenario has no such host; {near}")));
        }
        let other = hosts().find(|other| *other != host);
        let other = other.ok_or_else(|| {
            Failure::of(format!(
                "--shell {host}: a shell is one end of a flow, and the scenario has no other host"
            ))
        })?;
        let mut flow = "shell".to_owned();
        while variant.settings.flows.contains_key(&flow) {
            flow.push('_');
        }
        let quoted = |text: &str| toml::Value::from(text).to_string();
        let shell = std::env::var("SHELL").unwrap_or_else(|_| "/bin/sh".to_owned());
        let shell = shell_words::quote(&shell).replace('{', "{{").replace('}', "}}");
        let passed: Vec<String> = PASSED.iter().map(|name| quoted(name)).collect();
        let app = format!(
            "{{ kind = \"command\", at_from = {}, pass_environment = [{}] }}",
            quoted(&shell),
            passed.join(", ")
        );
        let settings = vec![
            format!("flows.{flow}={{ from = {}, to = {}, app = {app} }}", quoted(host), quoted(other)),
            format!("duration={DURATION}"),
            "sample_interval=1 s".to_owned(),
            format!("seeds=[{}]", scenario.seeds[0]),
        ];
        Ok(HostShell { flow, settings })
    }

    /// Changes with the shell, and of the duration.
    pub fn with(&self, changes: &Changes) -> Changes {
        let set = changes.set.iter().chain(&self.settings).cloned().collect();
        Changes { set, quick: changes.quick }
    }
}
