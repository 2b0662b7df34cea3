//! Rows that compare a paper's figures with ours.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One figure of a paper beside ours; also the record that `reproduce --json` prints.
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
    /// What is compared.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// What the paper says.
    pub paper_value: f64,
    /// What we measured: the mean over seeds; `None` if it was not measured.
    pub ours: Option<f64>,
    /// 95 % Student interval of ours over seeds.
    pub ci95: Option<[f64; 2]>,
    /// Ours over the paper's.
    pub ratio: Option<f64>,
    /// Whether the two agree.
    pub verdict: Verdict,
    /// Why, where they differ.
    pub note: String,
}

/// Whether a figure of ours agrees with the paper's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Verdict {
    /// Within what the paper's figure can tell.
    #[serde(rename = "agrees")]
    Agrees,
    /// The effect points the same way, its size differs.
    #[serde(rename = "same direction")]
    SameDirection,
    /// Neither.
    #[serde(rename = "differs")]
    Differs,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Agrees => "agrees",
            Verdict::SameDirection => "same direction",
            Verdict::Differs => "differs",
        })
    }
}
