//! Static routes: fewest hops, ties by the order of links in the scenario.

use std::collections::VecDeque;

/// A graph of nodes; `edges[node]` lists `(neighbour, port)` in the order of the node's ports.
pub(crate) struct Graph {
    pub(crate) edges: Vec<Vec<(usize, u16)>>,
    /// Whether a node forwards packets.
    pub(crate) forwards: Vec<bool>,
}

impl Graph {
    /// The port of each node towards `destination`, over the fewest hops through forwarding nodes; `None` without a path, and
    /// at the destination.
    pub(crate) fn ports_towards(&self, destination: usize) -> Vec<Option<u16>> {
        let mut hops = vec![u32::MAX; self.edges.len()];
        hops[destination] = 0;
        let mut frontier = VecDeque::from([destination]);
        while let Some(node) = frontier.pop_front() {
            if node != destination && !self.forwards[node] {
                continue;
            }
            for &(neighbour, _) in &self.edges[node] {
                if hops[neighbour] == u32::MAX {
                    hops[neighbour] = hops[node] + 1;
                    frontier.push_back(neighbour);
                }
            }
        }
        // Among the neighbours one hop nearer, the first in the order of ports: hop counts alone leave ties.
        let usable = |node: usize| hops[node] != u32::MAX && (node == destination || self.forwards[node]);
        (0..self.edges.len())
            .map(|node| {
                if node == destination || hops[node] == u32::MAX {
                    return None;
                }
                let towards =
                    |&&(neighbour, _): &&(usize, u16)| usable(neighbour) && hops[neighbour] + 1 == hops[node];
                self.edges[node].iter().find(towards).map(|&(_, port)| port)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_fewest_hops_and_the_first_link_on_a_tie() {
        // 0 host – 1, 2 routers in parallel – 3 host; 1–2 joined.
        let graph = Graph {
            edges: vec![
                vec![(1, 0), (2, 1)],
                vec![(0, 0), (3, 1), (2, 2)],
                vec![(0, 0), (3, 1), (1, 2)],
                vec![(1, 0), (2, 1)],
            ],
            forwards: vec![false, true, true, false],
        };
        assert_eq!(graph.ports_towards(3), [Some(0), Some(1), Some(1), None]);
    }

    #[test]
    fn hosts_do_not_forward() {
        let graph =
            Graph { edges: vec![vec![(1, 0)], vec![(0, 0), (2, 1)], vec![(1, 0)]], forwards: vec![false; 3] };
        assert_eq!(graph.ports_towards(2), [None, Some(1), None]);
    }
}
