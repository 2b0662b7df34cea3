//! Approval of the commands of live scenarios. No test here needs the privileges of live runs: commands are approved before
//! anything else is looked at, and the programs that they name do not exist.

use std::fs;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use super::support::{Folder, Ran};

const SCENARIO: &str = r#"name = "served"
duration = "1 s"

[nodes]
near = { kind = "host" }
far = { kind = "host" }

[links.wire]
between = ["near", "far"]
rate = "10 Mbit/s"

[flows.web]
from = "near"
to = "far"

[flows.web.app]
kind = "command"
at_from = "no-such-server --port {port}"
at_to = "no-such-client '\u001b[2Khidden' \u202e"
user = "nobody"
environment = { MODE = "fast lane" }
pass_environment = ["DISPLAY"]
"#;

/// The commands as they are shown. Nothing in the file can forge a line.
const SHOWN: &str = "
  flows.web.app.at_from at host near, as user nobody:
    no-such-server --port {port}
    environment: MODE='fast lane'
    passed on: DISPLAY
  flows.web.app.at_to at host far, as user nobody:
    no-such-client $'\\u001b[2Khidden' $'\\u202e'
    environment: MODE='fast lane'
    passed on: DISPLAY
";

const REFUSED: &str = "served.toml: these commands have not been approved, and there is no terminal to ask on; \
                       pass --yes to run them";

fn served() -> Folder {
    let folder = Folder::new();
    folder.write("served.toml", SCENARIO);
    folder
}

/// `jettison live`, with the user's states in this folder.
fn live(folder: &Folder, more: &[&str]) -> Command {
    let mut command = folder.command(&["live", "served.toml", "--out", "out"]);
    command.args(more).env("XDG_STATE_HOME", folder.path("state")).env_remove("DISPLAY");
    command
}

/// Whether the command went past the approval, and failed on the programs (or on what live runs need).
fn was_approved(ran: &Ran) -> bool {
    assert_eq!(ran.status, Some(2), "{ran:?}");
    !ran.stderr.contains("approved")
}

/// Answers the command's question on a terminal.
fn on_a_terminal(mut command: Command, answer: &str) -> Ran {
    let pty = nix::pty::openpty(None, None).expect("a pseudo-terminal can be made");
    let own = |fd: &OwnedFd| Stdio::from(fd.as_fd().try_clone_to_owned().expect("it can be duplicated"));
    command.stdin(own(&pty.slave)).stderr(own(&pty.slave)).stdout(Stdio::piped());
    let mut terminal = fs::File::from(pty.master);
    terminal.write_all(answer.as_bytes()).expect("the terminal takes input");
    let child = command.spawn().expect("the command was built");
    drop((command, pty.slave));
    let mut shown = Vec::new();
    // Ends with an error when the other end is closed.
    let mut piece = [0; 4096];
    while let Ok(length @ 1..) = terminal.read(&mut piece) {
        shown.extend_from_slice(&piece[..length]);
    }
    let output = child.wait_with_output().expect("the command ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("what is shown is UTF-8");
    Ran {
        status: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(shown).replace("\r\n", "\n"),
    }
}

#[test]
fn check_shows_the_commands_of_a_live_scenario() {
    let shown = served().jettison(&["check", "served.toml"]).ok();
    assert!(shown.contains("served.toml would run these 2 commands as user "), "{shown}");
    assert!(shown.contains(SHOWN.trim_end()), "{shown}");
    let built_in = Folder::with_small().jettison(&["check", "small.toml"]).ok();
    assert!(!built_in.contains("would run"), "{built_in}");
}

#[test]
fn without_a_terminal_commands_are_shown_and_refused() {
    let folder = served();
    let message = Ran::of(&mut live(&folder, &[])).refused();
    assert!(message.contains(SHOWN), "{message}");
    assert!(message.ends_with(REFUSED), "{message}");
    assert_eq!(folder.names(""), ["served.toml"]);
    assert!(was_approved(&Ran::of(&mut live(&folder, &["--yes"]))));
    assert_eq!(folder.names(""), ["served.toml"], "--yes is for one run");
}

#[test]
fn an_approval_on_a_terminal_is_remembered() {
    let folder = served();
    for answer in ["n\n", "\n", "yours\n"] {
        let declined = on_a_terminal(live(&folder, &[]), answer);
        assert!(declined.stderr.contains(SHOWN), "{declined:?}");
        assert!(declined.stderr.contains("Run these commands? [y/N] "), "{declined:?}");
        assert!(declined.stderr.ends_with("jettison: the commands were not approved; nothing was run\n"));
        assert_eq!(declined.status, Some(2));
        assert_eq!(folder.names(""), ["served.toml"]);
    }
    let approved = on_a_terminal(live(&folder, &[]), "y\n");
    assert!(approved.stderr.contains("Run these commands? [y/N] "), "{approved:?}");
    assert!(was_approved(&Ran { stderr: approved.stderr.replace(SHOWN, ""), ..approved }));
    let files = folder.names("state/jettison/approved");
    let [file] = files.as_slice() else { panic!("{files:?}") };
    let file = folder.path("state/jettison/approved").join(file);
    let mode = |path: &std::path::Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(&folder.path("state/jettison/approved"))), (0o600, 0o700));

    // Without a terminal, and with other values than those of commands.
    assert!(was_approved(&Ran::of(&mut live(&folder, &[]))));
    assert!(was_approved(&Ran::of(&mut live(&folder, &["--set", "links.wire.rate=5 Mbit/s"]))));
    // Other commands, another file and another place of the file have to be approved again.
    let asks = |command: &mut Command| assert!(!was_approved(&Ran::of(command)));
    asks(&mut live(&folder, &["--set", "flows.web.app.at_to=rm"]));
    asks(&mut live(&folder, &["--set", "flows.web.app.user=root"]));
    folder.write("served.toml", &format!("{SCENARIO}# changed\n"));
    asks(&mut live(&folder, &[]));
    folder.write("served.toml", SCENARIO);
    assert!(was_approved(&Ran::of(&mut live(&folder, &[]))));
    // What others could have written is not believed.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).expect("it is ours");
    asks(&mut live(&folder, &[]));
}

#[test]
fn built_in_applications_need_no_approval() {
    let folder = Folder::with_small();
    let set = "flows.bulk.transport={ kind = \"tcp\", congestion = \"no-such\" }";
    let ran = folder.jettison(&["live", "small.toml", "--set", set]);
    assert_eq!(ran.status, Some(2));
    assert!(!ran.stderr.contains("approved"), "{ran:?}");
}
