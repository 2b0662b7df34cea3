//! Supervision of programs: start, readiness and end.

#![expect(clippy::disallowed_methods, reason = "the tests wait for processes")]

use crate::common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::root;
use jettison_live::net::Namespace;
use jettison_live::process::command::{Exited, Program, Signal, Supervisor, Waited};
use jettison_live::process::ready::{Readiness, Transport};
use jettison_live::process::{Inherited, MINIMAL};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a_program_runs_in_its_host_with_its_arguments_environment_and_directory() {
    let Some(bench) = Bench::new("a_program_runs_in_its_host_with_its_arguments_environment_and_directory")
    else {
        return;
    };
    let mut program = bench.program("sh -c 'echo \"$1\" $COLOUR; pwd; readlink /proc/self/ns/net; ls /sys/class/net; echo oops >&2' sh 'two  words'");
    program.environment = vec![("COLOUR".into(), "green".into())];
    program.directory = Some("/usr".into());
    let exited = bench.run(program);
    assert!(exited.status.success());
    let output = bench.log(".out");
    let inode = bench.host.inode().unwrap();
    assert_eq!(output, format!("two  words green\n/usr\nnet:[{inode}]\nlo\n"));
    assert_eq!(bench.log(".err"), "oops\n");
}

#[test]
fn a_program_has_a_minimal_environment_and_what_it_is_given() {
    let Some(bench) = Bench::new("a_program_has_a_minimal_environment_and_what_it_is_given") else { return };
    let is_known = |name: &str| MINIMAL.contains(&name) || name.starts_with("LC_");
    // Cargo and shells set some; one is passed on, and the others must not be.
    let mut own: Vec<String> =
        std::env::vars().map(|(name, _)| name).filter(|name| !is_known(name)).collect();
    own.retain(|name| !["TERM", "COLORTERM", "COLOUR", "_"].contains(&name.as_str()));
    assert!(own.len() >= 2, "one variable to pass on and one to hold back: {own:?}");
    let passed = own[0].as_str();
    let exited = bench.run(Program {
        inherited: Inherited::Minimal(vec![passed.to_owned(), "NOT_SET_ANYWHERE".to_owned()]),
        environment: vec![("COLOUR".into(), "green".into())],
        ..bench.program("env")
    });
    assert!(exited.status.success(), "{}", exited.text());
    let output = bench.log(".out");
    let names: Vec<&str> =
        output.lines().filter_map(|line| line.split_once('=').map(|(name, _)| name)).collect();
    let others: Vec<&&str> = names.iter().filter(|name| !is_known(name)).collect();
    assert!(names.contains(&"PATH"), "{output}");
    assert_eq!(others.len(), 2, "{others:?}");
    assert!(others.contains(&&passed) && others.contains(&&"COLOUR"), "{others:?}");
}

#[test]
fn a_program_and_its_children_have_the_scheduling_that_was_asked_for() {
    let Some(bench) = Bench::new("a_program_and_its_children_have_the_scheduling_that_was_asked_for") else {
        return;
    };
    // Real-time priority and policy of `cut`, a child of the shell (proc(5)); 2 is SCHED_RR.
    let run = "sh -c 'cut -d\" \" -f40,41 /proc/self/stat; true'";
    for (real_time, expected) in [(Some(10), "10 2\n"), (None, "0 0\n")] {
        let exited = bench.run(Program { real_time, ..bench.program(run) });
        assert!(exited.status.success(), "{}", exited.text());
        assert_eq!(bench.log(".out"), expected);
    }
}

