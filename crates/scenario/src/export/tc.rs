//! `jettison export tc`: a shell script of `tc` commands.

use jettison_core::{Bytes, Duration, Rate};
use jettison_queue::{Class, Qdisc, tc_rate};

use super::shell::{Script, Tree};
use super::{Direction, HEADER, MTU, at_the_links_rate, netem};
use crate::build::Builder;
use crate::error::CheckError;
use crate::scenario::{Scenario, Variant};
use jettison_registry::ParameterError;

/// What to export, and for which devices.
#[derive(Debug, Clone, Default)]
pub struct TcOptions {
    /// The variant; needed if there are several.
    pub variant: Option<String>,
    /// The link; all without it.
    pub link: Option<String>,
    /// The sending node; all without it.
    pub node: Option<String>,
    /// The device, for a single direction. Without it the script reads the devices from its environment.
    pub device: Option<String>,
    /// Whether the links' delay and loss are written too, for the devices of the receiving nodes.
    pub with_netem: bool,
}

/// The script's variable for a device.
fn variable(direction: &Direction<'_>) -> String {
    let name = direction.name();
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
}

impl Builder {
    /// The `tc` commands of a variant's queues.
    ///
    /// # Errors
    /// If the variant, link or node is unknown, `--dev` names one device for several queues, or Linux lacks a queue.
    pub fn export_tc(&self, scenario: &Scenario, options: &TcOptions) -> Result<String, CheckError> {
        let variant = scenario.variant_named(options.variant.as_deref())?;
        let (link, node) = (options.link.as_deref(), options.node.as_deref());
        let directions = scenario.directions(variant, link, node)?;
        if options.device.is_some() && directions.len() > 1 {
            let names: Vec<String> = directions.iter().map(Direction::name).collect();
            let (count, names) = (names.len(), names.join(", "));
            let message = format!("`--dev` must name the device of one queue, got {count} queues ({names})");
            return Err(scenario.whole(message, "add `--link` and `--node`".to_owned()));
        }
        if let Some(device) = options.device.as_ref().filter(|device| !is_device(device)) {
            let message = format!("`--dev` must be the name of a network device, got `{device}`");
            return Err(scenario.whole(message, "such as `eth0`".to_owned()));
        }
        let mut script = Script::default();
        script.line("#!/bin/sh");
        let of = format!("Queues of {} as Linux has them", scenario.name);
        script.comment(match scenario.variants.len() {
            1 => format!("{of}, written by `jettison export tc`."),
            _ => format!("{of}, variant {}, written by `jettison export tc`.", variant.name),
        });
        script.comment(
            "A packet's length is its IP length in the scenario; Linux counts the link-layer header too, 14 bytes on \
             Ethernet. Linux counts a packet that the device will segment (TSO, GSO) as one: `ethtool -K DEV tso off gso \
             off gro off` makes its limits count packets as the scenario does.",
        );
        if options.device.is_none() {
            script.comment("Devices are named by the environment, and a queue without one is left out:");
            for direction in &directions {
                let (variable, settings) = (variable(direction), &direction.settings);
                let (from, to) = (&settings.from, &settings.to);
                script.comment(format!("  {variable}: of node {from}, towards {to}"));
                if options.with_netem && netem::Netem::of(direction).is_some() {
                    script.comment(format!("  {variable}_FAR: of node {to}, towards {from}"));
                }
            }
        }
        script.line("set -eu");
        let mut used = Vec::new();
        for direction in &directions {
            let qdisc = self.shaped(scenario, variant, direction)?;
            script.line("");
            let device = device_of(direction, options, "");
            used.push(device.clone());
            let place = scenario.place_of(variant, &direction.queue_at);
            let settings = &direction.settings;
            let write = |script: &mut Script| {
                script.comment(format!(
                    "{}, from {} to {}: {} ({place})",
                    direction.name(),
                    settings.from,
                    settings.to,
                    settings.queue_name
                ));
                for note in notes(direction, &qdisc) {
                    script.comment(note);
                }
                let device = format!("\"{device}\"");
                script.line(format!("tc qdisc del dev {device} root 2>/dev/null || true"));
                Tree::new(script, &device).qdisc("root", &qdisc);
            };
            guarded(&mut script, &device, options.device.is_none(), write);
            if options.with_netem
                && let Some(netem) = netem::Netem::of(direction)
            {
                script.line("");
                let far = device_of(direction, options, "_FAR");
                guarded(&mut script, &far, true, |script| netem.write(script, &format!("\"{far}\"")));
                used.push(far);
            }
        }
        if options.device.is_none() {
            let all: String = used.iter().map(|device| device.replace('}', ":-}")).collect();
            script.line("");
            script.line(format!("if [ -z \"{all}\" ]; then"));
            script.indented(|script| {
                script.line("echo 'no device is named: set the variables at the head of this script' >&2");
                script.line("exit 2");
            });
            script.line("fi");
        }
        Ok(script.finish())
    }

