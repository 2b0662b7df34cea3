// The Portable Switch Architecture, version 1.2 (P4 Language Consortium), with the widths of BMv2's `psa_switch`.
//
// A packet passes through six blocks: parser, ingress and deparser; then, behind the queues, parser, egress and deparser.
// Only the packet's bytes and what the first deparser writes to `normal_meta` reach egress.

#ifndef _PSA_P4_
#define _PSA_P4_

#ifdef _V1_MODEL_P4_
#error "psa.p4 and v1model.p4 are two architectures: include one of them"
#endif

#include <core.p4>

// Defined by this implementation alone.
#define JETTISON_PSA 1

// Widths in the data plane. Arithmetic needs the type that ends with Uint_t.

typedef bit<32> PortIdUint_t;
typedef bit<32> MulticastGroupUint_t;
typedef bit<16> CloneSessionIdUint_t;
typedef bit<8>  ClassOfServiceUint_t;
typedef bit<16> PacketLengthUint_t;
typedef bit<16> EgressInstanceUint_t;
typedef bit<64> TimestampUint_t;

@p4runtime_translation("p4.org/psa/v1/PortId_t", 32)
type PortIdUint_t PortId_t;
@p4runtime_translation("p4.org/psa/v1/MulticastGroup_t", 32)
type MulticastGroupUint_t MulticastGroup_t;
@p4runtime_translation("p4.org/psa/v1/CloneSessionId_t", 16)
type CloneSessionIdUint_t CloneSessionId_t;
@p4runtime_translation("p4.org/psa/v1/ClassOfService_t", 8)
type ClassOfServiceUint_t ClassOfService_t;
@p4runtime_translation("p4.org/psa/v1/PacketLength_t", 16)
type PacketLengthUint_t PacketLength_t;
@p4runtime_translation("p4.org/psa/v1/EgressInstance_t", 16)
type EgressInstanceUint_t EgressInstance_t;
@p4runtime_translation("p4.org/psa/v1/Timestamp_t", 64)
type TimestampUint_t Timestamp_t;

typedef error ParserError_t;

const PortId_t PSA_PORT_RECIRCULATE = (PortId_t) 0xfffffffa;  // back to the ingress parser
const PortId_t PSA_PORT_CPU = (PortId_t) 0xfffffffd;          // to the controller
const CloneSessionId_t PSA_CLONE_SESSION_TO_CPU = (CloneSessionId_t) 0;

// The same in headers between the switch and its controller: whole bytes, for all targets alike.

typedef bit<32> PortIdInHeaderUint_t;
typedef bit<32> MulticastGroupInHeaderUint_t;
typedef bit<16> CloneSessionIdInHeaderUint_t;
typedef bit<8>  ClassOfServiceInHeaderUint_t;
typedef bit<16> PacketLengthInHeaderUint_t;
typedef bit<16> EgressInstanceInHeaderUint_t;
typedef bit<64> TimestampInHeaderUint_t;

@p4runtime_translation("p4.org/psa/v1/PortIdInHeader_t", 32)
type PortIdInHeaderUint_t PortIdInHeader_t;
@p4runtime_translation("p4.org/psa/v1/MulticastGroupInHeader_t", 32)
type MulticastGroupInHeaderUint_t MulticastGroupInHeader_t;
@p4runtime_translation("p4.org/psa/v1/CloneSessionIdInHeader_t", 16)
type CloneSessionIdInHeaderUint_t CloneSessionIdInHeader_t;
@p4runtime_translation("p4.org/psa/v1/ClassOfServiceInHeader_t", 8)
type ClassOfServiceInHeaderUint_t ClassOfServiceInHeader_t;
@p4runtime_translation("p4.org/psa/v1/PacketLengthInHeader_t", 16)
type PacketLengthInHeaderUint_t PacketLengthInHeader_t;
@p4runtime_translation("p4.org/psa/v1/EgressInstanceInHeader_t", 16)
type EgressInstanceInHeaderUint_t EgressInstanceInHeader_t;
@p4runtime_translation("p4.org/psa/v1/TimestampInHeader_t", 64)
type TimestampInHeaderUint_t TimestampInHeader_t;

#define PSA_CONVERSIONS(NAME) \
    NAME##_t psa_##NAME##_header_to_int(in NAME##InHeader_t x) { \
        return (NAME##_t) (NAME##Uint_t) (NAME##InHeaderUint_t) x; \
    } \
    NAME##InHeader_t psa_##NAME##_int_to_header(in NAME##_t x) { \
        return (NAME##InHeader_t) (NAME##InHeaderUint_t) (NAME##Uint_t) x; \
    }

