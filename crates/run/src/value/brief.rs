//! What a study found, for a terminal: a paragraph, and a table of what viewers gain.

use jettison_report::{small_table, wrapped};

use super::summary::{Interval, Judged, Summary};
use super::table::{grouped, mean_and_half, plain};
use super::trial::Arm;

const HEAD: [&str; 8] =
    ["viewers", "queue", "drops/s", "tried", "hurt, %", "helped, %", "spared", "in hindsight"];

/// The findings in words and a table of the first measure, or of all measures, for a terminal of `width` characters.
pub fn brief(summaries: &[Summary], width: usize, is_all: bool) -> String {
    let Some(draws) = summaries.iter().map(|summary| summary.draws).max() else {
        return "No drop could be taken back: the queue dropped nothing after the warm-up.\n".to_owned();
    };
    let trials: usize = summaries.iter().map(|summary| summary.trials).sum();
    let groups = grouped(summaries);
    let mut found: Vec<String> = groups.iter().filter_map(|(group, rows)| finding(group, rows)).collect();
    if found.is_empty() {
        found.push("No queue's drops could have been chosen better beyond chance.".to_owned());
    }
    let head = format!(
        "The value of drops: {trials} drops were taken back one by one, each continuation with {draws} draws. {}",
        found.join(" ")
    );
    let mut out = format!("{}\n", wrapped(&head, width));
    let measures = summaries.iter().map(|summary| summary.judged.len()).max().unwrap_or_default();
    for place in 0..if is_all { measures } else { measures.min(1) } {
        out.push_str(&table(&groups, place));
    }
    out.push_str(&wrapped(
        "Hurt, helped: share of drops that harmed or helped the viewers beyond the noise of continuations. Spared, in hindsight: gain \
         per drop (picture: ms) if the packet is kept, and if the best choice is known in hindsight. Means ± half the 95 % interval \
         over seeds; * excludes 0.",
        width,
    ));
    out
}

type Rows<'a> = Vec<(String, &'a Summary)>;

/// `call: a better choice gains picture under tail-drop (+87.6 ± 38.3 per drop), under the others nothing beyond chance.` Nothing where
/// no queue's regret is beyond chance.
fn finding(group: &str, rows: &Rows<'_>) -> Option<String> {
    let first: Vec<(&String, &Judged)> =
        rows.iter().filter_map(|(name, summary)| Some((name, summary.judged.first()?))).collect();
    let measure = first.first()?.1.measure;
    let is_clear = |regret: &Interval| regret.excludes_zero() && regret.mean > 0.0;
    let mut clear: Vec<(&String, Interval)> =
        first.iter().map(|(name, judged)| (*name, judged.regret)).filter(|(_, own)| is_clear(own)).collect();
    clear.sort_by(|one, other| other.1.mean.total_cmp(&one.1.mean));
    let named: Vec<String> =
        clear.iter().map(|(name, regret)| format!("{name} ({} per drop)", mean_and_half(*regret))).collect();
    let of = if group.is_empty() { String::new() } else { format!("{group}: ") };
    let others = if clear.len() < first.len() { ", under the others nothing beyond chance" } else { "" };
    let named = named.join(", ");
    (!clear.is_empty()).then(|| format!("{of}a better choice gains {measure} under {named}{others}."))
}

fn table(groups: &[(String, Rows<'_>)], place: usize) -> String {
    let mut rows = Vec::new();
    for (group, summaries) in groups {
        let mut is_first = true;
        for (name, summary) in summaries {
            let Some(own) = summary.judged.get(place) else { continue };
            let group = match is_first {
                true => format!("{group}: {}", own.measure),
                false => String::new(),
            };
            is_first = false;
            let gain = own.gains.get(Arm::Spare.name()).copied();
            rows.push(vec![
                group,
                name.clone(),
                plain(summary.drops_per_second),
                summary.trials.to_string(),
                starred(own.hurt),
                starred(own.helped),
                gain.map_or_else(|| "–".to_owned(), starred),
                starred(own.regret),
            ]);
        }
    }
    small_table(&HEAD, &rows, 2)
}

fn starred(interval: Interval) -> String {
    let text = mean_and_half(interval);
    // The digits of a column stay below each other.
    if interval.excludes_zero() { format!("{text} *") } else { format!("{text}  ") }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn summary(variant: &str, regret: [f64; 3]) -> Summary {
        let [mean, low, high] = regret;
        let nothing = Interval { mean: 0.0, low: -1.0, high: 1.0 };
        let judged = Judged {
            measure: "picture",
            null: "placebos",
            null_trials: 20,
            width: 100.0,
            hurt: nothing,
            helped: nothing,
            nothing,
            gains: BTreeMap::from([(Arm::Spare.name(), nothing)]),
            size: 0.0,
            regret: Interval { mean, low, high },
            regret_of_noise: None,
            learned: None,
            rules: Vec::new(),
            classes: Vec::new(),
        };
        let labels = [("app", "call"), ("queue", variant)].map(|(axis, label)| (axis.into(), label.into()));
        Summary {
            variant: format!("call, {variant}"),
            labels: labels.into_iter().collect(),
            runs: 6,
            trials: 72,
            draws: 6,
            horizon: 3.0,
            drops_per_second: 3.59,
            judged: vec![judged.clone(), Judged { measure: "quality", ..judged }],
            goodput: None,
            latency: None,
        }
    }

    #[test]
    fn what_a_better_choice_gains_is_said_first() {
        let cells = [
            summary("tail-drop", [87.6, 49.3, 125.9]),
            summary("codel", [2.0, -1.0, 5.0]),
            summary("pdrop", [98.0, 20.0, 176.0]),
        ];
        let text = brief(&cells, 200, false);
        let said = "The value of drops: 216 drops were taken back one by one, each continuation with 6 draws. call: a better \
                    choice gains picture under pdrop (+98.0 ± 78.0 per drop), tail-drop (+87.6 ± 38.3 per drop), under the \
                    others nothing beyond chance.";
        assert!(text.replace('\n', " ").starts_with(said), "{text}");
        let rows = |text: &str| text.lines().filter(|line| line.starts_with("│")).count();
        assert_eq!((rows(&text), rows(&brief(&cells, 200, true))), (4, 8));
        let codel = text.lines().find(|line| line.contains("codel")).unwrap_or_default();
        assert!(codel.contains("+2.00 ± 3.00   │"), "no star, but its place: {codel}");
        let nothing = brief(&cells[1..2], 200, false);
        assert!(
            nothing.contains("No queue's drops could have been chosen better beyond chance."),
            "{nothing}"
        );
        assert!(brief(&[], 80, false).starts_with("No drop could be taken back"));
    }
}
