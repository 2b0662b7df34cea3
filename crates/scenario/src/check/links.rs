//! Ends, rates, traces, scheduled changes, and queues that fit where they stand.

use jettison_core::Rate;

use super::Checker;
use crate::path::KeyPath;
use crate::schema::{Carrier, Change, Link, Node, ScheduledLoss};

impl Checker<'_> {
    pub(super) fn links(&mut self) {
        let settings = self.settings;
        let table = KeyPath::root().key("links");
        for (name, link) in &settings.links {
            let at = table.key(name);
            self.ends(name, link, &at);
            self.carrier(name, link, &at);
            self.rate(link.rate, &at.key("rate"));
            self.queue_choice(link.queue.as_ref(), &at.key("queue"));
            self.scheduled_losses(&link.scheduled_loss, &at.key("scheduled_loss"));
            if let Some(reverse) = &link.reverse {
                let at = at.key("reverse");
                self.rate(reverse.rate, &at.key("rate"));
                self.queue_choice(reverse.queue.as_ref(), &at.key("queue"));
                self.scheduled_losses(reverse.scheduled_loss.as_deref().unwrap_or(&[]), &at.key("scheduled_loss"));
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
            self.find(&at, format!("both ends of link `{name}` are `{first}`"), "name two nodes");
        }
    }

    fn carrier(&mut self, name: &str, link: &Link, at: &KeyPath) {
        let both = |at: &KeyPath| (at.key("trace"), format!("link `{name}` has both `rate` and `trace`"), "keep one");
        let reverse = link.reverse.as_ref();
        if link.rate.is_some() && link.trace.is_some() {
            let (at, message, help) = both(at);
            self.find(&at, message, help);
        }
        if reverse.is_some_and(|reverse| reverse.rate.is_some() && reverse.trace.is_some()) {
            let (at, message, help) = both(&at.key("reverse"));
            self.find(&at, message, help);
        }
        if link.rate.is_none() && link.trace.is_none() {
            let help = "write `rate = \"10 Mbit/s\"`, or `trace = \"FILE\"`";
            self.find(at, format!("link `{name}` has neither `rate` nor `trace`"), help);
        }
    }

    fn rate(&mut self, rate: Option<Rate>, at: &KeyPath) {
        if rate.is_some_and(Rate::is_zero) {
            let help = "write at least 1 bit/s (`loss = 1` makes a link that loses everything)";
            self.find(at, "a rate of zero carries nothing".to_owned(), help);
        }
    }

    fn scheduled_losses(&mut self, losses: &[ScheduledLoss], at: &KeyPath) {
        for (index, loss) in losses.iter().enumerate() {
            if loss.at.is_some() == loss.packet.is_some() {
                let at = at.index(index);
                let message = format!("`{at}` does not say which packets are lost");
                self.find(&at, message, "write either `at = \"10 s\"` or `packet = 100`");
            }
        }
    }

    fn direction(&mut self, name: &str, link: &Link, forward: bool, at: &KeyPath) {
        let own = link.reverse.as_ref().filter(|_| !forward);
        let direction = self.settings.direction(link, forward);
        let is_trace = matches!(direction.carrier, Carrier::Trace(_));
        let changes_at = match own {
            Some(own) if own.changes.is_some() => at.key("reverse").key("changes"),
            _ => at.key("changes"),
        };
        for (index, change) in direction.changes.iter().enumerate() {
            self.change(change, is_trace, &changes_at.index(index));
        }

        let queue_at = match own {
            Some(own) if own.queue.is_some() => at.key("reverse").key("queue"),
            _ if link.queue.is_some() => at.key("queue"),
            _ => KeyPath::root().key("nodes").key(&direction.from).key("queue"),
        };
        let kind = &direction.queue.kind;
        if self.registries.port_queues.kind(kind).is_some()
            && self.settings.nodes.get(&direction.from).is_some_and(Node::is_host)
        {
            let (from, to) = (&direction.from, &direction.to);
            let message = format!(
                "`{}` acts in a router's pipeline, but in the direction from `{from}` to `{to}` of link `{name}` a \
                 host sends",
                direction.queue_name
            );
            let help = match forward {
                true => "put it on a direction that a router sends in, and give this one `queue = \"tail-drop\"`",
                false => "give that direction another, with `reverse = { queue = \"tail-drop\" }`",
            };
            self.find(&queue_at, message, help);
        }
    }

    fn change(&mut self, change: &Change, is_trace: bool, at: &KeyPath) {
        self.rate(change.rate, &at.key("rate"));
        if change.rate.is_some() && is_trace {
            let help = "change `delay` or `loss`, or give the link a `rate` instead of a trace";
            self.find(&at.key("rate"), "the rate of a trace cannot be changed".to_owned(), help);
        }
        if change.rate.is_none() && change.delay.is_none() && change.loss.is_none() {
            self.find(at, format!("`{at}` changes nothing"), "add `rate`, `delay` or `loss`");
        }
    }
}
