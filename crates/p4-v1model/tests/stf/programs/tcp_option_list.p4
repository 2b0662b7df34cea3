// TCP options in any order: parsed into a stack of unions until their bytes are used up, then limited.
// The checksum of TCP stays as it came.

#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_TCP = 6;
const bit<16> MOST_SEGMENT = 1360;
const bit<8> MOST_SHIFT = 7;

const bit<8> END = 0;
const bit<8> PAD = 1;
const bit<8> SEGMENT = 2;
const bit<8> SHIFT = 3;
const bit<8> PERMITTED = 4;
const bit<8> BLOCKS = 5;
const bit<8> TIMES = 8;

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
    bit<32> fragment;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> from;
    bit<32> to;
}

header ipv4_rest_t {
    varbit<320> bits;
}

header tcp_t {
    bit<16> from;
    bit<16> to;
    bit<32> number;
    bit<32> acknowledged;
    bit<4> words;
    bit<12> flags;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent;
}

// An option of one byte, and the first two bytes of the others.
header byte_t {
    bit<8> kind;
}

header pair_t {
    bit<8> kind;
    bit<8> length;
}

header segment_t {
    bit<8> kind;
    bit<8> length;
    bit<16> bytes;
}

header shift_t {
    bit<8> kind;
    bit<8> length;
    bit<8> bits;
}

header blocks_t {
    bit<8> kind;
    bit<8> length;
    varbit<256> edges;
}

header times_t {
    bit<8> kind;
    bit<8> length;
    bit<32> sent;
    bit<32> echoed;
}

header_union option_t {
    byte_t single;
    pair_t permitted;
    segment_t segment;
    shift_t shift;
    blocks_t blocks;
    times_t times;
}

struct Headers {
    ethernet_t eth;
    ipv4_t ip;
    ipv4_rest_t ip_rest;
    tcp_t tcp;
    option_t[8] options;
}

struct Meta {
    bit<8> count;
}

error {
    ShortHeader,
    WrongLength,
    BeyondHeader,
    UnknownOption
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    bit<8> left;
    state start {
        b.extract(h.eth);
        transition select(h.eth.kind) {
            TYPE_IPV4: ip;
            default: accept;
        }
    }
    state ip {
        b.extract(h.ip);
        verify(h.ip.words >= 5, error.ShortHeader);
        transition select(h.ip.words) {
            5: protocol;
            default: ip_rest;
        }
    }
    state ip_rest {
        b.extract(h.ip_rest, 32 * ((bit<32>)h.ip.words - 5));
        transition protocol;
    }
    state protocol {
        transition select(h.ip.protocol) {
            PROTOCOL_TCP: tcp;
            default: accept;
        }
    }
    state tcp {
        b.extract(h.tcp);
        verify(h.tcp.words >= 5, error.ShortHeader);
        left = 4 * ((bit<8>)h.tcp.words - 5);
        transition more;
    }
    // `left` bytes of options are unread.
    state more {
        transition select(left) {
            0: accept;
            default: look;
        }
    }
    state look {
        transition select(b.lookahead<bit<8>>()) {
            END: end;
            PAD: pad;
            default: sized;
        }
    }
    // What is behind the end is left to the payload.
    state end {
        b.extract(h.options.next.single);
        m.count = (bit<8>)h.options.lastIndex + 1;
        transition accept;
    }
    state pad {
        b.extract(h.options.next.single);
        left = left - 1;
        transition counted;
    }
    state sized {
        verify(left >= 2, error.BeyondHeader);
        pair_t start_of = b.lookahead<pair_t>();
        verify(start_of.length <= left, error.BeyondHeader);
        left = left - start_of.length;
        transition select(start_of.kind, start_of.length) {
            (SEGMENT, 4): segment;
            (SHIFT, 3): shift;
            (PERMITTED, 2): permitted;
            // One to four blocks of eight bytes.
            (BLOCKS, 10): blocks;
            (BLOCKS, 18): blocks;
            (BLOCKS, 26): blocks;
            (BLOCKS, 34): blocks;
            (TIMES, 10): times;
            (SEGMENT .. BLOCKS, _): wrong;
            (TIMES, _): wrong;
            default: unknown;
        }
    }
    state segment {
        b.extract(h.options.next.segment);
        transition counted;
    }
    state shift {
        b.extract(h.options.next.shift);
        transition counted;
    }
    state permitted {
        b.extract(h.options.next.permitted);
        transition counted;
    }
    state blocks {
        b.extract(h.options.next.blocks, 8 * ((bit<32>)b.lookahead<pair_t>().length - 2));
        transition counted;
    }
    state times {
        b.extract(h.options.next.times);
        transition counted;
    }
    state counted {
        m.count = (bit<8>)h.options.lastIndex + 1;
        transition more;
    }
    state wrong {
        verify(false, error.WrongLength);
        transition accept;
    }
    state unknown {
        verify(false, error.UnknownOption);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply {
        verify_checksum(h.ip.isValid(), {
            h.ip.version, h.ip.words, h.ip.tos, h.ip.length, h.ip.fragment, h.ip.ttl, h.ip.protocol, h.ip.from, h.ip.to, h.ip_rest.bits
        }, h.ip.checksum, HashAlgorithm.csum16);
    }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        if (sm.checksum_error == 1) {
            mark_to_drop(sm);
            return;
        }
        if (sm.parser_error == error.NoError) {
            sm.egress_spec = 1;
        } else if (sm.parser_error == error.WrongLength) {
            sm.egress_spec = 2;
            return;
        } else if (sm.parser_error == error.UnknownOption) {
            sm.egress_spec = 3;
            return;
        } else if (sm.parser_error == error.BeyondHeader) {
            sm.egress_spec = 4;
            return;
        } else {
            mark_to_drop(sm);
            return;
        }
        for (bit<8> i in 8w0 .. 7) {
            if (h.options[i].segment.isValid() && h.options[i].segment.bytes > MOST_SEGMENT) {
                h.options[i].segment.bytes = MOST_SEGMENT;
            }
            if (h.options[i].shift.isValid() && h.options[i].shift.bits > MOST_SHIFT) {
                h.options[i].shift.bits = MOST_SHIFT;
            }
            if (h.options[i].times.isValid()) {
                h.options[i].times.echoed = 0;
            }
        }
        // The number of options, to be seen in the packet.
        h.ip.tos = m.count;
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply { }
}

control update(inout Headers h, inout Meta m) {
    apply {
        update_checksum(h.ip.isValid(), {
            h.ip.version, h.ip.words, h.ip.tos, h.ip.length, h.ip.fragment, h.ip.ttl, h.ip.protocol, h.ip.from, h.ip.to, h.ip_rest.bits
        }, h.ip.checksum, HashAlgorithm.csum16);
    }
}

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
