//! Flows with viewers, and the columns for their quality of experience.

use std::collections::HashMap;

use indexmap::IndexSet;

use crate::columns::{AT_DEADLINES, Column, Measured, Statistic};
use crate::store::Results;

/// Streaming flows, in the order of the scenario.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Viewers<'a> {
    /// Flows of a single player each.
    pub players: IndexSet<&'a str>,
    /// Load generators: flows of many players, sequential and parallel.
    pub loads: IndexSet<&'a str>,
}

impl Viewers<'_> {
    /// Whether a flow streams.
    pub(crate) fn contains(&self, flow: &str) -> bool {
        self.players.contains(flow) || self.loads.contains(flow)
    }
}

/// Finds the streaming flows.
pub(crate) fn viewers<'a>(results: &'a Results) -> Viewers<'a> {
    // Stalls are counted for every player, even if zero, and decoded frames for every real-time video; a single player does
    // not report a number of sessions.
    let mut is_load: HashMap<&str, bool> = HashMap::new();
    let mut loads: IndexSet<&str> = IndexSet::new();
    for value in results.runs.iter().flat_map(|run| &run.values) {
        match value.metric.as_str() {
            "stalls" | "frames_decoded" => {
                is_load.entry(&value.object).or_default();
            }
            "sessions" | "active_players" => {
                loads.insert(&value.object);
            }
            _ => {}
        }
    }
    for (flow, is_load) in &mut is_load {
        *is_load = loads.contains(flow);
    }
    let flows = results.manifest.objects.iter().filter(|(_, table)| *table == "flows");
    let streams = flows.filter_map(|(flow, _)| Some((flow.as_str(), *is_load.get(flow.as_str())?)));
    let (loads, players): (Vec<_>, Vec<_>) = streams.partition(|(_, is_load)| *is_load);
    let names = |flows: Vec<(&'a str, bool)>| flows.into_iter().map(|(flow, _)| flow).collect();
    let (players, loads) = (names(players), names(loads));
    Viewers { players, loads }
}

/// Columns of a viewer: title, metric and statistic.
const COLUMNS: [(&str, &str, Statistic); 25] = [
    ("buffer", "buffer", Statistic::Mean),
    ("frames/s", "frames_per_second", Statistic::Mean),
    ("representation", "representation_rate", Statistic::Mean),
    ("segment rate", "segment_rate", Statistic::Mean),
    ("switches", "switches", Statistic::Mean),
    ("stalls", "stalls", Statistic::Mean),
    ("time stalled", "stall_ratio", Statistic::Mean),
    ("start-up", "start_up_delay", Statistic::Mean),
    ("without a picture", "unseen_sessions", Statistic::Mean),
    ("burst mean", "burst_time", Statistic::Mean),
    ("burst p99", "burst_time", Statistic::P99),
    ("linear QoE", "linear_qoe", Statistic::Mean),
    ("P.1203 score", "p1203_parametric", Statistic::Mean),
    ("SQI-SSIM", "sqi_ssim", Statistic::Mean),
    ("SSIM", "ssim", Statistic::Mean),
    ("SQI-SSIM at", "sqi_at_deadline", Statistic::Mean),
    ("in time at", "frames_in_time", Statistic::Mean),
    ("freezes", "freeze_rate", Statistic::Mean),
    ("time frozen", "freeze_ratio", Statistic::Mean),
    ("frame latency mean (shown)", "frame_latency", Statistic::Mean),
    ("frame latency p99 (shown)", "frame_latency", Statistic::P99),
    ("AoI mean", "age_of_information", Statistic::Mean),
    ("AoI p99", "age_of_information", Statistic::P99),
    ("decoded", "frames_decoded", Statistic::Mean),
    ("refused", "refused_messages", Statistic::Mean),
];
/// Columns of a load beside players: the load fills the links, and the players are the subject of the experiment.
const BESIDE_PLAYERS: [&str; 4] = ["buffer", "frames_per_second", "stall_ratio", "linear_qoe"];

/// Fairness between viewers.
const FAIRNESS: &str = "representation_rate_jain_index";

/// Whether a metric describes quality of experience.
pub(crate) fn is_seen(metric: &str) -> bool {
    metric == FAIRNESS || COLUMNS.iter().any(|(_, of_viewers, _)| *of_viewers == metric)
}

