//! What a comparison is judged by: first what viewers see, else what users feel, else what the network does.

use std::collections::HashSet;

use crate::columns::{Column, Statistic};
use crate::comparison::Comparison;
use crate::groups::kinds_of_flows;
use crate::store::Results;
use crate::viewers::is_seen;

use Statistic::{Mean, P99};

/// Which values are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Better {
    High,
    Low,
}

/// A metric in words.
struct Word {
    metric: &'static str,
    statistic: Statistic,
    /// `the lowest RTT`.
    superlative: &'static str,
    /// `RTT`.
    noun: &'static str,
    better: Better,
}

const fn word(
    metric: &'static str,
    statistic: Statistic,
    superlative: &'static str,
    noun: &'static str,
    better: Better,
) -> Word {
    Word { metric, statistic, superlative, noun, better }
}

const VIEWER: &[Word] = &[
    word("stall_ratio", Mean, "the least time stalled", "time stalled", Better::Low),
    word("freeze_ratio", Mean, "the least time frozen", "time frozen", Better::Low),
    word("frames_in_time", Mean, "the most frames in time", "frames in time", Better::High),
    word("p1203_parametric", Mean, "the best P.1203 score", "P.1203 score", Better::High),
    word("linear_qoe", Mean, "the best linear QoE", "linear QoE", Better::High),
    word("sqi_ssim", Mean, "the best picture (SQI-SSIM)", "picture (SQI-SSIM)", Better::High),
    word("representation_rate", Mean, "the highest video bitrate", "video bitrate", Better::High),
    word("frame_latency", P99, "the lowest p99 frame latency", "p99 frame latency", Better::Low),
    word("start_up_delay", Mean, "the shortest start-up", "start-up", Better::Low),
    word("frames_per_second", Mean, "the most frames per second", "frames per second", Better::High),
];
const USER: &[Word] = &[
    word("page_load_time", Mean, "the shortest page loads", "page load", Better::Low),
    word("response_time", P99, "the shortest p99 response time", "p99 response time", Better::Low),
    word("frame_delay", P99, "the lowest p99 frame delay", "p99 frame delay", Better::Low),
    word("deadline_miss", Mean, "the fewest late updates", "late updates", Better::Low),
    word("completion_time", Mean, "the shortest completion", "completion", Better::Low),
    word("owd", P99, "the lowest p99 one-way delay", "p99 one-way delay", Better::Low),
    word("rtt", Mean, "the lowest RTT", "RTT", Better::Low),
    word("loss", Mean, "the least loss", "loss", Better::Low),
];
const NETWORK: &[Word] = &[
    word("sojourn", Mean, "the shortest queue delay", "queue delay", Better::Low),
    word("goodput", Mean, "the highest goodput", "goodput", Better::High),
];
/// What others pay, besides what users of other flows feel.
const COSTS: &[Word] = &[
    word("goodput", Statistic::Sum, "", "goodput", Better::High),
    word("goodput", Mean, "", "goodput", Better::High),
    word("utilisation", Mean, "", "utilisation", Better::High),
    word("drop_rate", Mean, "", "drop rate", Better::Low),
];

/// A metric of viewers or users in words, for answers that are given elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeltMetric {
    /// Name of the metric.
    pub metric: &'static str,
    /// The statistic.
    pub statistic: Statistic,
    /// `the lowest RTT`.
    pub superlative: &'static str,
    /// `RTT`.
    pub noun: &'static str,
    /// Whether high values are better.
    pub is_high_better: bool,
}

/// What answers judge by, the most important first: what viewers see, what users feel, what the network does.
pub fn felt_metrics() -> impl Iterator<Item = FeltMetric> {
    [VIEWER, USER, NETWORK].into_iter().flatten().map(|word| FeltMetric {
        metric: word.metric,
        statistic: word.statistic,
        superlative: word.superlative,
        noun: word.noun,
        is_high_better: word.better == Better::High,
    })
}

/// A column of the comparison in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Measure {
    /// Index of the column.
    pub at: usize,
    /// `the lowest RTT of bulk`.
    pub superlative: String,
    /// `RTT of bulk`.
    pub noun: String,
    /// Which values are better.
    pub better: Better,
}

