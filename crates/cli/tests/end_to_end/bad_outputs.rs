//! Output folders that cannot be written or are not ours: one message with the remedy, exit status 2, nothing left.

#[cfg(target_os = "linux")]
use super::support::skipped;
use super::support::{Folder, Ran};

#[test]
fn a_folder_that_is_not_ours_is_refused_and_force_replaces_it() {
    let folder = Folder::with_small();
    folder.write("theirs/letter.txt", "dear");
    let shown = folder.path("theirs");
    assert_eq!(
        folder.jettison(&["run", "small.toml", "--quick", "--out", "theirs"]).refused(),
        format!(
            "jettison: {} is not empty and holds no Jettison results; choose another folder with --out, or replace it with \
             --force",
            shown.display()
        )
    );
    assert_eq!(folder.names("theirs"), ["letter.txt"]);
    assert_eq!(folder.names(""), ["small.toml", "theirs"]);

    folder.jettison(&["run", "small.toml", "--quick", "--out", "theirs", "--force"]).ok();
    assert!(!folder.path("theirs/letter.txt").exists());
    assert_eq!(folder.json("theirs/manifest.json")["program"], "jettison");
    assert_eq!(folder.names(""), ["small.toml", "theirs"]);
}

#[test]
fn another_programs_manifest_does_not_make_a_folder_ours() {
    let folder = Folder::with_small();
    folder.write("theirs/manifest.json", "{\"program\": \"webpack\"}");
    let said = folder.jettison(&["run", "small.toml", "--out", "theirs"]).refused();
    assert!(said.contains("holds no Jettison results"), "{said}");
    assert_eq!(folder.read("theirs/manifest.json"), b"{\"program\": \"webpack\"}");
}

#[test]
fn a_file_in_place_of_a_folder_is_named() {
    let folder = Folder::with_small();
    let message = |file: &str| {
        format!(
            "jettison: {} is a file, not a folder; choose another with --out",
            folder.path(file).display()
        )
    };
    let run = |out: &str| folder.jettison(&["run", "small.toml", "--out", out]).refused();
    assert_eq!(run("small.toml"), message("small.toml"));
    assert_eq!(run("small.toml/below/it"), message("small.toml"));
    assert_eq!(folder.names(""), ["small.toml"]);
}

#[test]
fn the_folder_that_the_command_runs_in_is_never_replaced() {
    let folder = Folder::with_small();
    let said = folder.jettison(&["run", "small.toml", "--out", ".", "--force"]).refused();
    assert!(
        said.ends_with("contains the current directory and is never replaced, even with --force"),
        "{said}"
    );
    assert_eq!(folder.names(""), ["small.toml"]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_unwritable_folder_is_named_before_anything_runs() {
    // Not even root can create folders in /proc.
    let folder = Folder::with_small();
    let said = folder.jettison(&["run", "small.toml", "--out", "/proc/jettison"]).refused();
    assert!(said.starts_with("jettison: cannot write /proc/jettison: "), "{said}");
    assert!(said.ends_with("; choose another folder with --out"), "{said}");
    assert_eq!((said.lines().count(), folder.names("")), (1, vec!["small.toml".to_owned()]));
}

#[cfg(unix)]
#[test]
fn a_write_that_fails_halfway_keeps_the_previous_results() {
    let folder = Folder::with_small();
    folder.jettison(&["run", "small.toml", "--quick", "--out", "out/small"]).ok();
    let before = folder.read("out/small/manifest.json");
    // A file may have 2 KiB or 4 (a block is 512 bytes or 1,024): too few for most of the results. The signal that the
    // limit would also send is ignored, as it is where a disk is full.
    let run = "trap '' XFSZ; ulimit -f 4; exec \"$JETTISON\" run small.toml";
    let said = Ran::of(&mut folder.shell(run)).refused();
    let results = folder.path("out/.small.runs");
    assert!(said.starts_with(&format!("jettison: cannot write {}", results.display())), "{said}");
    assert!(said.ends_with("; free some space or choose another folder with --store"), "{said}");
    assert_eq!(folder.names("out"), ["small"]);
    assert_eq!(folder.read("out/small/manifest.json"), before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_finished_runs_and_nothing_else() {
    // A file system of 64 KiB that only this test sees.
    let folder = Folder::with_small();
    folder.write("disk/below", "");
    let mount = "mount -t tmpfs -o size=64k none disk";
    let private =
        |script: &str| Ran::of(&mut folder.shell(&format!("exec unshare --mount sh -c '{script}'")));
    if private(mount).status != Some(0) {
        skipped(
            "bad_outputs::a_full_disk_leaves_the_finished_runs_and_nothing_else",
            "needs root, to mount a file system of its own",
        );
        return;
    }
    // `--force`, since the estimate would refuse to start.
    let run = "\"$JETTISON\" run small.toml --out disk/results --force";
    let ran = private(&format!("{mount} && {run}; status=$?; ls -A disk; exit $status"));
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(2), ".results.runs\n"), "{}", ran.stderr);
    let (results, said) = (folder.path("disk/results"), ran.stderr);
    assert!(said.starts_with(&format!("jettison: cannot write {}", results.display())), "{said}");
    assert!(said.contains("No space left on device"), "{said}");
    assert!(
        said.contains("; free some space or choose another folder with --out; 4 of 4 runs are kept in "),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1);
}
