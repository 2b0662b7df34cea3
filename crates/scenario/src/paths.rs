//! Paths of flows, by the rule of the simulator's routes: fewest hops, ties by the order of links, unless a policy route of a
//! router applies.

use std::collections::VecDeque;

use indexmap::IndexMap;

use crate::schema::Settings;

/// One direction of a link on a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hop<'s> {
    /// The link.
    pub link: &'s str,
    /// Whether the path goes from the first of its ends to the second.
    pub forward: bool,
}

impl Hop<'_> {
    /// Name of the direction, and of the queue in front of it.
    pub fn name(&self) -> String {
        format!("{}.{}", self.link, if self.forward { "forward" } else { "reverse" })
    }
}

impl Settings {
    /// The path of packets from `from` to `to`; `None` if there is none. Policy routes by DSCP are left out.
    pub fn path(&self, from: &str, to: &str) -> Option<Vec<Hop<'_>>> {
        let distances = self.distances(to);
        let mut path: Vec<Hop<'_>> = Vec::new();
        let mut at = from;
        while at != to {
            // A loop of policy routes is no path.
            if path.len() > self.nodes.len() {
                return None;
            }
            let arriving = path.last().map(|hop| hop.link);
            let hop = self.policy(at, from, to, arriving).or_else(|| self.shortest(at, to, &distances))?;
            let link = self.links.get(hop.link)?;
            at = link.sender(!hop.forward);
            path.push(hop);
        }
        Some(path)
    }

    /// The links at a node with their neighbours, in the order of the file.
    fn links_of<'s>(&'s self, node: &str) -> impl Iterator<Item = (Hop<'s>, &'s str)> {
        let node = node.to_owned();
        let both = self.links.iter().flat_map(|(name, link)| {
            [true, false].map(|forward| {
                let hop = Hop { link: name.as_str(), forward };
                (hop, link.sender(forward), link.sender(!forward))
            })
        });
        both.filter(move |(_, sender, _)| *sender == node).map(|(hop, _, neighbour)| (hop, neighbour))
    }

    fn forwards(&self, node: &str) -> bool {
        self.nodes.get(node).is_some_and(|node| !node.is_host())
    }

    /// Hops from each node to `to` through nodes that forward.
    fn distances(&self, to: &str) -> IndexMap<&str, u32> {
        let mut distances = IndexMap::new();
        let Some((to, _)) = self.nodes.get_key_value(to) else { return distances };
        distances.insert(to.as_str(), 0);
        let mut frontier = VecDeque::from([to.as_str()]);
        while let Some(node) = frontier.pop_front() {
            if node != to && !self.forwards(node) {
                continue;
            }
            let next = distances[node] + 1;
            for (_, neighbour) in self.links_of(node) {
                if !distances.contains_key(neighbour) {
                    distances.insert(neighbour, next);
                    frontier.push_back(neighbour);
                }
            }
        }
        distances
    }

    fn shortest(&self, at: &str, to: &str, distances: &IndexMap<&str, u32>) -> Option<Hop<'_>> {
        let own = *distances.get(at)?;
        let is_nearer = |neighbour: &str| {
            (neighbour == to || self.forwards(neighbour))
                && distances.get(neighbour).is_some_and(|d| d + 1 == own)
        };
        self.links_of(at).find(|(_, neighbour)| is_nearer(neighbour)).map(|(hop, _)| hop)
    }

    fn policy(&self, at: &str, from: &str, to: &str, arriving: Option<&str>) -> Option<Hop<'_>> {
        let meets = |wanted: &Option<String>, is: &str| wanted.as_deref().is_none_or(|wanted| wanted == is);
        let route = self.nodes.get(at)?.routes().iter().find(|route| {
            meets(&route.from, from)
                && meets(&route.to, to)
                && meets(&route.arriving, arriving.unwrap_or_default())
                && route.dscp.is_none()
        })?;
        self.links_of(at).map(|(hop, _)| hop).find(|hop| hop.link == route.via)
    }
}

#[cfg(test)]
mod tests {
    use crate::build::Builder;
    use crate::{Changes, NoFiles, Scenario};

    const PARALLEL: &str = r#"name = "paths"
duration = "1 s"
[nodes]
a = { kind = "host" }
r = { kind = "router", routes = [{ from = "a", to = "c", via = "slow" }] }
s = { kind = "router" }
b = { kind = "host" }
c = { kind = "host" }
[links.access]
between = ["a", "r"]
rate = "1 Mbit/s"
[links.fast]
between = ["r", "s"]
rate = "1 Mbit/s"
[links.slow]
between = ["s", "r"]
rate = "1 Mbit/s"
[links.to-b]
between = ["s", "b"]
rate = "1 Mbit/s"
[links.to-c]
between = ["s", "c"]
rate = "1 Mbit/s"
"#;

    #[test]
    fn paths_follow_the_first_of_the_shortest_routes_and_policy_routes() {
        let registries = Builder::standard().registries();
        let scenario = Scenario::parse(PARALLEL, "paths", &NoFiles, &Changes::default(), &registries)
            .unwrap_or_else(|errors| panic!("{errors}"));
        let settings = &scenario.variants[0].settings;
        let names = |from, to| -> Vec<String> {
            settings.path(from, to).unwrap_or_default().iter().map(super::Hop::name).collect()
        };
        assert_eq!(names("a", "b"), ["access.forward", "fast.forward", "to-b.forward"]);
        assert_eq!(names("b", "a"), ["to-b.reverse", "fast.reverse", "access.reverse"]);
        assert_eq!(names("a", "c"), ["access.forward", "slow.reverse", "to-c.forward"]);
        assert_eq!(settings.path("a", "nobody"), None);
        assert_eq!(names("a", "a"), [""; 0]);
    }
}
