//! Multicast groups and their nodes, as in BMv2's replication engine.
//!
//! A node has an `egress_rid` and a set of ports; a group has nodes. A packet to a group is replicated for each port of
//! each node: nodes in the order of association, ports of a node in ascending order.

use std::collections::BTreeMap;

use jettison_switch::{Port, Replica};

use super::CommandError;

/// All nodes and groups.
#[derive(Debug, Clone, Default)]
pub struct Replication {
    nodes: BTreeMap<u32, Node>,
    next_node: u32,
    groups: BTreeMap<u16, Vec<u32>>,
}

/// A node: one `egress_rid`, and the ports that get a replica with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// `egress_rid` of the node's replicas.
    pub rid: u16,
    /// Ports, ascending and unique.
    pub ports: Vec<Port>,
    /// Group of the node.
    pub group: Option<u16>,
}

impl Replication {
    /// Creates a node and returns its number.
    pub fn create_node(&mut self, rid: u16, ports: &[Port]) -> u32 {
        let number = self.next_node;
        self.next_node += 1;
        self.nodes.insert(number, Node { rid, ports: in_order(ports), group: None });
        number
    }

    /// Replaces the ports of a node; returns the node's group, whose members have changed.
    pub fn update_node(&mut self, node: u32, ports: &[Port]) -> Result<Option<u16>, CommandError> {
        let node = self.nodes.get_mut(&node).ok_or(CommandError::NoNode(node))?;
        node.ports = in_order(ports);
        Ok(node.group)
    }

    /// Removes a node; returns its group.
    pub fn destroy_node(&mut self, node: u32) -> Result<Option<u16>, CommandError> {
        let removed = self.nodes.remove(&node).ok_or(CommandError::NoNode(node))?;
        if let Some(nodes) = removed.group.and_then(|group| self.groups.get_mut(&group)) {
            nodes.retain(|other| *other != node);
        }
        Ok(removed.group)
    }

    /// Creates a group without nodes.
    pub fn create_group(&mut self, group: u16) -> Result<(), CommandError> {
        if group == 0 {
            return Err(CommandError::GroupZero);
        }
        if self.groups.contains_key(&group) {
            return Err(CommandError::GroupExists(group));
        }
        self.groups.insert(group, Vec::new());
        Ok(())
    }

    /// Removes a group; its nodes stay, without a group.
    pub fn destroy_group(&mut self, group: u16) -> Result<(), CommandError> {
        let nodes = self.groups.remove(&group).ok_or(CommandError::NoGroup(group))?;
        for node in nodes {
            if let Some(node) = self.nodes.get_mut(&node) {
                node.group = None;
            }
        }
        Ok(())
    }

    /// Adds a node to a group.
    pub fn associate(&mut self, group: u16, node: u32) -> Result<(), CommandError> {
        let nodes = self.groups.get_mut(&group).ok_or(CommandError::NoGroup(group))?;
        let state = self.nodes.get_mut(&node).ok_or(CommandError::NoNode(node))?;
        if let Some(group) = state.group {
            return Err(CommandError::NodeInGroup { node, group });
        }
        state.group = Some(group);
        nodes.push(node);
        Ok(())
    }

    /// Removes a node from a group.
    pub fn dissociate(&mut self, group: u16, node: u32) -> Result<(), CommandError> {
        let nodes = self.groups.get_mut(&group).ok_or(CommandError::NoGroup(group))?;
        let state = self.nodes.get_mut(&node).ok_or(CommandError::NoNode(node))?;
        if state.group != Some(group) {
            return Err(CommandError::NodeNotInGroup { node, group });
        }
        state.group = None;
        nodes.retain(|other| *other != node);
        Ok(())
    }

    /// A node.
    pub fn node(&self, node: u32) -> Option<&Node> {
        self.nodes.get(&node)
    }

    /// All nodes with their numbers.
    pub fn nodes(&self) -> impl Iterator<Item = (u32, &Node)> {
        self.nodes.iter().map(|(number, node)| (*number, node))
    }

    /// Numbers of a group's nodes, in the order of association.
    pub fn nodes_of(&self, group: u16) -> &[u32] {
        self.groups.get(&group).map_or(&[], Vec::as_slice)
    }

    /// Numbers of all groups.
    pub fn groups(&self) -> Vec<u16> {
        self.groups.keys().copied().collect()
    }

    /// Whether the group exists.
    pub fn has_group(&self, group: u16) -> bool {
        self.groups.contains_key(&group)
    }

    /// Replicas of a packet to a group.
    pub fn members(&self, group: u16) -> Vec<Replica> {
        let nodes = self.groups.get(&group).into_iter().flatten().filter_map(|node| self.nodes.get(node));
        let replicas =
            nodes.flat_map(|node| node.ports.iter().map(|port| Replica { port: *port, number: node.rid }));
        replicas.collect()
    }
}

fn in_order(ports: &[Port]) -> Vec<Port> {
    let mut ports = ports.to_vec();
    ports.sort_unstable();
    ports.dedup();
    ports
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ports<const N: usize>(ports: [u16; N]) -> [Port; N] {
        ports.map(Port)
    }

    #[test]
    fn a_group_has_a_replica_for_each_port_of_each_node() {
        let mut engine = Replication::default();
        let first = engine.create_node(5, &ports([3, 0, 3]));
        let second = engine.create_node(10, &ports([7]));
        engine.create_group(1113).unwrap();
        engine.associate(1113, second).unwrap();
        engine.associate(1113, first).unwrap();
        let replica = |port, number| Replica { port: Port(port), number };
        assert_eq!(engine.members(1113), [replica(7, 10), replica(0, 5), replica(3, 5)]);
        assert_eq!(engine.update_node(first, &ports([1])), Ok(Some(1113)));
        engine.dissociate(1113, second).unwrap();
        assert_eq!(engine.members(1113), [replica(1, 5)]);
        assert_eq!(engine.destroy_node(first), Ok(Some(1113)));
        assert!(engine.members(1113).is_empty() && engine.has_group(1113));
    }

    #[test]
    fn a_node_is_in_at_most_one_group_and_both_must_exist() {
        let mut engine = Replication::default();
        let node = engine.create_node(0, &[]);
        assert_eq!(engine.associate(1, node), Err(CommandError::NoGroup(1)));
        engine.create_group(1).unwrap();
        engine.create_group(2).unwrap();
        assert_eq!(engine.create_group(1), Err(CommandError::GroupExists(1)));
        assert_eq!(engine.create_group(0), Err(CommandError::GroupZero));
        assert_eq!(engine.associate(1, 99), Err(CommandError::NoNode(99)));
        engine.associate(1, node).unwrap();
        assert_eq!(engine.associate(2, node), Err(CommandError::NodeInGroup { node, group: 1 }));
        assert_eq!(engine.dissociate(2, node), Err(CommandError::NodeNotInGroup { node, group: 2 }));
        engine.destroy_group(1).unwrap();
        engine.associate(2, node).unwrap();
        assert_eq!(engine.destroy_group(1), Err(CommandError::NoGroup(1)));
    }
}
