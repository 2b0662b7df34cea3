//! Classification of packets into flows of the scenario.

use jettison_sim::NodeId;
use jettison_wire::{Address, FiveTuple, FlowId};
use rustc_hash::FxHashMap;

/// Rule that selects a flow's packets, in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// One host of the flow.
    pub from: NodeId,
    /// The other host of the flow.
    pub to: NodeId,
    /// IP protocol number; `None` for any.
    pub protocol: Option<u8>,
    /// Port of either side; `None` for any.
    pub port: Option<u16>,
    /// The flow.
    pub flow: FlowId,
}

/// Classifies packets by the first matching rule. Results are cached by five-tuple.
#[derive(Debug, Clone, Default)]
pub struct Classifier {
    rules: Vec<Rule>,
    hosts: FxHashMap<Address, NodeId>,
    gateway: Option<NodeId>,
    known: FxHashMap<(NodeId, FiveTuple), FlowId>,
}

/// Maximum number of cached five-tuples; the cache is cleared when it is full.
const CACHE_SIZE: usize = 1 << 16;

impl Classifier {
    /// Creates a classifier for hosts with these addresses; a host may have several.
    pub fn new(hosts: impl IntoIterator<Item = (Address, NodeId)>, rules: Vec<Rule>) -> Classifier {
        Classifier { rules, hosts: hosts.into_iter().collect(), ..Classifier::default() }
    }

    /// Assigns all other addresses to `host`, which is a gateway.
    pub fn with_gateway(self, host: NodeId) -> Classifier {
        Classifier { gateway: Some(host), ..self }
    }

    /// Flow of a packet from `sender`; [`FlowId::NONE`] if no rule matches.
    #[inline]
    pub fn classify(&mut self, sender: NodeId, tuple: &FiveTuple) -> FlowId {
        if let Some(flow) = self.known.get(&(sender, *tuple)) {
            return *flow;
        }
        self.classify_by_rules(sender, tuple)
    }

    #[cold]
    fn classify_by_rules(&mut self, sender: NodeId, tuple: &FiveTuple) -> FlowId {
        let receiver = self.hosts.get(&tuple.dst).copied().or(self.gateway);
        let matches = |rule: &&Rule| {
            let ends = [(rule.from, rule.to), (rule.to, rule.from)];
            ends.iter().any(|(a, b)| *a == sender && Some(*b) == receiver)
                && rule.protocol.is_none_or(|protocol| protocol == tuple.protocol)
                && rule.port.is_none_or(|port| port == tuple.src_port || port == tuple.dst_port)
        };
        let flow = self.rules.iter().find(matches).map_or(FlowId::NONE, |rule| rule.flow);
        if self.known.len() >= CACHE_SIZE {
            self.known.clear();
        }
        self.known.insert((sender, *tuple), flow);
        flow
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Seed;
    use jettison_measure::RecorderSettings;
    use jettison_sim::{WorldBuilder, WorldSettings};

    use super::*;

    fn tuple(src: u8, dst: u8, protocol: u8, ports: (u16, u16)) -> FiveTuple {
        let address = |last| Address::v4(10, 0, 0, last);
        let (src_port, dst_port) = ports;
        FiveTuple { src: address(src), dst: address(dst), protocol, src_port, dst_port }
    }

    fn hosts() -> [NodeId; 3] {
        let settings = WorldSettings { seed: Seed(1), recorder: RecorderSettings::default() };
        let mut world = WorldBuilder::new(settings);
        [1, 2, 3].map(|last| world.outside_host(format!("h{last}"), Address::v4(10, 0, 0, last)))
    }

    #[test]
    fn the_first_rule_that_matches_in_either_direction_decides() {
        let [a, b, c] = hosts();
        let rule = |from, to, protocol, port, flow| Rule { from, to, protocol, port, flow: FlowId(flow) };
        let rules = vec![
            rule(a, b, Some(6), Some(80), 0),
            rule(a, b, Some(6), None, 1),
            rule(b, c, None, Some(80), 2),
            rule(a, b, None, None, 3),
        ];
        let addresses =
            [a, b, c].into_iter().zip(1..).map(|(host, last)| (Address::v4(10, 0, 0, last), host));
        let mut classifier = Classifier::new(addresses, rules);
        for _ in 0..2 {
            // The second round reads the cache.
            assert_eq!(classifier.classify(a, &tuple(1, 2, 6, (5, 80))), FlowId(0));
            assert_eq!(classifier.classify(b, &tuple(2, 1, 6, (80, 5))), FlowId(0));
            assert_eq!(classifier.classify(a, &tuple(1, 2, 6, (5, 81))), FlowId(1));
            assert_eq!(classifier.classify(b, &tuple(2, 1, 17, (5, 80))), FlowId(3));
            assert_eq!(classifier.classify(c, &tuple(3, 2, 17, (80, 9))), FlowId(2));
            assert_eq!(classifier.classify(c, &tuple(3, 1, 17, (80, 9))), FlowId::NONE);
            assert_eq!(classifier.classify(a, &tuple(1, 9, 6, (5, 80))), FlowId::NONE);
        }
    }

    #[test]
    fn unknown_addresses_belong_to_the_gateway() {
        let [a, b, _] = hosts();
        let rules = vec![Rule { from: a, to: b, protocol: None, port: None, flow: FlowId(7) }];
        let mut classifier = Classifier::new([(Address::v4(10, 0, 0, 1), a)], rules).with_gateway(b);
        assert_eq!(classifier.classify(a, &tuple(1, 99, 6, (5, 80))), FlowId(7));
        assert_eq!(classifier.classify(b, &tuple(99, 1, 6, (80, 5))), FlowId(7));
    }
}
