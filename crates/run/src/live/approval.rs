//! The commands of a scenario, and the user's approval of them.
//!
//! A live scenario is a program: it names commands, which run with the rights of its caller. So the commands are shown
//! before they run the first time. An approval holds for a digest of the scenario's bytes, its folder, the commands with their
//! users and environments after all overrides, and the programs in that folder which the commands name.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use jettison_input::file;
use jettison_input::text::{Line, is_shown};
use jettison_scenario::build::{Builder, CommandFlow, HostCommands, host_commands};
use jettison_scenario::{InputHash, Scenario};
use jettison_sockets::command::CommandParameters;

use super::command::words;
use super::machine::SHELL;

/// The commands that a scenario would run, those of all variants.
#[derive(Debug, Clone, PartialEq)]
pub struct Commands {
    commands: Vec<Command>,
    variants: usize,
    folder: PathBuf,
    digest: String,
}

/// A command of the scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// Key of the program: `flows.web.app.at_from`.
    pub key: String,
    /// The host that it runs at.
    pub host: String,
    /// Number of equal flows, each of which starts it.
    pub count: u32,
    /// Program and arguments, with placeholders as in the file.
    pub words: Vec<String>,
    /// The other parameters.
    pub parameters: CommandParameters,
    /// Names of the variants that run it.
    pub variants: Vec<String>,
}

/// An approval of commands by the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approved(String);

impl Commands {
    /// The commands of a scenario.
    pub fn of(scenario: &Scenario, builder: &Builder) -> Commands {
        let folder = folder_of(scenario);
        let mut found: IndexMap<String, Command> = IndexMap::new();
        for variant in &scenario.variants {
            let of_hosts = host_commands(&variant.settings);
            let of_hosts = of_hosts.iter().flat_map(of_host);
            let flows = builder.command_flows(&variant.settings);
            for command in of_hosts.chain(flows.iter().flat_map(of_flow)) {
                // Serialized, it is the same for equal commands only.
                let same = identity(&command);
                found.entry(same).or_insert(command).variants.push(variant.name.clone());
            }
        }
        let digest = digest(scenario, &folder, &found);
        let commands = found.into_values().collect();
        Commands { commands, variants: scenario.variants.len(), folder, digest }
    }

    /// Whether the scenario runs built-in applications alone.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// The commands, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &Command> {
        self.commands.iter()
    }

    /// Digest of all that an approval is for, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The approval by the user.
    pub fn approve(&self) -> Approved {
        Approved(self.digest.clone())
    }

    /// Whether an approval is for these commands.
    pub fn are_approved(&self, by: &Approved) -> bool {
        self.is_empty() || by.0 == self.digest
    }
}

/// The folder that `{folder}` stands for, absolute where possible.
fn folder_of(scenario: &Scenario) -> PathBuf {
    let folder = Path::new(&scenario.file).parent().unwrap_or(Path::new(""));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf())
}

/// The commands that set a host up.
fn of_host(host: &HostCommands<'_>) -> Vec<Command> {
    let of_line = |(index, line): (usize, &String)| Command {
        key: format!("nodes.{}.commands[{index}]", host.host),
        host: host.host.to_owned(),
        count: 1,
        words: SHELL.iter().map(|word| (*word).to_owned()).chain([line.clone()]).collect(),
        parameters: CommandParameters::default(),
        variants: Vec::new(),
    };
    host.commands.iter().enumerate().map(of_line).collect()
}

/// The commands of an entry.
fn of_flow(flow: &CommandFlow<'_>) -> Vec<Command> {
    let own = &flow.parameters;
    let ends = [("at_from", &own.at_from, flow.from), ("at_to", &own.at_to, flow.to)];
    let of_end = |(end, text, host): (&str, &Option<String>, &str)| {
        // The check has split the text before.
        let words = words(text.as_ref()?).unwrap_or_default();
        Some(Command {
            key: format!("flows.{}.app.{end}", flow.flow),
            host: host.to_owned(),
            count: flow.count,
            words,
            // Its own text is in `words`; the other end is another command.
            parameters: CommandParameters { at_from: None, at_to: None, ..own.clone() },
            variants: Vec::new(),
        })
    };
    ends.into_iter().filter_map(of_end).collect()
}

