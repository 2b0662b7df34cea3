//! Loading and unloading, in the test's own mount namespace: its BPF file system and all pins end with it.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::thread;
use std::time::Duration;

use crate::network::Network;
use crate::socket::Sender;
use crate::{admit, ours, wait_for};

const PINS: &str = "/sys/fs/bpf/jettison";

/// Runs the loader. Returns its exit status and output.
fn loader(arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = jettison_cc::output(arguments).expect("the loader was built");
    (status.code(), format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr)))
}

/// Runs `act` on a thread in its own mount namespace, without a BPF file system.
fn isolated(act: impl FnOnce() + Send) {
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
        assert_eq!(loader(&["status"]), (Some(0), "not loaded\n".to_owned()));
        let (status, output) = loader(&["load"]);
        assert_eq!((status, ours().len()), (Some(0), 2), "{output}");
        let allowed = fs::read_to_string("/proc/sys/net/ipv4/tcp_allowed_congestion_control").unwrap();
        assert!(allowed.contains("newcwv newcwv_paced"), "any user may choose them: {allowed}");

        let (status, output) = loader(&["status"]);
        assert_eq!(status, Some(0));
        for line in ["non-validated period: 300 s", "sockets: 0", "pinned in /sys/fs/bpf/jettison"] {
            assert!(output.contains(line), "{output}");
        }

        // Loading again is allowed with the same parameters only.
        let (status, output) = loader(&["load", "--validity", "300s"]);
        assert!(status == Some(0) && output.starts_with("already loaded"), "{output}");
        let (status, output) = loader(&["load", "--validity", "2s"]);
        assert!(status == Some(1) && output.contains("unload it first"), "{output}");
        assert_eq!(ours().len(), 2);

        assert_eq!(loader(&["unload"]), (Some(0), "unloaded\n".to_owned()));
        assert!(ours().is_empty() && !Path::new(PINS).exists());
        assert_eq!(loader(&["unload"]), (Some(0), "not loaded\n".to_owned()));
    });
}

#[test]
fn unload_reports_sockets_that_keep_using_the_control() {
    let Some(_turn) = admit("unload_reports_sockets_that_keep_using_the_control") else { return };
    isolated(|| {
        assert_eq!(loader(&["load"]).0, Some(0));
        let network = Network::new(Duration::from_millis(1));
        let sender = Sender::connect(&network, "newcwv");
        sender.send(20);
        let (_, output) = loader(&["status"]);
        assert!(output.contains("sockets: 1"), "{output}");
        let (status, output) = loader(&["unload"]);
        assert!(status == Some(0) && output.contains("one socket still uses it"), "{output}");
        assert!(ours().is_empty());
        sender.send(20);
    });
}

#[test]
fn held_controls_are_shared_and_unloaded_with_the_last_holder() {
    let Some(_turn) = admit("held_controls_are_shared_and_unloaded_with_the_last_holder") else { return };
    let minute = Some(Duration::from_secs(60));
    let first = jettison_cc::hold(minute).unwrap();
    assert_eq!(ours().len(), 2);
    let (status, output) = loader(&["status"]);
    assert!(status == Some(0) && output.contains("held by a process") && output.contains("60 s"), "{output}");
    let second = jettison_cc::hold(minute).unwrap();
    let different = jettison_cc::hold(None).unwrap_err().to_string();
    assert!(different.contains("with a non-validated period of 60 s, not 300 s"), "{different}");
    for command in ["load", "unload"] {
        let arguments: &[&str] =
            if command == "load" { &["load", "--validity", "1min"] } else { &["unload"] };
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
    thread::spawn(|| std::mem::forget(jettison_cc::hold(None).expect("the controls can be held")))
        .join()
        .unwrap();
    wait_for("the end of the loader", || ours().is_empty());
}

#[test]
fn invalid_arguments_are_rejected_with_the_requirement() {
    let Some(_turn) = admit("invalid_arguments_are_rejected_with_the_requirement") else { return };
    for (arguments, message) in [
        (&["load", "--validity"][..], "unknown arguments `--validity`"),
        (&["status", "--validity", "1s"], "does not accept --validity"),
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
        let (status, output) = loader(&["load", "--validity", validity]);
        assert!(status == Some(2) && output.contains(message), "{validity}: {output}");
    }
    let refused = jettison_cc::hold(Some(Duration::ZERO)).unwrap_err().to_string();
    assert!(refused.contains("from 1 ms to 5 min"), "{refused}");
    assert!(ours().is_empty());
}
