//! Loading and unloading of DCTCP and Prague, and their requirements.

use std::path::Path;

use jettison_cc::{Codepoint, Prague, Settings};

use crate::life::{PINS, isolated, loader};
use crate::network::Network;
use crate::socket::Sender;
use crate::{admit_scalable, has_accurate_ecn, kernels};

#[test]
fn each_control_is_loaded_and_unloaded_by_itself() {
    let Some(_turn) = admit_scalable("each_control_is_loaded_and_unloaded_by_itself", true) else { return };
    isolated(|| {
        let (status, output) = loader(&["load", "dctcp"]);
        assert_eq!((status, output.as_str()), (Some(0), "loaded: dctcp\n"));
        if !has_accurate_ecn() {
            let (status, output) = loader(&["load", "prague"]);
            assert!(status == Some(1) && output.contains("prague requires accurate ECN"), "{output}");
            assert_eq!(loader(&["unload"]), (Some(0), "dctcp: unloaded\n".to_owned()));
            return;
        }
        let (status, output) = loader(&["load", "prague", "--device", "lo"]);
        assert_eq!((status, output.as_str()), (Some(0), "loaded: prague\ncodepoint: ect1\ndevices: lo\n"));
        let (_, output) = loader(&["status", "prague"]);
        assert!(output.contains("codepoint: ect1\ndevices: lo\nsockets: 0"), "{output}");
        for (options, message) in [
            (["--codepoint", "ect0"], "already loaded with a codepoint of ect1, not ect0"),
            (["--device", "path"], "already loaded for the devices lo, not path"),
        ] {
            let (status, output) = loader(&["load", "prague", options[0], options[1]]);
            assert!(status == Some(1) && output.contains(message), "{output}");
        }

        assert_eq!(loader(&["unload", "dctcp"]), (Some(0), "dctcp: unloaded\n".to_owned()));
        assert!(!kernels().contains(&"dctcp".to_owned()) && kernels().contains(&"prague".to_owned()));
        assert!(Path::new(PINS).join("prague@lo").exists());
        assert_eq!(loader(&["unload", "prague"]), (Some(0), "prague: unloaded\n".to_owned()));
        assert!(!Path::new(PINS).exists(), "nothing is left");
    });
}

#[test]
fn a_device_that_does_not_exist_leaves_nothing_loaded() {
    let Some(_turn) = admit_scalable("a_device_that_does_not_exist_leaves_nothing_loaded", true) else {
        return;
    };
    if !has_accurate_ecn() {
        return;
    }
    isolated(|| {
        let (status, output) = loader(&["load", "prague", "--device", "nowhere0"]);
        assert!(status == Some(1) && output.contains("no network device `nowhere0`"), "{output}");
        crate::wait_for("the end of what was loaded", || !kernels().contains(&"prague".to_owned()));
        assert!(!Path::new(PINS).exists());
    });
}

#[test]
fn a_control_that_the_kernel_has_is_not_loaded() {
    let Some(_turn) = admit_scalable("a_control_that_the_kernel_has_is_not_loaded", true) else { return };
    // Another holder's is ours, and shared.
    let first = jettison_cc::hold_unless_own(Settings::Dctcp).unwrap();
    assert!(first.is_some());
    assert!(jettison_cc::hold_unless_own(Settings::Dctcp).unwrap().is_some());
    drop(first);
    let (_, output) = loader(&["status", "dctcp"]);
    assert_eq!(output, "dctcp: not loaded\n");
}

#[test]
fn the_sockets_of_each_control_are_counted() {
    let Some(_turn) = admit_scalable("the_sockets_of_each_control_are_counted", true) else { return };
    let _dctcp = jettison_cc::hold(Settings::Dctcp).unwrap();
    let network = Network::new(std::time::Duration::from_millis(1));
    let _sender = Sender::connect_to(&network, "dctcp", Some("reno"));
    let (_, output) = loader(&["status", "dctcp"]);
    assert!(output.contains("\nsockets: 1"), "{output}");
    if has_accurate_ecn() {
        let _prague = jettison_cc::hold(Prague { codepoint: Codepoint::Ect0 }).unwrap();
        let (_, output) = loader(&["status"]);
        assert!(
            output.contains("prague\nlife: held by a process") && output.contains("codepoint: ect0"),
            "{output}"
        );
    }
}