/// The measures of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Measures {
    /// Who feels what is judged: `viewer`, `user` or, if nobody does, `network`.
    pub who: &'static str,
    /// What is judged, the most important first.
    pub felt: Vec<Measure>,
    /// What others pay.
    pub costs: Vec<Measure>,
    /// Variants, by index, whose goodput is impossible.
    pub impossible: HashSet<usize>,
    /// Variants, by index, with transfers that did not finish.
    pub unfinished: HashSet<usize>,
    /// Variants, by index, all of whose seeds gave the same values.
    pub repeated: HashSet<usize>,
}

impl Measures {
    /// Chooses the measures of a comparison.
    pub fn of(comparison: &Comparison<'_>, results: &Results) -> Measures {
        let groups: Vec<String> = kinds_of_flows(results).into_iter().map(|group| group.name).collect();
        let is_alike = |one: &Column, other: &Column| {
            (&one.metric, one.statistic, &one.part) == (&other.metric, other.statistic, &other.part)
        };
        let is_told = |column: &Column| {
            let mut others = comparison.columns.iter();
            groups.len() > 1 && groups.contains(&column.subject)
                || others.any(|other| is_alike(other, column) && other.subject != column.subject)
        };
        // Of several deadlines the first one stands for all.
        let is_first = |at: usize, column: &Column| {
            let before = comparison.columns[..at].iter();
            let mut alike =
                before.filter(|other| other.metric == column.metric && other.subject == column.subject);
            column.part.is_empty() || alike.all(|other| other.statistic != column.statistic)
        };
        let chosen = |words: &[Word]| -> Vec<Measure> {
            let found = words.iter().flat_map(|word| {
                let columns =
                    comparison.columns.iter().enumerate().filter(|(at, column)| is_first(*at, column));
                let own =
                    columns.filter(move |(_, c)| c.metric == word.metric && c.statistic == word.statistic);
                own.map(|(at, column)| measure(at, column, word, is_told(column)))
            });
            found.collect()
        };
        let (viewer, user, network) = (chosen(VIEWER), chosen(USER), chosen(NETWORK));
        let costs = chosen(COSTS);
        let (who, felt, more) = match (viewer.is_empty(), user.is_empty()) {
            (false, _) => ("viewer", viewer, user),
            (true, false) => ("user", user, Vec::new()),
            (true, true) => ("network", network, Vec::new()),
        };
        let is_felt = |measure: &Measure| felt.iter().any(|own| own.at == measure.at);
        // Where the sum of a direction is known, the mean of its flows says nothing new.
        let is_sum = |column: &Column| column.metric == "goodput" && column.statistic == Statistic::Sum;
        let has_sums = comparison.columns.iter().any(is_sum);
        let is_new = |measure: &Measure| {
            let column = &comparison.columns[measure.at];
            !(is_felt(measure) || has_sums && column.metric == "goodput" && !is_sum(column))
        };
        let costs = more.into_iter().chain(costs).filter(is_new).collect();
        let named = |kind: &str| -> HashSet<usize> {
            let warnings = results.warnings.iter().filter(|warning| warning.kind == kind);
            let concerns: Vec<&String> = warnings.flat_map(|warning| &warning.concerns).collect();
            let variants = comparison.variants.iter().enumerate();
            let is_named = |name: &str| {
                concerns.iter().any(|line| **line == name || line.starts_with(&format!("{name}, seed ")))
            };
            variants.filter(|(_, variant)| is_named(&variant.name)).map(|(place, _)| place).collect()
        };
        Measures {
            who,
            felt,
            costs,
            impossible: named("impossible-goodput"),
            unfinished: named("unfinished-transfer"),
            repeated: named("equal-seeds"),
        }
    }

    /// Whether a variant's value of a column can be believed.
    pub fn is_sound(&self, column: &Column, variant: usize) -> bool {
        let is_of_finished = matches!(column.metric.as_str(), "completion_time" | "page_load_time");
        !(self.impossible.contains(&variant) || is_of_finished && self.unfinished.contains(&variant))
    }
}

fn measure(at: usize, column: &Column, word: &Word, is_told: bool) -> Measure {
    let Word { superlative, noun, better, .. } = *word;
    let part = match column.part.as_str() {
        "" => String::new(),
        part if column.metric == "deadline_miss" => format!(" (later than {part})"),
        part if is_seen(&column.metric) => format!(" at {part}"),
        _ => String::new(),
    };
    let of = if is_told { format!(" of {}", column.subject) } else { String::new() };
    Measure { at, superlative: format!("{superlative}{part}{of}"), noun: format!("{noun}{part}{of}"), better }
}
