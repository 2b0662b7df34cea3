// A stack of unions, as options are parsed: each element holds the header of its kind.

#include <core.p4>
#include <v1model.p4>

header end_t {
    bit<8> kind;
}
header short_t {
    bit<8> kind;
    bit<8> v;
}
header long_t {
    bit<8> kind;
    bit<24> v;
}
header_union option_t {
    end_t end;
    short_t short;
    long_t long;
}

struct Headers {
    option_t[4] o;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        transition select(b.lookahead<bit<8>>()) {
            0: end;
            1: short;
            2: long;
        }
    }
    state end {
        b.extract(h.o.next.end);
        transition accept;
    }
    state short {
        b.extract(h.o.next.short);
        transition start;
    }
    state long {
        b.extract(h.o.next.long);
        transition start;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (h.o[1].long.isValid()) {
            h.o[1].long.v = h.o[1].long.v + 1;
        }
        if (h.o[0].short.isValid()) {
            h.o[0].short.setInvalid();
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
