// A calculator: the answer to a question goes back to the port and the station that it came from.

#include <core.p4>
#include <v1model.p4>

// One of IEEE 802's types for local experiments.
const bit<16> TYPE_QUESTION = 0x88b5;
const bit<4> VERSION = 3;

enum bit<4> Verb {
    sum = 1,
    difference = 2,
    product = 3,
    larger = 4,
    common_bits = 5,
    shifted = 6
}

header ethernet_t {
    bit<48> to;
    bit<48> from;
    bit<16> kind;
}

header question_t {
    bit<4> version;
    Verb verb;
    bit<6> unused;
    bool negative;
    bool overflow;
    bit<32> left;
    bit<32> right;
    bit<64> answer;
}

struct Headers {
    ethernet_t eth;
    question_t question;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.eth);
        transition select(h.eth.kind) {
            TYPE_QUESTION: version;
            default: accept;
        }
    }
    state version {
        transition select(b.lookahead<bit<4>>()) {
            VERSION: question;
            default: accept;
        }
    }
    state question {
        b.extract(h.question);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    action reply(bit<64> answer) {
        bit<48> asker = h.eth.from;
        h.eth.from = h.eth.to;
        h.eth.to = asker;
        h.question.answer = answer;
        sm.egress_spec = sm.ingress_port;
    }
    action sum() {
        bit<33> exact = (bit<33>)h.question.left + (bit<33>)h.question.right;
        h.question.overflow = (bool)exact[32:32];
        reply((bit<64>)exact[31:0]);
    }
    action difference() {
        h.question.negative = h.question.left < h.question.right;
        reply((bit<64>)(int<64>)(int<32>)(h.question.left - h.question.right));
    }
    action product() {
        reply((bit<64>)h.question.left * (bit<64>)h.question.right);
    }
    action larger() {
        reply((bit<64>)(h.question.left > h.question.right ? h.question.left : h.question.right));
    }
    action common_bits() {
        reply((bit<64>)(h.question.left & h.question.right));
    }
    action shifted() {
        reply((bit<64>)h.question.left << h.question.right);
    }
    action ignore() {
        mark_to_drop(sm);
    }
    table verbs {
        key = {
            h.question.verb: exact;
        }
        actions = {
            sum;
            difference;
            product;
            larger;
            common_bits;
            shifted;
            ignore;
        }
        const default_action = ignore();
        const entries = {
            Verb.sum: sum();
            Verb.difference: difference();
            Verb.product: product();
            Verb.larger: larger();
            Verb.common_bits: common_bits();
            Verb.shifted: shifted();
        }
    }
    apply {
        if (h.question.isValid()) {
            verbs.apply();
        } else {
            ignore();
        }
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply { }
}

control update(inout Headers h, inout Meta m) {
    apply { }
}

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
