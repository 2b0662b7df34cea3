//! Text of a shell script: lines, comments, and a tree of qdiscs as `tc` commands.

use std::fmt::Write as _;

use jettison_queue::{Class, Qdisc};

/// Width of comments.
const WIDTH: usize = 110;

/// Lines of a script.
#[derive(Default)]
pub(super) struct Script {
    text: String,
    indent: &'static str,
}

impl Script {
    pub fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        let indent = if line.is_empty() { "" } else { self.indent };
        let _ = writeln!(self.text, "{indent}{line}");
    }

    /// A comment, wrapped. Control characters of names become spaces, so that a comment cannot end early.
    pub fn comment(&mut self, text: impl AsRef<str>) {
        let clean: String = text.as_ref().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut line = String::new();
        for word in clean.split_whitespace() {
            if !line.is_empty() && line.chars().count() + word.chars().count() >= WIDTH {
                self.line(format!("# {line}"));
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        self.line(format!("# {line}"));
    }

    pub fn indented(&mut self, write: impl FnOnce(&mut Script)) {
        self.indent = "  ";
        write(self);
        self.indent = "";
    }

    pub fn finish(self) -> String {
        self.text
    }
}

/// Prints trees of one device; handles are given in order.
pub(super) struct Tree<'s> {
    script: &'s mut Script,
    /// The device, as the shell reads it.
    device: String,
    next: u32,
}

impl<'s> Tree<'s> {
    pub fn new(script: &'s mut Script, device: &str) -> Tree<'s> {
        Tree { script, device: device.to_owned(), next: 1 }
    }

    /// Prints a qdisc at `parent` (`root`, `parent 1:1`) with all below it; returns its handle's major number.
    pub fn qdisc(&mut self, parent: &str, qdisc: &Qdisc) -> u32 {
        let major = self.next;
        self.next += 1;
        let device = self.device.clone();
        for note in &qdisc.notes {
            self.script.comment(format!("{}: {note}", qdisc.kind));
        }
        let text = words(qdisc.kind, &qdisc.options);
        let stab = qdisc
            .size_table
            .map_or(String::new(), |bytes| format!("stab overhead {bytes} linklayer ethernet "));
        self.script.line(format!("tc qdisc add dev {device} {parent} handle {major:x}: {stab}{text}"));
        for class in &qdisc.classes {
            self.class(qdisc.kind, major, &format!("{major:x}:"), class);
        }
        for (minor, child) in &qdisc.children {
            self.qdisc(&format!("parent {major:x}:{minor:x}"), child);
        }
        for (preference, filter) in qdisc.filters.iter().enumerate() {
            let (protocol, matches, class) = (filter.protocol, &filter.matches, filter.class);
            let action = words("", &filter.action);
            let line = format!(
                "tc filter add dev {device} parent {major:x}: protocol {protocol} prio {} {matches} flowid {major:x}:{class:x}{action}",
                preference + 1,
            );
            self.script.line(line);
        }
        major
    }

    fn class(&mut self, kind: &str, major: u32, parent: &str, class: &Class) {
        let (device, minor) = (self.device.clone(), class.minor);
        let text = words(kind, &class.options);
        self.script
            .line(format!("tc class add dev {device} parent {parent} classid {major:x}:{minor:x} {text}"));
        for inner in &class.classes {
            self.class(kind, major, &format!("{major:x}:{minor:x}"), inner);
        }
        if let Some(child) = &class.child {
            self.qdisc(&format!("parent {major:x}:{minor:x}"), child);
        }
    }
}

fn words(first: &str, rest: &[String]) -> String {
    rest.iter().fold(first.to_owned(), |text, word| text + " " + word)
}