/// A text that is equal for equal commands only.
fn identity(command: &Command) -> String {
    let Command { key, host, count, words, parameters, .. } = command;
    serde_json::to_string(&(key, host, count, words, parameters))
        .expect("plain data with string keys is JSON")
}

fn digest(scenario: &Scenario, folder: &Path, found: &IndexMap<String, Command>) -> String {
    let own: Vec<&str> = scenario.inputs.iter().take(1).map(|input| input.sha256.as_str()).collect();
    let identities: Vec<&String> = found.keys().collect();
    let programs: BTreeSet<(String, String)> =
        found.values().flat_map(|command| programs_in(command, folder)).collect();
    let whole = serde_json::to_vec(&("jettison live 1", own, folder.to_string_lossy(), identities, programs))
        .expect("plain data is JSON");
    InputHash::of("", &whole).sha256
}

/// Files in the scenario's folder that a command names as a word of its own, each with its hash.
fn programs_in(command: &Command, folder: &Path) -> Vec<(String, String)> {
    let start =
        command.parameters.directory.as_ref().map_or_else(|| folder.to_path_buf(), |d| folder.join(d));
    let hash = |word: &String| {
        let path = start.join(word.replace("{folder}", &folder.to_string_lossy())).canonicalize().ok()?;
        let content = path.starts_with(folder).then(|| file::read(&path, file::DATA).ok()).flatten()?;
        Some((path.to_string_lossy().into_owned(), InputHash::of("", &content).sha256))
    };
    command.words.iter().filter_map(hash).collect()
}

impl fmt::Display for Commands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for command in &self.commands {
            let own = &command.parameters;
            let count = if command.count > 1 { format!(", {} times", command.count) } else { String::new() };
            let user = match &own.user {
                Some(user) => format!(", as user {}", Word(user)),
                None => String::new(),
            };
            writeln!(f, "  {} at host {}{count}{user}:", Line(&command.key), Line(&command.host))?;
            let words: Vec<String> = command.words.iter().map(|word| Word(word).to_string()).collect();
            writeln!(f, "    {}", words.join(" "))?;
            if !own.environment.is_empty() {
                let set =
                    own.environment.iter().map(|(name, value)| format!("{}={}", Word(name), Word(value)));
                writeln!(f, "    environment: {}", set.collect::<Vec<_>>().join(" "))?;
            }
            if !own.pass_environment.is_empty() {
                let names: Vec<String> =
                    own.pass_environment.iter().map(|name| Word(name).to_string()).collect();
                writeln!(f, "    passed on: {}", names.join(" "))?;
            }
            if let Some(directory) = &own.directory {
                writeln!(f, "    directory: {}", Word(&directory.to_string_lossy()))?;
            }
            if command.variants.len() < self.variants {
                let shown: Vec<String> =
                    command.variants.iter().take(MOST_VARIANTS).map(|name| Line(name).to_string()).collect();
                let rest = command.variants.len().saturating_sub(MOST_VARIANTS);
                let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
                writeln!(f, "    only in {}{rest}", shown.join("; "))?;
            }
        }
        if self.commands.iter().any(|command| identity(command).contains("{folder}")) {
            writeln!(f, "  {{folder}} is {}", Word(&self.folder.to_string_lossy()))?;
        }
        Ok(())
    }
}

/// Maximum number of variants that are listed beside a command.
const MOST_VARIANTS: usize = 5;

