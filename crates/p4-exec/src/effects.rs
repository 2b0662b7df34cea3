//! Requests of a block to the architecture.

use std::collections::VecDeque;
use std::sync::Arc;

use num_bigint::BigUint;

use jettison_p4_front::ir::{FieldListId, TypeId};

/// Requests of the blocks since the last [`Effects::clear`]. A later request of the same kind replaces an earlier one.
#[derive(Debug, Clone, Default)]
pub struct Effects {
    /// Requested clone.
    pub clone: Option<CloneRequest>,
    /// Requested `resubmit`, with the field list to preserve.
    pub resubmit: Option<Option<FieldListId>>,
    /// Requested `recirculate`, with the field list to preserve.
    pub recirculate: Option<Option<FieldListId>>,
    /// Requested `truncate`, in bytes: the shortest.
    pub truncate: Option<u32>,
    /// Bytes by which headers that became valid or invalid have changed the packet's length.
    pub added: i32,
    /// Receiver of the latest digest; the data is in [`Effects::digests`].
    pub digest: Option<u32>,
    /// Digests unread by the control plane, oldest first, at most [`Effects::MAX_KEPT`]; the oldest are dropped.
    pub digests: VecDeque<Digest>,
    /// Messages of `log_msg` and of failed `assert`s, oldest first, bounded likewise.
    pub messages: VecDeque<Message>,
    /// Number of failed `assert`s and `assume`s since the start.
    pub failed_assertions: u64,
}

impl Effects {
    /// Maximum number of unread digests, and of unread messages.
    pub const MAX_KEPT: usize = 1024;

    /// Clears the requests of one pass. Digests and messages stay.
    #[inline]
    pub fn clear(&mut self) {
        self.clone = None;
        self.resubmit = None;
        self.recirculate = None;
        self.truncate = None;
        self.added = 0;
        self.digest = None;
    }

    /// Requests a truncation; the shortest one wins.
    pub fn cut(&mut self, length: u32) {
        self.truncate = Some(self.truncate.map_or(length, |other| other.min(length)));
    }

    /// Queues a digest.
    pub fn push_digest(&mut self, digest: Digest) {
        self.digest = Some(digest.receiver);
        if self.digests.len() == Effects::MAX_KEPT {
            self.digests.pop_front();
        }
        self.digests.push_back(digest);
    }

    /// Queues a message.
    pub fn push_message(&mut self, message: Message) {
        if self.messages.len() == Effects::MAX_KEPT {
            self.messages.pop_front();
        }
        self.messages.push_back(message);
    }
}

/// A requested clone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CloneRequest {
    /// Whether the type is `CloneType.E2E`. A request in the other block (E2E at ingress, I2E at egress) has no effect.
    pub egress: bool,
    /// Mirror session.
    pub session: u32,
    /// Field list to preserve.
    pub keep: Option<FieldListId>,
}

/// Data for the control plane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// Receiver.
    pub receiver: u32,
    /// Type of the data.
    pub ty: TypeId,
    /// Scalars of the data, in order.
    pub values: Vec<BigUint>,
}

/// A message of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Text with the arguments inserted.
    pub text: Arc<str>,
    /// Whether the message reports a failed `assert` or `assume`.
    pub failure: bool,
}
