//! Which link models there are.

use std::sync::Arc;

use jettison_core::{BuildError, Bytes, Rate, Registry, Time, parameters};
use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cell::{PDCP_HEADER, RLC_HEADER};
use crate::trace::{Format, Grants, OPPORTUNITY_BYTES, Recording, RecordingError, Trace};
use crate::{CellLink, FixedRate, GrantsTooSmall, LinkModel, Schedule, TraceLink};

/// A registered link model.
#[derive(Clone)]
pub struct LinkEntry {
    /// Its id.
    pub id: &'static str,
    /// One line for `jettison list`.
    pub summary: &'static str,
    /// The document it implements.
    pub source: &'static str,
    /// The schema of its parameters.
    pub schema: fn() -> Schema,
    /// Builds it, for one direction, from its parameters (an object without `kind`).
    #[allow(clippy::type_complexity)] // spelt out, it says what a builder is
    pub build: fn(&Value, &LinkContext<'_>) -> Result<Box<dyn LinkModel>, BuildError>,
}

/// What a link model may need to know of its place when it is built.
pub struct LinkContext<'a> {
    /// The trace of that name, read and checked by the caller, who also keeps it for the other runs; the error is a
    /// whole message that names the file.
    pub trace: &'a dyn Fn(&str) -> Result<Arc<Trace>, String>,
    /// The grants in that file, likewise.
    pub grants: &'a dyn Fn(&CellFile) -> Result<Arc<Grants>, String>,
}

/// Parameters of `fixed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixedParameters {
    /// Bits that the link carries a second, overhead included.
    pub rate: Rate,
    /// Other rates from given times on, in order; zero is an outage.
    #[serde(default)]
    pub rate_changes: Vec<RateChange>,
    /// Bytes that the link adds to a packet's IP length: an Ethernet header.
    #[serde(default = "ethernet")]
    pub overhead: Bytes,
}

/// A scheduled change of rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateChange {
    /// When, from the start of the run.
    pub at: Time,
    /// The rate from then on; zero is an outage.
    pub rate: Rate,
}

/// Parameters of `mahimahi`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MahimahiParameters {
    /// File of the trace: each line a millisecond at which up to 1,504 bytes may leave. Grants of a base station and drive
    /// tests are read too, and turned into that.
    pub trace: String,
    /// Bytes that count with a packet's IP length: Mahimahi's own header.
    #[serde(default = "packet_information")]
    pub overhead: Bytes,
}

/// Parameters of `cell`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellParameters {
    /// What is granted.
    pub cell: CellFile,
    /// Bytes that count with a packet's IP length: PDCP's header.
    #[serde(default = "pdcp")]
    pub overhead: Bytes,
}

/// A file of grants, and how it is read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "cell", inline)]
pub struct CellFile {
    /// The file, from the scenario's folder.
    #[schemars(extend("format" = "cell-file"))]
    pub file: String,
    /// Its format; by default the one that it looks like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// Bytes that an opportunity of a Mahimahi trace grants, 1 to 65,535.
    #[serde(default = "opportunity")]
    pub opportunity: Bytes,
    /// Bytes of the grant that each segment of a packet takes for its header, up to 255: RLC's. 0 if the file's bytes
    /// are without headers.
    #[serde(default = "rlc")]
    pub segment_header: Bytes,
}

fn pdcp() -> Bytes {
    Bytes::new(u64::from(PDCP_HEADER))
}
fn rlc() -> Bytes {
    Bytes::new(u64::from(RLC_HEADER))
}
fn opportunity() -> Bytes {
    Bytes::new(u64::from(OPPORTUNITY_BYTES))
}
fn ethernet() -> Bytes {
    Bytes::new(14)
}
fn packet_information() -> Bytes {
    Bytes::new(4)
}

/// All link models of this crate.
pub fn links() -> Registry<LinkEntry> {
    let mut links = Registry::new("link model");
    links.register(LinkEntry {
        id: "fixed",
        summary: "a fixed rate, with scheduled changes",
        source: "RFC 2544 §26 (throughput of a link of fixed rate); exact in integer nanoseconds",
        schema: || schema_for!(FixedParameters),
        build: |value, _| Ok(Box::new(parameters::<FixedParameters>(value)?.build()?)),
    });
    links.register(LinkEntry {
        id: "mahimahi",
        summary: "delivery opportunities of a recorded trace, which repeats",
        source: "Netravali et al., Mahimahi (LinkShell), USENIX ATC 2015",
        schema: || schema_for!(MahimahiParameters),
        build: |value, context| Ok(Box::new(parameters::<MahimahiParameters>(value)?.build(context)?)),
    });
    links.register(LinkEntry {
        id: "cell",
        summary: "a user's queue in a cell, served in grants of 1 ms by a trace, with segments over several grants",
        source: "3GPP TS 36.322 (RLC, unacknowledged mode); a base station's grants as in the Octopus paper's traces",
        schema: || schema_for!(CellParameters),
        build: |value, context| Ok(Box::new(parameters::<CellParameters>(value)?.build(context)?)),
    });
    links
}

