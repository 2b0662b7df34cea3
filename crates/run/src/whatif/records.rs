//! Records of an answer, for `--json` and Python.

use jettison_report::RunKey;
use jettison_sim::{Decided, Reverted};
use serde::Serialize;

use super::{Answer, Row};
use crate::rebuild::Rebuilt;

/// A record of an answer.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Record {
    /// What was asked, and what the change did.
    Whatif {
        /// The run.
        #[serde(flatten)]
        key: RunKey,
        /// What was asked, to complete "What if".
        what_if: String,
        /// The instant of the change.
        from_ns: u64,
        /// The end of both halves.
        until_ns: u64,
        /// Pairs of runs.
        draws: usize,
        /// Drops that were reverted.
        kept: u64,
        /// Marks that were reverted.
        unmarked: u64,
        /// Packets dropped by the script.
        dropped: u64,
        /// Packets marked by the script.
        marked: u64,
        /// Packets that went past a queue.
        bypassed: u64,
        /// Disciplines exchanged.
        replaced: u64,
    },
    /// A decision that was reverted.
    Reverted {
        /// Its number in the run.
        id: u64,
        /// When it was made.
        time_ns: u64,
        /// The queue.
        queue: String,
        /// The flow of the packet.
        flow: String,
        /// `drop` or `mark`.
        outcome: &'static str,
        /// The rule.
        reason: &'static str,
        /// The packet.
        packet: u32,
        /// The packet's IP length in bytes.
        length: u16,
    },
    /// A value of both halves.
    Difference(Row),
}

impl Answer {
    /// The question, the first decisions that were reverted, and the values of both halves.
    pub fn records(&self, rebuilt: &Rebuilt) -> Vec<Record> {
        let mut records = vec![Record::Whatif {
            key: rebuilt.key.clone(),
            what_if: self.words.clone(),
            from_ns: self.from.as_nanos(),
            until_ns: self.until.as_nanos(),
            draws: self.pairs.len(),
            kept: self.effects.kept,
            unmarked: self.effects.unmarked,
            dropped: self.effects.dropped,
            marked: self.effects.marked,
            bypassed: self.effects.bypassed,
            replaced: self.effects.replaced,
        }];
        records.extend(self.reverted.iter().map(|reverted| {
            let Reverted { decision: id, at, packet, length, what, .. } = *reverted;
            let [queue, flow] = self.names(reverted).map(str::to_owned);
            let outcome = match what {
                Decided::Drop(_) => "drop",
                Decided::Mark(_) => "mark",
            };
            let (time_ns, reason) = (at.as_nanos(), what.rule());
            Record::Reverted { id, time_ns, queue, flow, outcome, reason, packet, length }
        }));
        records.extend(self.rows().into_iter().map(Record::Difference));
        records
    }
}
