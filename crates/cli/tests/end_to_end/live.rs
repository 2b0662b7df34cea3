//! Live runs: real packets, real programs, complete clean-up.

#![expect(clippy::disallowed_methods, reason = "the tests wait for processes")]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::support::{Folder, Ran, SMALL, skipped};

/// A short live scenario with a program at each end of a flow; `%APP%` is its table.
const PROGRAMS: &str = r#"name = "programs"
duration = "3 s"

[nodes]
near = { kind = "host" }
r = { kind = "router" }
far = { kind = "host" }

[links.wire]
between = ["near", "r"]
rate = "100 Mbit/s"

[links.bottleneck]
between = ["r", "far"]
rate = "10 Mbit/s"
delay = "5 ms"

[flows.echo]
from = "far"
to = "near"
app = { kind = "ping", interval = "50 ms" }

[flows.own]
from = "near"
to = "far"
app = { kind = "command", %APP% }
"#;

pub(super) fn with_app(app: &str) -> Folder {
    let folder = Folder::new();
    folder.write("programs.toml", &PROGRAMS.replace("%APP%", app));
    folder
}

/// Whether live runs are possible here; prints that `test` is skipped if not.
pub(super) fn can_run_live(test: &str) -> bool {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    let tun = fs::File::options().read(true).write(true).open("/dev/net/tun");
    match (is_root, tun) {
        (true, Ok(_)) => true,
        (false, _) => {
            skipped(test, "live runs are tested as root");
            false
        }
        (true, Err(error)) => {
            skipped(test, &format!("/dev/net/tun: {error}"));
            false
        }
    }
}

/// State that a run might leave behind: mounts and devices.
#[derive(Debug, PartialEq, Eq)]
struct Machine {
    mounts: String,
    devices: BTreeSet<String>,
}

impl Machine {
    fn now() -> Machine {
        let devices = fs::read_dir("/sys/class/net").expect("there is a sysfs");
        Machine {
            mounts: fs::read_to_string("/proc/self/mounts").expect("there is a /proc"),
            devices: devices
                .flatten()
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .collect(),
        }
    }
}

/// A folder for temporary files of one command.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn of(folder: &Folder) -> Scratch {
        let own = folder.path("").with_extension("tmp");
        fs::create_dir_all(&own).expect("a folder can be made");
        Scratch(own)
    }

    fn apply<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env("TMPDIR", &self.0)
    }

    /// What is in it.
    fn left(&self) -> Vec<String> {
        let names = fs::read_dir(&self.0).expect("it is there").flatten();
        names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Processes whose command line contains `mark`.
fn processes(mark: &str) -> Vec<u32> {
    let all = fs::read_dir("/proc").expect("there is a /proc").flatten();
    let numbers = all.filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok());
    numbers
        .filter(|pid| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            line.windows(mark.len()).any(|window| window == mark.as_bytes())
        })
        .collect()
}

fn soon(event: &str, holds: &mut dyn FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(90), "{event} did not happen");
        sleep(Duration::from_millis(20));
    }
}