#[test]
fn errors_are_found_before_a_program_starts() {
    let Some(bench) = Bench::new("errors_are_found_before_a_program_starts") else { return };
    let message = |program: Program| Supervisor::new().start(program).unwrap_err().to_string();
    let said = message(Program {
        environment: vec![("PATH".into(), "/a:/b".into())],
        ..bench.program("nonesuch -x")
    });
    assert_eq!(said, "flow \"video\": program \"nonesuch\" not found in PATH (/a:/b)");
    let said = message(bench.program("say 'what"));
    assert!(said.starts_with("flow \"video\": invalid command \"say 'what\": "), "{said}");
    assert!(message(bench.program("  ")).ends_with("the program is missing"));
    assert!(
        message(bench.program("/etc/passwd")).ends_with("cannot execute /etc/passwd: not an executable file")
    );
    assert!(message(bench.program("/no/such")).contains("cannot execute /no/such: the file,"));
    let said = message(Program { user: Some("nobody-knows".into()), ..bench.program("true") });
    assert_eq!(said, "flow \"video\": unknown user \"nobody-knows\"");
    let said = message(Program { directory: Some("/no/such".into()), ..bench.program("true") });
    assert!(said.starts_with("flow \"video\": cannot use /no/such: "), "{said}");
    let said = message(Program { log: "/no/such/log".into(), ..bench.program("true") });
    assert!(said.starts_with("flow \"video\": cannot use /no/such/log.out: "), "{said}");

    let script = bench.folder.path().join("script");
    fs::write(&script, "#!/no/such/interpreter\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let said = message(bench.program(&script.display().to_string()));
    assert!(said.contains("the interpreter in its first line"), "{said}");
}

#[test]
fn an_early_end_is_reported_with_status_and_log() {
    let Some(bench) = Bench::new("an_early_end_is_reported_with_status_and_log") else { return };
    let exited = bench.run(bench.program("sh -c 'echo no such file >&2; exit 3'"));
    let text = exited.text();
    assert!(
        text.starts_with("exit status 3 after 0.") && text.ends_with("its log ends:\nno such file"),
        "{text}"
    );
    let text = bench.run(bench.program("sh -c 'kill -SEGV $$'")).text();
    assert!(
        text.starts_with("killed by signal 11 (SIGSEGV)") && text.ends_with("; its log is empty"),
        "{text}"
    );
}

#[test]
fn a_program_and_its_group_are_killed_after_the_grace_period() {
    let Some(bench) = Bench::new("a_program_and_its_group_are_killed_after_the_grace_period") else {
        return;
    };
    let mut supervisor = Supervisor::new();
    let mut program =
        bench.program("sh -c 'trap \"\" TERM; sleep 600 & echo $!; echo up; while :; do sleep 600; done'");
    program.grace = Duration::from_millis(200);
    let id = supervisor.start(program).unwrap();
    supervisor.wait_ready(id, Readiness::Output("up".into()), 2 * SECOND, &|| false).unwrap();
    let start = Instant::now();
    supervisor.stop(id);
    let exited = end(&mut supervisor);
    assert!(exited.asked && exited.text().starts_with("killed by signal 9 (SIGKILL)"), "{}", exited.text());
    assert!(start.elapsed() >= Duration::from_millis(200));
    let child = bench.log(".out").lines().next().unwrap().to_owned();
    let gone = || fs::read_to_string(format!("/proc/{child}/stat")).map_or(true, |stat| stat.contains(") Z"));
    common::soon("the group has ended", gone);
}

#[test]
fn all_programs_end_by_their_stop_signals() {
    let Some(bench) = Bench::new("all_programs_end_by_their_stop_signals") else { return };
    let mut supervisor = Supervisor::new();
    let mut ids = Vec::new();
    for (number, signal) in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP].into_iter().enumerate() {
        let log = bench.folder.path().join(number.to_string());
        let program = Program { stop_signal: signal, log, ..bench.program("sleep 600") };
        ids.push(supervisor.start(program).unwrap());
    }
    assert!(ids.iter().all(|&id| supervisor.is_running(id)));
    assert_eq!(supervisor.poll(), []);
    let mut ended = supervisor.stop_all(SECOND);
    // The kernel ends them in any order.
    ended.sort_by_key(|exited| exited.id);
    let texts: Vec<String> =
        ended.iter().map(|exited| exited.text().split(" after").next().unwrap().to_owned()).collect();
    assert_eq!(
        texts,
        ["killed by signal 15 (SIGTERM)", "killed by signal 2 (SIGINT)", "killed by signal 1 (SIGHUP)"]
    );
    assert!(supervisor.is_idle());
}

#[test]
fn a_port_is_ready_once_a_socket_listens() {
    let Some(bench) = Bench::new("a_port_is_ready_once_a_socket_listens") else { return };
    let serve =
        |how: &str| format!("python3 -c 'import socket, time; time.sleep(0.2); {how}; time.sleep(600)'");
    let cases = [
        (serve("s = socket.create_server((\"127.0.0.1\", 5000))"), Transport::Tcp),
        (serve("s = socket.create_server((\"::\", 5000), family=socket.AF_INET6)"), Transport::Tcp),
        (serve("s = socket.socket(type=socket.SOCK_DGRAM); s.bind((\"\", 5000))"), Transport::Udp),
    ];
    for (run, transport) in cases {
        let mut supervisor = Supervisor::new();
        let id = match supervisor.start(bench.program(&run)) {
            Ok(id) => id,
            Err(error) => {
                return common::skipped("a_port_is_ready_once_a_socket_listens", &error.to_string());
            }
        };
        let mut watch = supervisor.watch(id, Readiness::Port(5000, transport), SECOND).unwrap();
        assert!(!watch.poll().unwrap(), "no socket listens yet");
        let waited = supervisor.wait_ready(id, Readiness::Port(5000, transport), 5 * SECOND, &|| false);
        assert_eq!(waited.unwrap(), Waited::Ready);
        let machine = Arc::new(Namespace::current().unwrap());
        let elsewhere =
            Program { host: machine, log: bench.folder.path().join("other"), ..bench.program("sleep 600") };
        let other = supervisor.start(elsewhere).unwrap();
        let mut watch = supervisor.watch(other, Readiness::Port(5000, transport), SECOND).unwrap();
        assert!(!watch.poll().unwrap(), "the port belongs to another host");
    }
}

