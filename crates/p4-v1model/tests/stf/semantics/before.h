// Ten bytes in, ten bytes out: what a program under test computes is seen in them.
#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8>  op;
    bit<8>  a;
    bit<8>  b;
    bit<8>  c;
    bit<16> w;
}
header e_t {
    bit<8> v;
}
struct headers {
    h_t    h;
    e_t[4] s;
    e_t    x;
    e_t    y;
}
struct metadata {
    bit<8> i;
    bit<8> j;
}

parser p(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    state start {
        sm.egress_spec = 1;
        packet.extract(hdr.h);
        packet.extract(hdr.s.next);
        packet.extract(hdr.s.next);
        packet.extract(hdr.s.next);
        packet.extract(hdr.s.next);
        transition accept;
    }
}
