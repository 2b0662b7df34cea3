// A source route: each switch takes the first hop off a header stack; the last one takes the whole route off.

#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
// One of IEEE 802's types for local experiments.
const bit<16> TYPE_ROUTE = 0x88b6;

header ethernet_t {
    bit<48> to;
    bit<48> from;
    bit<16> kind;
}

// Before the hops: how many are left, and the type of what follows them.
header route_t {
    bit<8> left;
    bit<16> kind;
}

header hop_t {
    bit<9> port;
    bit<3> priority;
    bit<4> colour;
}

header ipv4_t {
    bit<8> start;
    bit<8> tos;
    bit<16> length;
    bit<32> fragment;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> from;
    bit<32> to;
}

struct Headers {
    ethernet_t eth;
    route_t route;
    hop_t[6] hops;
    ipv4_t ip;
}

struct Meta {
    bit<8> unread;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.eth);
        transition select(h.eth.kind) {
            TYPE_ROUTE: route;
            default: accept;
        }
    }
    state route {
        b.extract(h.route);
        m.unread = h.route.left;
        transition select(m.unread) {
            0: accept;
            default: hop;
        }
    }
    state hop {
        b.extract(h.hops.next);
        m.unread = m.unread - 1;
        transition select(m.unread, h.route.kind) {
            (0, TYPE_IPV4): ip;
            (0, _): accept;
            default: hop;
        }
    }
    state ip {
        b.extract(h.ip);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    action follow(in hop_t hop) {
        sm.egress_spec = hop.port;
        sm.priority = hop.priority;
        h.hops.pop_front(1);
        h.route.left = h.route.left - 1;
    }
    action arrive() {
        h.eth.kind = h.route.kind;
        h.route.setInvalid();
    }
    apply {
        if (!h.hops[0].isValid()) {
            mark_to_drop(sm);
            exit;
        }
        follow(h.hops[0]);
        if (h.route.left == 0) {
            arrive();
        }
        if (h.ip.isValid()) {
            if (h.ip.ttl < 2) {
                mark_to_drop(sm);
            }
            h.ip.ttl = h.ip.ttl - 1;
        }
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        if (h.ip.isValid()) {
            h.ip.tos = 5w0 ++ sm.priority;
        }
    }
}

control update(inout Headers h, inout Meta m) {
    apply {
        update_checksum(h.ip.isValid(), {
            h.ip.start, h.ip.tos, h.ip.length, h.ip.fragment, h.ip.ttl, h.ip.protocol, h.ip.from, h.ip.to
        }, h.ip.checksum, HashAlgorithm.csum16);
    }
}

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h.eth);
        b.emit(h.route);
        b.emit(h.hops);
        b.emit(h.ip);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
