//! Checks of links: ends, carriers, profiles, scheduled changes, and the placement of queues.

use std::sync::Arc;

use jettison_core::{Bytes, Rate, Time};
use jettison_link::cellular::{CellularParameters, Numbering};
use jettison_link::trace::Grants;

use super::Checker;
use crate::schema::{
    Carrier, Cell, Change, DirectionSettings, Link, LossChoice, MOST_PROFILE_STEPS, Node, Profile,
};
use crate::validate::Finding;
use jettison_registry::{KeyPath, ParameterError};
use serde_json::Value;

/// Above any encapsulation overhead, and small enough that packet sizes cannot overflow.
const LARGEST_OVERHEAD: Bytes = Bytes::new(65_535);

/// `egress_spec` for a drop.
const DROP_PORT: u16 = jettison_p4_v1model::DROP_PORT as u16;
/// Largest number of a port.
const LAST_PORT: u16 = DROP_PORT - 1;

/// The error at the key that is written: `jitter` itself if it is a value and not a table.
fn at_written(tree: &serde_json::Value, at: &KeyPath, mut error: ParameterError) -> ParameterError {
    let first = error.path.first().map(|key| at.key(key));
    if first.and_then(|key| key.find(tree)).is_some_and(|written| !written.is_object()) {
        error.path.truncate(1);
    }
    error
}

