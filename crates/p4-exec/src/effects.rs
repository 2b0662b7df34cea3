//! What a block asks of the architecture.

use std::collections::VecDeque;
use std::sync::Arc;

use num_bigint::BigUint;

use jettison_p4_front::ir::{FieldListId, TypeId};

/// What the blocks have asked for since the last [`Effects::clear`]. A later request of a kind replaces an earlier one.
#[derive(Debug, Clone, Default)]
pub struct Effects {
    /// `clone`, with the type of the block that it is for.
    pub clone: Option<CloneRequest>,
    /// `resubmit`, and what is to be kept.
    pub resubmit: Option<Option<FieldListId>>,
    /// `recirculate`, and what is to be kept.
    pub recirculate: Option<Option<FieldListId>>,
    /// `truncate`, in bytes.
    pub truncate: Option<u32>,
    /// The receiver of a digest: its data is in [`Effects::digests`].
    pub digest: Option<u32>,
    /// Digests not yet read by a control plane, oldest first, at most [`Effects::MOST_KEPT`]: older ones go.
    pub digests: VecDeque<Digest>,
    /// What `log_msg` and failed `assert`s said, oldest first, bounded likewise.
    pub messages: VecDeque<Message>,
    /// Failed `assert`s and `assume`s since the start.
    pub failed_assertions: u64,
}

impl Effects {
    /// The most digests, and the most messages, that are kept unread.
    pub const MOST_KEPT: usize = 1024;

    /// Forgets the requests of one pass. Digests and messages stay.
    #[inline]
    pub fn clear(&mut self) {
        self.clone = None;
        self.resubmit = None;
        self.recirculate = None;
        self.truncate = None;
        self.digest = None;
    }

    /// Keeps a digest.
    pub fn send(&mut self, digest: Digest) {
        self.digest = Some(digest.receiver);
        if self.digests.len() == Effects::MOST_KEPT {
            self.digests.pop_front();
        }
        self.digests.push_back(digest);
    }

    /// Keeps a message.
    pub fn say(&mut self, message: Message) {
        if self.messages.len() == Effects::MOST_KEPT {
            self.messages.pop_front();
        }
        self.messages.push_back(message);
    }
}

/// A clone that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CloneRequest {
    /// `CloneType.E2E`. One made at ingress with it, or at egress without it, does nothing.
    pub egress: bool,
    /// The mirror session.
    pub session: u32,
    /// What metadata it keeps.
    pub keep: Option<FieldListId>,
}

/// Data for the control plane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// Its receiver.
    pub receiver: u32,
    /// The type of the data.
    pub ty: TypeId,
    /// The scalars in it, in order.
    pub values: Vec<BigUint>,
}

/// A line that the program wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The text with its arguments.
    pub text: Arc<str>,
    /// Whether it is a failed `assert` or `assume`.
    pub failure: bool,
}