/// A child process, killed at the end of its test.
pub(super) struct Guard(pub(super) Child);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_scenario_runs_live_and_its_results_say_so() {
    if !can_run_live("a_scenario_runs_live_and_its_results_say_so") {
        return;
    }
    let before = Machine::now();
    let folder = Folder::with_small();
    let ran = folder.jettison(&["live", "small.toml", "--runs", "1", "--out", "live"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let manifest = folder.json("live/manifest.json");
    assert_eq!(manifest["mode"], "live", "{manifest}");
    assert_eq!(manifest["runs"].as_array().map(Vec::len), Some(2), "{manifest}");
    let records = folder.jettison(&["report", "live", "--json"]).ok();
    let value = |metric: &str, object: &str, variant: &str| -> f64 {
        let record = records
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .find(|r| r["metric"] == metric && r["object"] == object && r["variant"] == variant);
        let mean = record.and_then(|record| record["mean"].as_f64());
        mean.unwrap_or_else(|| panic!("no {metric} of {object} in {variant}: {records}"))
    };
    // 5 Mbit/s, of which headers take their share; TCP is the kernel's, so no figure is exact.
    let goodput = value("goodput", "bulk", "queue=codel");
    assert!((3.0..5.0).contains(&goodput), "{goodput}");
    let rtt = value("rtt", "echo", "queue=codel");
    assert!((10.0..200.0).contains(&rtt), "{rtt}");
    assert!(value("lateness", "bottleneck.forward", "queue=codel") > 0.0);
    // The same scenario, simulated, side by side.
    assert_eq!(folder.jettison(&["run", "small.toml", "--runs", "1", "--out", "sim"]).status, Some(0));
    // All of it: what differs most is not always the same.
    let table = folder.jettison(&["compare", "sim", "live", "--out", "both", "--all"]).ok();
    assert!(table.contains("goodput") && table.contains("live"), "{table}");
    assert_eq!(Machine::now(), before);
}

#[test]
fn programs_run_in_their_hosts_and_their_output_is_kept() {
    if !can_run_live("programs_run_in_their_hosts_and_their_output_is_kept") {
        return;
    }
    let app = r#"at_from = "sh -c 'echo ready; ip -o addr show dev jt0; sleep 5003'", ready = { output = "ready" }, at_to = "sh -c 'echo I am {to}, it is {from}; echo {{\\\"summary\\\": \\\"stalls\\\", \\\"value\\\": 3}} > {results}; sleep 5003'""#;
    let folder = with_app(app);
    let scratch = Scratch::of(&folder);
    let ran =
        Ran::of(scratch.apply(&mut folder.command(&["live", "programs.toml", "--yes", "--out", "out"])));
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let logs = folder.files("out/logs");
    let log = |name: &str| {
        let file =
            logs.iter().find(|file| file.ends_with(name)).unwrap_or_else(|| panic!("{name}: {logs:?}"));
        String::from_utf8_lossy(&folder.read(&format!("out/logs/{file}"))).into_owned()
    };
    assert!(log("own.from.out").contains("198.18.0.1"), "{}", log("own.from.out"));
    assert_eq!(log("own.to.out"), "I am 198.18.0.3, it is 198.18.0.1\n");
    let records = folder.jettison(&["report", "out", "--json"]).ok();
    let stalls = records.lines().find(|line| line.contains("\"stalls\"")).unwrap_or_default();
    assert!(stalls.contains('3'), "{records}");
    assert_eq!(processes("sleep\x005003"), Vec::<u32>::new());
    assert_eq!(scratch.left(), Vec::<String>::new());
}

#[test]
fn programs_have_a_minimal_environment_and_what_the_scenario_passes_on() {
    if !can_run_live("programs_have_a_minimal_environment_and_what_the_scenario_passes_on") {
        return;
    }
    let app = r#"at_to = "env", environment = { GIVEN = "at {to}" }, pass_environment = ["PASSED", "UNSET"]"#;
    let folder = with_app(app);
    let mut command =
        folder.command(&["live", "programs.toml", "--yes", "--set", "duration=1 s", "--out", "out"]);
    command.envs([("PASSED", "yes"), ("SECRET", "no"), ("LC_TIME", "C")]).env_remove("UNSET");
    assert_eq!(Ran::of(&mut command).status, Some(0));
    let log = folder.read("out/logs/default/1/own.out");
    let log = String::from_utf8(log).expect("the variables are UTF-8");
    for line in ["GIVEN=at 198.18.0.3", "PASSED=yes", "LC_TIME=C", "JETTISON_FROM=198.18.0.1"] {
        assert!(log.lines().any(|other| other == line), "{line}: {log}");
    }
    assert!(log.contains("PATH=") && !log.contains("SECRET") && !log.contains("UNSET"), "{log}");
}

#[test]
fn scenarios_that_cannot_run_live_are_refused_before_anything_is_created() {
    let refuse = |app: &str, wanted: &str| {
        let folder = with_app(app);
        let ran = folder.jettison(&["live", "programs.toml", "--yes", "--out", "out"]);
        assert_eq!(ran.status, Some(2), "{app}: {ran:?}");
        assert!(ran.stderr.contains(wanted), "{app}: {}", ran.stderr);
        assert_eq!(folder.names(""), ["programs.toml"], "{app}");
    };
    if can_run_live("scenarios_that_cannot_run_live_are_refused_before_anything_is_created") {
        refuse(r#"at_to = "no-such-program --at-all""#, "no program `no-such-program` in PATH");
        refuse(r#"at_to = "./programs.toml""#, "does not exist or is not executable");
        refuse(r#"at_to = "true", user = "no-such-user""#, "app.user: unknown user `no-such-user`");
        refuse(
            r#"at_to = "true", directory = "/no/such/folder""#,
            "app.directory: /no/such/folder is not a folder",
        );
        let folder = Folder::new();
        folder.write(
            "small.toml",
            &SMALL.replace(
                "app = \"bulk\"",
                "app = \"bulk\"\ntransport = { kind = \"tcp\", congestion = \"highspeed\" }",
            ),
        );
        let ran = folder.jettison(&["live", "small.toml"]);
        let kernels = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
        // A kernel that has the control runs it.
        if !kernels.is_ok_and(|names| names.contains("highspeed")) {
            assert_eq!(ran.status, Some(2), "{ran:?}");
            assert!(
                ran.stderr.contains("flows.bulk.transport.congestion") && ran.stderr.contains("highspeed"),
                "{ran:?}"
            );
        }
    }
    refuse("", "requires a program");
    refuse(r#"at_to = "ping {sever}""#, "{sever}");
    refuse(r#"at_to = "ping 'open""#, "quote");
}

#[test]
fn previous_results_stay_if_nothing_was_measured() {
    if !can_run_live("previous_results_stay_if_nothing_was_measured") {
        return;
    }
    let folder = with_app(r#"at_to = "true""#);
    let live =
        || folder.jettison(&["live", "programs.toml", "--yes", "--set", "duration=1 s", "--out", "out"]);
    assert_eq!(live().status, Some(0));
    let before = folder.read("out/manifest.json");
    let app = r#"at_from = "sleep 60", at_to = "true", ready = { port = 4000 }, ready_within = "200 ms""#;
    folder.write("programs.toml", &PROGRAMS.replace("%APP%", app));
    let ran = live();
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("no socket listens on TCP port 4000"), "{ran:?}");
    assert!(ran.stderr.contains("were not replaced"), "{ran:?}");
    assert_eq!(folder.read("out/manifest.json"), before);
}

#[test]
fn parallel_commands_do_not_replace_each_others_results() {
    if !can_run_live("parallel_commands_do_not_replace_each_others_results") {
        return;
    }
    let folder = with_app(r#"at_to = "sleep 5004""#);
    let mut first = folder.command(&["live", "programs.toml", "--yes", "--out", "out"]);
    let mut first = Guard(first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it was built"));
    soon("the program", &mut || !processes("sleep\x005004").is_empty());
    let second = folder.jettison(&["live", "programs.toml", "--yes", "--out", "out"]);
    assert_eq!(second.status, Some(2), "{second:?}");
    assert!(second.stderr.contains("another run is writing its results"), "{second:?}");
    assert_eq!(first.0.wait().expect("it was started").code(), Some(0));
}

#[test]
fn the_live_page_receives_events_of_a_run() {
    if !can_run_live("the_live_page_receives_events_of_a_run") {
        return;
    }
    let folder = with_app(r#"at_to = "true""#);
    let mut command = folder.command(&["live", "programs.toml", "--yes", "--watch=0", "--out", "out"]);
    let mut child =
        Guard(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it was built"));
    let errors = child.0.stderr.take().expect("it is piped");
    let address = BufReader::new(errors)
        .lines()
        .map_while(Result::ok)
        .find_map(|line| Some(line.strip_prefix("Live page: http://")?.trim_end_matches('/').to_owned()));
    let address = address.expect("it says where the page is");
    let mut stream = TcpStream::connect(&address).expect("somebody listens");
    write!(stream, "GET /events HTTP/1.1\r\nHost: {address}\r\n\r\n").expect("it can be asked");
    let events: Vec<serde_json::Value> = BufReader::new(stream)
        .lines()
        .map_while(Result::ok)
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data:")?).ok())
        .collect();
    assert_eq!(events[0]["type"], "layout", "{:?}", events[0]);
    let echo = events[0]["flows"].as_array().and_then(|flows| flows.iter().position(|flow| flow == "echo"));
    let echo = echo.expect("the flow is named");
    let snapshots: Vec<_> = events.iter().filter(|event| event["type"] == "snapshot").collect();
    assert!(snapshots.len() > 5, "several a second, of 3 s: {}", snapshots.len());
    let rtt = |event: &&&serde_json::Value| event["flows"][echo]["rtt_ms"].as_f64();
    let rtt = snapshots.iter().rev().find_map(|event| rtt(&event)).expect("a ping measures its RTT");
    assert!((10.0..200.0).contains(&rtt), "{rtt}");
    assert_eq!(events.last().map(|event| &event["type"]), Some(&"ended".into()));
    assert_eq!(child.0.wait().expect("it was started").code(), Some(0));
}

#[test]
fn commands_are_refused_in_a_simulation() {
    let folder = with_app(r#"at_to = "true""#);
    let ran = folder.jettison(&["run", "programs.toml"]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("jettison live"), "{ran:?}");
    assert_eq!(folder.names(""), ["programs.toml"]);
    assert_eq!(folder.jettison(&["check", "programs.toml"]).status, Some(0));
}

#[test]
fn a_program_that_dies_is_reported_and_the_run_goes_on() {
    if !can_run_live("a_program_that_dies_is_reported_and_the_run_goes_on") {
        return;
    }
    let folder = with_app(r#"at_to = "sh -c 'echo cannot go on >&2; exit 7'""#);
    let ran = folder.jettison(&["live", "programs.toml", "--yes", "--out", "out"]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let failures = folder.json("out/manifest.json")["failures"].to_string();
    assert!(failures.contains("exit status 7") && failures.contains("cannot go on"), "{failures}");
    assert!(ran.stdout.contains("exit status 7"), "{}", ran.stdout);
    let report = String::from_utf8_lossy(&folder.read("out/report.html")).into_owned();
    assert!(report.contains("exit status 7"));
}

#[test]
fn a_program_that_others_wait_for_must_become_ready() {
    if !can_run_live("a_program_that_others_wait_for_must_become_ready") {
        return;
    }
    let app = r#"at_from = "sleep 60", at_to = "true", ready = { port = 4000 }, ready_within = "300 ms""#;
    let folder = with_app(app);
    let ran = folder.jettison(&["live", "programs.toml", "--yes", "--out", "out"]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let failures = folder.json("out/manifest.json")["failures"].to_string();
    assert!(failures.contains("no socket listens on TCP port 4000"), "{failures}");
}

#[test]
fn nothing_is_left_after_any_process_is_killed() {
    if !can_run_live("nothing_is_left_after_any_process_is_killed") {
        return;
    }
    let before = Machine::now();
    for whom in ["the command", "the run"] {
        let folder = with_app(r#"at_to = "sleep 5000""#);
        let mark = folder.path("").display().to_string();
        let mut command =
            folder.command(&["live", "programs.toml", "--yes", "--set", "duration=30 s", "--out", "out"]);
        let scratch = Scratch::of(&folder);
        scratch.apply(&mut command);
        let mut child =
            Guard(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it was built"));
        let sleeper = "sleep\x005000".to_string();
        soon("the program", &mut || !processes(&sleeper).is_empty());
        let started = processes(&sleeper);
        let victim = match whom {
            "the command" => child.0.id(),
            _ => parent(started[0]),
        };
        assert!(
            Command::new("kill").args(["-9", &victim.to_string()]).status().expect("kill is there").success()
        );
        let status = child.0.wait().expect("it was started");
        soon("the end of the program", &mut || {
            started.iter().all(|pid| !fs::exists(format!("/proc/{pid}")).unwrap_or(true))
        });
        if whom == "the run" {
            assert_eq!(status.code(), Some(1), "{mark}");
            let failures = folder.json("out/manifest.json")["failures"].to_string();
            assert!(failures.contains("SIGKILL"), "{failures}");
            assert_eq!(scratch.left(), Vec::<String>::new());
        } else {
            // Nothing was left to remove the files; the next run does, once they are old enough.
            let staging =
                || folder.names("").into_iter().filter(|name| name.starts_with(".jettison-")).count();
            assert_eq!((scratch.left().len(), staging()), (1, 1));
            sleep(Duration::from_secs(2));
            let mut next =
                folder.command(&["live", "programs.toml", "--yes", "--set", "duration=1 s", "--out", "out"]);
            assert_eq!(Ran::of(scratch.apply(&mut next)).status, Some(0));
            assert_eq!((scratch.left(), staging()), (Vec::new(), 0));
        }
        assert_eq!(Machine::now(), before, "{whom}");
    }
}

/// The parent of a process.
fn parent(pid: u32) -> u32 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("the process is there");
    let line =
        status.lines().find_map(|line| line.strip_prefix("PPid:")).expect("every process has a parent");
    line.trim().parse().expect("it is a number")
}

#[test]
fn ctrl_c_ends_a_live_run_and_its_programs() {
    if !can_run_live("ctrl_c_ends_a_live_run_and_its_programs") {
        return;
    }
    let folder = with_app(r#"at_to = "sleep 5001""#);
    let mut command =
        folder.command(&["live", "programs.toml", "--yes", "--set", "duration=30 s", "--out", "out"]);
    let scratch = Scratch::of(&folder);
    scratch.apply(&mut command);
    let mut child =
        Guard(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it was built"));
    let sleeper = "sleep\x005001";
    soon("the program", &mut || !processes(sleeper).is_empty());
    assert!(
        Command::new("kill")
            .args(["-INT", &child.0.id().to_string()])
            .status()
            .expect("kill is there")
            .success()
    );
    assert_eq!(child.0.wait().expect("it was started").code(), Some(130));
    assert_eq!(processes(sleeper), Vec::<u32>::new());
    assert_eq!(folder.names(""), ["programs.toml"]);
    assert_eq!(scratch.left(), Vec::<String>::new());
}

#[test]
fn a_signal_ends_a_command_without_a_terminal() {
    if !can_run_live("a_signal_ends_a_command_without_a_terminal") {
        return;
    }
    for (signal, program) in [("-INT", "sleep\x005005"), ("-HUP", "sleep\x005006")] {
        let folder = Folder::new();
        let scratch = Scratch::of(&folder);
        let seconds = program.rsplit('\0').next().unwrap_or_default();
        let mut command = folder.command(&["shell", "--out", "out", "--", "sleep", seconds]);
        scratch.apply(&mut command).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = Guard(command.spawn().expect("it was built"));
        let sleepers = || processes(program).into_iter().filter(|pid| *pid != child.0.id()).count();
        soon("the program", &mut || sleepers() > 0);
        sleep(Duration::from_millis(100));
        let killed = Command::new("kill").args([signal, &child.0.id().to_string()]).status();
        assert!(killed.expect("kill is there").success());
        assert_eq!(child.0.wait().expect("it was started").code(), Some(130), "{signal}");
        assert_eq!(processes(program), Vec::<u32>::new());
        assert_eq!(scratch.left(), Vec::<String>::new());
        assert!(folder.names("out").contains(&"report.html".to_owned()));
    }
}

#[test]
fn a_full_disk_is_reported_and_nothing_is_left() {
    if !can_run_live("a_full_disk_is_reported_and_nothing_is_left") {
        return;
    }
    let folder =
        with_app(r#"at_to = "sh -c 'while :; do echo 0123456789012345678901234567890123456789; done'""#);
    folder.write("small/placeholder", "");
    let program = folder.command(&["live"]).get_program().to_string_lossy().into_owned();
    // The mount disappears with its own namespace.
    let script = format!(
        "mount -t tmpfs -o size=256k tmpfs small && TMPDIR=small {program} live programs.toml --yes --out small/out; \
         echo status $?; echo left $(ls -A small)"
    );
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &script]).current_dir(folder.path(""));
    let output = command.output().expect("unshare is there");
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("status 2"), "{text}");
    assert!(text.contains("No space left"), "{text}");
    assert!(text.contains("left placeholder\n") || text.contains("left\n"), "{text}");
}

#[test]
fn users_other_than_root_run_live_in_a_user_namespace() {
    if !can_run_live("users_other_than_root_run_live_in_a_user_namespace") {
        return;
    }
    let folder = Folder::with_small();
    let everybody = Command::new("chmod").args(["-R", "a+rwX", "."]).current_dir(folder.path("")).status();
    assert!(everybody.expect("chmod is there").success());
    let mut command = folder.command(&["live", "small.toml", "--quick", "--set", "vary=[]", "--out", "out"]);
    let program = command.get_program().to_owned();
    // The built command may be in a folder that only root may enter.
    let copy = folder.path("jettison");
    fs::copy(&program, &copy).expect("the command can be copied");
    // Use a mount namespace in which everyone may open the device; the machine may forbid that.
    let mut own = Command::new("unshare");
    own.args(["-m", "sh", "-c"])
        .arg(
            "mount -t tmpfs none /dev/net && mknod -m 666 /dev/net/tun c 10 200 && \
             exec setpriv --reuid 65534 --regid 65534 --clear-groups \"$@\"",
        )
        .arg("sh")
        .arg(&copy)
        .args(command.args(&[] as &[&str]).get_args())
        .current_dir(folder.path(""));
    let output = own.output().expect("it can be started");
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if text.contains("makes no user namespace") {
        skipped("users_other_than_root_run_live_in_a_user_namespace", "no user namespaces here");
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{text}");
    let live = folder.json("out/manifest.json")["live"].to_string();
    assert!(live.contains("normal"), "{live}");
}

#[test]
fn a_command_runs_behind_a_bottleneck_and_its_status_is_given() {
    if !can_run_live("a_command_runs_behind_a_bottleneck_and_its_status_is_given") {
        return;
    }
    let folder = Folder::new();
    let script = "ip -o -4 addr show dev jt0; exit 3";
    let ran = folder.jettison(&[
        "shell",
        "--down",
        "12 Mbit/s",
        "--delay",
        "20ms",
        "--queue",
        "codel",
        "--",
        "sh",
        "-c",
        script,
    ]);
    assert_eq!(ran.status, Some(3), "{ran:?}");
    assert!(ran.stdout.contains("198.18.0.3"), "{ran:?}");
    // Failures of other programs do not change the status; a command that is stopped has the status of timeout(1).
    for (command, status, said) in
        [("exit 4", 4, "--server"), ("exit 0", 0, "--server"), ("sleep 60", 124, "still ran after 1.0 s")]
    {
        let ran = folder.jettison(&[
            "shell",
            "--duration",
            "1s",
            "--server",
            "sh -c 'exit 5'",
            "--",
            "sh",
            "-c",
            command,
        ]);
        assert_eq!(ran.status, Some(status), "{command}: {ran:?}");
        if command != "exit 0" && command != "exit 4" {
            assert!(ran.stderr.contains(said), "{ran:?}");
        }
    }
    let ran = folder.jettison(&["shell", "--queue", "nothing", "--", "true"]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(
        ran.stderr.starts_with("--queue: unknown queue `nothing`") && ran.stderr.lines().count() == 1,
        "{ran:?}"
    );
    let ran = folder.jettison(&["shell", "--down", "nothing.down", "--", "true"]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("nothing.down"), "{ran:?}");
    let ran = folder.jettison(&["shell", "--", "no-such-program"]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert_eq!(folder.names(""), Vec::<String>::new());
}

/// Runs in a network namespace that stands in for the machine, with the outside behind a veth pair.
const BEHIND_A_GATEWAY: &str = r#"
set -e
mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns
ip link set lo up
ip netns add world
ip link add m0 type veth peer name w0 netns world
ip addr add 192.0.2.1/24 dev m0 && ip link set m0 up && ip route add default via 192.0.2.2
ip netns exec world ip addr add 192.0.2.2/24 dev w0 && ip netns exec world ip link set w0 up
"$JETTISON" shell --down "5 Mbit/s" --delay 10ms --nat -- ping -c 3 -i 0.2 -W 2 192.0.2.2
left() { nft list ruleset; ip -o link show type tun; grep -v 0 /proc/sys/net/ipv4/conf/m0/forwarding; }
for i in 1 2 3 4 5 6 7 8 9 10; do [ -z "$(left)" ] && break; sleep 0.1; done
echo "left: [$(left)]"
"$JETTISON" shell --down "5 Mbit/s" --nat -- sleep 5002 &
command=$!
until nft list ruleset | grep -q masquerade; do sleep 0.1; done
kill -9 $command
for i in 1 2 3 4 5 6 7 8 9 10; do [ -z "$(left)" ] && break; sleep 0.1; done
echo "left after kill -9: [$(left)]"
"#;

#[test]
fn a_command_reaches_the_world_through_the_machine() {
    const TEST: &str = "a_command_reaches_the_world_through_the_machine";
    if !can_run_live(TEST) {
        return;
    }
    for program in ["nft", "ip", "ping"] {
        let found = Command::new("sh").args(["-c", &format!("command -v {program}")]).output();
        if !found.expect("there is a shell").status.success() {
            return skipped(TEST, &format!("there is no `{program}`: make live-deps installs it"));
        }
    }
    let folder = Folder::new();
    let program = folder.command(&[]).get_program().to_owned();
    let mut command = Command::new("timeout");
    command.args(["60", "unshare", "-n", "-m", "--propagation", "private", "bash", "-c", BEHIND_A_GATEWAY]);
    let output = command.env("JETTISON", program).current_dir(folder.path("")).output().expect("it starts");
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("3 packets transmitted, 3 received"), "{text}");
    assert!(text.contains("left: []") && text.contains("left after kill -9: []"), "{text}");
}
