//! Isolation of runs: how they end, and that they leave nothing behind. Each test runs as root and as an unprivileged user.

use crate::common;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use common::{is_held, root, soon};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

const NOBODY: u32 = 65534;

#[test]
fn each_way_to_end_a_run_is_distinguished() {
    for stage in stages("each_way_to_end_a_run_is_distinguished") {
        let said = stage.say(&["jobs"]);
        let expected = [
            "0: message one",
            "0: message two",
            "0: message I am 1 of 1",
            "0: Finished",
            "1: Failed(\"the work says no\")",
            "2: Failed(\"panicked: the work panics\")",
            "4: message stopping",
            "4: Finished",
            "5: Killed { signal: Some(9), what: \"the run was killed: it did not end within 0.3 s of the request\" }",
            "6: Killed { signal: None, what: \"the run's process ended during the run with exit status 6\" }",
        ];
        let lines: Vec<&str> = said.lines().filter(|line| !line.starts_with("3: ")).collect();
        assert_eq!(lines, expected);
        let aborted = said.lines().find(|line| line.starts_with("3: ")).unwrap();
        assert!(aborted.starts_with("3: Killed { signal: Some("), "{aborted}");
    }
}

#[test]
fn a_process_with_threads_cannot_start_a_nursery() {
    for stage in stages("a_process_with_threads_cannot_start_a_nursery") {
        let said = stage.say(&["threads"]);
        assert_eq!(said, "error: the nursery must be started in a process with 1 thread, got 2\n");
    }
}

#[test]
fn nothing_is_left_whichever_process_is_killed() {
    for stage in stages("nothing_is_left_whichever_process_is_killed") {
        let devices = machine();
        for victim in ["command", "nursery", "run", "program"] {
            let mut held = stage.hold("h1");
            let family = held.family();
            // The command, the nursery, the run and at least two programs.
            assert!(family.len() >= 5, "{family:?}");
            let pid = match victim {
                "command" => held.child.id(),
                "nursery" => held.children(held.child.id())[0],
                "run" => held.children(held.children(held.child.id())[0])[0],
                _ => *family.keys().next_back().unwrap(),
            };
            kill(Pid::from_raw(pid as i32), Signal::SIGKILL).unwrap();
            if victim == "program" {
                // The run continues without the program.
                kill(Pid::from_raw(held.child.id() as i32), Signal::SIGTERM).unwrap();
            }
            let said = held.rest();
            match victim {
                "command" => assert_eq!(said, ""),
                "nursery" => {
                    assert!(said.starts_with("error: the run's parent process was killed"), "{said}")
                }
                "run" => assert!(said.starts_with("Killed { signal: Some(9), "), "{said}"),
                _ => assert!(said.ends_with("Finished\n"), "{said}"),
            }
            soon(&format!("nothing is left after the end of the {victim}"), || {
                family.iter().all(|(&pid, start)| started(pid).as_ref() != Some(start))
                    && held.inodes.iter().all(|inode| !is_held(inode))
            });
            assert_eq!(machine(), devices);
        }
    }
}

#[test]
fn an_interrupt_from_the_terminal_stops_the_run_cleanly() {
    for stage in stages("an_interrupt_from_the_terminal_stops_the_run_cleanly") {
        let mut held = stage.hold("h1");
        // Like a terminal: to the whole foreground process group.
        killpg(Pid::from_raw(held.child.id() as i32), Signal::SIGINT).unwrap();
        assert_eq!(held.rest(), "stopped 2\nFinished\n");
    }
}

#[test]
fn the_machines_namespace_of_the_same_name_is_not_touched() {
    let test = "the_machines_namespace_of_the_same_name_is_not_touched";
    if !root(test) {
        return;
    }
    let name = format!("jettison-{}", std::process::id());
    let ip = |words: &[&str]| Command::new("ip").args(words).output().expect("ip is installed");
    let had_folder = fs::exists("/run/netns").unwrap();
    assert!(ip(&["netns", "add", &name]).status.success());
    let look = || {
        let inside = ip(&[
            "netns",
            "exec",
            &name,
            "sh",
            "-c",
            "readlink /proc/self/ns/net; cat /proc/net/dev | wc -l",
        ]);
        String::from_utf8(inside.stdout).expect("text")
    };
    let before = look();
    for stage in stages(test) {
        let mut held = stage.hold(&name);
        assert!(!before.contains(&held.inodes[0]));
        assert_eq!(look(), before, "during the run");
        killpg(Pid::from_raw(held.child.id() as i32), Signal::SIGINT).unwrap();
        assert_eq!(held.rest(), "stopped 2\nFinished\n");
        assert_eq!(look(), before, "after the run");
    }
    assert!(ip(&["netns", "del", &name]).status.success());
    if !had_folder {
        let _ = fs::remove_dir("/run/netns");
    }
}

