// Functions that return headers and structs, choices between headers, shadowing, casts.
#include "before.h"

struct two_t {
    bit<8> x;
    bit<8> y;
}
enum bit<8> Kind {
    small = 3,
    big   = 0xf0
}
const int huge = 1 << 100;

e_t make(in bit<8> v, in bool valid) {
    e_t made;
    made = { v };
    if (!valid) {
        made.setInvalid();
        return made;
    }
    made.v = made.v + 1;
    return made;
}
two_t swap(in two_t of) {
    return { of.y, of.x };
}
bit<8> first_or(in bool yes, in bit<8> a, in bit<8> b) {
    if (yes) {
        return a;
    } else {
        return b;
    }
}
bit<8> bump(inout bit<8> x) {
    x = x + 1;
    return x;
}
bit<8> twice(inout bit<8> x) {
    return bump(x) + x;
}
void clears(inout e_t h, out bit<8> seen) {
    seen = h.isValid() ? 8w1 : 0;
    h.setInvalid();
}

control ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    bit<8> x = 0x10;
    action shadow(inout bit<8> y) {
        bit<8> x = 0x20;
        y = x + 1;
    }
    action sees() {
        hdr.h.b = x;
        x = x + 1;
    }
    apply {
        if (hdr.h.op == 0) {
            hdr.x = make(0x40, true);
            hdr.y = make(0x50, false);
            hdr.s[0] = make(hdr.s[0].v, hdr.s[1].v == 2);
        } else if (hdr.h.op == 1) {
            two_t pair = { 1, 2 };
            pair = swap(pair);
            hdr.h.a = pair.x;
            hdr.h.b = pair.y;
            hdr.h.c = swap({ y = 7, x = 8 }).x;
        } else if (hdr.h.op == 2) {
            shadow(hdr.h.a);
            sees();
            {
                bit<16> x = 0x1234;
                hdr.h.w = x;
            }
            hdr.h.c = x;
        } else if (hdr.h.op == 3) {
            hdr.h.b = twice(hdr.h.a);
            hdr.h.c = first_or(hdr.h.a == 3, bump(hdr.s[0].v), bump(hdr.s[1].v));
        } else if (hdr.h.op == 4) {
            clears(hdr.s[0], hdr.h.a);
            clears(hdr.x, hdr.h.b);
            hdr.x = hdr.h.a == 1 ? hdr.s[1] : hdr.s[0];
            hdr.y = hdr.h.a == 2 ? hdr.s[1] : hdr.s[0];
        } else if (hdr.h.op == 5) {
            hdr.h.a = (bit<8>) (bit<16>) (int<16>) (int<8>) 8w0x80;
            hdr.h.w = (bit<16>) (int<16>) (int<8>) 8w0x80;
            hdr.h.b = (bit<8>) (huge >> 98) + (bit<8>) (-1 + 3);
            Kind kind = Kind.big;
            hdr.h.c = (bit<8>) kind;
            hdr.s[0].v = kind == (Kind) 0xf0 ? 8w1 : 2;
            hdr.s[1].v = (bit<8>) (bit<4>) kind;
            hdr.s[2].v = (bit<8>) (bit<1>) (Kind.small == kind);
            hdr.s[3].v = Kind.small + 1;
        } else if (hdr.h.op == 6) {
            hdr.h.a += 3;
            hdr.h.b |+|= 0xf0;
            hdr.h.c <<= 2;
            hdr.h.w[7:0] ^= 0xff;
            hdr.s[0].v &= ~8w1;
            x -= 0x11;
            hdr.s[1].v = x;
        } else if (hdr.h.op == 7) {
            tuple<bit<8>, two_t> nested = { 9, { 10, 11 } };
            hdr.h.a = nested[0] + nested[1].y;
            hdr.h.b = nested == { 9, { 10, 11 } } ? 8w1 : 0;
        }
    }
}
#include "after.h"
