// In-band telemetry: each hop pushes a record of itself onto a header stack and adds its bytes to the packet's length.

#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
// RFC 3692's number for experiments.
const bit<8> PROTOCOL_REPORT = 253;
const bit<4> MOST_RECORDS = 4;
const bit<16> RECORD_BYTES = 6;

header ethernet_t {
    bit<48> to;
    bit<48> from;
    bit<16> kind;
}

header ipv4_t {
    bit<4> version;
    bit<4> words;
    bit<8> tos;
    bit<16> length;
    bit<16> id;
    bit<16> fragment;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> from;
    bit<32> to;
}

// Stands between IPv4 and the records; `protocol` is what follows them.
header report_t {
    bit<8> protocol;
    bit<4> records;
    bit<4> missed;
}

header record_t {
    bit<16> node;
    bit<9> entered;
    bit<9> left;
    bit<14> bytes;
}

struct Headers {
    ethernet_t eth;
    ipv4_t ip;
    report_t report;
    record_t[4] records;
}

struct Meta {
    bit<4> unread;
}

error {
    TooManyRecords
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.eth);
        transition select(h.eth.kind) {
            TYPE_IPV4: ip;
            default: accept;
        }
    }
    state ip {
        b.extract(h.ip);
        transition select(h.ip.words, h.ip.protocol) {
            (5, PROTOCOL_REPORT): report;
            default: accept;
        }
    }
    state report {
        b.extract(h.report);
        verify(h.report.records <= MOST_RECORDS, error.TooManyRecords);
        m.unread = h.report.records;
        transition more;
    }
    state more {
        transition select(m.unread) {
            0: accept;
            default: record;
        }
    }
    state record {
        b.extract(h.records.next);
        m.unread = m.unread - 1;
        transition more;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    action unreachable() {
        mark_to_drop(sm);
    }
    action send(bit<48> next_hop, bit<9> port) {
        h.eth.from = h.eth.to;
        h.eth.to = next_hop;
        h.ip.ttl = h.ip.ttl - 1;
        sm.egress_spec = port;
    }
    table routes {
        key = {
            h.ip.to: lpm;
        }
        actions = {
            send;
            unreachable;
        }
        default_action = unreachable();
    }
    apply {
        if (!h.ip.isValid() || h.ip.ttl < 2 || sm.parser_error != error.NoError) {
            unreachable();
        } else {
            routes.apply();
        }
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    action report_as(bit<16> node) {
        h.records.push_front(1);
        h.records[0] = { node, sm.ingress_port, sm.egress_port, sm.packet_length[13:0] };
        h.report.records = h.report.records + 1;
        h.ip.length = h.ip.length + RECORD_BYTES;
    }
    table self {
        actions = {
            report_as;
            NoAction;
        }
        default_action = NoAction();
    }
    apply {
        if (h.report.isValid()) {
            if (h.report.records == MOST_RECORDS) {
                h.report.missed = h.report.missed |+| 1;
            } else {
                self.apply();
            }
        }
    }
}

control update(inout Headers h, inout Meta m) {
    apply {
        update_checksum(h.ip.isValid(), {
            h.ip.version, h.ip.words, h.ip.tos, h.ip.length, h.ip.id, h.ip.fragment, h.ip.ttl, h.ip.protocol, h.ip.from, h.ip.to
        }, h.ip.checksum, HashAlgorithm.csum16);
    }
}

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
