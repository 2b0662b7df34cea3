//! Instructions per packet, counted by valgrind's callgrind: independent of the machine's load.
//!
//! The program runs itself under callgrind as a child process, which builds a queue, warms it up, and enqueues and dequeues
//! packets. Callgrind counts only inside one function.

use std::io::ErrorKind;
use std::process::Command;

use super::child;
use super::queues::{BACKLOGS, kept, warm};
use super::workload::{Steady, workloads};

/// Name of the child process's work that is counted, followed by a workload and a backlog.
pub(super) const COUNT_CHILD: &str = "count-instructions";
/// Number of counted packets.
const PACKETS: u64 = 20_000;

/// Instructions per packet at each of [`BACKLOGS`], or the reason why they cannot be counted.
pub(super) fn count(workload: &str) -> Result<[f64; 3], String> {
    let mut counts = [0.0; 3];
    for (count, backlog) in counts.iter_mut().zip(BACKLOGS) {
        *count = count_at(workload, backlog)?;
    }
    Ok(counts)
}

fn count_at(workload: &str, backlog: u64) -> Result<f64, String> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--toggle-collect=*counted_section*"])
        .arg("--callgrind-out-file=/dev/null")
        .args(child::command_line(&[COUNT_CHILD, workload, &backlog.to_string()])?)
        .output();
    let output = output.map_err(|error| match error.kind() {
        ErrorKind::NotFound => "valgrind is not installed".to_owned(),
        _ => format!("cannot start valgrind: {error}"),
    })?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("valgrind failed: {}", stderr.lines().last().unwrap_or("no message")));
    }
    // "==4711== Collected : 30035826"
    let total = stderr.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse::<u64>().ok());
    match total {
        Some(total) if total > 0 => Ok(total as f64 / PACKETS as f64),
        _ => Err("callgrind counted no instructions; the program must have symbols".to_owned()),
    }
}

/// Work of the child process.
pub(super) fn count_child(name: &str, backlog: &str) -> Result<String, String> {
    let workload = workloads().into_iter().find(|workload| workload.name == name);
    let workload = workload.ok_or_else(|| format!("unknown workload `{name}`"))?;
    let backlog =
        backlog.parse().map_err(|_| format!("the backlog must be a number of packets, got `{backlog}`"))?;
    let mut queue = warm(&workload, backlog)?;
    counted_section(&mut queue);
    kept(&queue, backlog)?;
    Ok(queue.backlog().to_string())
}

/// The section in which callgrind counts.
#[inline(never)]
fn counted_section(queue: &mut Steady) {
    queue.turn_over(PACKETS);
}
