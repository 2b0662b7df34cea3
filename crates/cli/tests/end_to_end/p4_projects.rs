//! `run`, `check` and `live` of folders that describe P4 networks for Mininet.

use super::support::Folder;

/// A switch of layer 2 that knows its hosts from its table; ARP goes to a group of ports.
const PROGRAM: &str = r#"
#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<48> dst; bit<48> src; bit<16> kind; }
struct headers { ethernet_t ethernet; }
struct meta_t {}
parser Ps(packet_in packet, out headers hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.ethernet); transition accept; }
}
control Ck(inout headers hdr, inout meta_t meta) { apply {} }
control In(inout headers hdr, inout meta_t meta, inout standard_metadata_t std) {
    action drop() { mark_to_drop(std); }
    action to_port(bit<9> port) { std.egress_spec = port; }
    action to_group(bit<16> group) { std.mcast_grp = group; }
    table hosts {
        key = { hdr.ethernet.dst : exact; }
        actions = { to_port; to_group; drop; }
        default_action = drop();
    }
    apply {
        if (hdr.ethernet.kind == 0x88b5) {
            hdr.ethernet.dst = hdr.ethernet.src;
            std.egress_spec = std.ingress_port;
        } else {
            hosts.apply();
        }
    }
}
control Eg(inout headers hdr, inout meta_t meta, inout standard_metadata_t std) { apply {} }
control De(packet_out packet, in headers hdr) { apply { packet.emit(hdr.ethernet); } }
V1Switch(Ps(), Ck(), In(), Eg(), Ck(), De()) main;
"#;

const TOPOLOGY: &str = r#"{
  "hosts": {
    "h1": { "ip": "10.0.0.1/24", "mac": "08:00:00:00:00:01", "commands": ["ip route add 10.0.0.0/24 dev eth0"] },
    "h2": { "ip": "10.0.0.2/24", "mac": "08:00:00:00:00:02" },
    "h3": { "ip": "10.0.0.3/24", "mac": "08:00:00:00:00:03" }
  },
  "switches": { "s1": { "runtime_json": "s1-runtime.json" } },
  "links": [["h1", "s1-p1"], ["h2", "s1-p2", "1ms"], ["h3", "s1-p5"]]
}"#;

/// `h3` is not in the table: it is reached by nobody.
const RUNTIME: &str = r#"{
  "target": "bmv2",
  "p4info": "build/lan.p4.p4info.txtpb",
  "bmv2_json": "build/lan.json",
  "table_entries": [
    { "table": "In.hosts", "match": { "hdr.ethernet.dst": "08:00:00:00:00:01" }, "action_name": "In.to_port", "action_params": { "port": 1 } },
    { "table": "In.hosts", "match": { "hdr.ethernet.dst": "08:00:00:00:00:02" }, "action_name": "In.to_port", "action_params": { "port": 2 } },
    { "table": "In.hosts", "match": { "hdr.ethernet.dst": "ff:ff:ff:ff:ff:ff" }, "action_name": "In.to_group", "action_params": { "group": 9 } }
  ],
  "multicast_group_entries": [
    { "multicast_group_id": 9, "replicas": [{ "egress_port": 1, "instance": 1 }, { "egress_port": 2, "instance": 1 }, { "egress_port": 5, "instance": 1 }] }
  ]
}"#;

fn project() -> Folder {
    let folder = Folder::new();
    folder.write("lan/topology.json", TOPOLOGY);
    folder.write("lan/s1-runtime.json", RUNTIME);
    folder.write("lan/lan.p4", PROGRAM);
    folder
}

/// The cells of a row of the table of hosts that reach each other, without times.
fn row(text: &str, host: &str) -> Vec<String> {
    let line =
        text.lines().find(|line| line.starts_with(host)).unwrap_or_else(|| panic!("no {host} in {text}"));
    let cells = line.split_whitespace().skip(1).filter(|cell| *cell != "ms");
    cells.map(|cell| if cell.contains('.') { "yes".to_owned() } else { cell.to_owned() }).collect()
}

#[test]
fn a_folder_runs_and_says_who_reaches_whom() {
    let folder = project();
    let text = folder.jettison(&["run", "lan"]).ok();
    assert_eq!(row(&text, "h1"), ["-", "yes", "X"], "{text}");
    assert_eq!(row(&text, "h2"), ["yes", "-", "X"], "{text}");
    assert_eq!(row(&text, "h3"), ["X", "X", "-"], "{text}");
    assert!(text.contains("2 of 6 pings were answered"), "{text}");
    // The link to h2 has a delay of 1 ms, the first ping asks for the address before.
    let rtt =
        text.lines().find(|line| line.starts_with("h2")).and_then(|line| line.split_whitespace().nth(1));
    let rtt: f64 = rtt.and_then(|rtt| rtt.parse().ok()).unwrap_or_else(|| panic!("{text}"));
    assert!((2.0..2.1).contains(&rtt), "{rtt} ms");
    assert!(folder.names("out").contains(&"lan".to_owned()));
}

