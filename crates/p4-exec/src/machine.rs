//! Interface of the machines.

use super::Plane;
use jettison_p4_front::ir::{FieldListId, Program, TypeId};

/// Content of a packet: its stored first bytes, followed by zeros that are not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Frame<'a> {
    /// Stored bytes, from the Ethernet header.
    pub bytes: &'a [u8],
    /// Number of zero bytes after them.
    pub zeros: usize,
}

impl Frame<'_> {
    /// Length of the whole packet in bytes.
    #[inline]
    pub fn length(&self) -> usize {
        self.bytes.len() + self.zeros
    }
}

/// The controls of the pipeline, without the deparser.
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

/// Result of parsing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parsed {
    /// Error, as an index into the program's errors; 0 is `NoError`. Also stored in v1model's
    /// `standard_metadata.parser_error`.
    pub error: u32,
    /// Number of bytes extracted or skipped; the payload starts there. (A header that ends inside a byte counts up to
    /// the end of that byte.)
    pub consumed: usize,
}

/// A field of `standard_metadata_t`, or of one of PSA's structs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are the architectures'
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
    /// Extension of v1model, for statistics: `egress_spec` before `mark_to_drop`, plus 1; 0 if `mark_to_drop` did not
    /// run. The drop is counted at that port's queue.
    IntendedPort,
    /// Extension of v1model: rate in kbit/s at which the port sent while packets waited; all ones while it is unknown.
    DequeueRate,
    /// BMv2's number of the queue in which the packet was, as `priority` counts them.
    QueueId,
    // PSA's: the struct in the program's state, and the field in it.
    PsaIngressParserPort,
    PsaIngressParserPath,
    PsaIngressInputPort,
    PsaIngressInputPath,
    PsaIngressTimestamp,
    PsaIngressParserError,
    PsaIngressClass,
    PsaIngressClone,
    PsaIngressCloneSession,
    PsaIngressDrop,
    PsaIngressResubmit,
    PsaIngressGroup,
    PsaIngressOutputPort,
    PsaEgressParserPort,
    PsaEgressParserPath,
    PsaEgressClass,
    PsaEgressInputPort,
    PsaEgressInputPath,
    PsaEgressInstance,
    PsaEgressTimestamp,
    PsaEgressParserError,
    PsaEgressClone,
    PsaEgressCloneSession,
    PsaEgressDrop,
    PsaEgressDeparserPort,
}

impl Standard {
    /// All fields, in the order of the structs.
    pub const ALL: [Standard; 44] = [
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
        Standard::IntendedPort,
        Standard::DequeueRate,
        Standard::QueueId,
        Standard::PsaIngressParserPort,
        Standard::PsaIngressParserPath,
        Standard::PsaIngressInputPort,
        Standard::PsaIngressInputPath,
        Standard::PsaIngressTimestamp,
        Standard::PsaIngressParserError,
        Standard::PsaIngressClass,
        Standard::PsaIngressClone,
        Standard::PsaIngressCloneSession,
        Standard::PsaIngressDrop,
        Standard::PsaIngressResubmit,
        Standard::PsaIngressGroup,
        Standard::PsaIngressOutputPort,
        Standard::PsaEgressParserPort,
        Standard::PsaEgressParserPath,
        Standard::PsaEgressClass,
        Standard::PsaEgressInputPort,
        Standard::PsaEgressInputPath,
        Standard::PsaEgressInstance,
        Standard::PsaEgressTimestamp,
        Standard::PsaEgressParserError,
        Standard::PsaEgressClone,
        Standard::PsaEgressCloneSession,
        Standard::PsaEgressDrop,
        Standard::PsaEgressDeparserPort,
    ];

