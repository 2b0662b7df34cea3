//! P4 routers: inputs, errors with their places, and forwarding by the program.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::AtomicBool;

use jettison_core::Time;
use jettison_measure::{RunRecord, metrics};
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, Files, Scenario};

const SCENARIO: &str = r#"name = "p4"
duration = "1 s"
[nodes]
h1 = { kind = "host" }
h2 = { kind = "host" }
[nodes.r]
kind = "p4"
program = "main.p4"
commands = "main.commands"
control = ["table_add ipv4_lpm send ${address.h1}/32 => ${port.access}"]
later = [{ at = "500 ms", control = ["table_clear ipv4_lpm"] }]
[links.access]
between = ["h1", "r"]
rate = "10 Mbit/s"
[links.bottleneck]
between = ["r", "h2"]
rate = "10 Mbit/s"
[flows.cbr]
from = "h1"
to = "h2"
app = { kind = "cbr", rate = "1 Mbit/s" }
"#;

const PROGRAM: &str = "#include \"headers.p4\"\n#include \"rest.p4\"\n";
const COMMANDS: &str = "# to h2\ntable_add ipv4_lpm send ${address.h2}/32 => ${port.bottleneck}\n";

/// Files by name: the project's forwarding program in three files, and those that a test adds.
struct Shelf(BTreeMap<String, String>);

impl Files for Shelf {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let text = self.0.get(name).ok_or(io::Error::new(io::ErrorKind::NotFound, "no such file"))?;
        Ok(text.clone().into_bytes())
    }
    fn display(&self, name: &str) -> String {
        name.to_owned()
    }
}

fn shelf() -> Shelf {
    let (_, forward) = jettison_p4_front::library::program("<forward.p4>").expect("the project brings it");
    let (head, rest) = forward.split_at(forward.find("parser ").expect("it has a parser"));
    let files = [("main.p4", PROGRAM), ("main.commands", COMMANDS), ("headers.p4", head), ("rest.p4", rest)];
    Shelf(files.map(|(name, text)| (name.to_owned(), text.to_owned())).into())
}

fn load(text: &str, shelf: &Shelf) -> Result<Scenario, String> {
    let builder = Builder::standard();
    Scenario::parse(text, "s.toml", shelf, &Changes::default(), &builder.registries())
        .map_err(|error| error.to_string())
}

fn run(scenario: &Scenario) -> RunRecord {
    let settings = &scenario.variants[0].settings;
    let built = Builder::standard().build(settings, &scenario.contents, 1, &BuildOptions::default());
    let mut world = built.unwrap_or_else(|failure| panic!("{failure}"));
    world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
    world.finish()
}

/// The messages of the scenario with one thing changed.
#[track_caller]
fn changed(from: &str, to: &str) -> String {
    assert!(SCENARIO.contains(from), "the scenario has no {from:?}");
    messages(&SCENARIO.replacen(from, to, 1), &shelf())
}

fn messages(text: &str, shelf: &Shelf) -> String {
    load(text, shelf).map(|_| "nothing wrong".to_owned()).unwrap_or_else(|messages| messages)
}

fn with(name: &str, text: &str) -> Shelf {
    let mut shelf = shelf();
    shelf.0.insert(name.to_owned(), text.to_owned());
    shelf
}

#[test]
fn the_program_forwards_until_its_table_is_cleared() {
    let scenario = load(SCENARIO, &shelf()).unwrap_or_else(|messages| panic!("{messages}"));
    let record = run(&scenario);
    let sent = record.summary_value("cbr", metrics::GOODPUT).expect("the flow has a goodput").mean;
    // Half of the time: after 500 ms there is no route.
    assert!((0.48..0.52).contains(&sent), "{sent} Mbit/s");
}

