//! Variants that are compared with each other: those that share a baseline. With several axes there are several such blocks.

use indexmap::IndexMap;

use super::measures::{Better, Measure, Measures};
use super::verdict::{Verdict, difference, paired_of};
use super::words::{listed, value};
use super::{Answer, Judged};
use crate::comparison::Comparison;

/// Maximum number of measures with a sentence each.
const SENTENCES: usize = 3;
/// Maximum number of costs and of measures without a difference that are named.
const NAMED: usize = 4;
/// Costs below this share of the value, in per cent, are not named.
const SMALL: f64 = 1.0;
/// Maximum number of further gains that are named, and the least that is, in per cent.
const GAINS: usize = 2;
const LARGE: f64 = 10.0;

/// Variants to compare, by index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// The baseline.
    pub baseline: usize,
    /// All variants, the baseline included.
    pub variants: Vec<usize>,
}

impl Block {
    /// The blocks of a comparison; none for a single variant.
    pub fn all(comparison: &Comparison<'_>) -> Vec<Block> {
        let count = comparison.variants.len();
        if count > 1 && !comparison.has_baselines() {
            return vec![Block { baseline: 0, variants: (0..count).collect() }];
        }
        let mut blocks: IndexMap<usize, Vec<usize>> = IndexMap::new();
        for variant in 0..count {
            blocks.entry(comparison.baseline(variant).unwrap_or(variant)).or_default().push(variant);
        }
        let blocks = blocks.into_iter().filter(|(_, variants)| variants.len() > 1);
        blocks.map(|(baseline, variants)| Block { baseline, variants }).collect()
    }

    /// A variant's name within its block: the labels that differ.
    fn title(&self, comparison: &Comparison<'_>, variant: usize) -> String {
        let variant = &comparison.variants[variant];
        let differs = |axis: &str| {
            let label = |place: &usize| comparison.variants[*place].labels.get(axis);
            self.variants.iter().any(|place| label(place) != label(&self.variants[0]))
        };
        let labels = variant.labels.iter().filter(|(axis, _)| differs(axis));
        let labels: Vec<&str> = labels.map(|(_, label)| label.as_str()).collect();
        if labels.is_empty() { variant.title() } else { labels.join(", ") }
    }

    fn titles(&self, comparison: &Comparison<'_>, variants: &[usize]) -> Vec<String> {
        variants.iter().map(|variant| self.title(comparison, *variant)).collect()
    }
}

/// Adds the sentences of a comparison, and who is best.
pub(super) fn answer(comparison: &Comparison<'_>, measures: &Measures, blocks: &[Block], out: &mut Answer) {
    match blocks {
        [block] => one(comparison, measures, block, out),
        blocks => several(comparison, measures, blocks, out),
    }
}

fn one(comparison: &Comparison<'_>, measures: &Measures, block: &Block, out: &mut Answer) {
    let verdict = |measure: &Measure| Verdict::of(comparison, measures, measure, &block.variants);
    let judged: Vec<(&Measure, Verdict)> =
        measures.felt.iter().map(|measure| (measure, verdict(measure))).collect();
    let mut told = 0;
    let mut leader = None;
    for (measure, verdict) in &judged {
        let Verdict::Leaders { leaders, others, open } = verdict else { continue };
        if told == SENTENCES {
            break;
        }
        let reference = if others.contains(&block.baseline) { block.baseline } else { others[0] };
        out.sentences.push(leading(
            comparison,
            block,
            measure,
            (leaders, others, open),
            reference,
            told == 0,
        ));
        if told == 0 {
            out.best = leaders.iter().map(|place| comparison.variants[*place].name.clone()).collect();
            leader = Some((leaders[0], reference));
        }
        out.judged.push(Judged::of(comparison, measure));
        told += 1;
    }
    let unknown = judged.iter().filter_map(|(measure, verdict)| match verdict {
        Verdict::Unknown(places) => Some((*measure, places)),
        _ => None,
    });
    if told == 0 {
        let named: Vec<(&Measure, &Vec<usize>)> = unknown.take(2).collect();
        let unknown: Vec<String> =
            named.iter().map(|(measure, places)| measured(comparison, block, measure, places)).collect();
        if !unknown.is_empty() {
            let why = match measures.repeated.is_empty() {
                true => "With one seed a difference may be chance, so there is no winner.",
                false => "All seeds gave the same values, so there is no telling what is chance.",
            };
            out.sentences.push(why.to_owned());
            out.sentences.push(format!("Measured: {}.", unknown.join("; ")));
            out.judged.extend(named.iter().map(|(measure, _)| Judged::of(comparison, measure)));
        }
    }
    let tied: Vec<&Measure> = judged
        .iter()
        .filter(|(_, verdict)| matches!(verdict, Verdict::Tie(_)))
        .map(|(measure, _)| *measure)
        .take(NAMED)
        .collect();
    if !tied.is_empty() {
        let nouns: Vec<&str> = tied.iter().map(|measure| measure.noun.as_str()).collect();
        out.sentences.push(format!("No difference beyond chance in {}.", listed(&nouns)));
        out.judged.extend(tied.iter().map(|measure| Judged::of(comparison, measure)));
    }
    if let Some((leader, reference)) = leader {
        out.sentences.extend(costs(comparison, measures, block, leader, reference));
    }
}

