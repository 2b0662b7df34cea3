//! A file of grants of a cell, and how it is read.

use std::sync::Arc;

use jettison_core::Bytes;
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell::RLC_HEADER;
use crate::trace::{Format, Grants, OPPORTUNITY_BYTES, Recording, RecordingError, Restarts};
use crate::{CellLink, GrantsTooSmall};

/// A file of grants, and how it is read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "cell", inline)]
pub struct CellFile {
    /// The file, from the scenario's folder.
    #[schemars(extend("format" = "cell-file"))]
    pub file: String,
    /// Format of the file; detected by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// Bytes that an opportunity of a Mahimahi trace grants, 1 to 65,535.
    #[serde(default = "opportunity")]
    pub opportunity: Bytes,
    /// Bytes of the grant that each segment of a packet takes for its header, up to 255: RLC's. 0 if the file's bytes
    /// are without headers.
    #[serde(default = "rlc")]
    pub segment_header: Bytes,
    /// Restarts of the downloads with which a drive test was recorded: `interpolate` or `keep`.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub restarts: Restarts,
}

fn is_usual(restarts: &Restarts) -> bool {
    *restarts == Restarts::default()
}

fn rlc() -> Bytes {
    Bytes::new(u64::from(RLC_HEADER))
}
fn opportunity() -> Bytes {
    Bytes::new(u64::from(OPPORTUNITY_BYTES))
}

impl CellFile {
    /// That file, with everything else as it is by default.
    pub fn named(file: String) -> CellFile {
        let restarts = Restarts::default();
        CellFile { file, format: None, opportunity: opportunity(), segment_header: rlc(), restarts }
    }

    /// Checks what no file is needed for.
    pub fn validate(&self) -> Result<(), ParameterError> {
        if !(1..=65_535).contains(&self.opportunity.get()) {
            let message = format!("an opportunity of {}; write 1 to 65535 bytes", self.opportunity);
            return Err(ParameterError::at("opportunity", message));
        }
        if self.segment_header.get() > 255 {
            let message = format!("a segment header of {}; write at most 255 bytes", self.segment_header);
            return Err(ParameterError::at("segment_header", message));
        }
        Ok(())
    }

    /// The grants that stand in the file, if it is [valid](CellFile::validate).
    pub fn read(&self, text: &[u8]) -> Result<Grants, RecordingError> {
        let opportunity = self.opportunity.get().clamp(1, 65_535) as u32;
        let recording = Recording::read_with(text, self.format, self.restarts)?;
        Ok(recording.into_grants(opportunity))
    }

    /// The link that these grants serve, with the usual overhead.
    pub fn link(&self, grants: Arc<Grants>) -> Result<CellLink, ParameterError> {
        self.validate()?;
        let too_small =
            |error: GrantsTooSmall| ParameterError::at("segment_header", format!("{error}; write less"));
        let header = self.segment_header.get() as u32; // at most 255
        CellLink::with_headers(grants, header).map_err(too_small)
    }
}
