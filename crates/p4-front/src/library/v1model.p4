// The v1model architecture: what BMv2's `simple_switch` offers to a program.
//
// Before the include a program may define V1MODEL_VERSION:
//   20180101 (the default): indexes of counters, meters and registers are bit<32>;
//   20200408: their type is a parameter, and ports have the name PortId_t.
// Functions of either time are there in both, as old and new programs mix them.

#ifndef _V1_MODEL_P4_
#define _V1_MODEL_P4_

#ifdef _PSA_P4_
#error "psa.p4 and v1model.p4 are two architectures: include one of them"
#endif

#include <core.p4>

#ifndef V1MODEL_VERSION
#define V1MODEL_VERSION 20180101
#endif

#if V1MODEL_VERSION != 20180101 && V1MODEL_VERSION != 20200408
#error "V1MODEL_VERSION must be 20180101 or 20200408"
#endif

// Defined by this implementation alone: a program may ask whether the extensions below are there. Their names begin with
// jettison_.
#define JETTISON_V1MODEL 1

const bit<32> __v1model_version = V1MODEL_VERSION;

match_kind {
    range,      // from, to
    optional,   // equal, or anything
    selector    // not matched: an input of an action selector's hash
}

#if V1MODEL_VERSION >= 20200408
typedef bit<9> PortId_t;
#define V1MODEL_PORT PortId_t
#else
#define V1MODEL_PORT bit<9>
#endif

// What the switch and the program tell each other of a packet.
struct standard_metadata_t {
    V1MODEL_PORT ingress_port;          // where it came in
    V1MODEL_PORT egress_spec;           // where it is to go; 511 drops it
    V1MODEL_PORT egress_port;           // where it goes: set for egress
    bit<32> instance_type;              // 0 normal, 1 and 2 clone, 4 recirculated, 5 replica, 6 resubmitted
    bit<32> packet_length;              // bytes
    bit<32> enq_timestamp;              // when it was queued, µs
    bit<19> enq_qdepth;                 // packets in the queue then
    bit<32> deq_timedelta;              // how long it was queued, µs
    bit<19> deq_qdepth;                 // packets in the queue when it left
    bit<48> ingress_global_timestamp;   // when it came in, µs
    bit<48> egress_global_timestamp;    // when it left the queue, µs
    bit<16> mcast_grp;                  // the multicast group; 0 is none
    bit<16> egress_rid;                 // which replica it is
    bit<1> checksum_error;              // 1 if verify_checksum found one
    error parser_error;                 // how parsing ended
    bit<3> priority;                    // the queue; the highest is served first
    bit<5> qid;                         // at egress: the queue in which it was, in the numbers of priority
    bit<10> jettison_intended_port;         // egress_spec + 1 as it was before mark_to_drop: for statistics alone
    bit<32> jettison_dequeue_rate;      // at egress: kbit/s at which the port sent while packets waited; all ones if unknown
}

#undef V1MODEL_PORT

// Objects that live longer than a packet.

enum CounterType { packets, bytes, packets_and_bytes }
enum MeterType { packets, bytes }

// What a meter answers.
#define V1MODEL_METER_COLOR_GREEN 0
#define V1MODEL_METER_COLOR_YELLOW 1
#define V1MODEL_METER_COLOR_RED 2

#if V1MODEL_VERSION >= 20200408

extern counter<I> {
    counter(bit<32> size, CounterType type);
    void count(in I index);
}

extern meter<I> {
    meter(bit<32> size, MeterType type);
    void execute_meter<T>(in I index, out T result);
}

extern register<T, I> {
    register(bit<32> size);
    void read(out T result, in I index);
    void write(in I index, in T value);
}

#else

extern counter {
    counter(bit<32> size, CounterType type);
    void count(in bit<32> index);
}

extern meter {
    meter(bit<32> size, MeterType type);
    void execute_meter<T>(in bit<32> index, out T result);
}

extern register<T> {
    register(bit<32> size);
    void read(out T result, in bit<32> index);
    void write(in bit<32> index, in T value);
}

#endif

// These belong to a table: its properties `counters` and `meters`.
extern direct_counter {
    direct_counter(CounterType type);
    void count();
}

extern direct_meter<T> {
    direct_meter(MeterType type);
    void read(out T result);
}

// Where a table's actions are kept apart from its entries: its property `implementation`.
extern action_profile {
    action_profile(bit<32> size);
}

enum HashAlgorithm { crc32, crc32_custom, crc16, crc16_custom, random, identity, csum16, xor16 }

extern action_selector {
    action_selector(HashAlgorithm algorithm, bit<32> size, bit<32> outputWidth);
}

// Arithmetic.

// Both ends are included.
extern void random<T>(out T result, in T lo, in T hi);

// base + hash(data) % max; base if max is 0.
extern void hash<O, T, D, M>(out O result, in HashAlgorithm algo, in T base, in D data, in M max);

// The checksum of the first programs.
extern Checksum16 {
    Checksum16();
    bit<16> get<D>(in D data);
}

// Each does nothing if its condition does not hold. The payload is what the parser left of the packet.
extern void verify_checksum<T, O>(in bool condition, in T data, in O checksum, HashAlgorithm algo);
extern void update_checksum<T, O>(in bool condition, in T data, inout O checksum, HashAlgorithm algo);
extern void verify_checksum_with_payload<T, O>(in bool condition, in T data, in O checksum, HashAlgorithm algo);
extern void update_checksum_with_payload<T, O>(in bool condition, in T data, inout O checksum, HashAlgorithm algo);

// What becomes of the packet.

extern void mark_to_drop();
extern void mark_to_drop(inout standard_metadata_t standard_metadata);
extern void truncate(in bit<32> length);

enum CloneType { I2E, E2E }

// The field list is of those fields of the metadata that are annotated with @field_list and its number.
extern void clone(in CloneType type, in bit<32> session);
extern void clone_preserving_field_list(in CloneType type, in bit<32> session, bit<8> index);
extern void resubmit_preserving_field_list(bit<8> index);
extern void recirculate_preserving_field_list(bit<8> index);

// The forms before 2020 name the fields themselves.
extern void clone3<T>(in CloneType type, in bit<32> session, in T data);
extern void resubmit<T>(in T data);
extern void recirculate<T>(in T data);

// What is told to the world outside.

extern void digest<T>(in bit<32> receiver, in T data);
extern void assert(in bool check);
extern void assume(in bool check);
extern void log_msg(string msg);
extern void log_msg<T>(string msg, in T data);

// The blocks of the switch.

parser Parser<H, M>(packet_in b, out H parsedHdr, inout M meta, inout standard_metadata_t standard_metadata);
control VerifyChecksum<H, M>(inout H hdr, inout M meta);
control Ingress<H, M>(inout H hdr, inout M meta, inout standard_metadata_t standard_metadata);
control Egress<H, M>(inout H hdr, inout M meta, inout standard_metadata_t standard_metadata);
control ComputeChecksum<H, M>(inout H hdr, inout M meta);
control Deparser<H>(packet_out b, in H hdr);

package V1Switch<H, M>(
    Parser<H, M> p,
    VerifyChecksum<H, M> vr,
    Ingress<H, M> ig,
    Egress<H, M> eg,
    ComputeChecksum<H, M> ck,
    Deparser<H> dep
);

#endif
