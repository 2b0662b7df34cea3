//! Rows of the comparison with a paper's figures, the verdicts on them, and the records that `reproduce --json` prints.

use std::fmt;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::number;
use crate::summary::SummaryRecord;

/// A figure of a paper compared with ours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReproductionRow {
    /// Id of the paper, such as `ired`.
    pub paper: String,
    /// Name of the experiment.
    pub experiment: String,
    /// Figure, table or section number in the paper.
    pub figure: String,
    /// The variant, or the variants compared, such as `ired-64 / pi2`.
    pub variant: String,
    /// The quantity.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// The paper's value; `None` if the paper gives none.
    pub paper_value: Option<f64>,
    /// Whether the paper states a direction without a number: `paper_value` is then nominal, a number of ours on the
    /// paper's side.
    #[serde(default)]
    pub nominal: bool,
    /// What the paper's sentence says of the value.
    #[serde(default)]
    pub sentence: Option<Sentence>,
    /// The value that means "no effect"; `None` in a series, whose rows are compared with its reference row, and for a
    /// plain quantity.
    #[serde(default)]
    pub neutral: Option<f64>,
    /// Our value: the mean over seeds; `None` if there is none.
    pub ours: Option<f64>,
    /// 95 % confidence interval of our value over seeds (Student).
    pub ci95: Option<[f64; 2]>,
    /// Ratio of our value to the paper's.
    pub ratio: Option<f64>,
    /// Size of our effect as a multiple of the paper's; negative in the other direction.
    #[serde(default)]
    pub effect: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// Reason of the verdict where it needs one, and explanation of a difference.
    pub note: String,
}

impl ReproductionRow {
    /// The paper's value for a table. A direction in place of a number is in parentheses: `(> 1)`, `(rises)`.
    pub fn paper_text(&self) -> String {
        if !self.nominal {
            return self.paper_value.map_or_else(|| "–".to_owned(), number::plain);
        }
        let direction = match (self.sentence, self.neutral.map(number::tick)) {
            (Some(Sentence::Greater), Some(neutral)) => format!("> {neutral}"),
            (Some(Sentence::Less), Some(neutral)) => format!("< {neutral}"),
            (Some(Sentence::Equal), Some(neutral)) => format!("= {neutral}"),
            (Some(Sentence::Greater), None) => "rises".to_owned(),
            (Some(Sentence::Less), None) => "falls".to_owned(),
            (Some(Sentence::Equal), None) => "same".to_owned(),
            (Some(Sentence::Monotone), _) => "monotone".to_owned(),
            (None, _) => "nominal".to_owned(),
        };
        format!("({direction})")
    }

    /// The size of our effect for a table.
    pub fn effect_text(&self) -> String {
        self.effect.map_or_else(|| "–".to_owned(), number::plain)
    }
}

/// What a paper's sentence says of a value: how it compares with "no effect" or, in a series, with the reference row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sentence {
    /// Less than "no effect".
    Less,
    /// Greater than "no effect".
    Greater,
    /// No effect: statistically the same, no penalty.
    Equal,
    /// Each step of the series from the reference row goes the same way.
    Monotone,
}

/// Agreement of our value with the paper's. Declared from best to worst; [`Verdict::severity`] has the order for claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Verdict {
    /// Equal within the tolerance of the paper's figure.
    #[serde(rename = "agrees")]
    Agrees,
    /// The paper's sentence holds, and the effect is between half and twice the paper's.
    #[serde(rename = "same direction")]
    SameDirection,
    /// The sentence holds with more than twice the paper's effect.
    #[serde(rename = "stronger")]
    Stronger,
    /// The sentence holds with less than half of the paper's effect.
    #[serde(rename = "weaker")]
    Weaker,
    /// The sentence does not hold. Results of versions that knew only three verdicts say `differs`.
    #[serde(rename = "contradicts", alias = "differs")]
    Contradicts,
    /// Our interval includes both no effect and the paper's value, for a claim in words values on its side.
    #[serde(rename = "unclear")]
    Unclear,
    /// No value of ours.
    #[serde(rename = "not run")]
    NotRun,
    /// The paper states neither a number nor a direction.
    #[serde(rename = "no value in the paper")]
    NoValue,
    /// A claim without rows.
    #[serde(rename = "untested")]
    Untested,
}

impl Verdict {
    /// All verdicts, in the order of tables.
    pub const ALL: [Verdict; 9] = [
        Verdict::Agrees,
        Verdict::SameDirection,
        Verdict::Stronger,
        Verdict::Weaker,
        Verdict::Contradicts,
        Verdict::Unclear,
        Verdict::NotRun,
        Verdict::NoValue,
        Verdict::Untested,
    ];