    /// Name in `standard_metadata_t`; for PSA, of a struct and a field in it.
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
            Standard::IntendedPort => "jettison_intended_port",
            Standard::DequeueRate => "jettison_dequeue_rate",
            Standard::QueueId => "qid",
            Standard::PsaIngressParserPort => "ingress_parser_input.ingress_port",
            Standard::PsaIngressParserPath => "ingress_parser_input.packet_path",
            Standard::PsaIngressInputPort => "ingress_input.ingress_port",
            Standard::PsaIngressInputPath => "ingress_input.packet_path",
            Standard::PsaIngressTimestamp => "ingress_input.ingress_timestamp",
            Standard::PsaIngressParserError => "ingress_input.parser_error",
            Standard::PsaIngressClass => "ingress_output.class_of_service",
            Standard::PsaIngressClone => "ingress_output.clone",
            Standard::PsaIngressCloneSession => "ingress_output.clone_session_id",
            Standard::PsaIngressDrop => "ingress_output.drop",
            Standard::PsaIngressResubmit => "ingress_output.resubmit",
            Standard::PsaIngressGroup => "ingress_output.multicast_group",
            Standard::PsaIngressOutputPort => "ingress_output.egress_port",
            Standard::PsaEgressParserPort => "egress_parser_input.egress_port",
            Standard::PsaEgressParserPath => "egress_parser_input.packet_path",
            Standard::PsaEgressClass => "egress_input.class_of_service",
            Standard::PsaEgressInputPort => "egress_input.egress_port",
            Standard::PsaEgressInputPath => "egress_input.packet_path",
            Standard::PsaEgressInstance => "egress_input.instance",
            Standard::PsaEgressTimestamp => "egress_input.egress_timestamp",
            Standard::PsaEgressParserError => "egress_input.parser_error",
            Standard::PsaEgressClone => "egress_output.clone",
            Standard::PsaEgressCloneSession => "egress_output.clone_session_id",
            Standard::PsaEgressDrop => "egress_output.drop",
            Standard::PsaEgressDeparserPort => "egress_deparser_input.egress_port",
        }
    }

    /// Indices of the field in the program's standard metadata, from the outside in, and its type; `None` if the program's
    /// architecture does not have it.
    pub fn path(self, program: &Program) -> Option<(Vec<u32>, TypeId)> {
        let mut ty = program.variables.get(program.pipeline.standard_metadata.index())?.ty;
        let mut steps = Vec::new();
        for name in self.name().split('.') {
            let fields = &program.types.as_composite(ty)?.fields;
            let index = fields.iter().position(|field| *field.name == *name)?;
            steps.push(index as u32);
            ty = fields[index].ty;
        }
        Some((steps, ty))
    }
}

/// A machine that runs a program on one packet at a time.
pub trait Machine: Clone + 'static {
    /// Saved state of a packet (headers, metadata, standard metadata) that waits in a queue.
    type Saved: Clone + Default + Send;

    /// Resets the state: all values zero, all headers invalid. Each packet starts with this before the parser.
    fn reset(&mut self);

    /// Runs the parser. Headers extracted before an error stay valid.
    fn parse(&mut self, frame: Frame<'_>, plane: &mut Plane) -> Parsed;

    /// Runs PSA's parser of egress; for v1model, its only parser.
    fn parse_at_egress(&mut self, frame: Frame<'_>, plane: &mut Plane) -> Parsed;

    /// Runs PSA's deparser of ingress, as [`Machine::deparse`]; for v1model, its only deparser.
    fn deparse_at_ingress(&mut self, out: &mut Vec<u8>, plane: &mut Plane);

    /// Runs a control. `payload` is the packet after the parsed headers, for checksums over it.
    fn run(&mut self, block: Block, payload: Frame<'_>, plane: &mut Plane);

    /// Runs the deparser and appends the emitted headers. A partial last byte is padded with zero bits.
    fn deparse(&mut self, out: &mut Vec<u8>, plane: &mut Plane);

    /// Reads a field of the standard metadata; 0 if the program's struct does not contain it.
    fn standard(&self, field: Standard) -> u64;

    /// Writes a field of the standard metadata, truncated to its width.
    fn set_standard(&mut self, field: Standard, value: u64);

    /// Saves the packet's state, reusing the memory of `saved`.
    fn save(&self, saved: &mut Self::Saved);

    /// Restores a saved state.
    fn load(&mut self, saved: &Self::Saved);

    /// Resets all metadata (user and standard) to zero, except the fields of `list`, which are copied from `from`.
    /// Headers stay. Used for clones (`from` is the state of the cloned packet), and for resubmitted or recirculated
    /// packets after their parser ran again.
    fn keep_only(&mut self, list: Option<FieldListId>, from: &Self::Saved);
}