/// `codel has the lowest RTT: 43.0 ms against 514 ms under tail-drop (-91.6 ± 0.1 %).`
fn leading(
    comparison: &Comparison<'_>,
    block: &Block,
    measure: &Measure,
    (leaders, others, open): (&[usize], &[usize], &[usize]),
    reference: usize,
    is_first: bool,
) -> String {
    let titles = block.titles(comparison, leaders);
    let names: Vec<&str> = titles.iter().map(String::as_str).collect();
    let apart = difference(comparison, measure.at, reference, leaders[0]).unwrap_or_default();
    let paired = if is_first { "; 95 % interval, paired by seed" } else { "" };
    let next =
        format!("{} under {}", value(comparison, measure.at, reference), block.title(comparison, reference));
    let own = value(comparison, measure.at, leaders[0]);
    let open = left_open(comparison, block, measure, open);
    match leaders {
        [_] => {
            format!("{} has {}: {own} against {next} ({apart}{paired}){open}.", names[0], measure.superlative)
        }
        [_, .., last] => {
            let last = value(comparison, measure.at, *last);
            // From low to high, whichever is better.
            let range = match measure.better {
                _ if own == last => own,
                Better::Low => format!("{own} to {last}"),
                Better::High => format!("{last} to {own}"),
            };
            let is_next = !others.contains(&block.baseline) && others.len() > 1 && open.is_empty();
            let who = if is_next { format!("{next}, the next") } else { next };
            let of = names[0];
            format!(
                "{} have {}: {range}, not apart beyond chance, against {who} ({of}: {apart}{paired}){open}.",
                listed(&names),
                measure.superlative
            )
        }
        [] => String::new(),
    }
}

/// `; chance leaves open where pie (114 ms) stands`, if there are such variants.
fn left_open(comparison: &Comparison<'_>, block: &Block, measure: &Measure, open: &[usize]) -> String {
    let text = |place: &usize| {
        format!("{} ({})", block.title(comparison, *place), value(comparison, measure.at, *place))
    };
    let named: Vec<String> = open.iter().map(text).collect();
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    let verb = if named.len() == 1 { "stands" } else { "stand" };
    if named.is_empty() {
        String::new()
    } else {
        format!("; chance leaves open where {} {verb}", listed(&named))
    }
}

/// `RTT 514 ms under tail-drop, 43.0 ms under codel`.
fn measured(comparison: &Comparison<'_>, block: &Block, measure: &Measure, places: &[usize]) -> String {
    let text = |place: &usize| {
        format!("{} under {}", value(comparison, measure.at, *place), block.title(comparison, *place))
    };
    match places {
        [first, .., last] if places.len() > NAMED + 1 => {
            format!("{} from {} to {}", measure.noun, text(first), text(last))
        }
        places => {
            // In the order of the comparison: a ranking would suggest a winner.
            let mut places = places.to_vec();
            places.sort_unstable();
            format!("{} {}", measure.noun, places.iter().map(text).collect::<Vec<_>>().join(", "))
        }
    }
}

/// What the leader's advantage costs, against the variant that it was compared with.
fn costs(
    comparison: &Comparison<'_>,
    measures: &Measures,
    block: &Block,
    leader: usize,
    reference: usize,
) -> Option<String> {
    let text = |measure: &Measure| {
        Some(format!("{} {}", measure.noun, difference(comparison, measure.at, reference, leader)?))
    };
    let of = |better: bool, least: f64| -> Vec<String> {
        let is_so = |measure: &&Measure| {
            effect(comparison, measure, reference, leader)
                .is_some_and(|(is_better, size)| is_better == better && size >= least)
        };
        measures.costs.iter().filter(is_so).filter_map(text).collect()
    };
    let named =
        |found: &[String], most: usize| found.iter().take(most).cloned().collect::<Vec<_>>().join(", ");
    // Dropping more or less is a cost where it is one, but no gain for anyone.
    let gains: Vec<String> =
        of(true, LARGE).into_iter().filter(|gain| !gain.starts_with("drop rate")).collect();
    let also = match gains.is_empty() {
        true => String::new(),
        false => format!(" It also brings {}.", named(&gains, GAINS)),
    };
    let worse = of(false, SMALL);
    let against = block.title(comparison, reference);
    let who = block.title(comparison, leader);
    if !worse.is_empty() {
        return Some(format!("The cost of {who} against {against}: {}.{also}", named(&worse, NAMED)));
    }
    let nouns: Vec<&str> = measures.costs.iter().map(|measure| measure.noun.as_str()).collect();
    let nouns = if nouns.len() > NAMED { &nouns[..NAMED] } else { &nouns[..] };
    (!nouns.is_empty())
        .then(|| format!("{who} costs less than 1 %, or nothing beyond chance, in {}.{also}", listed(nouns)))
}

