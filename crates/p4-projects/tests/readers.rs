//! Readers of both formats, on small projects of our own.

use std::fs;
use std::path::{Path, PathBuf};

use jettison_p4_projects::{Options, Pings, Project, is_project, read};
use tempfile::TempDir;

/// Two hosts, two switches, and a program that the runtime files name.
const TOPOLOGY: &str = r#"{
  "hosts": {
    "h1": { "ip": "10.0.1.1/24", "mac": "08:00:00:00:01:11",
            "commands": ["route add default gw 10.0.1.254 dev eth0", "arp -i eth0 -s 10.0.1.254 08:00:00:00:01:00", "touch ready"] },
    "h2": { "ip": "10.0.2.2/24", "mac": "08:00:00:00:02:22" }
  },
  "switches": { "s1": { "runtime_json": "s1-runtime.json" }, "s2": { "runtime_json": "s2-runtime.json", "cpu_port": "510" } },
  "links": [["h1", "s1-p1"], ["s1-p3", "s2-p7", "5ms", 0.5], ["s2-p2", "h2", 2]]
}"#;

const APP: &str = r#"{
  "p4_src": "main.p4",
  "exec_scripts": [{ "cmd": "python controller.py" }],
  "topology": {
    "assignment_strategy": "l3",
    "default": { "bw": 10, "delay": 3 },
    "links": [["s1", "h2"], ["h1", "s1"], ["s1", "s10", { "bw": 5, "loss": 1, "max_queue_size": 20 }], ["s2", "s1", { "port2": 9 }]],
    "hosts": { "h1": {}, "h2": {} },
    "switches": { "s1": { "cli_input": "s1.txt", "cpu_port": true }, "s2": {}, "s10": { "p4_src": "other.p4" } }
  }
}"#;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("there is room");
        fs::write(path, text).expect("there is room");
    }
    folder
}

fn tutorial(topology: &str) -> TempDir {
    folder(&[
        ("topology.json", topology),
        ("s1-runtime.json", r#"{ "bmv2_json": "build/main.json" }"#),
        ("s2-runtime.json", r#"{ "bmv2_json": "build/edge.json" }"#),
        ("main.p4", ""),
        ("edge.p4", ""),
    ])
}

fn p4app(text: &str) -> TempDir {
    folder(&[("p4app.json", text), ("main.p4", ""), ("other.p4", ""), ("s1.txt", "")])
}

#[track_caller]
fn project(path: &Path) -> Project {
    read(path, &Options::default()).unwrap_or_else(|errors| panic!("{errors}"))
}

#[track_caller]
fn errors(path: &Path) -> String {
    read(path, &Options::default()).expect_err("it is wrong").to_string()
}

/// The lines of a table of the scenario.
fn table<'a>(project: &'a Project, heading: &str) -> Vec<&'a str> {
    let lines = project.text.lines().skip_while(|line| *line != heading).skip(1);
    lines.take_while(|line| !line.starts_with('[')).collect()
}

#[test]
fn a_topology_becomes_hosts_switches_and_numbered_links() {
    let folder = tutorial(TOPOLOGY);
    let project = project(folder.path());
    assert_eq!(
        table(&project, "[nodes.\"h1\"]"),
        [
            "kind = \"host\"",
            "layer = 2",
            "address = \"10.0.1.1\"",
            "prefix = 24",
            "mac = \"08:00:00:00:01:11\"",
            "gateway = \"10.0.1.254\"",
            "neighbours = { \"10.0.1.254\" = \"08:00:00:00:01:00\" }",
            "commands = [\"touch ready\"]",
        ]
    );
    assert_eq!(
        table(&project, "[nodes.\"s2\"]"),
        [
            "kind = \"p4\"",
            "program = \"edge.p4\"",
            "entities = \"s2-runtime.json\"",
            "cpu_port = 510",
            "p4runtime = { listen = \"127.0.0.1:50052\", device_id = 1 }",
            "thrift = { listen = \"127.0.0.1:9091\", or_free = true }"
        ]
    );
    assert_eq!(
        table(&project, "[links.\"s1-s2\"]"),
        [
            "between = [\"s1\", \"s2\"]",
            "ports = { \"s1\" = 3, \"s2\" = 7 }",
            "rate = \"500000 bit/s\"",
            "delay = \"5000000 ns\"",
        ]
    );
    // A number is in milliseconds.
    assert!(table(&project, "[links.\"s2-h2\"]").contains(&"delay = \"2000000 ns\""));
    assert_eq!(project.hosts, ["h1", "h2"]);
    let pings: Vec<&str> = project.pings.iter().map(|(flow, ..)| flow.as_str()).collect();
    assert_eq!(pings, ["h1-h2", "h2-h1"]);
    // Controllers reach only the switches that need one, where the tutorials let them.
    assert!(!table(&project, "[nodes.\"s1\"]").iter().any(|line| line.starts_with("p4runtime")));
    assert_eq!(
        project.notes,
        [
            "switch `s2` has a port to a controller: in `live` a controller reaches it over P4Runtime at 127.0.0.1:50052, device 1"
        ]
    );
    let bad = tutorial(&TOPOLOGY.replace("\"510\"", "\"511\""));
    assert!(
        errors(bad.path()).contains("`switches.s2.cpu_port`: must be a number from 0 to 510, got \"511\"")
    );
}

