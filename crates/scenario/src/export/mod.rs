//! Export of a scenario's queues: as commands of Linux's `tc`, and as a configuration of OpenWrt's SQM.
//!
//! What each discipline is in Linux stands with the discipline ([`jettison_queue::InLinux`]); this module adds the link:
//! the shaper for its rate, the length of its packets, its delay and loss.

mod netem;
mod shell;
mod sqm;
mod tc;

use jettison_core::{Bytes, Rate};
use jettison_queue::{Qdisc, QdiscContext, tc_rate};
use jettison_registry::schema::Aspect;
use jettison_registry::{KeyPath, ParameterError, suggestion};

use crate::build::Builder;
use crate::error::{CheckError, Place, ScenarioError};
use crate::scenario::{Scenario, Variant};
use crate::schema::{Carrier, DirectionSettings, Link, QueueChoice};
use crate::validate::Finding;

pub use sqm::SqmOptions;
pub use tc::TcOptions;

/// The largest IP length: Ethernet's.
const MTU: Bytes = Bytes::new(1500);
/// The link-layer header that Linux counts: Ethernet II's.
const HEADER: Bytes = Bytes::new(14);

/// One direction of a link, to be exported.
struct Direction<'a> {
    link: &'a str,
    forward: bool,
    settings: DirectionSettings,
    /// The key that chose the queue.
    queue_at: KeyPath,
}

impl Direction<'_> {
    /// `bottleneck.forward`.
    fn name(&self) -> String {
        format!("{}.{}", self.link, if self.forward { "forward" } else { "reverse" })
    }

    /// The link's fixed rate at the start; `None` if a trace or a cell serves it.
    fn rate(&self) -> Option<Rate> {
        match self.settings.carrier {
            Carrier::Rate(rate) => Some(rate),
            Carrier::Trace(_) | Carrier::Cell(_) => None,
        }
    }

    fn context<'b>(&self, builder: &'b Builder, is_shaped: bool, header: Bytes) -> QdiscContext<'b> {
        QdiscContext {
            rate: self.rate(),
            is_shaped,
            overhead: self.settings.overhead,
            header,
            mtu: MTU,
            registry: &builder.disciplines,
        }
    }

    fn qdisc(&self, builder: &Builder, context: &QdiscContext<'_>) -> Result<Qdisc, ParameterError> {
        let queue = &self.settings.queue;
        if let Some(entry) = builder.port_queues.entry(&queue.kind) {
            return entry.facts.qdisc(entry.name, &queue.parameters, context);
        }
        let entry = builder.disciplines.known(&queue.kind)?;
        entry.facts.qdisc(entry.name, &queue.parameters, context)
    }
}

impl Scenario {
    /// The variant to export: that with the given name, or the only one.
    ///
    /// # Errors
    /// If there is no such variant, or several and no name.
    pub fn variant_named(&self, name: Option<&str>) -> Result<&Variant, CheckError> {
        let names = || self.variants.iter().map(|variant| variant.name.as_str());
        let (message, help) = match (name, self.variants.as_slice()) {
            (None, [only]) => return Ok(only),
            (None, _) => {
                let all = names().collect::<Vec<_>>().join(" ");
                (
                    "the scenario has several variants".to_owned(),
                    format!("add `--variant` with one of: {all}"),
                )
            }
            (Some(name), variants) => match variants.iter().find(|variant| variant.name == name) {
                Some(found) => return Ok(found),
                None => (format!("unknown variant `{name}`"), suggestion(name, names())),
            },
        };
        Err(self.whole(message, help))
    }

    /// An error of the file as a whole.
    fn whole(&self, message: String, help: String) -> CheckError {
        let place = Place::WholeFile { file: self.file.clone() };
        CheckError::new(vec![ScenarioError { place, message, help: Some(help) }])
    }

    /// The error at the key in the file that it is about.
    fn error_at(&self, variant: &Variant, at: &KeyPath, error: &ParameterError) -> CheckError {
        let found = Finding::built(&variant.effective, at, error);
        let place = variant.origins.place(&self.document, &found.path, found.aspect);
        CheckError::new(vec![ScenarioError { place, message: found.message, help: found.help }])
    }

    /// The place of a key in the file, for comments: `scenario.toml:12:9`.
    fn place_of(&self, variant: &Variant, at: &KeyPath) -> String {
        variant.origins.place(&self.document, at, Aspect::Value).to_string()
    }