#[test]
fn the_route_command_is_applied_per_host() {
    let text = SCENARIO
        .replace("commands = \"main.commands\"\n", "")
        .replace(
            "control = [\"table_add ipv4_lpm send ${address.h1}/32 => ${port.access}\"]\n",
            "route = \"table_add ipv4_lpm send ${address}/32 => ${port}\"\n",
        )
        .replace("later = [{ at = \"500 ms\", control = [\"table_clear ipv4_lpm\"] }]\n", "");
    let scenario = load(&text, &shelf()).unwrap_or_else(|messages| panic!("{messages}"));
    let goodput = run(&scenario).summary_value("cbr", metrics::GOODPUT).map_or(0.0, |value| value.mean);
    assert!(goodput > 0.98, "{goodput} Mbit/s");
}

#[test]
fn every_file_read_is_an_input() {
    let scenario = load(SCENARIO, &shelf()).unwrap_or_else(|messages| panic!("{messages}"));
    let names: Vec<&str> = scenario.inputs.iter().map(|input| input.file.as_str()).collect();
    assert_eq!(names, ["s.toml", "main.p4", "headers.p4", "rest.p4", "main.commands"]);
}

#[test]
fn a_built_in_program_needs_no_file() {
    let text = SCENARIO.replace("main.p4", "<codel.p4>").replace("main.commands", "<codel.commands>");
    assert_eq!(messages(&text, &Shelf(BTreeMap::new())), "nothing wrong");
}

/// The congested port's clones reach ingress through the switch's recirculation port, which has no link.
#[test]
fn a_router_may_run_a_program_for_psa() {
    let text = SCENARIO
        .replace("main.p4", "<psa/ired.p4>")
        .replace(
            "commands = \"main.commands\"\n",
            "route = \"table_add ipv4_lpm send ${address}/32 => ${port}\"\n",
        )
        .replace(
            "control = [\"table_add ipv4_lpm send ${address.h1}/32 => ${port.access}\"]\n",
            "control = [\"mirroring_add 1 PSA_PORT_RECIRCULATE truncate=64\"]\n",
        )
        .replace("later = [{ at = \"500 ms\", control = [\"table_clear ipv4_lpm\"] }]\n", "")
        .replace(
            "between = [\"h1\", \"r\"]\nrate = \"10 Mbit/s\"",
            "between = [\"h1\", \"r\"]\nrate = \"100 Mbit/s\"",
        )
        .replace("rate = \"1 Mbit/s\"", "rate = \"12 Mbit/s\"");
    let with_clones = load(&text, &shelf()).unwrap_or_else(|messages| panic!("{messages}"));
    let text = text.replace("control = [\"mirroring_add 1 PSA_PORT_RECIRCULATE truncate=64\"]\n", "");
    let without = load(&text, &shelf()).unwrap_or_else(|messages| panic!("{messages}"));
    let delay = |scenario: &Scenario| {
        let record = run(scenario);
        let goodput = record.summary_value("cbr", metrics::GOODPUT).expect("the flow has a goodput").mean;
        assert!(goodput > 8.5, "the link is busy: {goodput} Mbit/s");
        record.summary_value("cbr", metrics::OWD).expect("the flow has a delay").mean
    };
    // The thresholds are 5 and 10 ms; without clones only the queue's limit holds.
    let (held, free) = (delay(&with_clones), delay(&without));
    assert!(held < 20.0 && free > 2.0 * held, "{held} and {free} ms");
}

#[test]
fn errors_in_a_program_are_reported_at_their_line() {
    let shelf =
        with("main.p4", "#include \"headers.p4\"\n#include \"rest.p4\"\ncontrol c() { apply { x = 1; } }\n");
    let said = messages(SCENARIO, &shelf);
    assert!(said.starts_with("main.p4:3:23: ") && said.contains("`x`"), "{said}");
    let shelf = with("rest.p4", "header 5 {}");
    assert!(messages(SCENARIO, &shelf).starts_with("rest.p4:1:"), "{}", messages(SCENARIO, &shelf));
}

