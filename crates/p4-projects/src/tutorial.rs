//! `topology.json` and `sX-runtime.json` of the P4 tutorials.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jettison_input::file;
use serde_json::Value;

use crate::Options;
use crate::error::ProjectErrors;
use crate::find::{Found, files, makefile_value};
use crate::host;
use crate::json::{Json, Place};
use crate::network::{Controller, FIRST_THRIFT_PORT, Host, Link, Network, Switch};
use crate::settings::{Files, address, bandwidth, delay, mac, port, project_name};

/// Reads the network of a `topology.json`.
pub(crate) fn network(found: &Found, options: &Options) -> Result<Network, ProjectErrors> {
    let json = Json::read(&found.file)?;
    let root = json.root();
    let mut notes = root.unknown_keys(&["hosts", "switches", "links"]);
    let hosts: Vec<Host> = root.required("hosts").iter().flat_map(hosts).collect();
    let folder = base(&root, found);
    let switches: Vec<Switch> =
        match (Files::new(&folder, options.program.as_deref()), root.required("switches")) {
            (Ok(files), Some(place)) => switches(&place, &folder, &files, &mut notes),
            (Err(error), _) => {
                json.add(error);
                Vec::new()
            }
            (_, None) => Vec::new(),
        };
    let names = Names {
        hosts: hosts.iter().map(|host| host.name.as_str()).collect(),
        // Also those with errors of their own.
        switches: keys(&root, "switches"),
    };
    let links: Vec<Link> = root.required("links").iter().flat_map(|place| links(place, &names)).collect();
    let name = project_name(&folder, &found.file);
    json.finish(Network { folder, name, hosts, switches, links, addresses_between_switches: false, notes })
}

/// Names that links may have at their ends.
struct Names<'a> {
    hosts: Vec<&'a str>,
    switches: Vec<&'a str>,
}

fn keys<'a>(root: &Place<'a>, key: &str) -> Vec<&'a str> {
    let object = root.value.get(key).and_then(Value::as_object);
    object.into_iter().flat_map(|object| object.keys()).map(String::as_str).collect()
}

/// The folder that names of files are relative to: where the tutorials start the network. That is the folder of the exercise, which
/// may be above that of the topology.
fn base(root: &Place<'_>, found: &Found) -> PathBuf {
    let named: Vec<&str> = root
        .value
        .get("switches")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|switches| switches.values())
        .flat_map(|switch| ["runtime_json", "cli_input"].map(|key| switch.get(key).and_then(Value::as_str)))
        .flatten()
        .collect();
    let own = found.folder.clone();
    let above = match own.canonicalize() {
        Ok(_) if own.file_name().is_some() => own.parent().map(Path::to_path_buf),
        Ok(own) => own.parent().map(Path::to_path_buf),
        Err(_) => None,
    };
    let above = above.map(|above| if above.as_os_str().is_empty() { PathBuf::from(".") } else { above });
    let has_all = |folder: &PathBuf| named.iter().all(|name| folder.join(name).is_file());
    let has_program = |folder: &PathBuf| !files(folder, |name| name.ends_with(".p4")).is_empty();
    let fits = |folder: &PathBuf| has_all(folder) && (!named.is_empty() || has_program(folder));
    [Some(own.clone()), above].into_iter().flatten().find(fits).unwrap_or(own)
}

fn hosts(place: &Place<'_>) -> Vec<Host> {
    let mut hosts: Vec<Host> = Vec::new();
    for (name, place) in place.entries() {
        let ip = place.required("ip").and_then(|ip| ip.parsed(address));
        let mac = place.required("mac").and_then(|own| own.parsed(mac));
        let (Some((address, prefix)), Some(mac)) = (ip, mac) else { continue };
        if let Some(other) = hosts.iter().find(|other| other.address == address) {
            place.refuse(format!(
                "hosts must have addresses of their own: `{}` has {address}, too",
                other.name
            ));
        }
        if let Some(other) = hosts.iter().find(|other| other.mac == mac) {
            place.refuse(format!(
                "hosts must have hardware addresses of their own: `{}` has the same",
                other.name
            ));
        }
        let mut own = Host {
            name: name.to_owned(),
            address,
            prefix,
            mac,
            gateway: None,
            neighbours: Vec::new(),
            commands: Vec::new(),
        };
        for command in place.get("commands").iter().flat_map(Place::elements) {
            let Some(text) = command.text() else { continue };
            if !host::take(&mut own, text) && !text.trim().is_empty() {
                own.commands.push(text.to_owned());
            }
        }
        hosts.push(own);
    }
    hosts
}

