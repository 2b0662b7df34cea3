//! `jettison export`: queues for other programs.

use super::support::{Folder, Ran, changed};

const ONE: [&str; 4] = ["--variant", "queue=codel", "--link", "bottleneck"];

#[test]
fn the_commands_of_a_queue_are_a_valid_shell_script() {
    let folder = Folder::with_small();
    let arguments = [&["export", "tc", "small.toml"][..], &ONE, &["--with-netem"]].concat();
    let script = folder.jettison(&arguments).ok();
    assert!(
        script.starts_with("#!/bin/sh\n# Queues of small as Linux has them, variant queue=codel"),
        "{script}"
    );
    assert!(
        script.contains("parent 1:1 handle 2: codel limit 1000 target 5ms interval 100ms noecn"),
        "{script}"
    );
    assert!(script.contains("netem delay 4ms"), "{script}");
    folder.write("queues.sh", &script);
    Ran::of(&mut folder.shell("sh -n queues.sh")).ok();
    // Without a device the script does nothing, and says so.
    let ran = Ran::of(&mut folder.shell("sh queues.sh"));
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("no device is named"), "{ran:?}");
}

#[test]
fn errors_are_at_their_place_in_the_file() {
    let folder = Folder::with_small();
    folder.write(
        "other.toml",
        &changed(r#"values = ["tail-drop", "codel"]"#, r#"values = ["tail-drop", "blue"]"#),
    );
    let refused = |arguments: &[&str]| {
        let ran = folder.jettison(arguments);
        assert_eq!(ran.status, Some(2), "{ran:?}");
        ran.stderr
    };
    let blue = refused(&["export", "tc", "other.toml", "--variant", "queue=blue"]);
    assert!(
        blue.contains(
            "other.toml:36:24: `links.bottleneck.queue`: Linux has no queueing discipline for BLUE"
        ),
        "{blue}"
    );
    assert!(blue.contains("nearest: `sfb`"), "{blue}");
    let variant = refused(&["export", "tc", "small.toml", "--variant", "queue=coddel"]);
    assert!(variant.contains("unknown variant `queue=coddel`; did you mean `queue=codel`?"), "{variant}");
    let sqm = refused(&[&["export", "sqm", "small.toml"][..], &ONE].concat());
    assert!(sqm.contains("has the same rate in both directions"), "{sqm}");
}
