//! Flows that stream to viewers: which they are, and the columns that say what was seen.

use crate::columns::{Column, Measured, OWN_COLUMNS, Statistic};
use crate::store::Results;

/// The flows that stream, in the order of the scenario.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Viewers<'a> {
    /// Those of one player each.
    pub players: Vec<&'a str>,
    /// Loads: those of many players in turn and side by side.
    pub loads: Vec<&'a str>,
}

impl Viewers<'_> {
    /// Whether that flow streams.
    pub(crate) fn contains(&self, flow: &str) -> bool {
        self.players.contains(&flow) || self.loads.contains(&flow)
    }
}

/// Which flows stream.
pub(crate) fn viewers(results: &Results) -> Viewers<'_> {
    let has = |flow: &str, metrics: &[&str]| {
        let mut values = results.runs.iter().flat_map(|run| &run.values);
        values.any(|v| v.object == flow && metrics.contains(&v.metric.as_str()))
    };
    let flows = results.manifest.objects.iter().filter(|(_, table)| *table == "flows");
    // Stalls are counted of every player, even if there were none, and decoded frames of every real-time video.
    let streams =
        flows.map(|(flow, _)| flow.as_str()).filter(|flow| has(flow, &["stalls", "frames_decoded"]));
    // A player has one session, and says no number of them.
    let (loads, players) = streams.partition(|flow| has(flow, &["sessions", "active_players"]));
    Viewers { players, loads }
}

/// What is shown of a viewer: title, metric and which of its numbers.
const COLUMNS: [(&str, &str, Statistic); 21] = [
    ("buffer", "buffer", Statistic::Mean),
    ("frames/s", "frames_per_second", Statistic::Mean),
    ("representation", "representation_rate", Statistic::Mean),
    ("segment rate", "segment_rate", Statistic::Mean),
    ("switches", "switches", Statistic::Mean),
    ("stalls", "stalls", Statistic::Mean),
    ("stall ratio", "stall_ratio", Statistic::Mean),
    ("start-up", "start_up_delay", Statistic::Mean),
    ("without a picture", "unseen_sessions", Statistic::Mean),
    ("burst mean", "burst_time", Statistic::Mean),
    ("burst p99", "burst_time", Statistic::P99),
    ("linear QoE", "linear_qoe", Statistic::Mean),
    ("P.1203 part", "p1203_parametric", Statistic::Mean),
    ("SQI-SSIM", "sqi_ssim", Statistic::Mean),
    ("SSIM", "ssim", Statistic::Mean),
    ("frame latency mean", "frame_latency", Statistic::Mean),
    ("frame latency p99", "frame_latency", Statistic::P99),
    ("AoI mean", "age_of_information", Statistic::Mean),
    ("AoI p99", "age_of_information", Statistic::P99),
    ("decoded", "frames_decoded", Statistic::Mean),
    ("refused", "refused_messages", Statistic::Mean),
];
/// What is shown of a load beside players: it is there to fill the links, and they are what the experiment is about.
const BESIDE_PLAYERS: [&str; 4] = ["buffer", "frames_per_second", "stall_ratio", "linear_qoe"];

/// Whether these are several flows that one entry of the scenario made: `viewer.1`, `viewer.2`.
fn are_alike(flows: &[&str]) -> bool {
    let entry = |flow: &str| {
        let (entry, number) = flow.rsplit_once('.')?;
        number.parse::<u32>().is_ok().then(|| entry.to_owned())
    };
    let first = flows.first().and_then(|flow| entry(flow));
    flows.len() > 1 && first.is_some() && flows.iter().all(|flow| entry(flow) == first)
}

/// How alike the viewers fared.
const FAIRNESS: &str = "representation_rate_jain_index";

/// Whether a metric is of what viewers saw.
pub(crate) fn is_seen(metric: &str) -> bool {
    metric == FAIRNESS || COLUMNS.iter().any(|(_, of_viewers, _)| *of_viewers == metric)
}

