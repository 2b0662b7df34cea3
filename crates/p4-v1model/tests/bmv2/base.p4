// The program of every case: a line that starts with `@` is a slot, which a case may fill; what follows its name is the
// default. `FORMAT.md` describes the files.
#include <core.p4>
#include <v1model.p4>

header frame_t {
    bit<112> start;
}
header data_t {
    bit<8> a;
    bit<8> b;
    bit<16> c;
    bit<32> d;
}
@types
struct headers_t {
    frame_t frame;
    data_t h;
    @headers
}
struct meta_t {
    @meta
}
parser prs(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    @parser
    state start {
        packet.extract(hdr.frame);
        @start packet.extract(hdr.h); transition accept;
    }
    @states
}
control verify_checksums(inout headers_t hdr, inout meta_t meta) {
    apply {
        @verify
    }
}
control ingress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    @locals
    apply {
        @port sm.egress_spec = 1;
        @ingress
    }
}
control egress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    @egress_locals
    apply {
        @egress
    }
}
control compute_checksums(inout headers_t hdr, inout meta_t meta) {
    apply {
        @compute
    }
}
control deparser(packet_out packet, in headers_t hdr) {
    apply {
        @deparser packet.emit(hdr.frame); packet.emit(hdr.h);
        @emit
    }
}
V1Switch(prs(), verify_checksums(), ingress(), egress(), compute_checksums(), deparser()) main;
