//! What `jettison export tc` prints, executed in a kernel and read back.
//!
//! Each case is a queue of a link; its script runs in the virtual machine, and `tc` shows what the kernel made of it. Every option of
//! the script must be there with its value. Times may differ by the kernel's clock (1.024 µs), PIE's by a tick of its timer, and bursts
//! by what the kernel's rate tables round.

use std::fs;
use std::process::Command;

use jettison_scenario::build::Builder;
use jettison_scenario::export::TcOptions;
use jettison_scenario::{Changes, NoFiles, Scenario};
use serde_json::Value;
use thiserror::Error;

use crate::folder;

/// Queues of a link, as scenarios have them, with the link's overhead in bytes.
pub const QUEUES: [(&str, u64); 9] = [
    (r#""tail-drop""#, 14),
    (r#"{ kind = "tail-drop", limit = "96 kB" }"#, 4),
    (r#""codel""#, 14),
    (r#"{ kind = "codel", target = "1.25 ms", interval = "20 ms", ecn = true, limit = "150 kB" }"#, 38),
    (r#""fq-codel""#, 14),
    (r#"{ kind = "fq-codel", ce_threshold = "1 ms", flows = 64, quantum = "300 bytes", ecn = false }"#, 24),
    (r#"{ kind = "pie", target = "20 ms", alpha = "0.25 Hz", ecn = true, delay = "rate" }"#, 14),
    (r#"{ kind = "fq-pie", mark_ecnth = 0.2, ecn = true }"#, 14),
    (r#"{ kind = "sfq", drop_from = "head", perturb = "10 s", limit = "500 packets" }"#, 14),
];

const LINK: &str = r#"
name = "exported"
duration = "1 s"
[nodes]
a = { kind = "router" }
b = { kind = "router" }
[links.l]
between = ["a", "b"]
rate = "20 Mbit/s"
reverse = { queue = "tail-drop" }
"#;

/// A check that could not be made.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The export itself.
    #[error("{0}")]
    Export(String),
    /// The virtual machine.
    #[error("the virtual machine failed:\n{0}")]
    Guest(String),
    /// Files.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// The script of a queue, for the device `device`.
pub fn script(queue: &str, overhead: u64, device: &str) -> Result<String, ExportError> {
    let builder = Builder::standard();
    let text = format!("{LINK}queue = {queue}\noverhead = \"{overhead} bytes\"\n");
    let scenario =
        Scenario::parse(&text, "exported.toml", &NoFiles, &Changes::default(), &builder.registries())
            .map_err(|error| ExportError::Export(error.to_string()))?;
    let options =
        TcOptions { node: Some("a".to_owned()), device: Some(device.to_owned()), ..TcOptions::default() };
    builder.export_tc(&scenario, &options).map_err(|error| ExportError::Export(error.to_string()))
}

/// Executes all scripts in a kernel; returns what differs, a line each.
pub fn check(kernel: &str) -> Result<Vec<String>, ExportError> {
    let scratch = tempfile::tempdir()?;
    let mut guest = String::new();
    let (mut files, mut scripts) = (Vec::new(), Vec::new());
    for (number, (queue, overhead)) in QUEUES.iter().enumerate() {
        let text = script(queue, *overhead, &format!("v{number}"))?;
        let file = scratch.path().join(format!("{number}.sh"));
        fs::write(&file, &text)?;
        guest += &format!(
            "ip link add v{number} type veth peer name w{number}\nip link set v{number} up\nip link set w{number} up\n\
             sh {} && echo \"QDISCS {number} $(tc -j qdisc show dev v{number})\" && \
             tc class show dev v{number} | sed 's/^/CLASS {number} /'\n",
            file.display()
        );
        files.push(file);
        scripts.push(text);
    }
    let main = scratch.path().join("main");
    fs::write(&main, guest + "true\n")?;
    let done =
        Command::new(folder().join("vm/linux-vm")).args(["-k", kernel]).arg(&main).args(&files).output()?;
    let output = String::from_utf8_lossy(&done.stdout).into_owned();
    if !done.status.success() {
        return Err(ExportError::Guest(output + &String::from_utf8_lossy(&done.stderr)));
    }
    let mut differences = Vec::new();
    for (number, text) in scripts.iter().enumerate() {
        let shown = output.lines().find_map(|line| line.strip_prefix(&format!("QDISCS {number} ")));
        let Some(shown) = shown else {
            differences.push(format!("{}: the script failed:\n{text}{output}", QUEUES[number].0));
            continue;
        };
        let class = format!("CLASS {number} ");
        let classes: Vec<&str> = output.lines().filter_map(|line| line.strip_prefix(&class)).collect();
        let found = compare(text, shown, &classes);
        differences.extend(found.into_iter().map(|one| format!("{}: {one}", QUEUES[number].0)));
    }
    Ok(differences)
}

/// Options that `tc` takes and does not show.
const NOT_SHOWN: [(&str, &str); 1] = [("sfq", "flows")];

/// What differs between a script and what `tc -j qdisc show` and `tc class show` printed after it.
pub fn compare(script: &str, qdiscs: &str, classes: &[&str]) -> Vec<String> {
    let all: Vec<Value> = serde_json::from_str(qdiscs).unwrap_or_default();
    let mut differences = Vec::new();
    for line in script.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["tc", "qdisc", "add", "dev", _, "root", "handle", handle, rest @ ..] => {
                qdisc(&all, handle, None, rest, &mut differences);
            }
            ["tc", "qdisc", "add", "dev", _, "parent", parent, "handle", handle, rest @ ..] => {
                qdisc(&all, handle, Some(parent), rest, &mut differences);
            }
            ["tc", "class", "add", "dev", _, "parent", _, "classid", id, kind, rest @ ..] => {
                let shown = classes.iter().find(|shown| shown.starts_with(&format!("class {kind} {id} ")));
                let shown: Vec<&str> = shown.map_or(Vec::new(), |shown| shown.split_whitespace().collect());
                for pair in rest.chunks(2).filter(|pair| pair[0] != "quantum") {
                    let at = shown.iter().position(|word| *word == pair[0]);
                    let found = at.and_then(|at| shown.get(at + 1)).copied().unwrap_or("nothing");
                    let tolerance = if pair[0].ends_with("burst") { 16.0 } else { 0.0 };
                    let alike =
                        number(pair[1]).zip(number(found)).is_some_and(|(a, b)| (a - b).abs() <= tolerance);
                    if !alike {
                        differences.push(format!("class {id}: {} {}, shown {found}", pair[0], pair[1]));
                    }
                }
            }
            _ => {}
        }
    }
    differences
}

fn qdisc(all: &[Value], handle: &str, parent: Option<&str>, words: &[&str], differences: &mut Vec<String>) {
    // `tc` does not show size tables without `-s`.
    let words = match words {
        ["stab", "overhead", _, "linklayer", _, rest @ ..] => rest,
        other => other,
    };
    let [kind, words @ ..] = words else { return };
    let Some(shown) = all.iter().find(|one| one["handle"] == handle && one["kind"] == *kind) else {
        return differences.push(format!("no {kind} with handle {handle}"));
    };
    if shown["parent"].as_str() != parent {
        differences.push(format!("{kind} {handle}: parent {parent:?}, shown {}", shown["parent"]));
    }
    let options = &shown["options"];
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let value = words.next_if(|next| number(next).is_some());
        if NOT_SHOWN.contains(&(*kind, *word)) {
            continue;
        }
        let found = &options[*word];
        let alike = match value {
            None => match word.strip_prefix("no_").or(word.strip_prefix("no")) {
                Some(off) => options[off].is_null() || options[off] == false,
                None => *found == true,
            },
            Some(value) => {
                let shown = found.as_f64().or_else(|| found.as_str().and_then(number));
                let tolerance = match *word {
                    "tupdate" => 4_000.0,
                    "target" | "interval" | "ce_threshold" => 1.5,
                    _ => 0.0,
                };
                number(value).zip(shown).is_some_and(|(a, b)| (a - b).abs() <= tolerance)
            }
        };
        if !alike {
            let value = value.copied().unwrap_or_default();
            differences.push(format!("{kind} {handle}: {word} {value}, shown {found}"));
        }
    }
}

/// A number of `tc`: times in microseconds, rates in bit/s, sizes in bytes.
fn number(text: &str) -> Option<f64> {
    let lower = text.to_lowercase();
    if let Some(hex) = lower.strip_prefix("0x") {
        return u32::from_str_radix(hex, 16).ok().map(f64::from);
    }
    let digits = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &lower[digits.len()..] {
        "" | "us" | "b" | "bit" => 1.0,
        "ms" | "kbit" => 1e3,
        "s" | "mbit" => 1e6,
        "gbit" => 1e9,
        _ => return None,
    };
    digits.parse::<f64>().ok().map(|value| value * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shown by Linux 6.1 after the script of the fourth case.
    const CODEL: &str = r#"[{"kind":"htb","handle":"1:","root":true,"refcnt":2,"options":{"r2q":10,"default":"0x1",
        "direct_packets_stat":0,"direct_qlen":1000}},{"kind":"codel","handle":"2:","parent":"1:1","options":{"limit":100,
        "target":1249,"interval":19999,"ecn":true}}]"#;
    const CLASS: &str =
        "class htb 1:1 root leaf 2: prio 0 rate 20Mbit overhead 24 ceil 20Mbit burst 2500b cburst 2500b";

    fn codel() -> String {
        script(QUEUES[3].0, QUEUES[3].1, "v3").unwrap()
    }

    #[test]
    fn what_linux_shows_agrees_with_the_script() {
        assert_eq!(compare(&codel(), CODEL, &[CLASS]), [""; 0]);
    }

    #[test]
    fn a_difference_names_the_option() {
        let shown = CODEL.replace("\"limit\":100", "\"limit\":1000").replace(",\"ecn\":true", "");
        let shown = shown.replace(",\n        \"target\"", ",\"target\"");
        let class = CLASS.replace("overhead 24", "overhead 14");
        assert_eq!(
            compare(&codel(), &shown, &[&class]),
            [
                "class 1:1: overhead 24, shown 14",
                "codel 2:: limit 100, shown 1000",
                "codel 2:: ecn , shown null"
            ]
        );
        assert_eq!(compare(&codel(), "[]", &[CLASS]), ["no htb with handle 1:", "no codel with handle 2:"]);
    }

    #[test]
    fn all_cases_can_be_exported() {
        for (queue, overhead) in QUEUES {
            assert!(script(queue, overhead, "v0").unwrap().contains("tc qdisc add"), "{queue}");
        }
    }
}
