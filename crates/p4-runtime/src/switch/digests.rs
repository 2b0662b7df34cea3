//! Digests: configuration, lists and acknowledgements (§9.8).

use std::collections::BTreeMap;

use jettison_core::{Duration, Time};
use jettison_p4_exec::{Digest, Machine};
use jettison_p4_v1model::P4Switch;
use num_bigint::BigUint;

use super::{Change, Control};
use crate::data;
use crate::fault::{Code, Fault, invalid, not_found};
use crate::proto::runtime::{DigestConfig, DigestEntry, DigestList, DigestListAck, EntityKind};

/// Maximum number of messages in a list without `max_list_size`.
const DEFAULT_LIST: usize = 1024;

/// A list to send to the primary controller.
pub type ListReady = DigestList;

/// State of a digest that the controller has enabled.
#[derive(Debug, Clone, Default)]
pub(super) struct DigestState {
    config: DigestConfig,
    buffer: Vec<Vec<BigUint>>,
    /// When the first message entered the buffer.
    since: Time,
    /// Lists that are neither acknowledged nor too old, with the time of their dispatch.
    sent: BTreeMap<u64, (Time, Vec<Vec<BigUint>>)>,
}

impl DigestState {
    /// Whether a message is in the buffer or in a list that is not acknowledged.
    fn knows(&self, values: &Vec<BigUint>) -> bool {
        self.buffer.contains(values) || self.sent.values().any(|(_, list)| list.contains(values))
    }

    /// Forgets lists that are as old as the timeout of acknowledgements.
    fn expire(&mut self, now: Time) {
        let timeout = duration(self.config.ack_timeout_ns);
        self.sent.retain(|_, (sent, _)| now.since(*sent) < timeout);
    }

    fn is_due(&self, now: Time) -> bool {
        let limit = match self.config.max_list_size {
            1.. => self.config.max_list_size as usize,
            _ => DEFAULT_LIST,
        };
        let waited = now.since(self.since) >= duration(self.config.max_timeout_ns);
        !self.buffer.is_empty() && (waited || self.buffer.len() >= limit)
    }
}

fn duration(nanos: i64) -> Duration {
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(0))
}

impl Control {
    pub(super) fn write_digest(&mut self, change: Change, entry: &DigestEntry) -> Result<(), Fault> {
        let id = entry.digest_id;
        if !self.catalogue.digests.contains_key(&id) {
            return Err(invalid(format!("unknown digest id {id}")));
        }
        let known = self.digests.contains_key(&id);
        match change {
            Change::Insert if known => {
                return Err(Fault::new(Code::AlreadyExists, "the digest is already configured"));
            }
            Change::Modify | Change::Delete if !known => {
                return Err(not_found("the digest is not configured"));
            }
            Change::Delete => drop(self.digests.remove(&id)),
            Change::Insert | Change::Modify => {
                let config = entry.config.unwrap_or_default();
                if config.max_timeout_ns < 0 || config.max_list_size < 0 || config.ack_timeout_ns < 0 {
                    return Err(invalid("timeouts and the list size of a digest must be >= 0"));
                }
                self.digests.entry(id).or_default().config = config;
            }
        }
        Ok(())
    }

    /// Takes over the configurations of the digests that still exist.
    pub(super) fn carry_digests(&mut self, old: &Control) {
        let name = |control: &Control, id: u32| {
            let ty = control.catalogue.digests.get(&id)?;
            let names = crate::info::digest_types(&control.catalogue.program);
            names.into_iter().find(|(other, _)| other == ty).map(|(_, name)| name)
        };
        for (id, state) in &old.digests {
            let was = name(old, *id);
            let same = self.catalogue.digests.keys().find(|id| was.is_some() && name(self, **id) == was);
            if let Some(same) = same.copied() {
                self.digests.entry(same).or_default().config = state.config;
            }
        }
    }

    pub(super) fn read_digests(
        &self,
        request: &DigestEntry,
        push: &mut impl FnMut(EntityKind),
    ) -> Result<(), Fault> {
        if request.digest_id != 0 && !self.catalogue.digests.contains_key(&request.digest_id) {
            return Err(invalid(format!("unknown digest id {}", request.digest_id)));
        }
        for (id, state) in &self.digests {
            if request.digest_id == 0 || request.digest_id == *id {
                push(EntityKind::DigestEntry(DigestEntry { digest_id: *id, config: Some(state.config) }));
            }
        }
        Ok(())
    }

    /// Acknowledges a list: its messages may be sent again.
    ///
    /// # Errors
    /// If the digest is unknown. An unknown list may have timed out and is no error.
    pub fn acknowledge(&mut self, ack: &DigestListAck) -> Result<(), Fault> {
        if !self.catalogue.digests.contains_key(&ack.digest_id) {
            return Err(invalid(format!("unknown digest id {}", ack.digest_id)));
        }
        if let Some(state) = self.digests.get_mut(&ack.digest_id) {
            state.sent.remove(&ack.list_id);
        }
        Ok(())
    }

    /// Takes the switch's digests into the buffers, and the lists that are due out of them. Digests that are not
    /// configured are dropped.
    pub(super) fn collect_digests<M: Machine + Send>(
        &mut self,
        switch: &mut P4Switch<M>,
        now: Time,
        lists: &mut Vec<ListReady>,
    ) {
        self.digests.values_mut().for_each(|state| state.expire(now));
        let messages = &mut switch.plane_mut().effects.digests;
        let taken: Vec<Digest> = messages.drain(..).collect();
        for Digest { ty, values, .. } in taken {
            let id = self.catalogue.digests.iter().find(|(_, other)| **other == ty).map(|(id, _)| *id);
            let Some(id) = id else { continue };
            let Some(state) = self.digests.get_mut(&id) else { continue };
            if state.knows(&values) {
                continue;
            }
            if state.buffer.is_empty() {
                state.since = now;
            }
            state.buffer.push(values);
            if state.is_due(now) {
                lists.push(self.list(id, now));
            }
        }
        let due = self.digests.iter().filter(|(_, state)| state.is_due(now)).map(|(id, _)| *id);
        for id in due.collect::<Vec<u32>>() {
            lists.push(self.list(id, now));
        }
    }

    /// When the next buffered message has waited for its list as long as it may.
    pub(super) fn next_digest(&self) -> Option<Time> {
        let waiting = self.digests.values().filter(|state| !state.buffer.is_empty());
        waiting.map(|state| state.since.saturating_add(duration(state.config.max_timeout_ns))).min()
    }

    /// Empties a digest's buffer into a list.
    fn list(&mut self, id: u32, now: Time) -> DigestList {
        let list_id = self.next_list;
        self.next_list += 1;
        let ty = self.catalogue.digests[&id];
        let state = self.digests.entry(id).or_default();
        let messages = std::mem::take(&mut state.buffer);
        let program = &self.catalogue.program;
        let data = messages
            .iter()
            .map(|values| data::from_scalars(program, ty, &mut values.iter().cloned()))
            .collect();
        if state.config.ack_timeout_ns > 0 {
            state.sent.insert(list_id, (now, messages));
        }
        DigestList { digest_id: id, list_id, data, timestamp: super::table_read::nanos(now.as_nanos()) }
    }
}