fn switches(place: &Place<'_>, folder: &Path, files: &Files<'_>, notes: &mut Vec<String>) -> Vec<Switch> {
    const KEYS: [&str; 5] = ["runtime_json", "cli_input", "program", "cpu_port", "priority_queues"];
    let mut switches = Vec::new();
    for (at, (name, place)) in place.entries().into_iter().enumerate() {
        if place.object().is_none() {
            continue;
        }
        notes.extend(place.unknown_keys(&KEYS));
        let cpu_port = place.get("cpu_port").and_then(|place| {
            let number = place.value.as_u64().or_else(|| place.value.as_str()?.parse().ok());
            let number = number.and_then(|number| u16::try_from(number).ok()).filter(|number| *number <= 510);
            if number.is_none() {
                place.refuse(format!("must be a number from 0 to 510, got {}", place.value));
            }
            number
        });
        let named = |key: &str| {
            let place = place.get(key)?;
            let path = files.path(place.text()?);
            path.map_err(|message| place.refuse(message)).ok()
        };
        let entities = named("runtime_json");
        let commands = named("cli_input");
        let wanted = place.get("program").and_then(|program| stem(program.text()?));
        let wanted = entities.as_ref().and_then(|file| runtime_program(&folder.join(file))).or(wanted);
        let program = match program(folder, files, wanted.as_deref()) {
            Ok(program) => program,
            // It will be replaced.
            Err(_) if files.program.is_some() => String::new(),
            Err((message, help)) => {
                place.refuse(format!("switch `{name}`: {message}")).help(help);
                continue;
            }
        };
        let is_empty = entities.is_none() && commands.is_none() && place.get("runtime_json").is_none();
        let controller = (is_empty || cpu_port.is_some()).then(|| controller(at, cpu_port));
        if let Some(Controller { port, device_id, .. }) = &controller {
            let what = if is_empty { "no table entries of its own" } else { "a port to a controller" };
            notes.push(format!(
                "switch `{name}` has {what}: in `live` a controller reaches it over P4Runtime at 127.0.0.1:{port}, device {device_id}"
            ));
        }
        let priorities = place.get("priority_queues").and_then(|queues| {
            let number = queues.value.as_u64().or_else(|| queues.value.as_str()?.parse().ok());
            if number.is_none_or(|number| !(1..=8).contains(&number)) {
                queues.refuse(format!("must be a number from 1 to 8, got {}", queues.value));
            }
            number
        });
        let thrift = FIRST_THRIFT_PORT.saturating_add(u16::try_from(at).unwrap_or(u16::MAX));
        let name = name.to_owned();
        switches.push(Switch { name, program, commands, entities, priorities, controller, thrift });
    }
    if let Some(given) = &files.program {
        match files.relative(given) {
            Ok(given) => replace(&mut switches, &given),
            Err(message) => drop(place.refuse(message)),
        }
    }
    switches
}

/// TCP port of the first switch in the tutorials; those of the others follow. Device ids begin with 0.
const FIRST_PORT: u16 = 50_051;

/// Where the tutorials let controllers reach the switch with this number.
fn controller(at: usize, cpu_port: Option<u16>) -> Controller {
    let number = u16::try_from(at).unwrap_or(u16::MAX);
    Controller { port: FIRST_PORT.saturating_add(number), device_id: at as u64, cpu_port }
}

/// Puts a program in place of those of its name, or of all if there is none.
fn replace(switches: &mut [Switch], given: &str) {
    let is_same = |program: &str| Path::new(program).file_name() == Path::new(given).file_name();
    let all = !switches.iter().any(|switch| is_same(&switch.program));
    for switch in
        switches.iter_mut().filter(|switch| all || switch.program.is_empty() || is_same(&switch.program))
    {
        switch.program = given.to_owned();
    }
}

