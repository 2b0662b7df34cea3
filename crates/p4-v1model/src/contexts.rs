//! Contexts: the switch's state of each packet inside it, by the number in the packet's `meta.tag`.

use jettison_switch::Port;

use jettison_p4_exec::Frame;
use jettison_p4_front::ir::FieldListId;

/// Context of one packet.
#[derive(Debug, Clone, Default)]
pub(super) struct Context<S> {
    /// Headers and metadata: between ingress and egress, or between passes that preserve fields.
    pub saved: S,
    /// Fields that a resubmitted or recirculated packet preserves.
    pub keep: Option<FieldListId>,
    /// Stored bytes of the frame as it came to ingress (for a recirculated packet, as the deparser left it).
    pub bytes: Vec<u8>,
    /// Number of virtual zero bytes after `bytes`.
    pub zeros: usize,
    /// Number of bytes consumed by the parser; the payload starts there.
    pub consumed: usize,
    /// Length to which the frame is truncated after deparsing.
    pub truncate: Option<usize>,
    /// Bytes by which ingress has changed the packet's length with headers that became valid or invalid.
    pub added: i32,
    /// Whether the packet itself may differ from the frame here.
    pub rewritten: bool,
    /// `egress_rid` of a replica.
    pub rid: Option<u16>,
    /// `priority`, for the members of a multicast group, whose ports may have different numbers of queues; PSA's
    /// `class_of_service`.
    pub priority: u64,
    /// PSA: `ingress_port` of the packet, which a resubmission keeps.
    pub ingress_port: u64,
    /// PSA: whether the packet's body is not the frame any more, because a clone was truncated.
    pub is_cut: bool,
    /// Whether the packet is a clone (possibly recirculated). Such a packet is consumed, not dropped, if the program
    /// drops it.
    pub is_clone: bool,
    /// Port of the queue that a clone left last.
    pub queued_at: Option<Port>,
    in_use: bool,
}

impl<S: Clone> Context<S> {
    /// The whole frame.
    pub fn frame(&self) -> Frame<'_> {
        Frame { bytes: &self.bytes, zeros: self.zeros }
    }

    /// The frame after the parsed headers.
    pub fn payload(&self) -> Frame<'_> {
        let bytes = self.bytes.get(self.consumed..).unwrap_or(&[]);
        Frame { bytes, zeros: self.zeros - self.consumed.saturating_sub(self.bytes.len()).min(self.zeros) }
    }

    /// Copies everything from another context.
    pub fn copy(&mut self, other: &Context<S>) {
        self.saved.clone_from(&other.saved);
        self.copy_frame(other);
        (self.keep, self.truncate, self.rid) = (other.keep, other.truncate, other.rid);
        (self.added, self.rewritten) = (other.added, other.rewritten);
        (self.priority, self.is_clone, self.queued_at) = (other.priority, other.is_clone, other.queued_at);
        (self.ingress_port, self.is_cut) = (other.ingress_port, other.is_cut);
    }

    /// Copies the frame and the parser's result from another context.
    pub fn copy_frame(&mut self, other: &Context<S>) {
        self.bytes.clear();
        self.bytes.extend_from_slice(&other.bytes);
        (self.zeros, self.consumed) = (other.zeros, other.consumed);
    }

    /// Replaces the frame by the deparsed headers and the payload, truncated if requested.
    pub fn deparse(&mut self, headers: &[u8]) {
        self.zeros = self.payload().zeros;
        let parsed = self.consumed.min(self.bytes.len());
        self.bytes.splice(..parsed, headers.iter().copied());
        if let Some(length) = self.truncate {
            self.bytes.truncate(length);
            self.zeros = self.zeros.min(length - self.bytes.len());
        }
        self.consumed = 0;
    }

    /// Requests a truncation; the shortest one wins.
    pub fn cut(&mut self, length: Option<u32>) {
        let length = length.map(|length| length as usize);
        self.truncate = match (self.truncate, length) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
}

/// Contexts of all packets inside the switch. Released contexts are reused with their memory.
#[derive(Debug, Clone)]
pub(super) struct Contexts<S> {
    entries: Vec<Context<S>>,
    free: Vec<u32>,
}

