//! Runs this program as a child process, for figures of a whole process such as its peak memory.

use std::ffi::OsString;
use std::process::Command;

use super::{forks, foundation, growth, hostile, instructions, streaming};

/// Hidden command of a child process, followed by the name and the arguments of its work.
pub const CHILD: &str = "bench-child";

/// Does the work of a child process and returns its output.
pub fn child(work: &[String]) -> Result<String, String> {
    let work: Vec<&str> = work.iter().map(String::as_str).collect();
    match work.as_slice() {
        [foundation::MEMORY_CHILD] => foundation::memory_child().map(|megabytes| megabytes.to_string()),
        [hostile::HOSTILE_CHILD, attacker] => hostile::hostile_child(attacker),
        [streaming::MEMORY_CHILD, rates] => streaming::memory_child(rates),
        [growth::MEMORY_CHILD, flows] => growth::memory_child(flows).map(|megabytes| megabytes.to_string()),
        [growth::COMMAND_CHILD, command, name] => growth::command_child(command, name),
        [forks::MEMORY_CHILD] => forks::memory_child().map(|megabytes| megabytes.to_string()),
        [instructions::COUNT_CHILD, workload, backlog] => instructions::count_child(workload, backlog),
        _ => Err(format!("unknown work for a child process: {work:?}")),
    }
}

/// Command line of a child process for this work.
pub(super) fn command_line(work: &[&str]) -> Result<Vec<OsString>, String> {
    let program =
        std::env::current_exe().map_err(|error| format!("cannot find the path of this program: {error}"))?;
    let mut line = vec![program.into_os_string(), CHILD.into()];
    line.extend(work.iter().map(OsString::from));
    Ok(line)
}

/// Runs a child process for this work and returns its output.
pub(super) fn run(work: &[&str]) -> Result<String, String> {
    let line = command_line(work)?;
    let output = Command::new(&line[0])
        .args(&line[1..])
        .output()
        .map_err(|error| format!("cannot start a child process: {error}"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!("the child process failed: {}", stderr.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