    /// The verdict's name.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Agrees => "agrees",
            Verdict::SameDirection => "same direction",
            Verdict::Stronger => "stronger",
            Verdict::Weaker => "weaker",
            Verdict::Contradicts => "contradicts",
            Verdict::Unclear => "unclear",
            Verdict::NotRun => "not run",
            Verdict::NoValue => "no value in the paper",
            Verdict::Untested => "untested",
        }
    }

    /// One sentence for the legend below a table.
    pub fn meaning(self) -> &'static str {
        match self {
            Verdict::Agrees => {
                "ours is within the tolerance of the paper's value, or our 95 % interval contains it; the interval is no \
                 wider than the value, and the paper's sentence holds"
            }
            Verdict::SameDirection => {
                "the paper's sentence holds, and the effect is between half and twice the paper's (its size is not \
                 judged where the paper gives no number)"
            }
            Verdict::Stronger => "the sentence holds; the effect is more than twice the paper's",
            Verdict::Weaker => "the sentence holds; the effect is less than half of the paper's",
            Verdict::Contradicts => {
                "the sentence does not hold: other direction, or our interval includes no effect and not the paper's value \
                 (the note says which)"
            }
            Verdict::Unclear => {
                "our interval includes both no effect and the paper's value, or values on its side if it gives none: more \
                 seeds would tell them apart"
            }
            Verdict::NotRun => "no value of ours to judge (the note says why)",
            Verdict::NoValue => "the paper states neither a number nor a direction: ours is shown alone",
            Verdict::Untested => "no row tests the claim",
        }
    }

    /// Rank for the worst of several verdicts: a contradiction stands whatever else is missing; then what was not run
    /// or is unclear, since its verdict is open; then effects of another size. A row without a value of the paper says least.
    pub fn severity(self) -> u8 {
        match self {
            Verdict::Untested => 0,
            Verdict::NoValue => 1,
            Verdict::Agrees => 2,
            Verdict::SameDirection => 3,
            Verdict::Stronger => 4,
            Verdict::Weaker => 5,
            Verdict::Unclear => 6,
            Verdict::NotRun => 7,
            Verdict::Contradicts => 8,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Legend of the marks and words in a comparison: each word with its meaning, in the order of the columns.
pub(crate) fn legend(rows: &[ReproductionRow]) -> Vec<(String, &'static str)> {
    let mut legend = Vec::new();
    if let Some(row) = rows.iter().find(|row| row.nominal) {
        legend.push((row.paper_text(), "nominal: the paper states this in words, without a number"));
    }
    if rows.iter().any(|row| row.effect.is_some()) {
        let effect = "size of our effect as a multiple of the paper's: log ratio, difference from no effect, change from \
                      the first row of a series, or the value itself; negative in the other direction";
        legend.push(("effect".to_owned(), effect));
    }
    let shown = Verdict::ALL.into_iter().filter(|verdict| rows.iter().any(|row| row.verdict == *verdict));
    legend.extend(shown.map(|verdict| (verdict.to_string(), verdict.meaning())));
    legend
}

/// A line of `reproduce --json`; its key `type` says which.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ReproductionRecord<'a> {
    /// `summary`: a value of ours, as `run --json` prints it.
    Summary(&'a SummaryRecord),
    /// `row`: a figure of the paper compared with ours, as in `reproduction.json`.
    Row(Tagged<&'a ReproductionRow>),
    /// `claim`: a claim of the paper's ledger with its verdict.
    Claim(Tagged<&'a ClaimRecord>),
    /// `counts`: number of rows or claims by verdict.
    Counts(Tagged<&'a Counts>),
}

/// A record with its `type`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Tagged<T> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(flatten)]
    record: T,
}

impl<'a> From<&'a ReproductionRow> for ReproductionRecord<'a> {
    fn from(record: &'a ReproductionRow) -> Self {
        ReproductionRecord::Row(Tagged { kind: "row", record })
    }
}

impl<'a> From<&'a ClaimRecord> for ReproductionRecord<'a> {
    fn from(record: &'a ClaimRecord) -> Self {
        ReproductionRecord::Claim(Tagged { kind: "claim", record })
    }
}

impl<'a> From<&'a Counts> for ReproductionRecord<'a> {
    fn from(record: &'a Counts) -> Self {
        ReproductionRecord::Counts(Tagged { kind: "counts", record })
    }
}

/// A claim of a paper with the verdict on it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClaimRecord {
    /// Id of the paper, such as `ired`.
    pub paper: String,
    /// Id of the claim, unique in the paper.
    pub id: String,
    /// Section, figure or table of the text.
    pub section: String,
    /// Kind of claim: `number`, `figure`, `table` or `comparison`.
    pub kind: String,
    /// The claim, paraphrased.
    pub claim: String,
    /// The worst verdict of the rows that test it; `untested` if there are none.
    pub verdict: Verdict,
    /// Names of these rows, `<experiment>: <figure>`.
    pub rows: Vec<String>,
    /// Why no row, or no row for all of it, tests the claim; null if rows do.
    pub reason: Option<String>,
}

