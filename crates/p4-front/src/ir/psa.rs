//! Extern calls that only PSA has. Its other objects use those of v1model.

use super::{Expr, ExternId, HashAlgorithm, Place};

/// A call of an extern of PSA.
#[derive(Debug, Clone, PartialEq)]
pub enum PsaExtern {
    /// `DirectCounter.count`: counts the packet for the entry that matched in the latest application of the counter's
    /// table, or for its default action.
    CountDirect {
        /// The counter.
        counter: ExternId,
    },
    /// `Meter.execute` and `DirectMeter.execute`. Colours are 0 green, 1 yellow, 2 red.
    Mark {
        /// The meter.
        meter: ExternId,
        /// Index; `None` for a direct meter: that of the entry that matched. A default action is green.
        index: Option<Expr>,
        /// Colour that the packet has already; `None` in colour-blind mode.
        colour: Option<Expr>,
        /// Destination, `bit<8>`.
        to: Place,
    },
    /// A step of a checksum. Between the steps, a `bit<64>` holds what the data so far amount to.
    Checksum {
        /// The step.
        step: ChecksumStep,
        /// `Crc16`, `Crc32`, their custom forms, or `Csum16`.
        algorithm: HashAlgorithm,
        /// State before the step, `bit<64>`.
        from: Expr,
        /// Destination, `bit<64>`.
        to: Place,
    },
}

/// Step of a checksum.
#[derive(Debug, Clone, PartialEq)]
pub enum ChecksumStep {
    /// State without data.
    Clear,
    /// State after these data too.
    Update(Vec<Expr>),
    /// The checksum of a state.
    Get,
}

impl PsaExtern {
    /// Expressions that the call evaluates.
    pub fn reads(&self) -> Vec<&Expr> {
        match self {
            PsaExtern::CountDirect { .. } => Vec::new(),
            PsaExtern::Mark { index, colour, .. } => index.iter().chain(colour).collect(),
            PsaExtern::Checksum { step, from, .. } => match step {
                ChecksumStep::Clear => Vec::new(),
                ChecksumStep::Update(data) => data.iter().chain([from]).collect(),
                ChecksumStep::Get => vec![from],
            },
        }
    }

    /// The place that the call writes.
    pub fn writes(&self) -> Option<&Place> {
        match self {
            PsaExtern::CountDirect { .. } => None,
            PsaExtern::Mark { to, .. } | PsaExtern::Checksum { to, .. } => Some(to),
        }
    }
}