impl<S: Clone + Default> Contexts<S> {
    pub fn new() -> Contexts<S> {
        Contexts { entries: Vec::new(), free: Vec::new() }
    }

    /// Allocates a context without a frame; `saved` keeps the content of its last user. Returns its tag, which is not
    /// 0.
    pub fn take(&mut self) -> u32 {
        let Some(tag) = self.free.pop() else {
            self.entries.push(Context { in_use: true, ..Context::default() });
            return u32::try_from(self.entries.len()).expect("a switch holds fewer than 2^32 packets");
        };
        let context = self.get_mut(tag);
        context.in_use = true;
        context.bytes.clear();
        context.zeros = 0;
        context.consumed = 0;
        context.keep = None;
        context.truncate = None;
        context.rid = None;
        (context.added, context.rewritten) = (0, false);
        context.priority = 0;
        (context.ingress_port, context.is_cut) = (0, false);
        (context.is_clone, context.queued_at) = (false, None);
        tag
    }

    /// Releases a context. Its tag must not be used until it is allocated again.
    pub fn release(&mut self, tag: u32) {
        let was_in_use = std::mem::take(&mut self.get_mut(tag).in_use);
        debug_assert!(was_in_use, "released twice: {tag}");
        self.free.push(tag);
    }

    /// The context with a tag that is in use.
    pub fn get_mut(&mut self, tag: u32) -> &mut Context<S> {
        &mut self.entries[tag as usize - 1]
    }

    /// The contexts of two different tags.
    pub fn pair(&mut self, first: u32, second: u32) -> (&mut Context<S>, &mut Context<S>) {
        let places = [first as usize - 1, second as usize - 1];
        let [first, second] = self.entries.get_disjoint_mut(places).expect("both tags are in use and differ");
        (first, second)
    }

    /// Tags of all contexts in use.
    pub fn tags_in_use(&self) -> Vec<u32> {
        let used = (1u32..).zip(&self.entries).filter(|(_, context)| context.in_use);
        used.map(|(tag, _)| tag).collect()
    }

    /// Forgets what the last users of free contexts left.
    pub fn forget_unused(&mut self) {
        self.entries
            .iter_mut()
            .filter(|context| !context.in_use)
            .for_each(|context| context.saved = S::default());
    }

    /// Number of contexts in use.
    pub fn in_use(&self) -> usize {
        self.entries.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(bytes: &[u8], zeros: usize, consumed: usize) -> Context<()> {
        Context { bytes: bytes.to_vec(), zeros, consumed, ..Context::default() }
    }

    #[test]
    fn contexts_are_reused_and_start_empty() {
        let mut contexts: Contexts<u8> = Contexts::new();
        let (a, b) = (contexts.take(), contexts.take());
        assert!(a != 0 && b != 0 && a != b);
        contexts.get_mut(a).bytes.extend([1, 2]);
        contexts.get_mut(a).cut(Some(7));
        contexts.release(a);
        assert_eq!((contexts.take(), contexts.in_use()), (a, 2));
        assert_eq!((contexts.get_mut(a).bytes.len(), contexts.get_mut(a).truncate), (0, None));
    }

    #[test]
    fn headers_longer_than_the_stored_bytes_take_virtual_zeros() {
        let mut long = context(&[1, 2, 3], 10, 5);
        assert_eq!(long.payload(), Frame { bytes: &[], zeros: 8 });
        long.deparse(&[9; 6]);
        assert_eq!((long.bytes.len(), long.zeros), (6, 8));
        assert_eq!(context(&[1], 2, 9).payload(), Frame { bytes: &[], zeros: 0 });
    }

    #[test]
    fn a_frame_is_truncated_after_its_new_headers() {
        let mut cut = context(&[1, 2, 3, 4], 10, 2);
        cut.cut(Some(9));
        cut.cut(Some(12));
        cut.deparse(&[7, 7, 7]);
        assert_eq!((&cut.bytes[..], cut.zeros), (&[7, 7, 7, 3, 4][..], 4));
        cut.cut(Some(2));
        cut.deparse(&[]);
        assert_eq!((&cut.bytes[..], cut.zeros), (&[7, 7][..], 0));
    }
}
