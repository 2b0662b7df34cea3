//! `drr`: deficit round robin among bands, in proportion to their quanta.
//!
//! It is [`crate::ets`] without strict bands, and its scheduler is that of `ets`. Linux has a qdisc of its own for it, with a
//! class for each band.
//!
//! Reference: tc-drr(8); Shreedhar & Varghese, *Efficient Fair Queuing using Deficit Round Robin*, SIGCOMM 1995. Units: `quanta`
//! in bytes of IP length.

use std::collections::BTreeMap;

use jettison_core::Bytes;
use jettison_registry::style::{Line::DashDot, MOSS};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::ets::{self, EtsParameters};
use crate::priority::Bands;
use crate::{Class, Dscp, Filter, InLinux, Limit, Qdisc, QdiscContext, QueueDiscipline};

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("drr", "DRR", build)
        .style(MOSS, DashDot)
        .summary("Deficit round robin: bands share the link in proportion to their quanta")
        .source("tc-drr(8); Shreedhar & Varghese 1995")
        .page("disciplines/drr.md")
        .gauges(ets::GAUGES)
        .facts(InLinux::by(qdisc))
}

/// Parameters of deficit round robin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DrrParameters {
    /// The bands: a number of tail-drop bands, or a list of disciplines, each an id or a table with its `kind`.
    pub bands: Bands,
    /// Bytes that each band sends in its turn, in the order of the bands. Bands beyond the list have 1,500 bytes.
    pub quanta: Vec<Bytes>,
    /// Band by DSCP, such as `{ EF = 0, AF41 = 1 }`. Unset: by the traffic class that the switch assigned.
    pub dscp: Option<BTreeMap<Dscp, u8>>,
    /// Band of DSCPs that `dscp` does not list. Unset: the last band.
    pub other: Option<u8>,
    /// Limit of all bands together, in addition to those of the bands.
    pub limit: Limit,
}

impl Default for DrrParameters {
    fn default() -> DrrParameters {
        let EtsParameters { bands, strict: _, quanta, dscp, other, limit } = EtsParameters::default();
        DrrParameters { bands, quanta, dscp, other, limit }
    }
}

impl From<DrrParameters> for EtsParameters {
    fn from(DrrParameters { bands, quanta, dscp, other, limit }: DrrParameters) -> EtsParameters {
        EtsParameters { bands, strict: 0, quanta, dscp, other, limit }
    }
}

fn build(
    parameters: DrrParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    ets::build(parameters.into(), context)
}

/// Linux's `drr`: the classes take the place of the bands, and a last filter that of `other`.
fn qdisc(parameters: DrrParameters, context: &QdiscContext<'_>) -> Result<Qdisc, ParameterError> {
    let parameters = EtsParameters::from(parameters);
    let count = parameters.bands.values().len();
    let quanta = parameters.shares(count)?;
    let other = parameters.other.map_or(count.saturating_sub(1), usize::from);
    let ets = ets::qdisc(parameters, context)?;
    let mut qdisc = Qdisc { notes: ets.notes, filters: ets.filters, ..Qdisc::new("drr") };
    qdisc.classes.extend(quanta.into_iter().zip(ets.children).map(|(quantum, (minor, child))| Class {
        minor,
        options: vec!["quantum".to_owned(), context.in_linux(quantum).to_string()],
        child: Some(child),
        classes: Vec::new(),
    }));
    qdisc.filters.push(Filter {
        protocol: "all",
        matches: "matchall".to_owned(),
        class: other as u16 + 1,
        action: Vec::new(),
    });
    Ok(qdisc)
}

#[cfg(test)]
mod tests {
    use jettison_core::Time;
    use jettison_measure::NoOutcomes;
    use serde_json::json;

    use crate::testing::{build_error, built, packet};

    #[test]
    fn bands_share_in_proportion_to_their_quanta() {
        let mut queue = built(json!({ "kind": "drr", "bands": 2, "quanta": ["3000 bytes", "1000 bytes"] }));
        for id in 0..16 {
            let mut packet = packet(id, 1000);
            packet.meta.class = (id % 2) as u8;
            queue.enqueue(packet, Time::ZERO, &mut NoOutcomes);
        }
        let sent = std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut NoOutcomes));
        let classes: Vec<u8> = sent.take(8).map(|packet| packet.meta.class).collect();
        assert_eq!(classes, [0, 0, 0, 1, 0, 0, 0, 1]);
    }

    #[test]
    fn no_band_is_strict() {
        assert_eq!(build_error(json!({ "kind": "drr", "strict": 1 })).0, "strict");
        assert_eq!(build_error(json!({ "kind": "drr", "bands": 1, "quanta": ["1 kB", "1 kB"] })).0, "quanta");
    }
}
