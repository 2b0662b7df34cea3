// A variable may get its first value after many conditions.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<32> a;
    bit<8> r;
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

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        bit<8> late;
        bit<8> n = 0;
        if (h.h.a[0:0] == 1) {
            n = n + 1;
        }
        if (h.h.a[1:1] == 1) {
            n = n + 1;
        }
        if (h.h.a[2:2] == 1) {
            n = n + 1;
        }
        if (h.h.a[3:3] == 1) {
            n = n + 1;
        }
        if (h.h.a[4:4] == 1) {
            n = n + 1;
        }
        if (h.h.a[5:5] == 1) {
            n = n + 1;
        }
        if (h.h.a[6:6] == 1) {
            n = n + 1;
        }
        if (h.h.a[7:7] == 1) {
            n = n + 1;
        }
        if (h.h.a[8:8] == 1) {
            n = n + 1;
        }
        if (h.h.a[9:9] == 1) {
            n = n + 1;
        }
        if (h.h.a[10:10] == 1) {
            n = n + 1;
        }
        if (h.h.a[11:11] == 1) {
            n = n + 1;
        }
        if (h.h.a[12:12] == 1) {
            n = n + 1;
        }
        if (h.h.a[13:13] == 1) {
            n = n + 1;
        }
        if (h.h.a[14:14] == 1) {
            n = n + 1;
        }
        if (h.h.a[15:15] == 1) {
            n = n + 1;
        }
        if (h.h.a[16:16] == 1) {
            n = n + 1;
        }
        if (h.h.a[17:17] == 1) {
            n = n + 1;
        }
        if (h.h.a[18:18] == 1) {
            n = n + 1;
        }
        if (h.h.a[19:19] == 1) {
            n = n + 1;
        }
        if (h.h.a[20:20] == 1) {
            n = n + 1;
        }
        if (h.h.a[21:21] == 1) {
            n = n + 1;
        }
        if (h.h.a[22:22] == 1) {
            n = n + 1;
        }
        if (h.h.a[23:23] == 1) {
            n = n + 1;
        }
        if (h.h.a[24:24] == 1) {
            n = n + 1;
        }
        if (h.h.a[25:25] == 1) {
            n = n + 1;
        }
        if (h.h.a[26:26] == 1) {
            n = n + 1;
        }
        if (h.h.a[27:27] == 1) {
            n = n + 1;
        }
        if (h.h.a[28:28] == 1) {
            n = n + 1;
        }
        if (h.h.a[29:29] == 1) {
            n = n + 1;
        }
        if (h.h.a[30:30] == 1) {
            n = n + 1;
        }
        if (h.h.a[31:31] == 1) {
            n = n + 1;
        }
        late = n;
        h.h.r = late;
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
