//! Strict priority and other schedulers of bands in Linux: `prio`, tc-prio(8).

use std::collections::BTreeMap;

use jettison_registry::ParameterError;
use serde_json::Value;

use super::{Bands, PriorityParameters};
use crate::{Dscp, Limit, Match, Qdisc, QdiscContext};

/// Largest number of bands of `prio` and `ets`.
const MOST: usize = 16;

/// Linux's `prio`.
pub(super) fn qdisc(
    parameters: PriorityParameters,
    context: &QdiscContext<'_>,
) -> Result<Qdisc, ParameterError> {
    let count = parameters.bands.values().len();
    ParameterError::require(count >= 2, "bands", "be at least 2 for `tc`", count)?;
    for (key, is_set) in
        [("labels", parameters.labels.is_some()), ("classify", parameters.classify.is_some())]
    {
        ParameterError::unless(!is_set, key, || {
            "must be left out for `tc`: no filter reads labels".to_owned()
        })?;
    }
    let qdisc = Qdisc::new("prio")
        .option("bands", count)
        .note_if(parameters.limit != Limit::UNLIMITED, "limit: Linux's prio has none for all bands together");
    by_dscp(qdisc, &parameters.bands, parameters.dscp.as_ref(), parameters.other, context)
}

/// Adds a discipline for each band, filters by DSCP, and a `priomap` that leads all else to `other`.
///
/// # Errors
/// If there are too many bands, they are those of a switch, or one cannot be written.
pub(crate) fn by_dscp(
    mut qdisc: Qdisc,
    bands: &Bands,
    dscp: Option<&BTreeMap<Dscp, u8>>,
    other: Option<u8>,
    context: &QdiscContext<'_>,
) -> Result<Qdisc, ParameterError> {
    let values = bands.values();
    ParameterError::require(
        values.len() <= MOST,
        "bands",
        &format!("be at most {MOST} for `tc`"),
        values.len(),
    )?;
    let Some(map) = dscp else {
        return Err(ParameterError::at(
            "dscp",
            "must be set for `tc`: Linux's packets have no traffic class of a switch",
        ));
    };
    let other = other.map_or(values.len() - 1, usize::from);
    qdisc = qdisc.word("priomap");
    qdisc.options.extend(vec![other.to_string(); 16]);
    for (number, value) in values.iter().enumerate() {
        let child = context.inner(value).map_err(|error| error.under(&number.to_string()).under("bands"))?;
        qdisc = qdisc.child(number as u16 + 1, child);
    }
    for (dscp, band) in map {
        let found = Match { dscp: vec![*dscp], ..Match::default() };
        qdisc.filters.extend(found.filters(u16::from(*band) + 1)?);
    }
    Ok(qdisc)
}

impl Bands {
    /// A discipline for each band.
    pub(crate) fn values(&self) -> Vec<Value> {
        match self {
            // More bands than this are refused.
            Bands::Count(count) => vec!["tail-drop".into(); (*count).min(super::MAX_BANDS as u64) as usize],
            Bands::List(values) => values.clone(),
        }
    }
}