#[test]
fn missing_files() {
    let said = changed("program = \"main.p4\"", "program = \"none.p4\"");
    assert!(said.starts_with("s.toml:8:11: cannot read `none.p4`"), "{said}");
    let said = changed("commands = \"main.commands\"", "commands = \"none\"");
    assert!(said.starts_with("s.toml:9:12: cannot read `none`"), "{said}");
    let said = messages(SCENARIO, &with("main.p4", "#include \"none.p4\"\n"));
    assert!(said.starts_with("main.p4:1:1: "), "{said}");
    let said = changed("program = \"main.p4\"", "program = \"<none.p4>\"");
    assert!(said.contains("<none.p4>") && said.contains("<ired.p4>"), "{said}");
    let said = changed("program = \"main.p4\"\n", "");
    assert!(said.contains("`nodes.r` has no `program`"), "{said}");
}

#[test]
fn errors_in_a_command_are_reported_at_its_place() {
    let said =
        messages(SCENARIO, &with("main.commands", "# to h2\n\ntable_add ipv4_lpn send 10.0.0.0/8 => 1\n"));
    assert!(said.starts_with("main.commands:3:") && said.contains("ipv4_lpm"), "{said}");
    let said =
        changed("ipv4_lpm send ${address.h1}/32 => ${port.access}", "ipv4_lpm send ${address.h1}/32 =>");
    assert!(said.starts_with("s.toml:10:12: `nodes.r.control[0]`: "), "{said}");
    let said = changed("table_clear ipv4_lpm", "table_clear");
    assert!(said.starts_with("s.toml:11:38: `nodes.r.later[0].control[0]`: "), "{said}");
}

#[test]
fn unknown_placeholders_in_commands() {
    let said = changed("${port.access}", "${port.acess}");
    assert!(said.starts_with("s.toml:10:12: ") && said.contains("`${port.acess}`"), "{said}");
    assert!(said.contains("${port.access}") && said.contains("${address.h2}"), "{said}");
    let said = changed("${port.access}", "${port.access");
    assert!(said.starts_with("s.toml:10:12: "), "{said}");
}

#[test]
fn a_command_refused_by_the_switch() {
    let same = "control = [\"table_add ipv4_lpm send 10.0.0.0/8 => 0\", \"table_add ipv4_lpm send 10.0.0.0/8 => 1\"]";
    let said = changed("control = [\"table_add ipv4_lpm send ${address.h1}/32 => ${port.access}\"]", same);
    assert!(said.starts_with("s.toml:10:") && said.contains("already exists"), "{said}");
}

#[test]
fn later_commands_out_of_order() {
    let said = changed(
        "later = [{ at = \"500 ms\", control = [\"table_clear ipv4_lpm\"] }]",
        "later = [{ at = \"500 ms\", control = [] }, { at = \"400 ms\", control = [] }]",
    );
    assert_eq!(
        said,
        "s.toml:11:50: `later` must be in order of time, got 400 ms after 500 ms; sort `later` by `at`"
    );
}

#[test]
fn addresses_without_a_port() {
    let later = "later = [{ at = \"500 ms\", control = [\"table_clear ipv4_lpm\"] }]";
    for (key, usual) in [("p4runtime", 9559), ("thrift", 9090)] {
        let said = changed(later, &format!("{key} = {{ listen = \"localhost\" }}"));
        let wanted = format!(
            "`listen` must be an IP address and a port, got `localhost`; for example \"127.0.0.1:{usual}\""
        );
        assert!(said.starts_with("s.toml:11:") && said.ends_with(&wanted), "{said}");
    }
}

#[test]
fn queue_management_of_native_routers_is_refused() {
    let said = changed(
        "[links.bottleneck]\n",
        "[links.bottleneck]\nqueue = \"ired\"\nreverse = { queue = \"tail-drop\" }\n",
    );
    assert!(said.contains("the sender is a P4 router"), "{said}");
}

#[test]
fn later_commands_are_tried_too() {
    let said = changed("table_clear ipv4_lpm", "table_delete ipv4_lpm 77");
    assert!(
        said.starts_with("s.toml:11:38: `nodes.r.later[0].control[0]`: ") && said.contains("77"),
        "{said}"
    );
}