#[test]
fn the_program_is_named_by_the_runtime_the_makefile_or_the_user() {
    let topology = TOPOLOGY.replace("{ \"runtime_json\": \"s1-runtime.json\" }", "{}");
    let folder = tutorial(&topology);
    let several = errors(folder.path());
    assert!(several.contains("`switches.s1`: switch `s1`: there are 2 P4 programs in "), "{several}");
    fs::write(folder.path().join("Makefile"), "DEFAULT_PROG = main.p4\n").unwrap();
    assert!(table(&project(folder.path()), "[nodes.\"s1\"]").contains(&"program = \"main.p4\""));
    // A folder of solutions replaces files of the same name.
    fs::create_dir(folder.path().join("solution")).unwrap();
    fs::write(folder.path().join("solution/edge.p4"), "").unwrap();
    let with = |program: PathBuf| {
        let options = Options { program: Some(program), ..Options::default() };
        read(folder.path(), &options)
    };
    let project = with("solution".into()).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(table(&project, "[nodes.\"s2\"]").contains(&"program = \"solution/edge.p4\""));
    assert!(table(&project, "[nodes.\"s1\"]").contains(&"program = \"main.p4\""));
    // A program replaces that of its name.
    let project = with("solution/edge.p4".into()).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(table(&project, "[nodes.\"s2\"]").contains(&"program = \"solution/edge.p4\""));
    assert!(table(&project, "[nodes.\"s1\"]").contains(&"program = \"main.p4\""));
    let missing = with("nowhere.p4".into()).expect_err("it is missing").to_string();
    assert!(missing.contains("nowhere.p4: no such program or folder of programs"), "{missing}");
}

