#include <core.p4>
#include <v1model.p4>

header ethernet_t { bit<48> dst; bit<48> src; bit<16> kind; }
struct headers { ethernet_t ethernet; }
struct metadata { bit<10> label; }

parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    value_set<bit<16>>(4) kinds;
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.kind) { kinds: accept; default: accept; }
    }
}
control Verify(inout headers hdr, inout metadata meta) { apply {} }
control In(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    register<bit<32>>(8) seen;
    counter(4, CounterType.packets) arrivals;
    meter(4, MeterType.bytes) limits;
    direct_counter(CounterType.packets_and_bytes) hits;
    direct_meter<bit<32>>(MeterType.packets) rates;
    bit<32> colour = 0;

    action drop() { mark_to_drop(standard); }
    action send(bit<9> port) { standard.egress_spec = port; }
    action send_metered(bit<9> port) { standard.egress_spec = port; rates.read(colour); }
    action label(bit<10> value) { meta.label = value; }

    table exact_t {
        key = { hdr.ethernet.dst: exact; }
        actions = { send; drop; }
        counters = hits;
        default_action = drop();
        size = 2;
        support_timeout = true;
    }
    table prefixes {
        key = { hdr.ethernet.dst: lpm; }
        actions = { send_metered; drop; }
        meters = rates;
    }
    table masks {
        key = { hdr.ethernet.src: ternary; hdr.ethernet.kind: range; meta.label: optional; hdr.ethernet.isValid(): exact; }
        actions = { label; NoAction; }
    }
    action_selector(HashAlgorithm.crc16, 32w16, 32w14) choice;
    table balanced {
        key = { hdr.ethernet.kind: exact; hdr.ethernet.src: selector; }
        actions = { send; drop; }
        implementation = choice;
    }
    action_profile(8) shared_actions;
    table profiled {
        key = { hdr.ethernet.kind: exact; }
        actions = { send; drop; }
        implementation = shared_actions;
    }
    table fixed {
        actions = { send; drop; }
        const default_action = send(1);
    }
    apply {
        bit<16> hashed;
        hash(hashed, HashAlgorithm.crc16_custom, 16w0, { hdr.ethernet.dst }, 16w8);
        bit<32> first;
        bit<32> second;
        hash(first, HashAlgorithm.crc32_custom, 32w0, { hdr.ethernet.dst }, 32w8);
        hash(second, HashAlgorithm.crc32_custom, 32w0, { hdr.ethernet.src }, 32w8);
        seen.write((bit<32>) hashed, first ^ second | 1);
        arrivals.count((bit<32>) (hashed & 3));
        limits.execute_meter((bit<32>) (hashed & 3), colour);
        fixed.apply();
        exact_t.apply();
        prefixes.apply();
        masks.apply();
        balanced.apply();
        profiled.apply();
    }
}
control Out(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) { apply {} }
control Compute(inout headers hdr, inout metadata meta) { apply {} }
control Deparser(packet_out packet, in headers hdr) { apply { packet.emit(hdr.ethernet); } }

V1Switch(P(), Verify(), In(), Out(), Compute(), Deparser()) main;