/// The columns of all viewers, single players first: by flow, or averaged over those of one sort where there are many, or
/// one entry of the scenario made them all.
pub(crate) fn columns(viewers: &Viewers, measured: &Measured) -> Vec<Column> {
    let mut columns = Vec::new();
    for (flows, sort) in [(&viewers.players, "players"), (&viewers.loads, "loads")] {
        let is_beside = sort == "loads" && !viewers.players.is_empty();
        let shown = COLUMNS.iter().filter(|(_, metric, _)| !is_beside || BESIDE_PLAYERS.contains(metric));
        let subjects: Vec<(String, &[&str])> = match flows.len() {
            n if n > OWN_COLUMNS || are_alike(flows) => {
                vec![(format!("mean of {n} {sort}"), flows.as_slice())]
            }
            _ => flows.chunks(1).map(|flow| (flow[0].to_owned(), flow)).collect(),
        };
        for (subject, objects) in subjects {
            columns.extend(shown.clone().filter_map(|(title, metric, statistic)| {
                measured.column(title, &subject, objects, metric, *statistic)
            }));
        }
    }
    columns.extend(measured.column(
        "rate fairness",
        "all viewers",
        &["all flows"],
        FAIRNESS,
        Statistic::Mean,
    ));
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::comparison_columns;
    use crate::testing::streaming::{Scene, stored};

    /// Titles of the columns by subject, in order.
    fn titles(results: &Results) -> Vec<(String, String)> {
        let columns = comparison_columns(results).into_iter();
        columns.map(|column| (column.subject, column.title)).collect()
    }

    fn of<'a>(titles: &'a [(String, String)], subject: &str) -> Vec<&'a str> {
        titles.iter().filter(|(s, _)| s == subject).map(|(_, title)| title.as_str()).collect()
    }

    #[test]
    fn what_the_viewer_sees_stands_after_the_throughput() {
        let folder = tempfile::tempdir().unwrap();
        let results = stored(&folder.path().join("out"), Scene::default(), &["newreno", "newcwv"], 2);
        let titles = titles(&results);
        let order: Vec<&str> = titles.iter().map(|(_, title)| title.as_str()).collect();
        assert_eq!(
            order[..5],
            ["throughput", "goodput", "buffer", "frames/s", "representation"],
            "{order:?}"
        );
        assert_eq!(
            of(&titles, "client"),
            [
                "goodput",
                "buffer",
                "frames/s",
                "representation",
                "segment rate",
                "switches",
                "stalls",
                "stall ratio",
                "start-up",
                "burst mean",
                "burst p99",
                "linear QoE",
                "P.1203 part",
                "RTT mean",
                "RTT p99"
            ],
            "and burst time in place of completion time"
        );
    }

    #[test]
    fn players_and_loads_are_told_apart_and_many_are_averaged() {
        let folder = tempfile::tempdir().unwrap();
        let few = Scene { players: 2, loads: 1, ..Scene::default() };
        let few = stored(&folder.path().join("few"), few, &["a"], 1);
        assert_eq!(viewers(&few), Viewers { players: vec!["client-1", "client-2"], loads: vec!["load"] });
        let shown = titles(&few);
        assert!(of(&shown, "client-1").contains(&"switches") && of(&shown, "client-2").contains(&"switches"));
        assert_eq!(of(&shown, "load"), ["buffer", "frames/s", "stall ratio", "linear QoE"]);
        assert_eq!(of(&shown, "all viewers"), ["rate fairness"]);

        let many = Scene { players: 4, loads: 5, ..Scene::default() };
        let shown = titles(&stored(&folder.path().join("many"), many, &["a"], 1));
        assert!(of(&shown, "client-1").is_empty());
        assert!(of(&shown, "mean of 4 players").contains(&"P.1203 part"));
        assert_eq!(of(&shown, "mean of 5 loads").len(), 4);

        let alone = Scene { players: 0, loads: 1, ..Scene::default() };
        let shown = titles(&stored(&folder.path().join("alone"), alone, &["a"], 1));
        assert!(of(&shown, "load").contains(&"burst p99"), "a load alone is shown in full: {shown:?}");
    }

    #[test]
    fn other_flows_keep_their_completion_times() {
        let folder = tempfile::tempdir().unwrap();
        let scene = Scene { web: true, ..Scene::default() };
        let shown = titles(&stored(&folder.path().join("out"), scene, &["a"], 1));
        assert_eq!(of(&shown, "web"), ["completion mean", "completion p99"]);
    }
}