#[test]
fn programs_find_only_their_runs_hosts_by_name() {
    for stage in stages("programs_find_only_their_runs_hosts_by_name") {
        let folder = stage.folder.path().display().to_string();
        let commands = [
            "ip netns identify",
            "ip netns exec h2 ip netns identify",
            "sh -c \"ls /run/netns; ls /proc | grep -c '^[0-9]'\"",
            "sh -c \"setsid sleep 600 & exit 3\"",
        ];
        let said = stage.say(&[&["programs", &folder, "-"], &commands[..]].concat());
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines[..2], ["0: Some(0) h1", "1: Some(0) h2"], "{said}");
        assert!(lines[2].starts_with("2: Some(0) h1 | h2 | "), "{said}");
        let processes: u32 = lines[2].rsplit(' ').next().and_then(|word| word.parse().ok()).expect("a count");
        assert!(processes <= 5, "other processes are invisible: {said}");
        assert_eq!((lines[3], lines[lines.len() - 1]), ("3: Some(3) ", "Finished"), "{said}");
    }
}

#[test]
fn only_root_can_run_programs_as_other_users() {
    for stage in stages("only_root_can_run_programs_as_other_users") {
        let folder = stage.folder.path().display().to_string();
        let said = stage.say(&["programs", &folder, "daemon", "id -un"]);
        if stage.user == 0 {
            assert_eq!(said, "0: Some(0) daemon\nFinished\n");
        } else {
            assert!(
                said.contains("running a program as user \\\"daemon\\\" requires root; remove `user`"),
                "{said}"
            );
        }
    }
}

