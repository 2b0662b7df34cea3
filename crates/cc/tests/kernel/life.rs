//! Loading and unloading, in the test's own mount namespace: its BPF file system and all pins end with it.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::thread;
use std::time::Duration;

use jettison_cc::NewCwv;

use crate::network::Network;
use crate::socket::Sender;
use crate::{admit, ours, wait_for};

pub const PINS: &str = "/sys/fs/bpf/jettison";

/// Runs the loader. Returns its exit status and output.
pub fn loader(arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = jettison_cc::output(arguments).expect("the loader was built");
    (status.code(), format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr)))
}

/// Runs `act` on a thread in its own mount namespace, without a BPF file system.
pub fn isolated(act: impl FnOnce() + Send) {
    thread::scope(|scope| {
        let isolated = scope.spawn(|| {
            // SAFETY: the calls only affect this thread, which ends here; the strings are NUL-terminated.
            unsafe {
                assert_eq!(libc::unshare(libc::CLONE_NEWNS), 0, "{}", std::io::Error::last_os_error());
                let (none, flags) = (std::ptr::null(), libc::MS_REC | libc::MS_PRIVATE);
                let private = libc::mount(none, c"/".as_ptr(), none, flags, none.cast());
                assert_eq!(private, 0, "{}", std::io::Error::last_os_error());
                // It may not be mounted.
                libc::umount2(c"/sys/fs/bpf".as_ptr(), libc::MNT_DETACH);
            }
            act();
        });
        let done = isolated.join();
        wait_for("the removal of a failed test's pins", || ours().is_empty());
        if let Err(panic) = done {
            std::panic::resume_unwind(panic);
        }
    });
}

#[test]
fn load_status_and_unload_leave_nothing_behind() {
    let Some(_turn) = admit("load_status_and_unload_leave_nothing_behind") else { return };
    isolated(|| {
        assert_eq!(loader(&["status", "newcwv"]), (Some(0), "newcwv: not loaded\n".to_owned()));
        let (status, output) = loader(&["load", "newcwv"]);
        assert_eq!((status, ours().len()), (Some(0), 2), "{output}");
        let allowed = fs::read_to_string("/proc/sys/net/ipv4/tcp_allowed_congestion_control").unwrap();
        assert!(allowed.contains("newcwv newcwv_paced"), "any user may choose them: {allowed}");

        let (status, output) = loader(&["status", "newcwv"]);
        assert_eq!(status, Some(0));
        for line in [
            "non-validated period: 300 s",
            "burst limit: 10 packets",
            "\nsockets: 0",
            "closing sockets: 0",
            "pinned in /sys/fs/bpf/jettison",
        ] {
            assert!(output.contains(line), "{output}");
        }

        // Loading again is allowed with the same parameters only.
        let (status, output) = loader(&["load", "newcwv", "--validity", "300s"]);
        assert!(status == Some(0) && output.starts_with("already loaded"), "{output}");
        for options in [["--validity", "2s"], ["--burst", "0"]] {
            let (status, output) = loader(&["load", "newcwv", options[0], options[1]]);
            assert!(status == Some(1) && output.contains("unload it first"), "{output}");
        }
        assert_eq!(ours().len(), 2);

        assert_eq!(loader(&["unload", "newcwv"]), (Some(0), "newcwv: unloaded\n".to_owned()));
        assert!(ours().is_empty() && !Path::new(PINS).exists());
        assert_eq!(loader(&["unload", "newcwv"]), (Some(0), "newcwv: not loaded\n".to_owned()));
    });
}

#[test]
fn unload_reports_sockets_that_keep_using_the_control() {
    let Some(_turn) = admit("unload_reports_sockets_that_keep_using_the_control") else { return };
    isolated(|| {
        assert_eq!(loader(&["load", "newcwv"]).0, Some(0));
        let network = Network::new(Duration::from_millis(1));
        let sender = Sender::connect(&network, "newcwv");
        sender.send(20);
        let (_, output) = loader(&["status", "newcwv"]);
        assert!(output.contains("\nsockets: 1") && output.contains("closing sockets: 0"), "{output}");
        let (status, output) = loader(&["unload", "newcwv"]);
        assert!(status == Some(0) && output.contains("one socket still uses it"), "{output}");
        assert!(ours().is_empty());
        sender.send(20);
    });
}

#[test]
fn status_counts_each_socket_once_until_it_is_gone() {
    let Some(_turn) = admit("status_counts_each_socket_once_until_it_is_gone") else { return };
    let _held = jettison_cc::hold(NewCwv::default()).unwrap();
    let count = || {
        let (status, output) = loader(&["status", "newcwv"]);
        assert_eq!(status, Some(0), "{output}");
        let of = |name: &str| {
            let line = output.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_else(|| panic!("no `{name}`: {output}")).trim().parse::<u32>().unwrap()
        };
        (of("sockets:"), of("closing sockets:"))
    };
    let network = Network::new(Duration::from_millis(1));
    let senders = ["newcwv", "newcwv_paced", "newcwv"].map(|control| Sender::connect(&network, control));
    assert_eq!(count(), (3, 0));
    let [closed, switched, blocked] = senders;
    // Both ends finish the connection; its TIME-WAIT has no congestion control.
    drop(closed);
    wait_for("the end of a closed socket", || count() == (2, 0));
    switched.switch_to("newcwv");
    assert_eq!(count(), (2, 0));
    switched.switch_to("reno");
    assert_eq!(count(), (1, 0));
    // The kernel keeps a closed socket whose data are not acknowledged, for minutes if the path has failed.
    network.fail();
    blocked.write(1);
    blocked.close();
    wait_for("the change of the closed socket", || count() == (0, 1));
    network.repair();
    wait_for("the end of the closed socket", || count() == (0, 0));
}