    /// The qdisc of a direction, below a shaper for the link's rate unless it shapes itself.
    fn shaped(
        &self,
        scenario: &Scenario,
        variant: &Variant,
        direction: &Direction<'_>,
    ) -> Result<Qdisc, CheckError> {
        let wrong = |error: &ParameterError| scenario.error_at(variant, &direction.queue_at, error);
        let alone =
            direction.qdisc(self, &direction.context(self, false, HEADER)).map_err(|error| wrong(&error))?;
        let alone = at_the_links_rate(alone, direction.rate(), direction.settings.overhead);
        let Some(rate) = direction.rate() else { return Ok(alone) };
        if alone.shapes.is_some_and(|own| own <= rate) {
            return Ok(alone);
        }
        // A table of sizes above all makes Linux count less than its own header.
        let overhead = direction.settings.overhead;
        let counted = if overhead < HEADER { overhead } else { HEADER };
        let below =
            direction.qdisc(self, &direction.context(self, true, counted)).map_err(|error| wrong(&error))?;
        Ok(shaper(rate, overhead, below))
    }
}

/// Whether a text can name a network device; the characters are those that a shell leaves alone.
fn is_device(name: &str) -> bool {
    /// `IFNAMSIZ` without its zero byte.
    const LONGEST: usize = 15;
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-@:".contains(c);
    (1..=LONGEST).contains(&name.len()) && name.chars().all(plain) && !name.starts_with('-')
}

/// The device as the shell reads it: a name, or a variable.
fn device_of(direction: &Direction<'_>, options: &TcOptions, suffix: &str) -> String {
    match &options.device {
        Some(device) if suffix.is_empty() => device.clone(),
        _ => format!("${{{}{suffix}}}", variable(direction)),
    }
}

/// A token bucket (tc-htb(8)) at the link's rate, with one class.
fn shaper(rate: Rate, overhead: Bytes, below: Qdisc) -> Qdisc {
    let burst = rate.bytes_in(BURST).get().max(MTU.get() + HEADER.max(overhead).get());
    let mut class = Class { minor: 1, child: Some(below), ..Class::default() };
    let mut push = |name: &str, value: String| class.options.extend([name.to_owned(), value]);
    for (name, value) in [("rate", tc_rate(rate)), ("ceil", tc_rate(rate))] {
        push(name, value);
    }
    push("burst", burst.to_string());
    push("cburst", burst.to_string());
    push("quantum", (MTU.get() + HEADER.get()).to_string());
    let mut htb = Qdisc::new("htb").option("default", 1);
    if overhead > HEADER {
        push("overhead", (overhead.get() - HEADER.get()).to_string());
    }
    if overhead < HEADER {
        htb.size_table = Some(overhead.get() as i64 - HEADER.get() as i64);
    }
    htb.classes.push(class);
    htb.shapes = Some(rate);
    htb.note("the shaper for the link's rate; remove it where the device itself is the bottleneck").note(
        format!(
            "burst: {burst} bytes, what the link sends in {BURST} or one packet; the scenario's link has none"
        ),
    )
}

/// The time that the shaper's burst lasts: timers of the kernel are late by less.
const BURST: Duration = Duration::from_millis(1);

fn notes(direction: &Direction<'_>, qdisc: &Qdisc) -> Vec<String> {
    let mut notes = Vec::new();
    let settings = &direction.settings;
    if direction.rate().is_none() {
        notes.push(
            "the link's rate varies (a trace or a cell), which no qdisc follows: for a device that is itself the \
             bottleneck"
                .to_owned(),
        );
    }
    let rates = settings.changes.iter().filter(|change| change.rate.is_some()).count();
    if rates > 0 {
        notes.push(format!("the link's rate changes {rates} times during a run; this is the first"));
    }
    if let Some(rate) = qdisc.shapes.filter(|_| qdisc.kind != "htb") {
        notes.push(format!("shapes itself to {rate}"));
    }
    notes
}

/// Writes commands for a device of the environment inside a test that it is named.
fn guarded(script: &mut Script, device: &str, from_environment: bool, write: impl FnOnce(&mut Script)) {
    if !from_environment {
        return write(script);
    }
    script.line(format!("if [ -n \"{}\" ]; then", device.replace('}', ":-}")));
    script.indented(write);
    script.line("fi");
}
