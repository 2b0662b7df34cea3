//! The commit that a build names, in checkouts of every kind.

#[allow(dead_code)] // the build script uses the rest
#[path = "../build/checkout.rs"]
mod checkout;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use checkout::Checkout;
use jettison_build_info::{COMMIT, LONG_VERSION, VERSION};
use tempfile::TempDir;

/// A repository with one commit of one source file, or why the test is left out.
fn repository(test: &str) -> Option<TempDir> {
    if Command::new("git").arg("--version").output().is_err() {
        let _ = writeln!(std::io::stderr(), "left out: {test} (git is not installed)");
        return None;
    }
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    git(folder.path(), &["init", "--quiet", "--initial-branch=trunk"]);
    fs::write(folder.path().join("Cargo.toml"), "[workspace]\n").expect("the folder is writable");
    commit_all(folder.path());
    Some(folder)
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    let identity = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"];
    let output =
        command.current_dir(folder).args(identity).args(arguments).output().expect("git can be started");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("git prints UTF-8").trim_end().to_owned()
}

fn commit_all(folder: &Path) {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--allow-empty", "--message=change"]);
}

fn head(folder: &Path) -> String {
    git(folder, &["rev-parse", "HEAD"])
}

fn commit_of(root: &Path) -> Option<String> {
    Checkout::at(root)?.commit(&checkout::sources(root))
}

/// The contents of the watched files and the entries of the watched folders: what Cargo's look at their times sees.
fn state(watched: &[PathBuf]) -> Vec<Vec<u8>> {
    let read = |path: &PathBuf| match path.is_dir() {
        true => {
            let entries = fs::read_dir(path).expect("the folder can be read");
            let mut names: Vec<_> = entries.map(|entry| entry.expect("it is there").file_name()).collect();
            names.sort();
            format!("{names:?}").into_bytes()
        }
        false => fs::read(path).expect("every watched path exists"),
    };
    watched.iter().map(read).collect()
}

#[test]
fn twelve_digits_of_the_checked_out_commit() {
    let Some(folder) = repository("twelve_digits_of_the_checked_out_commit") else { return };
    let commit = commit_of(folder.path()).expect("there is a commit");
    assert!(head(folder.path()).starts_with(&commit), "{commit}");
    assert_eq!(commit.len(), 12);
}

#[test]
fn a_changed_or_new_source_makes_it_dirty_and_other_files_do_not() {
    let Some(folder) = repository("a_changed_or_new_source_makes_it_dirty_and_other_files_do_not") else {
        return;
    };
    let root = folder.path();
    let clean = commit_of(root).expect("there is a commit");
    fs::write(root.join("notes.md"), "not a source").expect("the folder is writable");
    fs::create_dir_all(root.join("crates/queue/tests")).expect("the folder is writable");
    fs::write(root.join("crates/queue/tests/new.rs"), "").expect("the folder is writable");
    assert_eq!(commit_of(root), Some(clean.clone()));
    fs::create_dir(root.join("crates/queue/src")).expect("the folder is writable");
    fs::write(root.join("crates/queue/src/new.rs"), "").expect("the folder is writable");
    assert_eq!(commit_of(root), Some(format!("{clean}-dirty")));
    commit_all(root);
    assert!(commit_of(root).is_some_and(|commit| head(root).starts_with(&commit)));
    fs::write(root.join("Cargo.toml"), "[workspace]\nresolver = \"3\"\n").expect("the folder is writable");
    assert!(commit_of(root).is_some_and(|commit| commit.ends_with("-dirty")));
}

#[test]
fn no_commit_outside_a_checkout_or_in_a_folder_of_another() {
    let Some(folder) = repository("no_commit_outside_a_checkout_or_in_a_folder_of_another") else { return };
    let archive = folder.path().join("unpacked");
    fs::create_dir(&archive).expect("the folder is writable");
    assert!(Checkout::at(&archive).is_none());
    let outside = tempfile::tempdir().expect("a temporary folder can be made");
    assert!(Checkout::at(outside.path()).is_none());
    // A repository without a commit.
    git(outside.path(), &["init", "--quiet"]);
    assert_eq!(commit_of(outside.path()), None);
}