/// Number of rows or claims by verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Id of the paper.
    pub paper: String,
    /// The experiment; null for all that were asked for.
    pub experiment: Option<String>,
    /// What is counted: `rows` or `claims`.
    pub of: &'static str,
    /// Total number.
    pub total: usize,
    /// Number of each verdict that there is.
    pub verdicts: IndexMap<&'static str, usize>,
}

impl Counts {
    /// Counts `verdicts`.
    pub fn new(paper: &str, experiment: Option<&str>, of: &'static str, verdicts: &[Verdict]) -> Counts {
        let count = |verdict: Verdict| verdicts.iter().filter(|other| **other == verdict).count();
        Counts {
            paper: paper.to_owned(),
            experiment: experiment.map(str::to_owned),
            of,
            total: verdicts.len(),
            verdicts: Verdict::ALL
                .into_iter()
                .map(|verdict| (verdict.name(), count(verdict)))
                .filter(|(_, count)| *count > 0)
                .collect(),
        }
    }
}

impl fmt::Display for Counts {
    /// One line: `12 rows: agrees 3, contradicts 9`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.total == 1 { self.of.trim_end_matches('s') } else { self.of };
        write!(f, "{} {noun}", self.total)?;
        for (index, (verdict, count)) in self.verdicts.iter().enumerate() {
            write!(f, "{} {verdict} {count}", if index == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A row with everything that a table shows.
    pub(crate) fn row() -> ReproductionRow {
        ReproductionRow {
            paper: "ired".to_owned(),
            experiment: "ingress-vs-egress".to_owned(),
            figure: "Fig. 5".to_owned(),
            variant: "ired-64 / pi2".to_owned(),
            metric: "RTT gain".to_owned(),
            unit: "×".to_owned(),
            paper_value: Some(2.48),
            nominal: false,
            sentence: Some(Sentence::Greater),
            neutral: Some(1.0),
            ours: Some(2.1),
            ci95: Some([2.0, 2.2]),
            ratio: Some(0.847),
            effect: Some(0.817),
            verdict: Verdict::SameDirection,
            note: "the paper does not give the bottleneck rate".to_owned(),
        }
    }

    #[test]
    fn a_nominal_value_is_shown_as_its_direction() {
        let text = |sentence, neutral| {
            ReproductionRow { nominal: true, sentence: Some(sentence), neutral, ..row() }.paper_text()
        };
        assert_eq!(text(Sentence::Greater, Some(1.0)), "(> 1)");
        assert_eq!(text(Sentence::Less, Some(0.9)), "(< 0.9)");
        assert_eq!(text(Sentence::Equal, Some(1.0)), "(= 1)");
        assert_eq!(text(Sentence::Less, None), "(falls)");
        assert_eq!(row().paper_text(), "2.48");
        assert_eq!(ReproductionRow { paper_value: None, ..row() }.paper_text(), "–");
    }

    #[test]
    fn the_legend_explains_the_words_shown_and_no_others() {
        let words =
            |rows: &[ReproductionRow]| legend(rows).into_iter().map(|(word, _)| word).collect::<Vec<_>>();
        assert_eq!(words(&[row()]), ["effect", "same direction"]);
        let claim = ReproductionRow { nominal: true, effect: None, verdict: Verdict::Contradicts, ..row() };
        assert_eq!(words(&[claim]), ["(> 1)", "contradicts"]);
        assert!(words(&[]).is_empty());
    }

    #[test]
    fn verdicts_are_written_by_name_and_read_from_older_results() {
        for verdict in Verdict::ALL {
            let text = serde_json::to_string(&verdict).unwrap();
            assert_eq!(text, format!("\"{verdict}\""));
            assert_eq!(serde_json::from_str::<Verdict>(&text).unwrap(), verdict);
        }
        assert_eq!(serde_json::from_str::<Verdict>("\"differs\"").unwrap(), Verdict::Contradicts);
    }

    #[test]
    fn counts_name_the_verdicts_that_there_are() {
        let counts =
            Counts::new("p", None, "rows", &[Verdict::Contradicts, Verdict::Agrees, Verdict::Agrees]);
        assert_eq!(counts.to_string(), "3 rows: agrees 2, contradicts 1");
        assert_eq!(
            serde_json::to_string(&ReproductionRecord::from(&counts)).unwrap(),
            r#"{"type":"counts","paper":"p","experiment":null,"of":"rows","total":3,"verdicts":{"agrees":2,"contradicts":1}}"#
        );
        assert_eq!(Counts::new("p", None, "claims", &[Verdict::Untested]).to_string(), "1 claim: untested 1");
    }
}