impl Checker<'_> {
    pub(super) fn links(&mut self) {
        let settings = self.settings;
        let table = KeyPath::root().key("links");
        for (name, link) in &settings.links {
            let at = table.key(name);
            self.ends(name, link, &at);
            self.ports(name, link, &at.key("ports"));
            self.carrier(name, link, &at);
            self.profile(name, link, &at);
            self.rate(link.rate, &at.key("rate"));
            self.cell(link.cell.as_ref(), &at.key("cell"));
            self.queue_choice(link.queue.as_ref(), &at.key("queue"));
            self.loss(&link.loss, &at.key("loss"));
            self.overhead(link.overhead, &at.key("overhead"));
            self.cellular(link.cellular.as_ref(), &at.key("cellular"));
            if let Some(reverse) = &link.reverse {
                let at = at.key("reverse");
                self.rate(reverse.rate, &at.key("rate"));
                self.cell(reverse.cell.as_ref(), &at.key("cell"));
                self.queue_choice(reverse.queue.as_ref(), &at.key("queue"));
                self.overhead(reverse.overhead, &at.key("overhead"));
                self.cellular(reverse.cellular.as_ref(), &at.key("cellular"));
                if let Some(loss) = &reverse.loss {
                    self.loss(loss, &at.key("loss"));
                }
            }
            for forward in [true, false] {
                self.direction(name, link, forward, &at);
            }
        }
    }

    fn ends(&mut self, name: &str, link: &Link, at: &KeyPath) {
        let at = at.key("between");
        let [first, second] = &link.between;
        self.node_name(first, &at.index(0));
        self.node_name(second, &at.index(1));
        if first == second {
            let message = format!("link `{name}` must join two nodes, both ends are `{first}`");
            self.find(&at, message, "name another node");
        }
    }

    /// Checks the given numbers of ports: at P4 routers that the link joins, and unique there.
    fn ports(&mut self, name: &str, link: &Link, at: &KeyPath) {
        let settings = self.settings;
        for (node, number) in &link.ports {
            let at = at.key(node);
            if !link.between.contains(node) {
                let [first, second] = &link.between;
                let message = format!("`{node}` is not an end of link `{name}`");
                self.find(&at, message, format!("name `{first}` or `{second}`"));
                continue;
            }
            if settings.nodes.get(node).is_some_and(|node| !matches!(node, Node::P4(_))) {
                let message = format!("`{node}` has no port numbers: only P4 routers have");
                self.find(&at, message, format!("remove `{node}` from `ports`"));
                continue;
            }
            if *number > LAST_PORT {
                let message = format!(
                    "port numbers must be at most {LAST_PORT}, got {number}; {DROP_PORT} means \"drop\" in v1model"
                );
                self.find(&at, message, "write a smaller number");
            }
            let before = settings.links.iter().take_while(|(other, _)| *other != name);
            let taken = before.filter(|(_, other)| other.ports.get(node) == Some(number));
            if let Some((other, _)) = taken.into_iter().next() {
                let message = format!(
                    "port numbers must be unique: links `{other}` and `{name}` are both port {number} of `{node}`"
                );
                self.find(&at, message, "write another number");
            }
        }
    }

    fn carrier(&mut self, name: &str, link: &Link, at: &KeyPath) {
        let carriers =
            |rate: bool, trace: bool, cell: bool| [("rate", rate), ("trace", trace), ("cell", cell)];
        let own = carriers(link.rate.is_some(), link.trace.is_some(), link.cell.is_some());
        let reverse = link.reverse.as_ref().map(|own| {
            let reverse_carriers = carriers(own.rate.is_some(), own.trace.is_some(), own.cell.is_some());
            (at.key("reverse"), reverse_carriers)
        });
        for (at, carriers) in [(at.clone(), own)].into_iter().chain(reverse) {
            let mut said = carriers.into_iter().filter(|(_, said)| *said).map(|(key, _)| key);
            let Some(first) = said.next() else { continue };
            for key in said {
                let message = format!("link `{name}` has both `{first}` and `{key}`");
                self.find(&at.key(key), message, "keep one");
            }
        }
        if own.iter().all(|(_, said)| !said) && link.profile.is_none() {
            let help =
                "add `rate = \"10 Mbit/s\"`, `trace = \"FILE\"`, `cell = \"FILE\"` or `profile = \"FILE\"`";
            let message = format!("link `{name}` has no `rate`, `trace`, `cell` or `profile`");
            self.find(at, message, help);
        }
    }

    /// Checks that nothing else sets the rate, delay and loss that a profile sets.
    fn profile(&mut self, name: &str, link: &Link, at: &KeyPath) {
        let mut both = |at: &KeyPath, key: &str, said: bool| {
            if said {
                let message = format!("link `{name}` has both `{key}` and `profile`");
                self.find(&at.key(key), message, format!("remove `{key}`: the profile sets it"));
            }
        };
        if link.profile.is_some() {
            both(at, "rate", link.rate.is_some());
            both(at, "trace", link.trace.is_some());
            both(at, "cell", link.cell.is_some());
            both(at, "delay", !link.delay.is_zero());
            both(at, "loss", !link.loss.parameters().is_none());
            both(at, "changes", !link.changes.is_empty());
        }
        if let Some(reverse) = &link.reverse {
            let at = at.key("reverse");
            if reverse.profile.is_some() {
                both(&at, "rate", reverse.rate.is_some());
                both(&at, "trace", reverse.trace.is_some());
                both(&at, "cell", reverse.cell.is_some());
                both(&at, "delay", reverse.delay.is_some());
                both(&at, "loss", reverse.loss.is_some());
            }
            both(&at, "changes", reverse.changes.is_some() && link.profile_of(false).is_some());
        }
        let reverse = link.reverse.as_ref().and_then(|reverse| reverse.profile.as_ref());
        for (profile, at) in [(link.profile.as_ref(), at.clone()), (reverse, at.key("reverse"))] {
            self.profile_length(profile, &at.key("profile"));
        }
    }

    fn profile_length(&mut self, profile: Option<&Profile>, at: &KeyPath) {
        let duration = KeyPath::root().key("duration");
        if duration.find(self.tree).is_none() || self.is_refused(&duration) {
            return;
        }
        let end = Time::ZERO + self.settings.duration;
        let steps = profile.and_then(|profile| profile.read.as_ref()).map_or(0, |profile| profile.count(end));
        if steps > MOST_PROFILE_STEPS as u64 {
            let message =
                format!("the profile must change at most {MOST_PROFILE_STEPS} times in the run, got {steps}");
            self.find(at, message, "write a longer `pause`, fewer changes or a shorter `duration`");
        }
    }

    /// Checks that a link can run on the grants, whose file has been read before.
    fn cell(&mut self, cell: Option<&Cell>, at: &KeyPath) {
        let Some(cell) = cell else { return };
        let link = |grants: &Arc<Grants>| cell.file.link(Arc::clone(grants)).map(drop);
        let sound = cell.read.as_ref().map_or_else(|| cell.file.validate(), link);
        if let Err(error) = sound {
            self.findings.push(Finding::built(self.tree, at, &error));
        }
    }

    /// Checks the ranges of a user plane.
    fn cellular(&mut self, cellular: Option<&CellularParameters>, at: &KeyPath) {
        if let Some(Err(error)) = cellular.map(CellularParameters::validate) {
            self.findings.push(Finding::built(self.tree, at, &error));
        }
    }

    /// Checks that the sender can number packets at their arrival: a P4 program has a use of its own for what holds the number.
    fn numbering(&mut self, name: &str, direction: &DirectionSettings, at: &KeyPath) {
        let sender = self.settings.nodes.get(&direction.from);
        let is_p4 = sender.is_some_and(|node| !node.is_host() && !node.has_hooks());
        let is_early = direction
            .cellular
            .as_ref()
            .is_some_and(|cellular| cellular.pdcp.numbering == Numbering::BeforeQueue);
        if is_p4 && is_early {
            let message = format!(
                "the P4 router `{}`, which sends on link `{name}`, cannot number packets before its queue",
                direction.from
            );
            self.find(
                at,
                message,
                "write `pdcp = { numbering = \"at-transmission\" }`, or use a native router",
            );
        }
    }

    fn rate(&mut self, rate: Option<Rate>, at: &KeyPath) {
        if let Some(rate) = rate.filter(|rate| rate.is_zero()) {
            let help = "for an outage, set the rate to zero and back in `changes`";
            self.find(at, format!("`{at}` must be > 0, got {rate}"), help);
        }
    }

    fn loss(&mut self, loss: &LossChoice, at: &KeyPath) {
        if let LossChoice::Table(parameters) = loss
            && let Err(error) = parameters.validate()
        {
            self.findings.push(Finding::built(self.tree, at, &error));
        }
    }

    fn overhead(&mut self, overhead: Option<Bytes>, at: &KeyPath) {
        if let Some(overhead) = overhead.filter(|overhead| *overhead > LARGEST_OVERHEAD) {
            let message = format!("`{at}` must be <= {} bytes, got {overhead}", LARGEST_OVERHEAD.get());
            self.findings.push(Finding::complete(at, message));
        }
    }

    fn direction(&mut self, name: &str, link: &Link, forward: bool, at: &KeyPath) {
        let own = link.reverse.as_ref().filter(|_| !forward);
        let direction = self.settings.direction(link, forward);
        let is_trace = !matches!(direction.carrier, Carrier::Rate(_));
        let changes_at = match own {
            Some(own) if own.changes.is_some() => at.key("reverse").key("changes"),
            _ => at.key("changes"),
        };
        let own_plane = own.is_some_and(|own| own.cellular.is_some());
        let plane_at = if own_plane { at.key("reverse") } else { at.clone() };
        self.numbering(name, &direction, &plane_at.key("cellular"));
        if link.profile_of(forward).is_none() {
            self.changes(&direction.changes, is_trace, &changes_at);
        }
        let changes_loss = direction.changes.iter().any(|change| change.loss.is_some());
        if changes_loss && !direction.loss.changes.is_empty() {
            let message = format!("`{changes_at}` and the table `loss` both change the loss");
            self.find(&changes_at, message, "keep one");
        }

        // An error points to the key that set the impairment.
        if let Err(error) = direction.impairments.validate(direction.least_delay()) {
            let of_direction = error.path.first().is_some_and(|key| {
                KeyPath::root().key("links").key(name).key("reverse").key(key).find(self.tree).is_some()
            });
            let own = !forward && of_direction;
            let at = if own { at.key("reverse") } else { at.clone() };
            let finding = Finding::built(self.tree, &at, &at_written(self.tree, &at, error));
            if !self.findings.contains(&finding) {
                self.findings.push(finding);
            }
        }

        // Port hooks act in the pipeline of a native router. An error points to the key that chose the queue.
        let queue_at = match own {
            Some(own) if own.queue.is_some() => at.key("reverse").key("queue"),
            _ if link.queue.is_some() => at.key("queue"),
            _ => KeyPath::root().key("nodes").key(&direction.from).key("queue"),
        };
        let kind = &direction.queue.kind;
        let sender = self.settings.nodes.get(&direction.from);
        // CAKE looks up hosts in the translation of the node where it is.
        let looks_up =
            kind == "cake" && direction.queue.parameters.get("nat").and_then(Value::as_bool) == Some(true);
        if looks_up && sender.is_some_and(|node| node.nat().is_none()) {
            let from = &direction.from;
            let message = format!(
                "`{}` has `nat = true`, but `{from}`, which sends on link `{name}`, has no `nat`",
                direction.queue_name
            );
            let help =
                format!("write `nat = {{ inside = [\"…\"] }}` at `nodes.{from}`, or remove `nat = true`");
            self.find(&queue_at, message, help);
        }
        if self.registries.port_queues.kind(kind).is_some() && sender.is_some_and(|node| !node.has_hooks()) {
            let (from, to) = (&direction.from, &direction.to);
            let sender_kind = if sender.is_some_and(Node::is_host) { "host" } else { "P4 router" };
            let message = format!(
                "`{}` needs a native router as the sender, but from `{from}` to `{to}` on link `{name}` the sender is \
                 a {sender_kind}",
                direction.queue_name
            );
            let help = match forward {
                true => "set it where a native router sends, and set `queue = \"tail-drop\"` here",
                false => "set another queue for that direction: `reverse = { queue = \"tail-drop\" }`",
            };
            self.find(&queue_at, message, help);
        }
    }

    fn changes(&mut self, changes: &[Change], is_trace: bool, at: &KeyPath) {
        for (index, change) in changes.iter().enumerate() {
            let at = at.index(index);
            if change.rate.is_some() && is_trace {
                let help = "change `delay` or `loss`, or give the link a `rate`";
                let message = "`changes` must not set the rate of a link with a trace or a cell".to_owned();
                self.find(&at.key("rate"), message, help);
            }
            if change.rate.is_none() && change.delay.is_none() && change.loss.is_none() {
                self.find(
                    &at,
                    format!("`{at}` has no `rate`, `delay` or `loss`"),
                    "add at least one of them",
                );
            }
            if index > 0 && change.at <= changes[index - 1].at {
                let message = format!(
                    "changes must be in order of time, got {} after {}",
                    change.at,
                    changes[index - 1].at
                );
                self.find(&at.key("at"), message, "sort `changes` by `at`, without equal times");
            }
        }
        // A final rate of zero would leave packets queued for ever.
        let last = changes.iter().enumerate().rev().find_map(|(index, change)| Some((index, change.rate?)));
        if let Some((index, _)) = last.filter(|(_, rate)| rate.is_zero()) {
            let message = "the last change of rate must be > 0, got 0 bit/s".to_owned();
            self.find(&at.index(index).key("rate"), message, "add a change that ends the outage");
        }
    }
}