#[test]
fn a_commit_changes_a_watched_file_and_another_branch_does_not() {
    let Some(folder) = repository("a_commit_changes_a_watched_file_and_another_branch_does_not") else {
        return;
    };
    let root = folder.path();
    let watched = Checkout::at(root).expect("it is a checkout").watched();
    let before = state(&watched);
    git(root, &["pack-refs", "--all", "--no-prune"]);
    git(root, &["branch", "other"]);
    assert_eq!(state(&watched), before);
    // Deleting a branch writes all packed branches anew.
    git(root, &["branch", "--quiet", "-D", "other"]);
    assert_eq!(Checkout::at(root).expect("it is a checkout").watched(), watched);
    assert_eq!(state(&watched), before);
    commit_all(root);
    assert_ne!(state(&watched), before);
}

#[test]
fn a_commit_on_a_packed_branch_changes_a_watched_path() {
    let Some(folder) = repository("a_commit_on_a_packed_branch_changes_a_watched_path") else { return };
    let root = folder.path();
    git(root, &["pack-refs", "--all"]);
    let watched = Checkout::at(root).expect("it is a checkout").watched();
    assert!(watched.iter().any(|path| path.ends_with("packed-refs")), "{watched:?}");
    let before = state(&watched);
    commit_all(root);
    assert_ne!(state(&watched), before);
}

#[test]
fn a_detached_head_is_watched_by_itself() {
    let Some(folder) = repository("a_detached_head_is_watched_by_itself") else { return };
    let root = folder.path();
    git(root, &["checkout", "--quiet", "--detach"]);
    let checkout = Checkout::at(root).expect("it is a checkout");
    assert!(checkout.commit(&[]).is_some_and(|commit| head(root).starts_with(&commit)));
    let watched = checkout.watched();
    assert!(watched.len() == 1 && watched[0].ends_with(".git/HEAD"), "{watched:?}");
    let before = state(&watched);
    commit_all(root);
    assert_ne!(state(&watched), before);
}

#[test]
fn a_worktree_has_its_own_head_and_the_repositorys_branches() {
    let Some(folder) = repository("a_worktree_has_its_own_head_and_the_repositorys_branches") else { return };
    let tree = folder.path().join("tree");
    git(folder.path(), &["worktree", "add", "--quiet", "-b", "side/branch", "tree"]);
    let watched = Checkout::at(&tree).expect("it is a checkout").watched();
    let before = state(&watched);
    commit_all(folder.path());
    assert_eq!(state(&watched), before, "a commit on the other branch concerns nobody here");
    commit_all(&tree);
    assert_ne!(state(&watched), before);
    let commit = commit_of(&tree).expect("there is a commit");
    assert!(head(&tree).starts_with(&commit) && !head(folder.path()).starts_with(&commit));
}

#[test]
fn packagers_may_name_the_commit() {
    assert_eq!(checkout::parse_given(" 0123abc\n"), Ok(Some("0123abc".to_owned())));
    assert_eq!(checkout::parse_given(""), Ok(None));
    let message = checkout::parse_given("two words").expect_err("a commit is one word");
    assert_eq!(message, "must be one word of printable ASCII characters, got \"two words\"");
}

#[test]
fn this_build_names_a_commit_of_this_repository() {
    match COMMIT {
        None => assert_eq!(LONG_VERSION, VERSION),
        Some(commit) => assert_eq!(LONG_VERSION, format!("{VERSION} ({commit})")),
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if option_env!("JETTISON_COMMIT").is_some() || Checkout::at(&root).is_none() {
        let _ = writeln!(
            std::io::stderr(),
            "left out: this_build_names_a_commit_of_this_repository (not built in a Git checkout)"
        );
        return;
    }
    let commit = COMMIT.expect("a checkout has a commit");
    let commit = commit.strip_suffix("-dirty").unwrap_or(commit);
    git(&root, &["cat-file", "-e", &format!("{commit}^{{commit}}")]);
}