impl FixedParameters {
    /// The link, if the parameters make one.
    pub fn build(&self) -> Result<FixedRate, BuildError> {
        if self.rate.is_zero() {
            return Err(BuildError::at(
                "rate",
                "a link of rate zero carries nothing: write a rate such as \"10 Mbit/s\", or an outage as a change to \"0 bit/s\" and back",
            ));
        }
        let changes = self.rate_changes.iter().map(|change| (change.at, change.rate)).collect();
        let schedule = Schedule::new(self.rate, changes).map_err(|error| BuildError {
            path: vec!["rate_changes".to_owned(), error.index.to_string(), "at".to_owned()],
            message: error.to_string(),
        })?;
        if schedule.last().is_zero() {
            let last = self.rate_changes.len().saturating_sub(1);
            return Err(BuildError {
                path: vec!["rate_changes".to_owned(), last.to_string(), "rate".to_owned()],
                message: "the last change is to rate zero, after which nothing is ever carried: add a change that ends the outage".to_owned(),
            });
        }
        Ok(FixedRate::scheduled(schedule).with_overhead(overhead(self.overhead)?))
    }
}

impl MahimahiParameters {
    /// The link, if the trace can be read.
    pub fn build(&self, context: &LinkContext<'_>) -> Result<TraceLink, BuildError> {
        let trace = (context.trace)(&self.trace).map_err(|message| BuildError::at("trace", message))?;
        Ok(TraceLink::new(trace).with_overhead(overhead(self.overhead)?))
    }
}

impl CellParameters {
    /// The link, if the grants can be read.
    pub fn build(&self, context: &LinkContext<'_>) -> Result<CellLink, BuildError> {
        self.cell.validate().map_err(|error| inside("cell", error))?;
        let grants = (context.grants)(&self.cell)
            .map_err(|message| inside("cell", BuildError::at("file", message)))?;
        let link = self.cell.link(grants).map_err(|error| inside("cell", error))?;
        Ok(link.with_overhead(overhead(self.overhead)?))
    }
}

impl CellFile {
    /// That file, with everything else as it is by default.
    pub fn named(file: String) -> CellFile {
        CellFile { file, format: None, opportunity: opportunity(), segment_header: rlc() }
    }

    /// Checks what no file is needed for.
    pub fn validate(&self) -> Result<(), BuildError> {
        if !(1..=65_535).contains(&self.opportunity.get()) {
            let message = format!("an opportunity of {}; write 1 to 65535 bytes", self.opportunity);
            return Err(BuildError::at("opportunity", message));
        }
        if self.segment_header.get() > 255 {
            let message = format!("a segment header of {}; write at most 255 bytes", self.segment_header);
            return Err(BuildError::at("segment_header", message));
        }
        Ok(())
    }

    /// The grants that stand in the file, if it is [valid](CellFile::validate).
    pub fn read(&self, text: &[u8]) -> Result<Grants, RecordingError> {
        let opportunity = self.opportunity.get().clamp(1, 65_535) as u32;
        Recording::read(text, self.format).map(|recording| recording.into_grants(opportunity))
    }

    /// The link that these grants serve, with the usual overhead.
    pub fn link(&self, grants: Arc<Grants>) -> Result<CellLink, BuildError> {
        self.validate()?;
        let too_small =
            |error: GrantsTooSmall| BuildError::at("segment_header", format!("{error}; write less"));
        let header = self.segment_header.get() as u32; // at most 255
        CellLink::with_headers(grants, header).map_err(too_small)
    }
}

fn inside(key: &str, error: BuildError) -> BuildError {
    let path = std::iter::once(key.to_owned()).chain(error.path).collect();
    BuildError { path, message: error.message }
}

/// More than any encapsulation adds, and small enough that sizes never overflow.
const LARGEST_OVERHEAD: u32 = 65_535;

fn overhead(bytes: Bytes) -> Result<u32, BuildError> {
    u32::try_from(bytes.get()).ok().filter(|bytes| *bytes <= LARGEST_OVERHEAD).ok_or_else(|| {
        BuildError::at(
            "overhead",
            format!("an overhead of {bytes} a packet is past {LARGEST_OVERHEAD} bytes"),
        )
    })
}

jettison_core::catalogue!(LinkEntry);

