//! What every executor offers.

use super::Plane;
use jettison_p4_front::ir::FieldListId;

/// A packet's bytes: those that are there, and zeros behind them that are not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Frame<'a> {
    /// The first bytes, from the Ethernet header on.
    pub bytes: &'a [u8],
    /// Number of zero bytes behind them.
    pub zeros: usize,
}

impl Frame<'_> {
    /// Bytes of the whole packet.
    #[inline]
    pub fn length(&self) -> usize {
        self.bytes.len() + self.zeros
    }
}

/// The blocks that are controls, but for the deparser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Block {
    /// `verifyChecksum`
    VerifyChecksum,
    /// `ingress`
    Ingress,
    /// `egress`
    Egress,
    /// `computeChecksum`
    ComputeChecksum,
}

/// How parsing ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parsed {
    /// The error, an index into the program's; 0 is `NoError`. Also written to `standard_metadata.parser_error`.
    pub error: u32,
    /// Bytes extracted or skipped: the payload starts there. (A header that ends inside a byte counts up to the end of
    /// that byte.)
    pub consumed: usize,
}

/// The fields of `standard_metadata_t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are v1model's
pub enum Standard {
    IngressPort,
    EgressSpec,
    EgressPort,
    InstanceType,
    PacketLength,
    EnqTimestamp,
    EnqQdepth,
    DeqTimedelta,
    DeqQdepth,
    IngressGlobalTimestamp,
    EgressGlobalTimestamp,
    McastGrp,
    EgressRid,
    ChecksumError,
    ParserError,
    Priority,
    /// Not v1model's: one more than `egress_spec` was before `mark_to_drop`; 0 if it never ran. Statistics count the
    /// drop at that port's queue.
    MeantFor,
}

impl Standard {
    /// All of them, in the order of the struct.
    pub const ALL: [Standard; 17] = [
        Standard::IngressPort,
        Standard::EgressSpec,
        Standard::EgressPort,
        Standard::InstanceType,
        Standard::PacketLength,
        Standard::EnqTimestamp,
        Standard::EnqQdepth,
        Standard::DeqTimedelta,
        Standard::DeqQdepth,
        Standard::IngressGlobalTimestamp,
        Standard::EgressGlobalTimestamp,
        Standard::McastGrp,
        Standard::EgressRid,
        Standard::ChecksumError,
        Standard::ParserError,
        Standard::Priority,
        Standard::MeantFor,
    ];

    /// Its name in `standard_metadata_t`.
    pub fn name(self) -> &'static str {
        match self {
            Standard::IngressPort => "ingress_port",
            Standard::EgressSpec => "egress_spec",
            Standard::EgressPort => "egress_port",
            Standard::InstanceType => "instance_type",
            Standard::PacketLength => "packet_length",
            Standard::EnqTimestamp => "enq_timestamp",
            Standard::EnqQdepth => "enq_qdepth",
            Standard::DeqTimedelta => "deq_timedelta",
            Standard::DeqQdepth => "deq_qdepth",
            Standard::IngressGlobalTimestamp => "ingress_global_timestamp",
            Standard::EgressGlobalTimestamp => "egress_global_timestamp",
            Standard::McastGrp => "mcast_grp",
            Standard::EgressRid => "egress_rid",
            Standard::ChecksumError => "checksum_error",
            Standard::ParserError => "parser_error",
            Standard::Priority => "priority",
            Standard::MeantFor => "jettison_meant_for",
        }
    }
}

/// Runs a program on one packet at a time.
pub trait Machine {
    /// A packet's state (headers, metadata, standard metadata), put aside while it waits in a queue.
    type Saved: Clone + Default + Send;

    /// Everything zero, every header invalid: what each packet starts from at the parser.
    fn reset(&mut self);

    /// Runs the parser. Headers extracted before an error stay valid.
    fn parse(&mut self, frame: Frame<'_>, plane: &mut Plane) -> Parsed;

    /// Runs a control. `payload` is what the parser left of the packet, for checksums over it.
    fn run(&mut self, block: Block, payload: Frame<'_>, plane: &mut Plane);

    /// Runs the deparser: appends the headers that it emits. What ends inside a byte is filled up with zero bits.
    fn deparse(&mut self, out: &mut Vec<u8>, plane: &mut Plane);

    /// A field of the standard metadata; 0 where the program's struct does not have it.
    fn standard(&self, field: Standard) -> u64;

    /// Sets a field of the standard metadata, cut to its width.
    fn set_standard(&mut self, field: Standard, value: u64);

    /// Puts the packet's state aside, in what may be a used `Saved`: nothing is allocated then.
    fn save(&self, saved: &mut Self::Saved);

    /// Takes a packet's state up again.
    fn load(&mut self, saved: &Self::Saved);

    /// All metadata (the user's and the standard one) becomes zero but the fields of `list`, which come from `from`.
    /// Headers stay. For clones (`from` is the state of the packet cloned), and for what is resubmitted or recirculated
    /// after its parser ran again.
    fn keep_only(&mut self, list: Option<FieldListId>, from: &Self::Saved);
}