#[test]
fn held_controls_are_shared_and_unloaded_with_the_last_holder() {
    let Some(_turn) = admit("held_controls_are_shared_and_unloaded_with_the_last_holder") else { return };
    let minute = NewCwv { validity: Some(Duration::from_secs(60)), burst: Some(3) };
    let first = jettison_cc::hold(minute).unwrap();
    assert_eq!(ours().len(), 2);
    let (status, output) = loader(&["status", "newcwv"]);
    for line in ["held by a process", "non-validated period: 60 s", "burst limit: 3 packets"] {
        assert!(status == Some(0) && output.contains(line), "{output}");
    }
    let second = jettison_cc::hold(minute).unwrap();
    let different = jettison_cc::hold(NewCwv::default()).unwrap_err().to_string();
    assert!(different.contains("with a non-validated period of 60 s, not 300 s"), "{different}");
    let different = jettison_cc::hold(NewCwv { burst: Some(0), ..minute }).unwrap_err().to_string();
    assert!(different.contains("with a burst limit of 3 packets, not none"), "{different}");
    for command in ["load", "unload"] {
        let arguments: &[&str] = if command == "load" {
            &["load", "newcwv", "--burst", "3", "--validity", "1min"]
        } else {
            &["unload", "newcwv"]
        };
        let (status, output) = loader(arguments);
        assert!(status == Some(1) && output.contains("held by another process"), "{command}: {output}");
    }
    drop(first);
    assert_eq!(ours().len(), 2, "the second holder keeps them");
    drop(second);
    assert!(ours().is_empty(), "no process holds them");
}

#[test]
fn the_end_of_a_thread_unloads_its_controls() {
    let Some(_turn) = admit("the_end_of_a_thread_unloads_its_controls") else { return };
    thread::spawn(|| {
        std::mem::forget(jettison_cc::hold(NewCwv::default()).expect("the controls can be held"))
    })
    .join()
    .unwrap();
    wait_for("the end of the loader", || ours().is_empty());
}

#[test]
fn invalid_arguments_are_rejected_with_the_requirement() {
    let Some(_turn) = admit("invalid_arguments_are_rejected_with_the_requirement") else { return };
    for (arguments, message) in [
        (&["load", "newcwv", "--validity"][..], "unknown arguments `--validity`"),
        (&["status", "--validity", "1s"], "does not accept --validity"),
        (&["load", "newcwv", "--burst", "1", "--burst", "2"], "`--burst` must be given once"),
        (&["load", "newcwv", "--burst", "-1"], "`--burst` must be a number of packets from 0 (no limit)"),
        (
            &["load", "newcwv", "--burst", "4294967296"],
            "`--burst` must be a number of packets from 0 (no limit)",
        ),
        (&["load", "newcwv", "--codepoint", "ect0"], "unknown arguments `--codepoint ect0`"),
        (&["load", "newcwv", "--device", "lo"], "unknown arguments `--device lo`"),
        (&["load", "dctcp", "--burst", "1"], "unknown arguments `--burst 1`"),
        (&["load", "prague", "--codepoint", "ce"], "`--codepoint` must be ect1 or ect0, got `ce`"),
        (
            &["load", "prague", "--codepoint", "ect0", "--device", "lo"],
            "`--device` requires `--codepoint ect1`",
        ),
        (&["load", "vegas"], "unknown congestion control `vegas`; known: newcwv, dctcp, prague"),
        (&["load"], "`load` requires the name of a congestion control"),
        (&["lead"], "unknown command `lead`"),
        (&[], "a command is required"),
    ] {
        let (status, output) = loader(arguments);
        assert!(status == Some(2) && output.contains(message), "{output}");
    }
    for (validity, message) in [
        ("", "must be a duration such as 300s"),
        ("s", "must be a duration such as 300s"),
        ("5", "must be a duration such as 300s"),
        ("2 h", "must be a duration such as 300s"),
        ("-1s", "must be a duration such as 300s"),
        ("99999999999999999999s", "must be a duration such as 300s"),
        ("9999999999999999999s", "from 1 ms to 5 min"),
        ("0ms", "from 1 ms to 5 min"),
        ("301s", "from 1 ms to 5 min"),
        ("6min", "from 1 ms to 5 min"),
    ] {
        let (status, output) = loader(&["load", "newcwv", "--validity", validity]);
        assert!(status == Some(2) && output.contains(message), "{validity}: {output}");
    }
    let refused =
        jettison_cc::hold(NewCwv { validity: Some(Duration::ZERO), burst: None }).unwrap_err().to_string();
    assert!(refused.contains("from 1 ms to 5 min"), "{refused}");
    assert!(ours().is_empty());
}
