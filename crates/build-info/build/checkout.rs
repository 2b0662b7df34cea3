//! What Git says about a checkout, and the files that tell when it would say something else.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Hexadecimal digits of a commit; Git adds more where so many are ambiguous.
const DIGITS: &str = "--short=12";

/// What the program is built from, beside the crates.
const SOURCES: [&str; 15] = [
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain.toml",
    "p4",
    "scenarios",
    "web/page",
    "bpf/newcwv.bpf.c",
    "bpf/dctcp.bpf.c",
    "bpf/prague.bpf.c",
    "bpf/sockets.bpf.c",
    "bpf/kernel.h",
    "bpf/marks.h",
    "bpf/loader/Cargo.toml",
    "bpf/loader/Cargo.lock",
    "bpf/loader/src",
];

/// Parts of a crate that are in no program.
const TESTS: [&str; 4] = ["benches", "examples", "proptest-regressions", "tests"];

/// A Git checkout whose top folder is the workspace's root.
pub struct Checkout {
    root: PathBuf,
    /// The checkout's own Git folder: of a linked worktree, `.git/worktrees/NAME` of the repository.
    git: PathBuf,
    /// The repository's Git folder, which holds the branches.
    common: PathBuf,
}

impl Checkout {
    /// The checkout at `root`. `None` without Git, outside a checkout, and where `root` is a folder of somebody else's
    /// checkout (an unpacked archive): that commit is not ours.
    pub fn at(root: &Path) -> Option<Checkout> {
        let root = root.canonicalize().ok()?;
        let text = git(&root, ["rev-parse", "--show-toplevel", "--git-dir", "--git-common-dir"])?;
        let mut lines = text.lines();
        let top = Path::new(lines.next()?).canonicalize().ok()?;
        // Both may be relative to the folder that Git ran in.
        let (own, common) = (root.join(lines.next()?), root.join(lines.next()?));
        (top == root).then_some(Checkout { root, git: own, common })
    }

    /// The commit that is checked out, with `-dirty` if one of `sources` (relative to the root) differs from it or is
    /// not in it. `None` before the first commit.
    pub fn commit(&self, sources: &[PathBuf]) -> Option<String> {
        let commit = git(&self.root, ["rev-parse", "--verify", DIGITS, "HEAD"])?;
        let mut status = vec![
            OsStr::new("--no-optional-locks"),
            OsStr::new("status"),
            OsStr::new("--porcelain"),
            OsStr::new("--"),
        ];
        status.extend(sources.iter().map(|source| source.as_os_str()));
        let is_clean = git(&self.root, status)?.is_empty();
        Some(if is_clean { commit } else { format!("{commit}-dirty") })
    }

    /// The files and folders of Git one of which changes when another commit is checked out or made.
    ///
    /// All exist: Cargo takes a path that does not for one that always changes.
    pub fn watched(&self) -> Vec<PathBuf> {
        let mut watched = vec![self.git.join("HEAD")];
        if let Some(branch) = git(&self.root, ["symbolic-ref", "--quiet", "HEAD"]) {
            let file = self.common.join(branch);
            // A packed branch has no file of its own before its next commit: then the folder changes in which that file
            // appears.
            if !file.exists() {
                watched.push(self.common.join("packed-refs"));
            }
            watched.extend(file.ancestors().find(|path| path.exists()).map(Path::to_path_buf));
        }
        watched.retain(|path| path.exists());
        watched
    }
}

/// The paths, relative to `root`, of what the program is built from.
pub fn sources(root: &Path) -> Vec<PathBuf> {
    let mut sources: Vec<PathBuf> = SOURCES.iter().map(PathBuf::from).collect();
    for folder in entries(&root.join("crates")) {
        let parts = entries(&folder).into_iter().filter(|part| {
            part.file_name().is_some_and(|name| TESTS.iter().all(|test| name != OsStr::new(test)))
        });
        sources.extend(parts.filter_map(|part| Some(part.strip_prefix(root).ok()?.to_path_buf())));
    }
    sources.retain(|source| root.join(source).exists());
    sources
}

/// What is in a folder, in order.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

/// The commit that a packager names; `None` for an empty text.
pub fn parse_given(text: &str) -> Result<Option<String>, String> {
    let text = text.trim();
    if !text.chars().all(|c| c.is_ascii_graphic()) {
        return Err(format!("must be one word of printable ASCII characters, got {text:?}"));
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// What Git prints, without the line break at its end; `None` if it is not there or fails.
fn git<A: AsRef<OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = A>) -> Option<String> {
    let mut command = Command::new("git");
    command.current_dir(folder).args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
    // A Git hook that builds has these set, for the repository that it is of.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim_end().to_owned())
}
