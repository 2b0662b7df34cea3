//! Load tests: bulk transfers in both directions of a line, beside pings.

use indexmap::IndexMap;
use serde::Deserialize;

use crate::columns::{Column, Measured, Statistic};
use crate::store::Results;

/// The flows of a load test, in the order of the scenario.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Load<'a> {
    /// Bulk flows to the client.
    pub downloads: Vec<&'a str>,
    /// Bulk flows from the client.
    pub uploads: Vec<&'a str>,
    /// Pings of the client.
    pub pings: Vec<&'a str>,
}

/// What the effective configuration says of flows.
#[derive(Deserialize)]
struct Configuration {
    #[serde(default)]
    flows: IndexMap<String, Entry>,
}

/// An entry of the scenario: a flow, or several with numbers.
#[derive(Deserialize)]
struct Entry {
    from: String,
    to: String,
    app: Application,
}

#[derive(Deserialize)]
struct Application {
    kind: String,
}

impl<'a> Load<'a> {
    /// The load test that these results hold, by the applications and directions of their flows. The client is the node at
    /// which all pings begin. `None` unless it sends and receives in bulk.
    pub fn of(results: &'a Results) -> Option<Load<'a>> {
        let configuration = &results.manifest.experiment.configuration;
        // Imported results have no configuration, and those of other versions may have another.
        let Configuration { flows } = toml::from_str(configuration).ok()?;
        let mut clients = flows.values().filter(|flow| flow.app.kind == "ping").map(|flow| &flow.from);
        let client = clients.next()?;
        if clients.any(|other| other != client) {
            return None;
        }
        let mut load = Load::default();
        for (name, table) in &results.manifest.objects {
            let Some(flow) = flows.get(entry(name)).or_else(|| flows.get(name)).filter(|_| table == "flows")
            else {
                continue;
            };
            match flow.app.kind.as_str() {
                "ping" => load.pings.push(name),
                "bulk" if flow.to == *client => load.downloads.push(name),
                "bulk" if flow.from == *client => load.uploads.push(name),
                _ => {}
            }
        }
        let is_whole = [&load.downloads, &load.uploads, &load.pings].iter().all(|flows| !flows.is_empty());
        is_whole.then_some(load)
    }

    /// Rates of each direction and latency of the pings.
    pub fn columns(&self, measured: &Measured<'_>) -> Vec<Column> {
        let rates = [("down", &self.downloads), ("up", &self.uploads)].into_iter();
        let rates = rates.flat_map(|(subject, flows)| {
            // The sum of a single flow is all.
            let each = (flows.len() > 1).then_some(("per flow", Statistic::Mean));
            let all = [("sum", Statistic::Sum)].into_iter().chain(each);
            all.map(move |(title, statistic)| (title, subject, flows, "goodput", statistic))
        });
        let pings = [
            ("mean", "rtt", Statistic::Mean),
            ("median", "rtt", Statistic::Median),
            ("p99", "rtt", Statistic::P99),
            ("loss", "loss", Statistic::Mean),
        ];
        let pings = pings.into_iter().map(|(title, metric, of)| (title, "ping", &self.pings, metric, of));
        let column = |(title, subject, flows, metric, of): (&str, &str, &Vec<&str>, &str, Statistic)| {
            measured.column(title, subject, flows, metric, of)
        };
        rates.chain(pings).filter_map(column).collect()
    }

    /// The queues of both directions of the link that has `queue`: `access.forward` and `access.reverse`.
    pub fn queues<'q>(results: &'q Results, queue: &'q str) -> Vec<&'q str> {
        let link = |name: &'q str| Some(name.rsplit_once('.')?.0);
        let queues = results.manifest.objects.iter().filter(|(_, table)| *table == "queues");
        let own = queues.map(|(name, _)| name.as_str()).filter(|name| link(name) == link(queue));
        if link(queue).is_some() { own.collect() } else { vec![queue] }
    }

    /// Numbers of flows: `4 downloads, 4 uploads, 4 pings`.
    pub fn text(&self) -> String {
        let of = |flows: &[&str], name: &str| match flows.len() {
            1 => format!("1 {name}"),
            n => format!("{n} {name}s"),
        };
        let all = [(&self.downloads, "download"), (&self.uploads, "upload"), (&self.pings, "ping")];
        all.map(|(flows, name)| of(flows, name)).join(", ")
    }
}

/// The entry of the scenario to which a flow belongs: `down` of `down.3`.
pub(crate) fn entry(flow: &str) -> &str {
    match flow.rsplit_once('.') {
        Some((entry, number)) if number.parse::<u32>().is_ok() => entry,
        _ => flow,
    }
}

/// The class of a flow, by its name: `ef` of `down-ef`, `up-ef` and `ping-udp-ef`. Flows of one entry are of one class.
pub(crate) fn class(flow: &str) -> &str {
    let entry = entry(flow);
    entry.rsplit_once('-').map_or(entry, |(_, class)| class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::comparison_columns;
    use crate::table::{TableOptions, comparison_table};
    use crate::testing::load::{FLOWS, configuration, stored};

    fn titles(results: &Results) -> Vec<String> {
        comparison_columns(results).iter().map(Column::full_title).collect()
    }

    #[test]
    fn flows_are_told_apart_by_application_and_direction() {
        let folder = tempfile::tempdir().unwrap();
        let results = stored(&folder.path().join("out"), &["codel"], &configuration(&FLOWS));
        let load = Load::of(&results).unwrap();
        assert_eq!(load.downloads, ["a-be.1", "a-be.2"]);
        assert_eq!(load.uploads, ["b-ef"]);
        assert_eq!(load.pings, ["icmp", "udp-ef"]);
        assert_eq!(load.text(), "2 downloads, 1 upload, 2 pings");
        assert_eq!(load.downloads.iter().map(|flow| class(flow)).collect::<Vec<_>>(), ["be", "be"]);
        assert_eq!(["b-ef", "udp-ef", "icmp"].map(class), ["ef", "ef", "icmp"]);
    }

    #[test]
    fn one_direction_or_pings_of_two_nodes_are_no_load_test() {
        let folder = tempfile::tempdir().unwrap();
        let is_load = |name: &str, changed: usize, to: (&'static str, &'static str, &'static str)| {
            let mut flows = FLOWS;
            (flows[changed].1, flows[changed].2, flows[changed].3) = to;
            Load::of(&stored(&folder.path().join(name), &["codel"], &configuration(&flows))).is_some()
        };
        assert!(is_load("all", 1, ("client", "near", "bulk")));
        assert!(!is_load("one-way", 1, ("server", "client", "bulk")));
        assert!(!is_load("no-bulk", 1, ("client", "server", "cbr")));
        assert!(!is_load("two-clients", 2, ("server", "client", "ping")));
        let none = stored(&folder.path().join("none"), &["codel"], "");
        assert_eq!(Load::of(&none), None);
        assert!(titles(&none).contains(&"goodput of all flows".to_owned()));
    }

    #[test]
    fn each_direction_has_its_sum_and_pings_are_not_mixed_with_tcp() {
        let folder = tempfile::tempdir().unwrap();
        let results = stored(&folder.path().join("out"), &["codel"], &configuration(&FLOWS));
        let columns = comparison_columns(&results);
        let value = |title: &str| {
            let column = columns.iter().find(|column| column.full_title() == title);
            let column = column.unwrap_or_else(|| panic!("no `{title}` in {:?}", titles(&results)));
            let value = column.value(&results.runs, "codel").unwrap().estimate.mean;
            (value * 100.0).round() / 100.0
        };
        // Each flow delivers 80 (downloads) or 10 segments (upload) in 100 ms, also at both ends of the 18 s.
        let rate: f64 = 1448.0 * 8.0 / 1e5 * 181.0 / 180.0;
        assert_eq!(value("sum of down"), (160.0 * rate * 100.0).round() / 100.0);
        assert_eq!(value("per flow of down"), (80.0 * rate * 100.0).round() / 100.0);
        assert_eq!(value("sum of up"), (10.0 * rate * 100.0).round() / 100.0);
        // Pings take 30 and 50 ms, bulk flows 200.
        assert_eq!((value("mean of ping"), value("median of ping").round()), (40.0, 40.0));
        // The voice flow's loss is its own.
        assert!(value("loss of voice") > 0.0);
        let all = titles(&results);
        for mixed in ["goodput of all flows", "fairness of all flows", "per flow of up"] {
            assert!(!all.contains(&mixed.to_owned()), "{mixed}");
        }
    }

    #[test]
    fn the_table_of_a_load_test_matches_its_snapshot() {
        let folder = tempfile::tempdir().unwrap();
        let results = stored(&folder.path().join("out"), &["fifo", "codel"], &configuration(&FLOWS));
        let all = TableOptions { width: 100, lines: None };
        insta::assert_snapshot!(comparison_table(&results, &all).text);
    }
}