/// A word as a shell would read it. One with characters that are not shown as themselves is in `$'…'`, with escapes, so that
/// no word looks like another.
struct Word<'a>(&'a str);

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.chars().all(is_shown) {
            return match self.0.chars().all(|c| c.is_alphanumeric() || "-_./:=,+@%{}".contains(c)) {
                true if !self.0.is_empty() => f.write_str(self.0),
                _ => f.write_str(&shell_words::quote(self.0)),
            };
        }
        f.write_str("$'")?;
        for c in self.0.chars() {
            match c {
                '\\' => f.write_str("\\\\")?,
                '\'' => f.write_str("\\'")?,
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                c if is_shown(c) => write!(f, "{c}")?,
                c if u32::from(c) < 0x1_0000 => write!(f, "\\u{:04x}", u32::from(c))?,
                c => write!(f, "\\U{:08x}", u32::from(c))?,
            }
        }
        f.write_str("'")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jettison_scenario::{Changes, NoFiles};

    const FILE: &str = r#"
name = "x"
duration = "1 s"
[nodes]
a = { kind = "host" }
b = { kind = "host" }
[links.l]
between = ["a", "b"]
rate = "1 Mbit/s"
[flows.f]
from = "a"
to = "b"
app = { kind = "command", at_from = "serve {port}", at_to = "fetch 'two words' \u001b[8m", user = "nobody", environment = { A = "b c" }, pass_environment = ["DISPLAY"] }
[flows.g]
from = "a"
to = "b"
app = "bulk"
[[vary]]
path = "flows.f.app.at_from"
values = ["serve 1", "serve 2"]
"#;

    fn commands(text: &str, set: &[&str]) -> Commands {
        let builder = Builder::standard();
        let changes = Changes { set: set.iter().map(|&set| set.to_owned()).collect(), quick: false };
        let scenario = Scenario::parse(text, "x.toml", &NoFiles, &changes, &builder.registries());
        Commands::of(&scenario.expect("the scenario is right"), &builder)
    }

    #[test]
    fn every_command_of_every_variant_is_shown_once() {
        let own = commands(FILE, &[]);
        let more = "    environment: A='b c'\n    passed on: DISPLAY\n";
        let serve = |n: u32| {
            let head = "  flows.f.app.at_from at host a, as user nobody:\n";
            format!("{head}    serve {n}\n{more}    only in at_from=serve {n}\n")
        };
        let fetch = "  flows.f.app.at_to at host b, as user nobody:\n    fetch 'two words' $'\\u001b[8m'\n";
        assert_eq!(own.to_string(), format!("{}{fetch}{more}{}", serve(1), serve(2)));
        assert_eq!(own.iter().count(), 3);
    }

    #[test]
    fn an_approval_is_for_these_commands_alone() {
        let own = commands(FILE, &[]);
        let approved = own.approve();
        assert!(commands(FILE, &[]).are_approved(&approved));
        assert!(commands(FILE, &["links.l.rate=2 Mbit/s"]).are_approved(&approved));
        assert!(!commands(FILE, &["flows.f.app.at_to=evil"]).are_approved(&approved));
        assert!(!commands(FILE, &["flows.f.app.user=root"]).are_approved(&approved));
        assert!(!commands(&format!("{FILE}# a comment\n"), &[]).are_approved(&approved));
        // Built-in applications need no approval.
        let head = FILE.split("[flows.f]").next().expect("there is a head");
        let built_in = format!("{head}[flows.g]\nfrom = \"a\"\nto = \"b\"\napp = \"bulk\"\n");
        assert!(commands(&built_in, &[]).is_empty() && commands(&built_in, &[]).are_approved(&approved));
    }

    #[test]
    fn a_changed_program_beside_the_scenario_is_another() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("there is room");
        write(
            "x.toml",
            &FILE.replace("serve {port}", "{folder}/serve.sh").replace("serve 1", "{folder}/serve.sh"),
        );
        write("serve.sh", "#!/bin/sh\n");
        let builder = Builder::standard();
        let own = || {
            let scenario =
                Scenario::load(&folder.path().join("x.toml"), &Changes::default(), &builder.registries());
            Commands::of(&scenario.expect("the scenario is right"), &builder)
        };
        let approved = own().approve();
        assert!(own().are_approved(&approved));
        assert!(own().to_string().contains("{folder} is /"), "{}", own());
        write("serve.sh", "#!/bin/sh\nrm -rf .\n");
        assert!(!own().are_approved(&approved));
    }
}