PSA_CONVERSIONS(PortId)
PSA_CONVERSIONS(MulticastGroup)
PSA_CONVERSIONS(CloneSessionId)
PSA_CONVERSIONS(ClassOfService)
PSA_CONVERSIONS(PacketLength)
PSA_CONVERSIONS(EgressInstance)
PSA_CONVERSIONS(Timestamp)

#undef PSA_CONVERSIONS

// What the switch and the program tell each other of a packet.

// How the packet came to its block.
enum PSA_PacketPath_t {
    NORMAL,             // to ingress, from a port
    NORMAL_UNICAST,     // to egress
    NORMAL_MULTICAST,   // to egress, a replica
    CLONE_I2E,          // to egress, a clone that ingress asked for
    CLONE_E2E,          // to egress, a clone that egress asked for
    RESUBMIT,           // to ingress, from ingress
    RECIRCULATE         // to ingress, from egress
}

struct psa_ingress_parser_input_metadata_t {
    PortId_t         ingress_port;
    PSA_PacketPath_t packet_path;
}

struct psa_egress_parser_input_metadata_t {
    PortId_t         egress_port;
    PSA_PacketPath_t packet_path;
}

struct psa_ingress_input_metadata_t {
    PortId_t         ingress_port;
    PSA_PacketPath_t packet_path;
    Timestamp_t      ingress_timestamp;  // µs: the beginning of this pass
    ParserError_t    parser_error;
}

// As ingress leaves it: a clone in any case; then the first of drop, resubmission, multicast and unicast.
struct psa_ingress_output_metadata_t {
    ClassOfService_t class_of_service;  // begins as 0
    bool             clone;             // false
    CloneSessionId_t clone_session_id;
    bool             drop;              // true
    bool             resubmit;          // false
    MulticastGroup_t multicast_group;   // 0: none
    PortId_t         egress_port;
}

struct psa_egress_input_metadata_t {
    ClassOfService_t class_of_service;
    PortId_t         egress_port;
    PSA_PacketPath_t packet_path;
    EgressInstance_t instance;          // which replica of a group it is
    Timestamp_t      egress_timestamp;  // µs: the beginning of this pass
    ParserError_t    parser_error;
}

struct psa_egress_deparser_input_metadata_t {
    PortId_t egress_port;
}

struct psa_egress_output_metadata_t {
    bool             clone;             // begins as false
    CloneSessionId_t clone_session_id;
    bool             drop;              // false
}

// Which `out` parameters of a deparser will be used.

bool psa_clone_i2e(in psa_ingress_output_metadata_t istd) { return istd.clone; }
bool psa_resubmit(in psa_ingress_output_metadata_t istd) { return !istd.drop && istd.resubmit; }
bool psa_normal(in psa_ingress_output_metadata_t istd) { return !istd.drop && !istd.resubmit; }
bool psa_clone_e2e(in psa_egress_output_metadata_t istd) { return istd.clone; }
bool psa_recirculate(in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd) {
    return !istd.drop && edstd.egress_port == PSA_PORT_RECIRCULATE;
}

extern void assert(in bool check);
extern void assume(in bool check);

match_kind {
    range,      // from, to
    selector,   // not matched: an input of an action selector's hash
    optional    // equal, or anything
}

// What becomes of the packet.

action send_to_port(inout psa_ingress_output_metadata_t meta, in PortId_t egress_port) {
    meta.egress_port = egress_port;
    meta.multicast_group = (MulticastGroup_t) 0;
    meta.drop = false;
}

action multicast(inout psa_ingress_output_metadata_t meta, in MulticastGroup_t multicast_group) {
    meta.multicast_group = multicast_group;
    meta.drop = false;
}

action ingress_drop(inout psa_ingress_output_metadata_t meta) { meta.drop = true; }
action egress_drop(inout psa_egress_output_metadata_t meta) { meta.drop = true; }

// The parts between the blocks. A program instantiates each once, as an argument of PSA_Switch.

extern PacketReplicationEngine {
    PacketReplicationEngine();
}

extern BufferingQueueingEngine {
    BufferingQueueingEngine();
}

// Hashes and checksums.

enum PSA_HashAlgorithm_t {
    IDENTITY, CRC32, CRC32_CUSTOM, CRC16, CRC16_CUSTOM, ONES_COMPLEMENT16,
    TARGET_DEFAULT   // here: CRC32
}

extern Hash<O> {
    Hash(PSA_HashAlgorithm_t algo);
    O get_hash<D>(in D data);
    // base + hash(data) % max; base if max is 0.
    O get_hash<T, D>(in T base, in D data, in T max);
}

// Its value is of the data since `clear`, or since the packet came to the block.
extern Checksum<W> {
    Checksum(PSA_HashAlgorithm_t hash);
    void clear();
    void update<T>(in T data);
    W get();
}