#[test]
fn output_files_and_delays_indicate_readiness() {
    let Some(bench) = Bench::new("output_files_and_delays_indicate_readiness") else { return };
    let mut supervisor = Supervisor::new();
    let mut program = bench.program("sh -c 'printf star; sleep 0.1; echo ted >&1; touch here; sleep 600'");
    program.directory = Some(bench.folder.path().into());
    let id = supervisor.start(program).unwrap();
    for readiness in [
        Readiness::Output("started".into()),
        Readiness::File("here".into()),
        Readiness::Delay(Duration::from_millis(150)),
    ] {
        assert_eq!(supervisor.wait_ready(id, readiness, 2 * SECOND, &|| false).unwrap(), Waited::Ready);
    }
    let never = Readiness::File("/no/such".into());
    assert_eq!(supervisor.wait_ready(id, never.clone(), SECOND, &|| true).unwrap(), Waited::Stopped);
    let said =
        supervisor.wait_ready(id, never, Duration::from_millis(50), &|| false).unwrap_err().to_string();
    assert_eq!(
        said,
        "flow \"video\": not ready after 0.05 s: the file /no/such does not exist; its log ends:\nstarted"
    );
}

#[test]
fn an_end_before_readiness_is_reported_with_the_status() {
    let Some(bench) = Bench::new("an_end_before_readiness_is_reported_with_the_status") else { return };
    let mut supervisor = Supervisor::new();
    let id = supervisor.start(bench.program("sh -c 'echo bad option; exit 2'")).unwrap();
    let waited = supervisor.wait_ready(id, Readiness::Port(80, Transport::Tcp), 2 * SECOND, &|| false);
    let said = waited.unwrap_err().to_string();
    assert!(
        said.starts_with("flow \"video\": program ended before it was ready: exit status 2 after"),
        "{said}"
    );
    assert!(said.ends_with("bad option"), "{said}");
    assert_eq!(supervisor.poll().len(), 1, "`poll` reports the end as well");
}

#[test]
fn a_program_runs_as_its_user() {
    let Some(bench) = Bench::new("a_program_runs_as_its_user") else { return };
    let run =
        "sh -c 'id -un; id -Gn; echo $USER; echo $HOME; readlink /proc/self/ns/net; echo x >> /dev/stdout'";
    let exited = bench.run(Program { user: Some("nobody".into()), ..bench.program(run) });
    assert!(exited.status.success(), "{}", exited.text());
    let output = bench.log(".out");
    let nobody = nix::unistd::User::from_name("nobody").unwrap().unwrap();
    let group = nix::unistd::Group::from_gid(nobody.gid).unwrap().unwrap().name;
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(
        lines[..4],
        ["nobody", group.as_str(), "nobody", &nobody.dir.display().to_string()],
        "{output}"
    );
}

/// A host with a folder for logs.
struct Bench {
    host: Arc<Namespace>,
    folder: tempfile::TempDir,
}

impl Bench {
    fn new(test: &str) -> Option<Self> {
        root(test).then(|| Self {
            host: Arc::new(Namespace::new().expect("root")),
            folder: tempfile::tempdir().expect("the folder can be created"),
        })
    }

    fn program(&self, run: &str) -> Program {
        Program {
            name: "video".into(),
            host: self.host.clone(),
            run: run.into(),
            user: None,
            inherited: Inherited::Minimal(Vec::new()),
            environment: Vec::new(),
            directory: None,
            log: self.folder.path().join("log"),
            terminal: false,
            stop_signal: Signal::SIGTERM,
            grace: SECOND,
            real_time: None,
        }
    }

    fn run(&self, program: Program) -> Exited {
        let mut supervisor = Supervisor::new();
        supervisor.start(program).expect("the program can be started");
        end(&mut supervisor)
    }

    fn log(&self, ending: &str) -> String {
        let path = self.folder.path().join(format!("log{ending}"));
        fs::read_to_string(Path::new(&path)).expect("the program has a log")
    }
}

fn end(supervisor: &mut Supervisor) -> Exited {
    let deadline = Instant::now() + 60 * SECOND;
    loop {
        if let Some(exited) = supervisor.poll().pop() {
            return exited;
        }
        assert!(Instant::now() < deadline, "the program does not end");
        std::thread::sleep(Duration::from_millis(2));
    }
}
