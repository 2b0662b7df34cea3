//! Identity of the running program, for the keys of runs.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::keys::hex;

/// Ending of the commit of a build from a changed checkout.
const DIRTY: &str = "-dirty";

/// The program that makes runs. Two programs with the same identity make the same runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Git commit that it was built from, for the manifest.
    pub commit: Option<String>,
    /// What the keys of its runs contain.
    pub identity: String,
}

impl Program {
    /// The program of a version and commit. Where these leave open what was built (a changed checkout, or no commit), the
    /// identity also has the SHA-256 of `image`, the file that is being executed.
    pub fn new(version: &str, commit: Option<&str>, image: &Path) -> Program {
        let identity = match commit {
            Some(commit) if !commit.ends_with(DIRTY) => format!("{version} {commit}"),
            _ => {
                // A program that cannot read its own image finds no run again, rather than another program's.
                let image =
                    digest(image).unwrap_or_else(|_| format!("unknown {:x}", RandomState::new().hash_one(0)));
                format!("{version} {} {image}", commit.unwrap_or("unknown"))
            }
        };
        Program { commit: commit.map(str::to_owned), identity }
    }

    /// The program of the running executable.
    pub fn of_executable(version: &str, commit: Option<&str>) -> Program {
        // On Linux this is the file that was started, even if another has its name by now.
        let running = Path::new("/proc/self/exe");
        match running.exists() {
            true => Program::new(version, commit, running),
            false => Program::new(version, commit, &std::env::current_exe().unwrap_or_default()),
        }
    }
}

fn digest(path: &Path) -> io::Result<String> {
    let (mut file, mut digest, mut buffer) = (File::open(path)?, Sha256::new(), vec![0; 1 << 18]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&digest.finalize())),
            read => digest.update(&buffer[..read]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_enough_unless_the_build_may_differ_from_it() {
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("jettison");
        let identity = |content: &str, commit: Option<&str>| {
            std::fs::write(&image, content).unwrap();
            Program::new("0.1.0", commit, &image).identity
        };
        assert_eq!(identity("one", Some("0123456789ab")), "0.1.0 0123456789ab");
        assert_eq!(identity("one", Some("0123456789ab")), identity("two", Some("0123456789ab")));
        for commit in [None, Some("0123456789ab-dirty")] {
            assert_eq!(identity("one", commit), identity("one", commit));
            assert_ne!(identity("one", commit), identity("two", commit));
        }
    }

    #[test]
    fn an_image_that_cannot_be_read_is_never_the_same_program() {
        let identity = || Program::new("0.1.0", None, Path::new("/nonexistent")).identity;
        assert_ne!(identity(), identity());
    }
}