#[test]
fn a_machine_without_run_netns_gets_none() {
    for stage in stages("a_machine_without_run_netns_gets_none") {
        let folder = stage.folder.path().display().to_string();
        let helper = stage.helper.display();
        // A private mount namespace with a `/run` that has no `netns`.
        let script = format!(
            "mount -t tmpfs none /run && touch /run/file && mkdir /run/folder && touch /run/folder/inside && \
             ln -s file /run/link && chmod 755 /run && \
             setpriv --reuid {0} --regid {0} --clear-groups {helper} programs {folder} - \
             'sh -c \"ls /run /run/folder /run/netns\"'; ls /run",
            stage.user
        );
        let output = Command::new("unshare").args(["-m", "sh", "-c", &script]).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(
            said,
            "0: Some(0) /run: | file | folder | link | netns |  | /run/folder: | inside |  | /run/netns: | h1 | h2\n\
             Finished\nfile\nfolder\nlink\n",
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn runs_work_in_a_container_that_hides_parts_of_proc() {
    for stage in stages("runs_work_in_a_container_that_hides_parts_of_proc") {
        // With a mount over a part of /proc, a user namespace may not mount a new /proc.
        let folder = stage.folder.path().display().to_string();
        let script = format!(
            "mount -t tmpfs none /proc/irq && setpriv --reuid {0} --regid {0} --clear-groups {1} programs {folder} - \
             'ip netns exec h1 readlink /proc/self/ns/net'",
            stage.user,
            stage.helper.display()
        );
        let output = Command::new("unshare").args(["-m", "sh", "-c", &script]).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.starts_with("0: Some(0) net:[") && said.ends_with("]\nFinished\n"), "{said}");
    }
}

#[test]
fn the_program_gets_the_terminal_and_the_command_gets_it_back() {
    let test = "the_program_gets_the_terminal_and_the_command_gets_it_back";
    for stage in stages(test) {
        // Both lines are typed at once; the process in the terminal's foreground gets the next line.
        let script = format!(
            "(sleep 0.5; echo one; sleep 0.5; echo two; sleep 0.5) | timeout -k 1 20 setpriv --reuid {0} --regid {0} \
             --clear-groups script -qec '{1} terminal' /dev/null",
            stage.user,
            stage.helper.display()
        );
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).replace('\r', "");
        if said.is_empty() {
            return common::skipped(test, &String::from_utf8_lossy(&output.stderr));
        }
        assert!(said.contains("program has one\n") && said.contains("Finished, command has two\n"), "{said}");
    }
}

#[test]
fn requirements_are_checked_before_a_run_is_set_up() {
    let test = "requirements_are_checked_before_a_run_is_set_up";
    if !root(test) {
        return;
    }
    let stage = Stage::new(0);
    assert!(stage.say(&["check"]).starts_with("Privileges { root: true, "));
    let helper = stage.helper.display();
    let inside = |flags: &str, script: String| {
        let output = Command::new("unshare")
            .args([flags, "sh", "-c", &script])
            .output()
            .expect("unshare is installed");
        String::from_utf8(output.stdout).expect("text")
    };
    let said = inside("-m", format!("mount -t tmpfs none /dev/net && {helper} check"));
    assert!(said.starts_with("error: /dev/net/tun: No such file") && said.contains("modprobe tun"), "{said}");
    // Another user, with the usual access rights to the device, and with root's alone.
    let nobody = |mode: &str| {
        let script = format!(
            "mount -t tmpfs none /dev/net && mknod -m {mode} /dev/net/tun c 10 200 && \
             setpriv --reuid {NOBODY} --clear-groups {helper} check"
        );
        inside("-m", script)
    };
    let said = nobody("666");
    assert!(said.starts_with("Privileges { root: false, "), "{said}");
    let said = nobody("600");
    assert!(
        said.starts_with("error: /dev/net/tun: Permission denied") && said.contains("chmod 666"),
        "{said}"
    );
    let said = inside(
        "-Ur",
        format!("echo 0 > /proc/sys/user/max_user_namespaces && setpriv --bounding-set=-all {helper} check"),
    );
    assert!(
        said.starts_with("error: requires root or a user namespace, but this user cannot create one"),
        "{said}"
    );
    assert!(said.contains("user.max_user_namespaces"), "{said}");
}

/// Copy of the helper for one user, with a folder of that user.
struct Stage {
    user: u32,
    folder: tempfile::TempDir,
    helper: PathBuf,
}

/// Stages of root and of an unprivileged user. Only root can create both.
fn stages(test: &str) -> Vec<Stage> {
    if root(test) { vec![Stage::new(0), Stage::new(NOBODY)] } else { vec![] }
}

impl Stage {
    fn new(user: u32) -> Self {
        let folder = tempfile::tempdir().expect("the folder can be created");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("the folder is ours");
        chown(folder.path(), Some(user), Some(user)).expect("root may change the owner");
        // The build folder may be inaccessible to others.
        let helper = folder.path().join("helper");
        fs::copy(env!("CARGO_BIN_EXE_jettison-live-helper"), &helper).expect("cargo has built it");
        Self { user, folder, helper }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.helper);
        command.args(arguments).env("RUST_BACKTRACE", "0").stdin(Stdio::null()).stderr(Stdio::null());
        if self.user != 0 {
            command.uid(self.user).gid(self.user);
        }
        command.process_group(0);
        command
    }

    fn say(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("the helper runs");
        String::from_utf8(output.stdout).expect("text")
    }

    fn hold(&self, name: &str) -> Held {
        let folder = self.folder.path().display().to_string();
        let mut child =
            self.command(&["hold", &folder, name]).stdout(Stdio::piped()).spawn().expect("the helper runs");
        let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut line = String::new();
        output.read_line(&mut line).expect("text");
        let inodes = line.strip_prefix("holding ").unwrap_or_else(|| panic!("{line}"));
        Held { child, output, inodes: inodes.split_whitespace().map(str::to_owned).collect() }
    }
}

/// A helper process that holds a run.
struct Held {
    child: Child,
    output: BufReader<ChildStdout>,
    /// Inodes of the hosts' network namespaces.
    inodes: Vec<String>,
}

impl Held {
    /// The helper and all its descendants with their start times.
    fn family(&self) -> BTreeMap<u32, String> {
        let mut family = BTreeMap::new();
        let mut open = vec![self.child.id()];
        while let Some(pid) = open.pop() {
            family.extend(started(pid).map(|start| (pid, start)));
            open.extend(self.children(pid));
        }
        family
    }

    fn children(&self, pid: u32) -> Vec<u32> {
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        children.split_whitespace().filter_map(|word| word.parse().ok()).collect()
    }

    /// Reads the output until the helper ends.
    fn rest(&mut self) -> String {
        let mut said = String::new();
        std::io::Read::read_to_string(&mut self.output, &mut said).expect("text");
        self.child.wait().expect("it is our child");
        said
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Start time of a process, which with its id identifies it uniquely (proc_pid_stat(5), field 22).
fn started(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(19).map(str::to_owned)
}

/// The machine's devices, and mounts that a run may have left.
fn machine() -> (String, Vec<String>) {
    let devices = Command::new("ip").args(["-br", "link"]).output().expect("ip is installed");
    let mounts = fs::read_to_string("/proc/self/mountinfo").expect("proc is mounted");
    let ours = mounts.lines().filter(|line| line.contains("/run/netns/h1") || line.contains(" jettison "));
    (String::from_utf8(devices.stdout).expect("text"), ours.map(str::to_owned).collect())
}