/// The name of a program by that of its compiled form: `build/basic.json` is of `basic`.
fn stem(path: &str) -> Option<String> {
    Path::new(path).file_stem()?.to_str().map(str::to_owned)
}

/// The program that a runtime file names.
fn runtime_program(path: &Path) -> Option<String> {
    let text = file::read_text(path, file::TEXT).ok()?;
    let value: Value = serde_json::from_str(&text).ok()?;
    stem(value.get("bmv2_json")?.as_str()?)
}

/// The program of a switch: the one of the wanted name, that of the Makefile, or the only one.
fn program(folder: &Path, files_of: &Files<'_>, wanted: Option<&str>) -> Result<String, (String, String)> {
    let refused = |message: String| (message, "name the program with `--program FILE.p4`".to_owned());
    if let Some(wanted) = wanted {
        let path = files_of.path(&format!("{wanted}.p4"));
        return path
            .map_err(|_| refused(format!("there is no program `{wanted}.p4` in {}", folder.display())));
    }
    if let Some(main) = makefile_value(folder, "DEFAULT_PROG") {
        return files_of.path(&main).map_err(refused);
    }
    let programs = files(folder, |name| name.ends_with(".p4"));
    match &programs[..] {
        [only] => {
            let name = only.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            files_of.path(name).map_err(refused)
        }
        [] => Err(refused(format!("there is no P4 program in {}", folder.display()))),
        several => Err(refused(format!("there are {} P4 programs in {}", several.len(), folder.display()))),
    }
}

fn links(place: &Place<'_>, names: &Names<'_>) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    let mut taken: BTreeMap<(String, Option<u16>), usize> = BTreeMap::new();
    for (number, place) in place.elements().into_iter().enumerate() {
        let parts = place.elements();
        if !(2..=4).contains(&parts.len()) {
            if place.value.is_array() {
                let message =
                    format!("a link has two ends, a delay and a bandwidth, got {} values", parts.len());
                place.refuse(message);
            }
            continue;
        }
        let [Some(first), Some(second)] = [end(&parts[0], names), end(&parts[1], names)] else { continue };
        if first.0 == second.0 {
            place.refuse(format!("a link joins two nodes, both ends are `{}`", first.0));
            continue;
        }
        for end in [&first, &second] {
            if let Some(other) = taken.insert(end.clone(), number) {
                let message = match end.1 {
                    Some(port) => format!("port {port} of `{}` is that of `links[{other}]`, too", end.0),
                    None => format!("host `{}` has one link, `links[{other}]`", end.0),
                };
                place.refuse(message);
            }
        }
        links.push(Link {
            ends: [first.0, second.0],
            ports: [first.1, second.1],
            delay: parts.get(2).map_or(0, delay),
            rate: parts.get(3).and_then(bandwidth),
            loss: 0.0,
            queue: None,
        });
    }
    links
}

/// An end of a link: `h1`, or `s1-p3` for port 3 of `s1`.
fn end(place: &Place<'_>, names: &Names<'_>) -> Option<(String, Option<u16>)> {
    let text = place.text()?;
    if names.hosts.contains(&text) {
        return Some((text.to_owned(), None));
    }
    let Some((switch, number)) = text.rsplit_once("-p") else {
        match names.switches.contains(&text) {
            true => place.refuse(format!("switch `{text}` needs a port")).help(format!("write `{text}-p1`")),
            false => {
                let known = names.hosts.iter().copied();
                place.refuse(format!("unknown host `{}`", text.escape_debug())).suggest(text, known);
            }
        }
        return None;
    };
    if !names.switches.contains(&switch) {
        let known = names.switches.iter().copied();
        place.refuse(format!("unknown switch `{}`", switch.escape_debug())).suggest(switch, known);
        return None;
    }
    match port(number) {
        Some(port) => Some((switch.to_owned(), Some(port))),
        None => {
            place.refuse(format!("a port is a number from 0 to 510, got `{}`", number.escape_debug()));
            None
        }
    }
}
