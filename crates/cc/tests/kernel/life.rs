//! Loading and unloading. In a mount namespace of the test's own, whose BPF file system goes with it, and with that any pin.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::thread;
use std::time::Duration;

use crate::network::Network;
use crate::socket::Sender;
use crate::{admit, ours, wait_for};

const PINS: &str = "/sys/fs/bpf/jettison";

/// What the loader printed, with its exit status.
fn loader(arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = jettison_cc::output(arguments).expect("the loader is here");
    (status.code(), format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr)))
}

/// On a thread in a mount namespace of its own, without a BPF file system.
fn apart(act: impl FnOnce() + Send) {
    thread::scope(|scope| {
        let apart = scope.spawn(|| {
            // SAFETY: they concern only this thread, which ends here; the strings end in zeros.
            unsafe {
                assert_eq!(libc::unshare(libc::CLONE_NEWNS), 0, "{}", std::io::Error::last_os_error());
                let (none, flags) = (std::ptr::null(), libc::MS_REC | libc::MS_PRIVATE);
                let private = libc::mount(none, c"/".as_ptr(), none, flags, none.cast());
                assert_eq!(private, 0, "{}", std::io::Error::last_os_error());
                // It need not have been mounted.
                libc::umount2(c"/sys/fs/bpf".as_ptr(), libc::MNT_DETACH);
            }
            act();
        });
        let done = apart.join();
        wait_for("the end of what a failed test pinned", || ours().is_empty());
        if let Err(panic) = done {
            std::panic::resume_unwind(panic);
        }
    });
}

#[test]
fn load_status_and_unload_leave_no_trace() {
    let Some(_turn) = admit("load_status_and_unload_leave_no_trace") else { return };
    apart(|| {
        assert_eq!(loader(&["status"]), (Some(0), "not loaded\n".to_owned()));
        let (status, said) = loader(&["load"]);
        assert_eq!((status, ours().len()), (Some(0), 2), "{said}");
        let allowed = fs::read_to_string("/proc/sys/net/ipv4/tcp_allowed_congestion_control").unwrap();
        assert!(allowed.contains("newcwv newcwv_paced"), "any user may choose them: {allowed}");

        let (status, said) = loader(&["status"]);
        assert_eq!(status, Some(0));
        for line in ["non-validated period: 300 s", "sockets: 0", "pinned in /sys/fs/bpf/jettison"] {
            assert!(said.contains(line), "{said}");
        }

        // Twice is fine, differently is not.
        let (status, said) = loader(&["load", "--validity", "300s"]);
        assert!(status == Some(0) && said.starts_with("already loaded"), "{said}");
        let (status, said) = loader(&["load", "--validity", "2s"]);
        assert!(status == Some(1) && said.contains("unload it first"), "{said}");
        assert_eq!(ours().len(), 2);

        assert_eq!(loader(&["unload"]), (Some(0), "unloaded\n".to_owned()));
        assert!(ours().is_empty() && !Path::new(PINS).exists());
        assert_eq!(loader(&["unload"]), (Some(0), "not loaded\n".to_owned()));
    });
}

#[test]
fn unload_says_that_sockets_keep_it_and_they_go_on() {
    let Some(_turn) = admit("unload_says_that_sockets_keep_it_and_they_go_on") else { return };
    apart(|| {
        assert_eq!(loader(&["load"]).0, Some(0));
        let network = Network::new(Duration::from_millis(1));
        let sender = Sender::connect(&network, "newcwv");
        sender.send(20);
        let (_, said) = loader(&["status"]);
        assert!(said.contains("sockets: 1"), "{said}");
        let (status, said) = loader(&["unload"]);
        assert!(status == Some(0) && said.contains("one socket still uses it"), "{said}");
        assert!(ours().is_empty());
        sender.send(20);
    });
}

#[test]
fn what_is_held_is_shared_and_goes_with_its_last_holder() {
    let Some(_turn) = admit("what_is_held_is_shared_and_goes_with_its_last_holder") else { return };
    let minute = Some(Duration::from_secs(60));
    let first = jettison_cc::hold(minute).unwrap();
    assert_eq!(ours().len(), 2);
    let (status, said) = loader(&["status"]);
    assert!(status == Some(0) && said.contains("held by a process") && said.contains("60 s"), "{said}");
    let second = jettison_cc::hold(minute).unwrap();
    let different = jettison_cc::hold(None).unwrap_err().to_string();
    assert!(different.contains("with a non-validated period of 60 s, not 300 s"), "{different}");
    for command in ["load", "unload"] {
        let arguments: &[&str] =
            if command == "load" { &["load", "--validity", "1min"] } else { &["unload"] };
        let (status, said) = loader(arguments);
        assert!(status == Some(1) && said.contains("held by another process"), "{command}: {said}");
    }
    drop(first);
    assert_eq!(ours().len(), 2, "the second holds them");
    drop(second);
    assert!(ours().is_empty(), "nobody holds them");
}

#[test]
fn what_a_thread_held_goes_with_it_even_if_it_is_not_given_back() {
    let Some(_turn) = admit("what_a_thread_held_goes_with_it_even_if_it_is_not_given_back") else { return };
    thread::spawn(|| std::mem::forget(jettison_cc::hold(None).expect("it can be held"))).join().unwrap();
    wait_for("the end of the loader", || ours().is_empty());
}

#[test]
fn nonsense_is_refused_with_what_would_be_right() {
    let Some(_turn) = admit("nonsense_is_refused_with_what_would_be_right") else { return };
    for (arguments, message) in [
        (&["load", "--validity"][..], "is not understood"),
        (&["status", "--validity", "1s"], "takes no --validity"),
        (&["lead"], "there is no command `lead`"),
        (&[], "a command is missing"),
    ] {
        let (status, said) = loader(arguments);
        assert!(status == Some(2) && said.contains(message), "{said}");
    }
    for (validity, message) in [
        ("", "such as 300s"),
        ("s", "such as 300s"),
        ("5", "such as 300s"),
        ("2 h", "such as 300s"),
        ("-1s", "such as 300s"),
        ("99999999999999999999s", "such as 300s"),
        ("9999999999999999999s", "five minutes"),
        ("0ms", "five minutes"),
        ("301s", "five minutes"),
        ("6min", "five minutes"),
    ] {
        let (status, said) = loader(&["load", "--validity", validity]);
        assert!(status == Some(2) && said.contains(message), "{validity}: {said}");
    }
    let refused = jettison_cc::hold(Some(Duration::ZERO)).unwrap_err().to_string();
    assert!(refused.contains("from 1 ms to five minutes"), "{refused}");
    assert!(ours().is_empty());
}
