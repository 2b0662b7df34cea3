//! Instructions a packet, counted by valgrind's callgrind: the same on a busy machine as on a quiet one.
//!
//! The program runs itself under callgrind as a child, which builds a queue, warms it up and turns it over. Callgrind
//! counts only inside one function.

use std::io::ErrorKind;
use std::process::Command;

use super::child;
use super::queues::{BACKLOGS, kept, warm};
use super::workload::{Steady, workloads};

/// The name of the work of a child process whose instructions are counted, before a workload's name and a backlog.
pub(super) const COUNT_CHILD: &str = "count-instructions";
/// Packets that are counted.
const PACKETS: u64 = 20_000;

/// Instructions a packet at each of [`BACKLOGS`], or why they could not be counted here.
pub(super) fn count(workload: &str) -> Result<[f64; 3], String> {
    let mut counts = [0.0; 3];
    for (count, backlog) in counts.iter_mut().zip(BACKLOGS) {
        *count = count_at(workload, backlog)?;
    }
    Ok(counts)
}

fn count_at(workload: &str, backlog: u64) -> Result<f64, String> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--toggle-collect=*turned_over_and_counted*"])
        .arg("--callgrind-out-file=/dev/null")
        .args(child::command_line(&[COUNT_CHILD, workload, &backlog.to_string()])?)
        .output();
    let output = output.map_err(|error| match error.kind() {
        ErrorKind::NotFound => "valgrind is not installed".to_owned(),
        _ => format!("valgrind does not start: {error}"),
    })?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("under valgrind: {}", said.lines().last().unwrap_or("no message")));
    }
    // "==4711== Collected : 30035826"
    let total = said.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse::<u64>().ok());
    match total {
        Some(total) if total > 0 => Ok(total as f64 / PACKETS as f64),
        _ => Err("callgrind found nothing to count: does the program have its symbols?".to_owned()),
    }
}

/// What the child process does.
pub(super) fn count_child(name: &str, backlog: &str) -> Result<String, String> {
    let workload = workloads().into_iter().find(|workload| workload.name == name);
    let workload = workload.ok_or_else(|| format!("there is no workload `{name}`"))?;
    let backlog = backlog.parse().map_err(|_| format!("`{backlog}` is no backlog"))?;
    let mut queue = warm(&workload, backlog)?;
    turned_over_and_counted(&mut queue);
    kept(&queue, backlog)?;
    Ok(queue.backlog().to_string())
}

/// Callgrind counts between its entry and its return.
#[inline(never)]
fn turned_over_and_counted(queue: &mut Steady) {
    queue.turn_over(PACKETS);
}