#[cfg(test)]
mod tests {
    use jettison_core::Catalogue;
    use jettison_core::parameter_docs;
    use serde_json::json;

    use super::*;

    fn build(id: &str, parameters: Value) -> Result<Box<dyn LinkModel>, BuildError> {
        let trace = |name: &str| match name {
            "good.trace" => Ok(Arc::new(Trace::from_opportunities(vec![1, 2]).unwrap())),
            other => Err(format!("{other}: no such file")),
        };
        let grants = |cell: &CellFile| match cell.file.as_str() {
            "good.trace" => Ok(Arc::new(cell.read(b"10\n2\n0\n15040\n").unwrap())),
            "thin.trace" => Ok(Arc::new(cell.read(b"10\n2\n0\n20\n").unwrap())),
            other => Err(format!("{other}: no such file")),
        };
        (links().entry(id).unwrap().build)(&parameters, &LinkContext { trace: &trace, grants: &grants })
    }

    fn refusal(id: &str, parameters: Value) -> String {
        build(id, parameters).err().unwrap().to_string()
    }

    #[test]
    fn every_link_documents_its_parameters() {
        for entry in links().iter() {
            let parameters = parameter_docs(&entry.schema());
            assert!(!parameters.is_empty(), "{}", entry.id);
            assert!(
                parameters.iter().all(|p| !p.description.is_empty() && !p.unit.is_empty()),
                "{parameters:?}"
            );
        }
        let fixed = parameter_docs(&links().entry("fixed").unwrap().schema());
        assert_eq!(fixed[0].name, "rate");
        assert_eq!((fixed[2].name.as_str(), fixed[2].default.as_deref()), ("overhead", Some("14 bytes")));
    }

    #[test]
    fn builds_what_a_scenario_writes() {
        let mut fixed = build("fixed", json!({ "rate": "10 Mbit/s", "overhead": "2 bytes" })).unwrap();
        assert_eq!(fixed.overhead(), 2);
        assert_eq!(fixed.begin(1250, Time::ZERO), Time::from_millis(1));
        let mut traced = build("mahimahi", json!({ "trace": "good.trace" })).unwrap();
        assert_eq!(traced.overhead(), 4);
        assert_eq!(traced.ready_at(Time::ZERO), Time::from_millis(1));
        let mut cell = build("cell", json!({ "cell": { "file": "good.trace" } })).unwrap();
        assert_eq!(cell.overhead(), 2);
        assert_eq!(cell.begin(1502, Time::ZERO), Time::from_millis(11));
    }

    #[test]
    fn refuses_what_no_link_can_be() {
        assert!(refusal("fixed", json!({ "rate": "0 bit/s" })).starts_with("rate: a link of rate zero"));
        let backwards = json!({ "rate": "1 Mbit/s", "rate_changes": [
            { "at": "2 s", "rate": "2 Mbit/s" }, { "at": "1 s", "rate": "3 Mbit/s" }] });
        assert!(refusal("fixed", backwards).starts_with("rate_changes.1.at: changes must be in order"));
        let dead = json!({ "rate": "1 Mbit/s", "rate_changes": [{ "at": "2 s", "rate": "0 bit/s" }] });
        assert!(refusal("fixed", dead).starts_with("rate_changes.0.rate: the last change is to rate zero"));
        assert!(
            refusal("fixed", json!({ "rate": "1 Mbit/s", "overhead": "1 MB" })).starts_with("overhead: ")
        );
        assert!(refusal("fixed", json!({ "rate": "10 ms" })).contains("not a unit of a rate"));
        assert!(refusal("fixed", json!({ "rate": "1 Mbit/s", "speed": 1 })).contains("speed"));
        assert_eq!(refusal("mahimahi", json!({ "trace": "lost" })), "trace: lost: no such file");
        let cell = |cell: Value| refusal("cell", json!({ "cell": cell }));
        assert_eq!(cell(json!({ "file": "lost" })), "cell.file: lost: no such file");
        assert!(
            cell(json!({ "file": "thin.trace" }))
                .starts_with("cell.segment_header: a segment header must be smaller than")
        );
        assert!(
            build("cell", json!({ "cell": { "file": "thin.trace", "segment_header": "0 bytes" } })).is_ok()
        );
        assert_eq!(
            cell(json!({ "file": "good.trace", "opportunity": "0 bytes" })),
            "cell.opportunity: an opportunity of 0 bytes; write 1 to 65535 bytes"
        );
        assert!(cell(json!({ "file": "good.trace", "segment_header": "256 bytes" })).contains("at most 255"));
        assert!(cell(json!({ "file": "good.trace", "format": "srslte" })).contains("srslte"));
        assert!(links().unknown("mahi-mahi").contains("did you mean `mahimahi`?"));
    }
}