/// Whether a difference beyond chance is for the better, and its size in per cent.
fn effect(comparison: &Comparison<'_>, measure: &Measure, from: usize, to: usize) -> Option<(bool, f64)> {
    let paired =
        paired_of(comparison, measure.at, from, to).filter(|paired| paired.estimate.excludes(0.0))?;
    let is_better = match measure.better {
        Better::High => paired.estimate.mean > 0.0,
        Better::Low => paired.estimate.mean < 0.0,
    };
    // What was nothing before has no size in per cent.
    Some((is_better, paired.percent.map_or(f64::INFINITY, f64::abs)))
}

/// How often each value of the compared axis leads, over the values of the other axes.
fn several(comparison: &Comparison<'_>, measures: &Measures, blocks: &[Block], out: &mut Answer) {
    let tally = |measure| Some((measure, Tally::of(comparison, measures, measure, blocks)?));
    let judged: Vec<(&Measure, Tally)> = measures.felt.iter().filter_map(tally).collect();
    if judged.is_empty() {
        let none = "No measure has values in two variants that are compared with each other; `baseline` names another comparison.";
        out.sentences.push(none.to_owned());
        return;
    }
    let mut told = 0;
    for (measure, tally) in &judged {
        if told == SENTENCES {
            break;
        }
        if tally.wins.is_empty() && (told > 0 || tally.unknown < tally.judged) {
            continue;
        }
        out.sentences.push(tally.sentence(measure, told == 0));
        out.judged.push(Judged::of(comparison, measure));
        if told == 0 && tally.wins.is_empty() {
            return;
        }
        told += 1;
    }
    if told == 0 {
        let nouns: Vec<&str> = judged.iter().take(NAMED).map(|(measure, _)| measure.noun.as_str()).collect();
        let count = blocks.len();
        let nouns = listed(&nouns);
        out.sentences.push(format!("No difference beyond chance in {nouns}, in any of {count} comparisons."));
    }
}

/// Leaders over several blocks.
struct Tally {
    /// Blocks in which at least two variants have values.
    judged: usize,
    /// Blocks in which chance cannot be judged.
    unknown: usize,
    /// Sole leaders, with the number of blocks and their differences in per cent from the variant that they are compared with.
    wins: IndexMap<String, Vec<Option<f64>>>,
    /// Title of the baseline, if all blocks have the same.
    baseline: Option<String>,
}

impl Tally {
    fn of(
        comparison: &Comparison<'_>,
        measures: &Measures,
        measure: &Measure,
        blocks: &[Block],
    ) -> Option<Tally> {
        let baselines: Vec<String> =
            blocks.iter().map(|block| block.title(comparison, block.baseline)).collect();
        let is_same = baselines.iter().all(|baseline| *baseline == baselines[0]);
        let baseline = is_same.then(|| baselines[0].clone());
        let mut tally = Tally { judged: 0, unknown: 0, wins: IndexMap::new(), baseline };
        for block in blocks {
            match Verdict::of(comparison, measures, measure, &block.variants) {
                Verdict::Nothing => continue,
                Verdict::Unknown(_) => tally.unknown += 1,
                Verdict::Leaders { leaders, .. } if leaders.len() == 1 => {
                    let title = block.title(comparison, leaders[0]);
                    let from_baseline = paired_of(comparison, measure.at, block.baseline, leaders[0]);
                    let percent = from_baseline.filter(|_| leaders[0] != block.baseline);
                    tally.wins.entry(title).or_default().push(percent.and_then(|paired| paired.percent));
                }
                _ => {}
            }
            tally.judged += 1;
        }
        tally.wins.sort_by(|_, one, _, other| other.len().cmp(&one.len()));
        (tally.judged > 0).then_some(tally)
    }

    fn sentence(&self, measure: &Measure, is_first: bool) -> String {
        let Tally { judged, wins, .. } = self;
        if wins.is_empty() {
            return format!(
                "With one seed a difference may be chance, so none of {judged} comparisons has a winner."
            );
        }
        let win = |(title, found): (&String, &Vec<Option<f64>>)| {
            let percents: Vec<f64> = found.iter().flatten().copied().collect();
            let (least, most) =
                percents.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), percent| {
                    (low.min(*percent), high.max(*percent))
                });
            let range = match &self.baseline {
                Some(baseline) if !percents.is_empty() && percents.len() == found.len() => {
                    let ends = [least, most].map(|percent| crate::number::signed(percent, None));
                    let ends = if ends[0] == ends[1] { ends[0].clone() } else { ends.join(" to ") };
                    format!(" ({ends} % against {baseline})")
                }
                _ => String::new(),
            };
            format!("{title} in {}{range}", found.len())
        };
        let shown: Vec<String> = wins.iter().take(NAMED).map(win).collect();
        let won: usize = wins.values().map(Vec::len).sum();
        let rest = match judged - won {
            0 => String::new(),
            rest => format!("; no single winner beyond chance in {rest}"),
        };
        let plural = if *judged == 1 { "" } else { "s" };
        let all = if is_first { format!(" in {judged} comparison{plural}") } else { String::new() };
        let mut superlative = measure.superlative.clone();
        if let Some(first) = superlative.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        format!("{superlative}{all}: {}{rest}.", shown.join(", "))
    }
}
