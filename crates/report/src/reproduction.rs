//! Rows of the comparison with a paper's figures.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A figure of a paper compared with ours; also the record that `reproduce --json` prints.
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
    /// The paper's value.
    pub paper_value: f64,
    /// Our value: the mean over seeds; `None` if not measured.
    pub ours: Option<f64>,
    /// 95 % confidence interval of our value over seeds (Student).
    pub ci95: Option<[f64; 2]>,
    /// Ratio of our value to the paper's.
    pub ratio: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// Explanation of a difference.
    pub note: String,
}

/// Agreement of our value with the paper's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Verdict {
    /// Equal within the precision of the paper's figure.
    #[serde(rename = "agrees")]
    Agrees,
    /// The effect has the same direction and a different size.
    #[serde(rename = "same direction")]
    SameDirection,
    /// The effect has another direction, or is not significant.
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