#[test]
fn pings_programs_and_keys_can_be_chosen() {
    let folder = project();
    let text = folder.jettison(&["run", "lan", "--ping", "h2", "h1", "--json"]).ok();
    assert!(text.contains("\"h2-h1\"") && !text.contains("\"h1-h2\""), "{text}");
    let text = folder.jettison(&["run", "lan", "--set", "nodes.h1.mac=08:00:00:00:00:77", "--force"]).ok();
    assert!(text.contains("0 of 6 pings were answered"), "{text}");
    // The program that sends everything back answers no ping.
    folder.write("other/lan.p4", &PROGRAM.replace("hdr.ethernet.kind == 0x88b5", "true"));
    let text = folder.jettison(&["run", "lan", "--program", "other", "--force"]).ok();
    assert!(text.contains("0 of 6 pings were answered"), "{text}");
    let ran = folder.jettison(&["run", "lan", "--program", "nowhere.p4"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("nowhere.p4: no such program or folder of programs"), "{}", ran.stderr);
    let ran = folder.jettison(&["run", "rrul", "--ping", "h2", "h1"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("--ping is for folders of P4 projects, got rrul"), "{}", ran.stderr);
}

#[test]
fn errors_name_the_file_and_the_key() {
    let folder = project();
    assert!(folder.jettison(&["check", "lan"]).ok().contains(": OK: 1 variant"));
    folder.write("lan/s1-runtime.json", &RUNTIME.replace("In.to_port", "In.to_prt"));
    let ran = folder.jettison(&["check", "lan"]);
    assert_eq!(ran.status, Some(2));
    let wanted = "lan/s1-runtime.json:1:1: `table_entries[0].action_name`: unknown action of table `In.hosts` `In.to_prt`";
    assert!(ran.stderr.contains(wanted), "{}", ran.stderr);
    folder.write("lan/topology.json", &TOPOLOGY.replace("s1-p5", "s2-p5"));
    let ran = folder.jettison(&["run", "lan"]);
    assert_eq!(ran.status, Some(2));
    let wanted = "lan/topology.json: `links[2][1]`: unknown switch `s2`; did you mean `s1`?";
    assert!(ran.stderr.contains(wanted), "{}", ran.stderr);
    folder.write("lan/topology.json", &TOPOLOGY.replace("\"links\"", "links"));
    let ran = folder.jettison(&["live", "lan"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("lan/topology.json:8:3: invalid JSON"), "{}", ran.stderr);
    folder.write("empty/README", "nothing");
    let ran = folder.jettison(&["run", "empty"]);
    assert!(ran.stderr.contains("empty: is no P4 project"), "{}", ran.stderr);
}

#[cfg(target_os = "linux")]
mod live {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::process::Stdio;

    use jettison_p4_thrift::codec::{Fields, Message, MessageKind, Value, read_message, write_message};

    use super::super::live::can_run_live;
    use super::super::support::Ran;
    use super::{TOPOLOGY, project, row};

    /// Tests run side by side, so none has the port of the tutorials.
    const ANY_PORT: &str = "nodes.s1.thrift.listen=127.0.0.1:0";

    #[test]
    fn a_running_switch_answers_over_thrift() {
        if !can_run_live("p4_projects::live::a_running_switch_answers_over_thrift") {
            return;
        }
        let folder = project();
        let mut child = folder
            .command(&["live", "lan", "--shell", "h1", "--yes", "--set", ANY_PORT])
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command can be started");
        let mut output = BufReader::new(child.stdout.take().expect("it is a pipe"));
        let mut line = String::new();
        while !line.starts_with("s1: Thrift on ") {
            line.clear();
            assert!(output.read_line(&mut line).expect("it is text") > 0, "it ended without an address");
        }
        let address = line.trim_end().rsplit(' ').next().expect("it is the last word");
        let mut stream = TcpStream::connect(address).expect("the switch listens");
        let mut call = |name: &str, fields: Fields| {
            let name = format!("standard:{name}");
            let call = Message { kind: MessageKind::Call, name, sequence: 1, fields, is_strict: true };
            stream.write_all(&write_message(&call)).expect("the switch reads");
            let answer = read_message(&mut stream).expect("the switch answers");
            answer.expect("the switch answers").fields.get(0).cloned()
        };
        let of_table = || Fields::new().with(1, 0).with(2, "In.hosts");
        assert_eq!(call("bm_mt_get_num_entries", of_table()), Some(Value::I64(3)));
        assert_eq!(call("bm_reset_state", Fields::new()), None);
        assert_eq!(call("bm_mt_get_num_entries", of_table()), Some(Value::I64(0)));
        child.stdin.take().expect("it is a pipe").write_all(b"exit 0\n").expect("the shell reads");
        let mut rest = String::new();
        output.read_to_string(&mut rest).expect("it is text");
        child.wait().expect("it ends with the shell");
    }

    #[test]
    fn a_port_in_use_is_named_with_the_key_of_another() {
        if !can_run_live("p4_projects::live::a_port_in_use_is_named_with_the_key_of_another") {
            return;
        }
        let taken = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let address = taken.local_addr().expect("it is bound");
        let listen = format!("nodes.s1.thrift={{ listen = \"{address}\" }}");
        let ran = project().jettison(&["live", "lan", "--set", &listen]);
        let wanted = format!("switch `s1` cannot listen on {address} for Thrift (`nodes.s1.thrift.listen`");
        assert!(ran.status == Some(2) && ran.stderr.contains(&wanted), "{ran:?}");
        // A project, which may not need it, takes a free one.
        let listen = format!("nodes.s1.thrift={{ listen = \"{address}\", or_free = true }}");
        let ran = project().jettison(&["live", "lan", "--set", &listen]);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        let text = ran.stdout;
        assert!(text.contains("s1: Thrift on 127.0.0.1:") && !text.contains(&address.to_string()), "{text}");
    }

    #[test]
    fn a_folder_runs_live_with_arp_over_tap_devices() {
        if !can_run_live("p4_projects::live::a_folder_runs_live_with_arp_over_tap_devices") {
            return;
        }
        let folder = project();
        let ran = folder.jettison(&["live", "lan", "--set", ANY_PORT]);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        let text = ran.stdout;
        assert!(text.contains("s1: Thrift on 127.0.0.1:"), "{text}");
        assert_eq!(row(&text, "h1"), ["-", "yes", "X"], "{text}");
        assert_eq!(row(&text, "h2"), ["yes", "-", "X"], "{text}");
    }

    #[test]
    fn a_shell_on_a_host_reaches_the_others() {
        if !can_run_live("p4_projects::live::a_shell_on_a_host_reaches_the_others") {
            return;
        }
        let folder = project();
        // A command that is none of the interface's settings needs an approval.
        let command = "\"ip link set eth0 alias made-by-command\"";
        folder.write(
            "lan/topology.json",
            &TOPOLOGY.replacen("\"ip route", &format!("{command}, \"ip route"), 1),
        );
        let ran = folder.jettison(&["live", "lan", "--shell", "h1", "--set", ANY_PORT]);
        assert!(ran.stderr.contains("nodes.h1.commands[0] at host h1"), "{}", ran.stderr);
        assert!(ran.stderr.contains("these commands have not been approved"), "{}", ran.stderr);
        let mut command = folder.command(&["live", "lan", "--shell", "h1", "--yes", "--set", ANY_PORT]);
        let mut child = command
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command can be started");
        // An own EtherType comes back from the switch; python3 has raw sockets without other packages.
        let script = r#"
cat /sys/class/net/eth0/ifalias /sys/class/net/eth0/address
ip -4 addr show dev eth0 2>/dev/null | grep -o 'inet [0-9./]*'
python3 - <<'EOF'
import socket
own = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88b5))
own.bind(("eth0", 0))
own.settimeout(30)
source = bytes.fromhex("080000000001")
own.send(bytes.fromhex("080000000002") + source + bytes.fromhex("88b5") + b"hello")
while True:
    frame = own.recv(100)
    if frame[:6] == source:
        print("came back:", frame[14:19].decode())
        break
EOF
exit 3
"#;
        child.stdin.take().expect("it is a pipe").write_all(script.as_bytes()).expect("the shell reads");
        let output = child.wait_with_output().expect("it ends with the shell");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let ran =
            Ran { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
        for line in ["made-by-command", "08:00:00:00:00:01", "came back: hello"] {
            assert!(ran.stdout.contains(line), "{ran:?}");
        }
        let unknown = folder.jettison(&["live", "lan", "--shell", "h9", "--yes", "--set", ANY_PORT]);
        assert!(
            unknown.stderr.contains("--shell h9: the scenario has no such host; did you mean `h1`?"),
            "{}",
            unknown.stderr
        );
    }
}