    /// The directions of `link`, or of all links, that `node` sends in.
    fn directions<'a>(
        &self,
        variant: &'a Variant,
        link: Option<&str>,
        node: Option<&str>,
    ) -> Result<Vec<Direction<'a>>, CheckError> {
        let settings = &variant.settings;
        if let Some(name) = link.filter(|name| !settings.links.contains_key(*name)) {
            let help = suggestion(name, settings.links.keys().map(String::as_str));
            return Err(self.whole(format!("unknown link `{name}`"), help));
        }
        if let Some(name) = node.filter(|name| !settings.nodes.contains_key(*name)) {
            let help = suggestion(name, settings.nodes.keys().map(String::as_str));
            return Err(self.whole(format!("unknown node `{name}`"), help));
        }
        let links = settings.links.iter().filter(|(name, _)| link.is_none_or(|link| link == name.as_str()));
        let both = links.flat_map(|(name, link)| [(name, link, true), (name, link, false)]);
        let mut directions = Vec::new();
        for (name, link, forward) in both {
            if node.is_none_or(|node| node == link.sender(forward)) {
                let direction = settings.direction(link, forward);
                let queue_at = queue_at(variant, name, link, forward, &direction);
                directions.push(Direction { link: name, forward, settings: direction, queue_at });
            }
        }
        if directions.is_empty() {
            let (node, link) = (node.unwrap_or_default(), link.unwrap_or_default());
            let help = "leave out `--node`, or name a node at an end of the link".to_owned();
            return Err(self.whole(format!("node `{node}` sends nothing on link `{link}`"), help));
        }
        Ok(directions)
    }
}

/// The table or value that chose a direction's queue: the `[queues]` entry, or the key of link or node.
fn queue_at(
    variant: &Variant,
    name: &str,
    link: &Link,
    forward: bool,
    direction: &DirectionSettings,
) -> KeyPath {
    let root = KeyPath::root();
    let own = link.reverse.as_ref().filter(|_| !forward).and_then(|reverse| reverse.queue.as_ref());
    let (choice, at) = match (own, &link.queue) {
        (Some(own), _) => (Some(own), root.key("links").key(name).key("reverse").key("queue")),
        (None, Some(queue)) => (Some(queue), root.key("links").key(name).key("queue")),
        (None, None) => {
            let node = variant.settings.nodes.get(&direction.from).and_then(crate::schema::Node::queue);
            let at = match node {
                Some(_) => root.key("nodes").key(&direction.from).key("queue"),
                None => root.key("links").key(name),
            };
            (node, at)
        }
    };
    match choice {
        Some(QueueChoice::Named(queue)) if variant.settings.queues.contains_key(queue) => {
            root.key("queues").key(queue)
        }
        _ => at,
    }
}

/// CAKE without a rate of its own takes that of the link: it needs no other shaper. It also takes what the link counts per
/// packet, unless it has an overhead of its own.
fn at_the_links_rate(mut qdisc: Qdisc, rate: Option<Rate>, overhead: Bytes) -> Qdisc {
    let Some(rate) = rate.filter(|_| qdisc.kind == "cake" && qdisc.shapes.is_none()) else { return qdisc };
    if let Some(at) = qdisc.options.iter().position(|word| word == "unlimited") {
        qdisc.options.splice(at..=at, ["bandwidth".to_owned(), tc_rate(rate)]);
        qdisc.shapes = Some(rate);
        let is_default =
            ["atm", "ptm"].iter().all(|framing| !qdisc.options.iter().any(|word| word == framing));
        if is_default
            && let Some(at) = qdisc.options.iter().position(|word| word == "overhead")
            && let Some(value) = qdisc.options.get_mut(at + 1).filter(|value| *value == "14")
        {
            *value = overhead.get().to_string();
        }
    }
    qdisc
}

/// Reads a switch of a qdisc's options: the value after `name`.
fn option<'q>(qdisc: &'q Qdisc, name: &str) -> Option<&'q str> {
    let at = qdisc.options.iter().position(|word| word == name)?;
    qdisc.options.get(at + 1).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cake_without_a_rate_takes_the_links() {
        let cake =
            Qdisc::new("cake").word("unlimited").word("diffserv3").option("overhead", 14).word("noatm");
        let set = at_the_links_rate(cake.clone(), Some(Rate::from_mbit(20)), Bytes::new(38));
        assert_eq!(set.options.join(" "), "bandwidth 20mbit diffserv3 overhead 38 noatm");
        assert_eq!(set.shapes, Some(Rate::from_mbit(20)));
        assert_eq!(at_the_links_rate(cake.clone(), None, Bytes::new(38)), cake);
        for own in ["overhead 44 atm", "overhead 14 atm", "overhead 22 noatm"] {
            let mut cake = Qdisc::new("cake").word("unlimited");
            cake.options.extend(own.split(' ').map(str::to_owned));
            let set = at_the_links_rate(cake, Some(Rate::from_mbit(20)), Bytes::new(38));
            assert_eq!(set.options.join(" "), format!("bandwidth 20mbit {own}"));
        }
        let own =
            Qdisc { shapes: Some(Rate::from_mbit(5)), ..Qdisc::new("cake").option("bandwidth", "5mbit") };
        assert_eq!(at_the_links_rate(own.clone(), Some(Rate::from_mbit(20)), Bytes::new(38)), own);
    }
}
