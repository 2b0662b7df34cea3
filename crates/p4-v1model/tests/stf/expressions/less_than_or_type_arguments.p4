// < and > between names are comparisons, shifts or brackets of type arguments, as the text around them says.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct Headers {
    h_t h;
}

struct Meta { }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        bit<8> a = h.h.a;
        bit<8> b = h.h.b;
        bit<8> c = h.h.c;
        bit<8> d = 1;
        bool q = a<b;
        if (a<b && c>(d)) h.h.d = 5;
        if (a < b == true && (c > d) && a<(b) ) h.h.d = h.h.d + 1;
        bool r = (a<b)&&(c>d);
        if (r && q) h.h.d = h.h.d + 1;
        if (a << 1 >= b && b >>1 == 1) { } else {
            h.h.d = 0;
        }
        bit<(8 > 4 ? 8 : 4)> zz = 3;
        if (h.h.a<h.h.b) {} else h.h.d = 0;
        if ((h.h.a + h.h.b)<h.h.c || 3<h.h.c[0:0] ++ 1w0) h.h.d = 0;
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }

control update(inout Headers h, inout Meta m) { apply { } }

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
