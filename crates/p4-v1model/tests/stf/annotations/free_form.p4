// Annotations of all forms on anything, known or not.

#include <core.p4>
#include <v1model.p4>

@controller_header("packet_in")
header h_t {
    @format(HEX) @bits[1 + 2, "x"] @pairs[key = 1, other = "two"] @free(a => { b }; (c))
    bit<8> a;
    @my(key = 1, other = "two")
    bit<8> b;
}
@deprecated("never mind")
struct unused_t {
    @field_list(7)
    bit<8> x;
}

struct Headers {
    h_t h;
}

struct Meta { }

@noWarn("unused") const bit<8> ONE = 1;
@pure extern bit<8> unused_extern(in bit<8> x);
@noSideEffects bit<8> f(in bit<8> x) {
    return x + ONE;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    @hidden action a() {
        h.h.a = f(h.h.a);
    }
    @name(".renamed") @tableonly action c() { }
    apply {
        sm.egress_spec = 1;
        @atomic {
            a();
        }
        if (h.h.a == 2) {
            h.h.b = 9;
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
