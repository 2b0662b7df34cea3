//! The files of cases: programs by slots, steps, and what `simple_switch` did.

use std::collections::BTreeMap;

/// A case: a program, steps, and their recorded results.
pub struct Case {
    pub name: String,
    /// Why this project's switch behaves differently, if it does.
    pub differs: Option<String>,
    /// Text of the slots that the case fills.
    slots: BTreeMap<String, String>,
    /// Steps of the input.
    pub steps: Vec<Step>,
    /// All steps with their results, as written.
    pub recorded: Vec<String>,
}

/// A step of the input, with its line.
pub struct Step {
    pub line: String,
    pub kind: StepKind,
}

pub enum StepKind {
    /// A command of the control plane.
    Command(String),
    /// A frame; `wait`: its outputs are awaited before the next step.
    Packet { port: u16, frame: Vec<u8>, wait: bool },
    /// A time in milliseconds.
    Wait(u64),
}

/// The 14 bytes that `~` stands for.
const START: &str = "000102030405060708090a0b0c0d";

impl Case {
    /// Whether p4c or `simple_switch` refused the program.
    pub fn is_refused(&self) -> bool {
        self.recorded.last().is_some_and(|line| line.starts_with("! ") && line.contains("refuses"))
    }

    /// The program: the base with its slots filled. Fails for an unknown slot.
    pub fn program(&self, base: &str) -> Result<String, String> {
        let mut slots = self.slots.clone();
        let mut text = String::new();
        for line in base.lines() {
            match line.trim_start().strip_prefix('@') {
                Some(slot) => {
                    let (name, default) = slot.split_once(' ').unwrap_or((slot, ""));
                    text.push_str(slots.remove(name).as_deref().unwrap_or(default));
                }
                None => text.push_str(line),
            }
            text.push('\n');
        }
        match slots.keys().next() {
            None => Ok(text),
            Some(slot) => Err(format!("no such slot: {slot}")),
        }
    }
}

/// A frame as the files write it.
pub fn shown(frame: &[u8]) -> String {
    let hex: String = frame.iter().map(|byte| format!("{byte:02x}")).collect();
    match hex.strip_prefix(START) {
        Some(rest) => format!("~ {rest}").trim_end().to_owned(),
        None => hex,
    }
}

/// Parses a file. The error is a message with a line number.
pub fn parse(text: &str) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    let mut slot: Option<String> = None;
    for (number, line) in text.lines().map(str::trim_end).enumerate() {
        let wrong = || format!("line {}: neither a slot nor a step: {line}", number + 1);
        if let Some(name) = line.strip_prefix("case ") {
            cases.push(Case {
                name: name.to_owned(),
                differs: None,
                slots: BTreeMap::new(),
                steps: Vec::new(),
                recorded: Vec::new(),
            });
            slot = None;
            continue;
        }
        let Some(case) = cases.last_mut() else { continue };
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(reason) = line.strip_prefix("differs: ") {
            case.differs = Some(reason.to_owned());
            continue;
        }
        if line.starts_with("p4c: ") {
            continue; // for those who record
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if ["$", "=", "<", "+", ">", "!", "wait", "log"].contains(&word) {
            slot = None;
            case.recorded.push(line.to_owned());
            let kind = match word {
                "$" => StepKind::Command(rest.to_owned()),
                "<" | "+" => {
                    let (port, frame) = rest.split_once(' ').ok_or_else(wrong)?;
                    let port = port.parse().map_err(|_| wrong())?;
                    StepKind::Packet { port, frame: bytes(frame).ok_or_else(wrong)?, wait: word == "<" }
                }
                "wait" => StepKind::Wait(rest.parse().map_err(|_| wrong())?),
                _ => continue,
            };
            case.steps.push(Step { line: line.to_owned(), kind });
        } else if let (Some(more), Some(slot)) = (line.strip_prefix("    "), &slot) {
            if let Some(text) = case.slots.get_mut(slot) {
                *text += more;
                text.push('\n');
            }
        } else {
            let (name, rest) = line.split_once(':').ok_or_else(wrong)?;
            case.slots.insert(name.to_owned(), format!("{rest}\n"));
            slot = Some(name.to_owned());
        }
    }
    Ok(cases)
}

/// Bytes of hexadecimal digits, spaces and `~`.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text
        .replace('~', START)
        .chars()
        .filter(|character| *character != ' ')
        .map(|character| character.to_digit(16))
        .collect::<Option<_>>()?;
    digits
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => u8::try_from(high << 4 | low).ok(),
            _ => None,
        })
        .collect()
}
