// Slices as arguments: only their bits are copied, in the order of the parameters.
#include "before.h"

void fill(inout bit<4> x) {
    x = x + 9;
}
void both(inout bit<8> x, inout bit<8> y) {
    x = 0xaa;
    y = 0x55;
}
void writes_whole(inout bit<4> x) {
    x = 0xf;
}

control ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    action low(out bit<4> x, in bit<4> y) {
        x = ~y;
    }
    action whole_and_part(inout bit<4> part) {
        hdr.h.a = 0x11;
        part = part + 1;
    }
    action keeps(inout bit<8> x, bit<8> by) {
        x[3:0] = by[7:4];
        x[7:4] = x[3:0];
    }
    table t {
        key = {
            hdr.h.w[11:4]      : exact @name("middle");
            hdr.h.a & 8w0x0f   : exact @name("low");
            hdr.h.b == 0xbb    : exact @name("is_bb");
        }
        actions = { keeps(hdr.s[0].v); NoAction; }
        default_action = NoAction();
        const entries = {
            (0x23, 0x05, true) : keeps(0x7f);
            (0x23, 0x06, false) : keeps(0x80);
        }
    }
    apply {
        if (hdr.h.op == 0) {
            fill(hdr.h.a[3:0]);
            fill(hdr.h.a[7:4]);
            low(hdr.h.b[7:4], hdr.h.b[3:0]);
        } else if (hdr.h.op == 1) {
            // The second copy wins where they overlap.
            both(hdr.h.w[15:8], hdr.h.w[11:4]);
            both(hdr.h.b, hdr.h.c);
        } else if (hdr.h.op == 2) {
            // The action writes the whole, the copy-out its low half, from what was copied in.
            whole_and_part(hdr.h.a[3:0]);
        } else if (hdr.h.op == 3) {
            hdr.h.w[15:8] = hdr.h.w[7:0];
            hdr.h.w[7:0] = hdr.h.w[15:8] + 1;
            hdr.h.a[7:0] = hdr.h.a[3:0] ++ hdr.h.a[7:4];
            hdr.h.b[4:1] = hdr.h.b[7:4];
        } else if (hdr.h.op == 4) {
            t.apply();
        } else if (hdr.h.op == 5) {
            writes_whole(hdr.h.w[7:4]);
            bit<16> copy = hdr.h.w;
            copy[3:0] = 0xe;
            hdr.h.a = copy[7:0];
            hdr.h.b = (hdr.h.a ++ hdr.h.b)[11:4];
            hdr.h.c = (8w0xff << 4)[7:0];
            hdr.s[0].v = 8w0x3c[5:2] ++ (~hdr.h.c)[3:0];
        }
    }
}
#include "after.h"
