// Parser errors leave what has been extracted, and the packet goes on.
#include <core.p4>
#include <v1model.p4>

error { Odd }

header tag_t {
    bit<8> kind;
    bit<8> value;
}
header v_t {
    bit<8>       length;
    varbit<24>   rest;
}
header out_t {
    bit<8> error_code;
    bit<8> count;
    bit<8> seen;
}
struct headers {
    out_t    o;
    tag_t[3] tags;
    v_t      v;
}
struct metadata {
    bit<8> seen;
}

parser sub(packet_in packet, out tag_t tag, inout bit<8> seen) {
    state start {
        seen = seen + 1;
        packet.extract(tag);
        verify(tag.value[0:0] == 0, error.Odd);
        transition select(tag.value) {
            0xf0: reject;
            _: accept;
        }
    }
}

parser p(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    sub() tag;
    bit<8> n = 0;
    state start {
        sm.egress_spec = 1;
        transition select(packet.lookahead<bit<8>>()) {
            0x01 &&& 0x0f: next;
            0x02 .. 0x03: one;
            0x04: variable;
            0x05: skip;
            0x0f: accept;
        }
    }
    state next {
        packet.extract(hdr.tags.next);
        n = n + 1;
        meta.seen = n;
        transition select(hdr.tags.last.kind, hdr.tags.lastIndex) {
            (_, 2): accept;
            (0x11, _): next;
            (0x21, _): one;
            default: accept;
        }
    }
    state one {
        tag.apply(packet, hdr.tags.next, meta.seen);
        transition accept;
    }
    state variable {
        packet.advance(8);
        packet.extract(hdr.v, (bit<32>) packet.lookahead<bit<8>>() * 8);
        transition accept;
    }
    state skip {
        tag_t ahead = packet.lookahead<tag_t>();
        packet.advance((bit<32>) ahead.value);
        transition accept;
    }
}

control none(inout headers hdr, inout metadata meta) {
    apply {}
}
control ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    apply {
        hdr.o.setValid();
        hdr.o.error_code = 0xff;
        if (sm.parser_error == error.NoError) {
            hdr.o.error_code = 0;
        } else if (sm.parser_error == error.PacketTooShort) {
            hdr.o.error_code = 1;
        } else if (sm.parser_error == error.NoMatch) {
            hdr.o.error_code = 2;
        } else if (sm.parser_error == error.StackOutOfBounds) {
            hdr.o.error_code = 3;
        } else if (sm.parser_error == error.HeaderTooShort) {
            hdr.o.error_code = 4;
        } else if (sm.parser_error == error.Odd) {
            hdr.o.error_code = 7;
        }
        hdr.o.seen = meta.seen;
        hdr.o.count = 0;
        if (hdr.tags[0].isValid()) {
            hdr.o.count = hdr.o.count + 1;
        }
        if (hdr.tags[1].isValid()) {
            hdr.o.count = hdr.o.count + 1;
        }
        if (hdr.tags[2].isValid()) {
            hdr.o.count = hdr.o.count + 1;
        }
    }
}
control egress(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    apply {}
}
control deparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr.o);
        packet.emit(hdr.tags);
        packet.emit(hdr.v);
    }
}

V1Switch(p(), none(), ingress(), egress(), none(), deparser()) main;
