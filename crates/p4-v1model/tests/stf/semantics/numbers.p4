// Widths, signs, shifts, slices, precedence.
#include "before.h"

const bit<8> five = 2 + 3;
const int<8> minus = -1;

control ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    bit<200> wide;
    int<8> signed_a;
    apply {
        signed_a = (int<8>) hdr.h.a;
        wide = (bit<200>) hdr.h.a;
        if (hdr.h.op == 0) {
            hdr.h.b = hdr.h.a << 8w9;
            hdr.h.c = hdr.h.a >> 200w256;
            hdr.s[0].v = (bit<8>) (signed_a >> 100);
            hdr.s[1].v = (bit<8>) (signed_a >> 1);
            hdr.s[2].v = hdr.h.a << hdr.h.b;
            hdr.s[3].v = (bit<8>) ((wide << 190) >> 193);
        } else if (hdr.h.op == 1) {
            hdr.h.w[11:4] = hdr.h.a;
            hdr.h.b[7:7] = 1;
            hdr.h.c = hdr.h.w[15:4][7:0];
            hdr.s[0].v = (hdr.h.a + 1)[3:0] ++ hdr.h.a[7:4];
            wide[199:192] = hdr.h.a;
            hdr.s[1].v = wide[199:192] ^ wide[7:0];
            hdr.s[2].v[5:2] = 4w0xf;
        } else if (hdr.h.op == 2) {
            hdr.h.b = hdr.h.a |+| 8w0x80;
            hdr.h.c = hdr.h.a |-| 8w0xf0;
            hdr.s[0].v = (bit<8>) (signed_a |+| 100);
            hdr.s[1].v = (bit<8>) (signed_a |-| 100);
            hdr.s[2].v = -hdr.h.a;
            hdr.s[3].v = ~hdr.h.a;
        } else if (hdr.h.op == 3) {
            hdr.h.b = (bit<8>) (bit<1>) (signed_a < 0);
            hdr.h.c = (bit<8>) (bit<1>) (signed_a < minus);
            hdr.h.w = (bit<16>) (int<16>) signed_a;
            hdr.s[0].v = hdr.h.a & 0xf0 | 0x01 ^ 0x03;
            hdr.s[1].v = 1 + 2 * five;
            hdr.s[2].v = (hdr.h.a & 1 == 0 ? 8w1 : 2);
            hdr.s[3].v = (bit<8>) ((bit<16>) hdr.h.a * 0x101 >> 4);
        } else if (hdr.h.op == 4) {
            bit<4> n = 4w9 + 4w9;
            bit<8> m = n ++ n + 1;
            hdr.h.b = m;
            hdr.h.c = 5 % 3 + 7 / 2;
            hdr.s[0].v = (bit<8>) (bit<3>) hdr.h.a;
            hdr.s[1].v = 8w0x0f ++ 8w0xf0 == 16w0x0ff0 ? 8w1 : 0;
            hdr.s[2].v = (bit<8>) (8s0x80 >> 7);
            hdr.s[3].v = hdr.h.a - 0xff;
        }
    }
}
#include "after.h"
