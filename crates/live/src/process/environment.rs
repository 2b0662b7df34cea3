//! Environment of programs.
//!
//! Programs are named by a scenario, which others may have written, and whose results should not depend on the shell that
//! `jettison` was started from: they receive a minimal environment, without tokens, proxies or library paths.

use std::ffi::{OsStr, OsString};

use super::command::Program;
use super::user::Identity;

/// Variables of this process's environment that a program receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inherited {
    /// Those that programs need to find files and speak the user's language ([`MINIMAL`], `LC_*`; `TERM` and `COLORTERM` at a
    /// terminal), and those named.
    Minimal(Vec<String>),
    /// All.
    All,
}

/// Variables that every program receives if they are set.
pub const MINIMAL: [&str; 9] =
    ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR"];
/// Variables that describe a terminal.
const TERMINAL: [&str; 2] = ["TERM", "COLORTERM"];
/// Search path without `PATH`.
pub(super) const USUAL_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The whole environment of a program, which runs as `user`; later entries win.
pub(super) fn of(program: &Program, user: Option<&Identity>) -> Vec<(OsString, OsString)> {
    let inherited =
        std::env::vars_os().filter(|(name, _)| receives(&program.inherited, program.terminal, name));
    let usual = (OsString::from("PATH"), OsString::from(USUAL_PATH));
    let mut environment: Vec<_> = std::iter::once(usual).chain(inherited).collect();
    let mut set = |name: &str, value: &str| environment.push((name.into(), value.into()));
    if let Some(user) = user {
        for (name, value) in
            [("HOME", &user.home), ("USER", &user.name), ("LOGNAME", &user.name), ("SHELL", &user.shell)]
        {
            set(name, value);
        }
    }
    for (name, value) in &program.environment {
        set(name, value);
    }
    environment
}

fn receives(inherited: &Inherited, terminal: bool, name: &OsStr) -> bool {
    let Inherited::Minimal(named) = inherited else { return true };
    let is = |known: &&str| name == *known;
    MINIMAL.iter().any(is)
        || name.as_encoded_bytes().starts_with(b"LC_")
        || (terminal && TERMINAL.iter().any(is))
        || named.iter().any(|named| name == named.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minimal_environment_has_no_secrets() {
        let minimal = Inherited::Minimal(vec!["DISPLAY".to_owned()]);
        let has =
            |inherited: &Inherited, terminal, name: &str| receives(inherited, terminal, OsStr::new(name));
        for name in MINIMAL.iter().chain(&["LC_ALL", "LC_NUMERIC", "DISPLAY"]) {
            assert!(has(&minimal, false, name), "{name}");
        }
        for name in ["GITHUB_TOKEN", "LD_PRELOAD", "http_proxy", "SSH_AUTH_SOCK", "TERM", "XAUTHORITY"] {
            assert!(!has(&minimal, false, name), "{name}");
            assert!(has(&Inherited::All, false, name), "{name}");
        }
        assert!(has(&minimal, true, "TERM"));
    }
}