/// The columns of all viewers, single players first, by group of flows.
pub(crate) fn columns(viewers: &Viewers, measured: &Measured) -> Vec<Column> {
    let mut columns = Vec::new();
    for (flows, sort) in [(&viewers.players, "players"), (&viewers.loads, "loads")] {
        let flows: Vec<&str> = flows.iter().copied().collect();
        let is_beside = sort == "loads" && !viewers.players.is_empty();
        let shown = COLUMNS.iter().filter(|(_, metric, _)| !is_beside || BESIDE_PLAYERS.contains(metric));
        for (subject, objects) in measured.grouped(&flows) {
            columns.extend(shown.clone().flat_map(|(title, metric, statistic)| {
                if AT_DEADLINES.contains(metric) {
                    return measured.deadlines(title, subject, &objects, metric);
                }
                measured.column(title, subject, &objects, metric, *statistic).into_iter().collect()
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
    use jettison_core::{Duration, Time};
    use jettison_measure::{FrameScore, Recorder, RecorderSettings, RunRecord};
    use jettison_wire::FlowId;

    use super::*;
    use crate::columns::comparison_columns;
    use crate::model::{Experiment, RunKey};
    use crate::testing::experiment;
    use crate::testing::streaming::{Scene, stored, written};

    /// Titles of the columns, by subject, in order.
    fn titles(results: &Results) -> Vec<(String, String)> {
        let columns = comparison_columns(results).into_iter();
        columns.map(|column| (column.subject, column.title)).collect()
    }

    fn of<'a>(titles: &'a [(String, String)], subject: &str) -> Vec<&'a str> {
        titles.iter().filter(|(s, _)| s == subject).map(|(_, title)| title.as_str()).collect()
    }

    #[test]
    fn quality_of_experience_follows_the_throughput() {
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
                "time stalled",
                "start-up",
                "burst mean",
                "burst p99",
                "linear QoE",
                "P.1203 score",
                "RTT mean",
                "RTT p99"
            ],
            "and burst time in place of completion time"
        );
    }

    #[test]
    fn players_and_loads_are_separate_and_many_are_grouped() {
        let folder = tempfile::tempdir().unwrap();
        let few = Scene { players: 2, loads: 1, ..Scene::default() };
        let few = stored(&folder.path().join("few"), few, &["a"], 1);
        assert_eq!(
            viewers(&few),
            Viewers { players: ["client-1", "client-2"].into(), loads: ["load"].into() }
        );
        let shown = titles(&few);
        assert!(of(&shown, "client-1").contains(&"switches") && of(&shown, "client-2").contains(&"switches"));
        assert_eq!(of(&shown, "load"), ["goodput", "buffer", "frames/s", "time stalled", "linear QoE"]);
        assert_eq!(of(&shown, "all viewers"), ["rate fairness"]);

        let many = Scene { players: 4, loads: 5, ..Scene::default() };
        let shown = titles(&stored(&folder.path().join("many"), many, &["a"], 1));
        assert!(of(&shown, "client-1").is_empty());
        assert!(of(&shown, "client-*").contains(&"P.1203 score"));
        assert_eq!(of(&shown, "load-*").len(), 5);

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

    /// A run of a video of 100 frames, 50 ms apart, of which `late` come after 250 ms in place of 50 ms.
    fn video(variant: &str, late: u32) -> (RunKey, RunRecord) {
        let mut recorder = Recorder::new(RecorderSettings::default());
        let flow = FlowId(recorder.add_flow("cam").index);
        let meter = recorder.flow(flow).unwrap().video();
        for frame in 0..100 {
            let captured_at = Time::from_millis(50 * u64::from(frame));
            let latency = Some(Duration::from_millis(if frame < late { 250 } else { 50 }));
            let score = FrameScore { frame, captured_at, layers: 1, latency, ssim_db: 10.0, ssim: 0.9 };
            meter.scored(score);
            for deadline in [100, 300].map(Duration::from_millis) {
                let is_in_time = latency.is_some_and(|latency| latency <= deadline);
                let layers = u8::from(is_in_time);
                meter.scored_at(deadline, &FrameScore { layers, ssim_db: 10.0 * f64::from(layers), ..score });
            }
        }
        (RunKey { variant: variant.to_owned(), seed: 1 }, recorder.finish(Time::from_secs(6)))
    }

    #[test]
    fn a_video_has_a_column_for_each_playout_deadline() {
        let folder = tempfile::tempdir().unwrap();
        let experiment = Experiment { figures: Vec::new(), ..experiment(&["a", "b"], 1) };
        let runs = [video("a", 0), video("b", 30)];
        let results = written(&folder.path().join("out"), experiment, runs.into_iter());
        assert_eq!(
            of(&titles(&results), "cam"),
            [
                "SQI-SSIM",
                "SSIM",
                "SQI-SSIM at 100 ms",
                "SQI-SSIM at 300 ms",
                "in time at 100 ms",
                "in time at 300 ms",
                "freezes",
                "frame latency mean (shown)",
                "frame latency p99 (shown)",
                "decoded"
            ]
        );
        let columns = comparison_columns(&results);
        let value = |title: &str, variant: &str| {
            let column = columns.iter().find(|column| column.title == title).unwrap();
            column.value(&results.runs, variant).unwrap().estimate.mean
        };
        assert_eq!((value("in time at 100 ms", "a"), value("in time at 100 ms", "b")), (100.0, 70.0));
        assert_eq!((value("SQI-SSIM at 100 ms", "b"), value("SQI-SSIM at 300 ms", "b")), (7.0, 10.0));
        assert_eq!(value("freezes", "a"), 0.0, "none is worth a column");
        let main = crate::matrix::metrics(&results).main;
        let main: Vec<&str> = main.iter().map(|column| column.title.as_str()).collect();
        assert_eq!(
            main,
            [
                "SQI-SSIM",
                "in time at 100 ms",
                "in time at 300 ms",
                "freezes",
                "frame latency p99 (shown)",
                "decoded"
            ]
        );
    }
}