#[test]
fn a_topology_in_a_folder_below_is_found_with_or_without_a_makefile() {
    let folder = folder(&[
        ("pod/topology.json", &TOPOLOGY.replace("\"s1-r", "\"pod/s1-r").replace("\"s2-r", "\"pod/s2-r")),
        ("pod/s1-runtime.json", r#"{ "bmv2_json": "build/main.json" }"#),
        ("pod/s2-runtime.json", r#"{ "bmv2_json": "build/main.json" }"#),
        ("main.p4", ""),
    ]);
    let found = project(folder.path());
    assert_eq!(found.folder, folder.path());
    assert!(table(&found, "[nodes.\"s1\"]").contains(&"entities = \"pod/s1-runtime.json\""));
    // The folder of the topology, or the file itself, is as good.
    assert_eq!(project(&folder.path().join("pod")).folder, folder.path());
    assert_eq!(project(&folder.path().join("pod/topology.json")).folder, folder.path());
    fs::create_dir(folder.path().join("ring")).unwrap();
    fs::write(folder.path().join("ring/topology.json"), TOPOLOGY).unwrap();
    let several = errors(folder.path());
    assert!(several.contains("has 2 descriptions of a network; name one: "), "{several}");
    fs::write(folder.path().join("Makefile"), "TOPO = pod/topology.json # the pod\n").unwrap();
    assert!(project(folder.path()).file.ends_with("pod/topology.json"));
}

#[test]
fn wrong_topologies_are_refused_with_file_and_key() {
    for (from, to, message) in [
        ("\"links\": [", "\"links\": [,", "topology.json:8:13: invalid JSON"),
        ("\"h1\", \"s1-p1\"", "\"h1\", \"s3-p1\"", "`links[0][1]`: unknown switch `s3`; did you mean `s1`?"),
        ("\"h1\", \"s1-p1\"", "\"h9\", \"s1-p1\"", "`links[0][0]`: unknown host `h9`; did you mean `h1`?"),
        ("\"h1\", \"s1-p1\"", "\"h1\", \"s1\"", "`links[0][1]`: switch `s1` needs a port; write `s1-p1`"),
        ("\"h1\", \"s1-p1\"", "\"h1\", \"s1-p3\"", "`links[1]`: port 3 of `s1` is that of `links[0]`, too"),
        ("\"h1\", \"s1-p1\"", "\"h1\", \"s1-p511\"", "a port is a number from 0 to 510, got `511`"),
        (
            "\"h1\", \"s1-p1\"",
            "\"h1\"",
            "`links[0]`: a link has two ends, a delay and a bandwidth, got 1 values",
        ),
        ("\"s2-p2\", \"h2\", 2", "\"s2-p2\", \"h1\", 2", "`links[2]`: host `h1` has one link, `links[0]`"),
        ("\"5ms\", 0.5", "\"soon\", 0.5", "`links[1][2]`: a delay is a number of milliseconds"),
        ("\"5ms\", 0.5", "\"5ms\", 0", "`links[1][3]`: a bandwidth is a number of Mbit/s above zero, got 0"),
        ("10.0.1.1/24", "10.0.1/24", "`hosts.h1.ip`: an address is such as"),
        ("10.0.1.1/24", "10.0.2.2/24", "`hosts.h2`: hosts must have addresses of their own"),
        ("08:00:00:00:01:11", "08:00", "`hosts.h1.mac`: a hardware address is such as"),
        ("\"mac\": \"08:00:00:00:02:22\"", "\"mc\": 1", "`hosts.h2`: missing key `mac`"),
        ("s1-runtime.json", "s9-runtime.json", "`switches.s1.runtime_json`: no such file: "),
        ("\"links\"", "\"lines\"", "missing key `links`"),
        ("[\"route add", "[7, \"route add", "`hosts.h1.commands[0]`: must be a string, got a number"),
    ] {
        assert!(TOPOLOGY.contains(from), "the topology has no {from}");
        let folder = tutorial(&TOPOLOGY.replacen(from, to, 1));
        let found = errors(folder.path());
        assert!(found.contains(message), "{to}: {found}");
        assert!(found.contains("topology.json"), "{found}");
    }
    let all = errors(tutorial(&TOPOLOGY.replace("s1-p1", "s3-p1").replace("h2\", 2", "h3\", 2")).path());
    assert_eq!(all.lines().count(), 2, "all errors are listed: {all}");
    let folder = tutorial(TOPOLOGY);
    fs::remove_file(folder.path().join("edge.p4")).unwrap();
    let missing = errors(folder.path());
    assert!(missing.contains("switch `s2`: there is no program `edge.p4` in "), "{missing}");
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    assert!(errors(&empty).contains("is no P4 project"), "{}", errors(&empty));
    fs::write(empty.join("topology.json"), "[1]").unwrap();
    assert!(errors(&empty).contains("describes no network"), "{}", errors(&empty));
}

#[test]
fn p4_utils_numbers_ports_in_the_natural_order_of_links() {
    let folder = p4app(APP);
    let project = project(folder.path());
    // h1–s1, s1–h2, s1–s10, then the controller's; s2–s1 has a number of its own.
    for (link, ports) in [
        ("h1-s1", "{ \"s1\" = 1 }"),
        ("s1-h2", "{ \"s1\" = 2 }"),
        ("s1-s10", "{ \"s1\" = 3, \"s10\" = 1 }"),
        ("s2-s1", "{ \"s2\" = 1, \"s1\" = 9 }"),
    ] {
        let lines = table(&project, &format!("[links.\"{link}\"]"));
        assert!(lines.contains(&format!("ports = {ports}").as_str()), "{link}: {lines:?}");
    }
    let lines = table(&project, "[links.\"s1-s10\"]");
    for line in [
        "rate = \"5000000 bit/s\"",
        "delay = \"3000000 ns\"",
        "loss = 0.01",
        "queue = { kind = \"tail-drop\", limit = \"20 packets\" }",
    ] {
        assert!(lines.contains(&line), "{line}: {lines:?}");
    }
    assert_eq!(
        table(&project, "[nodes.\"s10\"]"),
        [
            "kind = \"p4\"",
            "program = \"other.p4\"",
            "thrift = { listen = \"127.0.0.1:9092\", or_free = true }"
        ]
    );
    let notes = project.notes.join("\n");
    for note in [
        "the script `python controller.py` is not run",
        "the tables of s2, s10 have no entries",
        "the port to a controller of s1",
    ] {
        assert!(notes.contains(note), "{notes}");
    }
}

#[test]
fn switches_with_p4runtime_listen_where_p4_utils_lets_them() {
    let class = "\"switch_node\": { \"module_name\": \"p4utils.mininetlib.node\", \"object_name\": \"P4RuntimeSwitch\" }";
    let all = p4app(&APP.replacen("\"p4_src\"", &format!("{class}, \"p4_src\""), 1));
    let project = project(all.path());
    for (switch, port, device) in [("s1", 9559, 1), ("s2", 9560, 2), ("s10", 9561, 3)] {
        let lines = table(&project, &format!("[nodes.\"{switch}\"]"));
        let wanted = format!("p4runtime = {{ listen = \"127.0.0.1:{port}\", device_id = {device} }}");
        assert!(lines.contains(&wanted.as_str()), "{lines:?}");
    }
    let one = p4app(&APP.replace("\"s2\": {}", &format!("\"s2\": {{ {class} }}")));
    let project = self::project(one.path());
    let listens = |switch: &str| {
        table(&project, &format!("[nodes.\"{switch}\"]")).iter().any(|line| line.starts_with("p4runtime"))
    };
    assert_eq!(["s1", "s2", "s10"].map(listens), [false, true, false]);
}

#[test]
fn switches_listen_for_thrift_where_both_collections_let_them() {
    let listens = |project: &Project, switch: &str, port: u16| {
        let wanted = format!("thrift = {{ listen = \"127.0.0.1:{port}\", or_free = true }}");
        table(project, &format!("[nodes.\"{switch}\"]")).contains(&wanted.as_str())
    };
    // A switch's own port is not given to another.
    let folder = p4app(&APP.replace("\"s2\": {}", "\"s2\": { \"thrift_port\": 9091 }"));
    let of_p4_utils = project(folder.path());
    assert!(listens(&of_p4_utils, "s1", 9090) && listens(&of_p4_utils, "s2", 9091));
    assert!(listens(&of_p4_utils, "s10", 9092));
    let graph: serde_json::Value = serde_json::from_str(&of_p4_utils.topology.unwrap()).unwrap();
    let ports: Vec<_> =
        graph["nodes"].as_array().unwrap().iter().map(|node| node["thrift_port"].as_u64()).collect();
    assert!(ports.contains(&Some(9092)) && ports.contains(&None), "{ports:?}");
    let of_tutorials = project(tutorial(TOPOLOGY).path());
    assert!(listens(&of_tutorials, "s1", 9090) && listens(&of_tutorials, "s2", 9091));
    let folder = p4app(&APP.replace("\"s2\": {}", "\"s2\": { \"thrift_port\": 70000 }"));
    let text = errors(folder.path());
    assert!(text.contains("thrift_port") && text.contains("must be a TCP port, got 70000"), "{text}");
}

#[test]
fn controllers_of_p4_utils_get_a_topology() {
    let class = "\"switch_node\": { \"object_name\": \"P4RuntimeSwitch\" }";
    let folder = p4app(&APP.replacen("\"p4_src\"", &format!("{class}, \"p4_src\""), 1));
    let text = project(folder.path()).topology.unwrap();
    let graph: serde_json::Value = serde_json::from_str(&text).unwrap();
    let node =
        |id: &str| graph["nodes"].as_array().unwrap().iter().find(|node| node["id"] == id).unwrap().clone();
    assert_eq!(node("s2")["device_id"], 2);
    assert_eq!((&node("s2")["grpc_port"], &node("s2")["isP4RuntimeSwitch"]), (&9560.into(), &true.into()));
    assert_eq!((&node("h1")["isHost"], &node("h1")["ip"]), (&true.into(), &"10.1.1.2/24".into()));
    let links = graph["links"].as_array().unwrap();
    let between =
        |a: &str, b: &str| links.iter().find(|link| link["node1"] == a && link["node2"] == b).unwrap();
    let link = between("s1", "s10");
    assert_eq!((&link["port1"], &link["port2"], &link["bw"]), (&3.into(), &1.into(), &5.0.into()));
    // The ids of both switches, which are numbered by their names.
    assert_eq!((&link["ip1"], &link["ip2"]), (&"20.1.3.1/24".into(), &"20.1.3.2/24".into()));
    // The end of a switch is the gateway of the host.
    let link = between("h1", "s1");
    assert_eq!((&link["ip1"], &link["ip2"]), (&"10.1.1.2/24".into(), &"10.1.1.1/24".into()));
    assert_eq!((&link["addr1"], &link["intfName2"]), (&"00:00:0a:01:01:02".into(), &"s1-eth1".into()));
    assert!(project(tutorial(TOPOLOGY).path()).topology.is_none());
}

#[test]
fn addresses_follow_the_strategy() {
    let host = |strategy: &str, name: &str| {
        let text =
            APP.replace("\"l3\"", &format!("\"{strategy}\"")).replace("\"h2\"", &format!("\"{name}\""));
        let folder = p4app(&text);
        let project = project(folder.path());
        table(&project, &format!("[nodes.\"{name}\"]"))[2..].join("\n")
    };
    assert_eq!(
        host("l3", "h2"),
        "address = \"10.1.2.2\"\nprefix = 24\nmac = \"00:00:0a:01:02:02\"\ngateway = \"10.1.2.1\"\n\
         neighbours = { \"10.1.2.1\" = \"00:01:0a:01:02:02\" }"
    );
    assert_eq!(
        host("mixed", "h2"),
        "address = \"10.0.1.2\"\nprefix = 24\nmac = \"00:00:0a:00:01:02\"\ngateway = \"10.0.1.254\"\n\
         neighbours = { \"10.0.1.254\" = \"00:01:0a:00:01:02\", \"10.0.1.1\" = \"00:00:0a:00:01:01\" }"
    );
    assert_eq!(
        host("l2", "h2"),
        "address = \"10.0.0.2\"\nprefix = 16\nmac = \"00:00:0a:00:00:02\"\n\
         neighbours = { \"10.0.0.1\" = \"00:00:0a:00:00:01\" }"
    );
    // A name without a number gets the next free one.
    assert!(host("l2", "server").contains("address = \"10.0.0.2\""));
    let quiet =
        APP.replace("\"l3\"", "\"l2\"").replace("\"bw\": 10", "\"auto_arp_tables\": false, \"bw\": 10");
    let folder = p4app(&quiet);
    assert!(!project(folder.path()).text.contains("neighbours"));
}

#[test]
fn addresses_may_be_given_by_hand() {
    let text = APP
        .replace("\"assignment_strategy\": \"l3\",", "")
        .replace("[\"h1\", \"s1\"]", "[\"h1\", \"s1\", { \"sw_ip2\": \"10.9.1.1/24\", \"params1\": { \"ip\": \"10.9.1.2/24\" }, \"addr1\": \"02:00:00:00:00:07\" }]")
        .replace("\"h1\": {}", "\"h1\": { \"defaultRoute\": \"via 10.9.1.1\" }");
    let folder = p4app(&text);
    let project = project(folder.path());
    assert_eq!(
        table(&project, "[nodes.\"h1\"]")[2..6],
        ["address = \"10.9.1.2\"", "prefix = 24", "mac = \"02:00:00:00:00:07\"", "gateway = \"10.9.1.1\""]
    );
    assert_eq!(table(&project, "[nodes.\"h2\"]")[2..4], ["address = \"10.0.0.1\"", "prefix = 8"]);
}

#[test]
fn wrong_apps_are_refused_with_file_and_key() {
    for (from, to, message) in [
        ("\"l3\"", "\"l4\"", "`topology.assignment_strategy`: unknown strategy `l4`; did you mean `l2`?"),
        (
            "\"s1\", \"h2\"",
            "\"s1\", \"h3\"",
            "`topology.links[0][1]`: unknown host or switch `h3`; did you mean",
        ),
        ("\"h1\", \"s1\"", "\"h1\", \"h1\"", "`topology.links[1]`: a link joins two nodes"),
        ("\"h1\", \"s1\"", "\"h2\", \"s1\"", "`topology.links[1]`: host `h2` must have one link"),
        ("\"port2\": 9", "\"port2\": 511", "a port is a number from 0 to 510, got 511"),
        (
            "\"port2\": 9",
            "\"port2\": 9, \"x\": 1 }], [\"s10\", \"s1\", { \"port2\": 9",
            "`topology.links[4]`: port 9 of `s1` is that of another link, too",
        ),
        (
            "\"loss\": 1",
            "\"loss\": 101",
            "`topology.links[2][2].loss`: a loss is a number of percent, got 101",
        ),
        ("\"p4_src\": \"main.p4\",", "", "`topology.switches.s1`: switch `s1` has no program; add `p4_src`"),
        ("main.p4", "man.p4", "`p4_src`: no such file: "),
        ("s1.txt", "s2.txt", "`topology.switches.s1.cli_input`: no such file: "),
        (
            "\"hosts\":",
            "\"routers\": { \"r1\": {} }, \"hosts\":",
            "`topology.routers`: routers that run FRRouting are not supported",
        ),
        ("\"links\": [", "\"links\": 7, \"lines\": [", "`topology.links`: must be a list, got a number"),
    ] {
        assert!(APP.contains(from), "the file has no {from}");
        let folder = p4app(&APP.replacen(from, to, 1));
        let found = errors(folder.path());
        assert!(found.contains(message), "{to}: {found}");
    }
}

#[test]
fn a_folder_with_several_apps_asks_for_one() {
    let folder = folder(&[
        ("p4app-line.json", APP),
        ("p4app-ring.json", APP),
        ("main.p4", ""),
        ("other.p4", ""),
        ("s1.txt", ""),
    ]);
    let found = errors(folder.path());
    assert!(found.contains("has 2 descriptions of a network; name one: "), "{found}");
    let project = project(&folder.path().join("p4app-ring.json"));
    assert!(
        project.text.lines().next().is_some_and(|name| name.ends_with("-p4app-ring\"")),
        "{}",
        project.text
    );
}

#[test]
fn pings_are_between_all_hosts_or_those_named() {
    let folder = tutorial(TOPOLOGY);
    let with = |pairs: &[(&str, &str)]| {
        let pairs = pairs.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect();
        read(folder.path(), &Options { pings: Pings::Pairs(pairs), program: None })
    };
    let project = with(&[("h2", "h1"), ("h2", "h1")]).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(project.pings, [("h2-h1".to_owned(), "h2".to_owned(), "h1".to_owned())]);
    let unknown = with(&[("h2", "h3")]).expect_err("there is no h3").to_string();
    assert!(unknown.contains("topology.json: has no host `h3`; did you mean `h"), "{unknown}");
    assert!(
        with(&[("h2", "h2")]).expect_err("it is one host").to_string().contains("`h2` cannot ping itself")
    );
}

#[test]
fn a_lone_host_gets_a_second_one_that_nothing_pings() {
    let text = APP
        .replace("[\"h1\", \"s1\"], ", "")
        .replace("\"h1\": {}, ", "")
        .replace("[\"s1\", \"h2\"]", "[\"h2\", \"s1\"]");
    let folder = p4app(&text);
    let project = project(folder.path());
    assert_eq!((project.hosts.len(), project.pings.len()), (1, 0));
    assert!(table(&project, "[links.\"other-s1\"]").contains(&"ports = { \"s1\" = 3 }"), "{}", project.text);
    assert!(project.notes.iter().any(|note| note.contains("there is one host")), "{:?}", project.notes);
}

#[test]
fn folders_and_json_files_are_projects() {
    let folder = tempfile::tempdir().unwrap();
    assert!(is_project(folder.path()) && is_project(Path::new("x/p4app.json")));
    assert!(!is_project(Path::new("x.toml")) && !is_project(Path::new("rrul")));
}