// The same for RFC 1071's checksum. Data can be taken out again, so a change of a header needs no payload (RFC 1624).
extern InternetChecksum {
    InternetChecksum();
    void clear();
    void add<T>(in T data);
    void subtract<T>(in T data);
    bit<16> get();
    // The sum so far, for another block.
    bit<16> get_state();
    void set_state(in bit<16> checksum_state);
}

// Objects that live longer than a packet. Those with `Direct` in their names belong to a table, and its actions use them.

enum PSA_CounterType_t { PACKETS, BYTES, PACKETS_AND_BYTES }

extern Counter<W, S> {
    Counter(bit<32> n_counters, PSA_CounterType_t type);
    void count(in S index);
}

extern DirectCounter<W> {
    DirectCounter(PSA_CounterType_t type);
    void count();
}

enum PSA_MeterType_t { PACKETS, BYTES }
enum PSA_MeterColor_t { RED, GREEN, YELLOW }

// With a colour, the meter never improves it (RFC 2698, colour-aware mode).
extern Meter<S> {
    Meter(bit<32> n_meters, PSA_MeterType_t type);
    PSA_MeterColor_t execute(in S index, in PSA_MeterColor_t color);
    PSA_MeterColor_t execute(in S index);
}

extern DirectMeter {
    DirectMeter(PSA_MeterType_t type);
    PSA_MeterColor_t execute(in PSA_MeterColor_t color);
    PSA_MeterColor_t execute();
}

extern Register<T, S> {
    Register(bit<32> size);
    Register(bit<32> size, T initial_value);
    T read(in S index);
    void write(in S index, in T value);
}

// Both ends are included.
extern Random<T> {
    Random(T min, T max);
    T read();
}

// Where a table's actions are kept apart from its entries: its property `psa_implementation`.
extern ActionProfile {
    ActionProfile(bit<32> size);
}

extern ActionSelector {
    ActionSelector(PSA_HashAlgorithm_t algo, bit<32> size, bit<32> outputWidth);
}

// What is told to the controller.
extern Digest<T> {
    Digest();
    void pack(in T data);
}

// Values of a table's property `psa_idle_timeout`.
enum PSA_IdleTimeout_t { NO_TIMEOUT, NOTIFY_CONTROL }

// The blocks of the switch.

parser IngressParser<H, M, RESUBM, RECIRCM>(
    packet_in buffer, out H parsed_hdr, inout M user_meta, in psa_ingress_parser_input_metadata_t istd,
    in RESUBM resubmit_meta, in RECIRCM recirculate_meta);

control Ingress<H, M>(
    inout H hdr, inout M user_meta, in psa_ingress_input_metadata_t istd, inout psa_ingress_output_metadata_t ostd);

control IngressDeparser<H, M, CI2EM, RESUBM, NM>(
    packet_out buffer, out CI2EM clone_i2e_meta, out RESUBM resubmit_meta, out NM normal_meta, inout H hdr, in M meta,
    in psa_ingress_output_metadata_t istd);

parser EgressParser<H, M, NM, CI2EM, CE2EM>(
    packet_in buffer, out H parsed_hdr, inout M user_meta, in psa_egress_parser_input_metadata_t istd,
    in NM normal_meta, in CI2EM clone_i2e_meta, in CE2EM clone_e2e_meta);

control Egress<H, M>(
    inout H hdr, inout M user_meta, in psa_egress_input_metadata_t istd, inout psa_egress_output_metadata_t ostd);

control EgressDeparser<H, M, CE2EM, RECIRCM>(
    packet_out buffer, out CE2EM clone_e2e_meta, out RECIRCM recirculate_meta, inout H hdr, in M meta,
    in psa_egress_output_metadata_t istd, in psa_egress_deparser_input_metadata_t edstd);

package IngressPipeline<IH, IM, NM, CI2EM, RESUBM, RECIRCM>(
    IngressParser<IH, IM, RESUBM, RECIRCM> ip,
    Ingress<IH, IM> ig,
    IngressDeparser<IH, IM, CI2EM, RESUBM, NM> id);

package EgressPipeline<EH, EM, NM, CI2EM, CE2EM, RECIRCM>(
    EgressParser<EH, EM, NM, CI2EM, CE2EM> ep,
    Egress<EH, EM> eg,
    EgressDeparser<EH, EM, CE2EM, RECIRCM> ed);

package PSA_Switch<IH, IM, EH, EM, NM, CI2EM, CE2EM, RESUBM, RECIRCM>(
    IngressPipeline<IH, IM, NM, CI2EM, RESUBM, RECIRCM> ingress,
    PacketReplicationEngine pre,
    EgressPipeline<EH, EM, NM, CI2EM, CE2EM, RECIRCM> egress,
    BufferingQueueingEngine bqe);

#endif
