// Validity: what makes a header valid, what copies it, what compares equal.
#include "before.h"

struct pair {
    e_t x;
    e_t y;
}

control fills(out e_t x, inout e_t y) {
    apply {
        // An `out` header starts invalid.
        if (!x.isValid()) {
            y.v = 0x44;
        }
        x.setValid();
        x.v = 0x55;
    }
}

control ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    fills() fill;
    e_t one;
    e_t two;
    pair both;
    apply {
        if (hdr.h.op == 0) {
            hdr.x = { 0x11 };
            hdr.y.setValid();
            hdr.y = hdr.x;
            hdr.x.v = 0x22;
        } else if (hdr.h.op == 1) {
            // A copy of an invalid header is invalid.
            hdr.x = { 0x11 };
            one.setInvalid();
            hdr.x = one;
            hdr.y = { 0x33 };
        } else if (hdr.h.op == 2) {
            one.setInvalid();
            two.setInvalid();
            hdr.h.a = (bit<8>) (bit<1>) (one == two);
            one.setValid();
            one.v = 1;
            hdr.h.b = (bit<8>) (bit<1>) (one == two);
            two = one;
            hdr.h.c = (bit<8>) (bit<1>) (one == two);
            two.v = 2;
            hdr.s[0].v = (bit<8>) (bit<1>) (one != two);
        } else if (hdr.h.op == 3) {
            fill.apply(hdr.s[0], hdr.s[1]);
        } else if (hdr.h.op == 4) {
            // A struct is copied with its headers.
            both.x = { 1 };
            both.y.setInvalid();
            hdr.x = both.x;
            hdr.y = { 9 };
            pair other = both;
            both.x.v = 0x77;
            hdr.y = other.y;
            hdr.s[0] = other.x;
            hdr.h.a = (bit<8>) (bit<1>) (both == other);
        } else if (hdr.h.op == 5) {
            hdr.s.pop_front(1);
            hdr.s[3].setValid();
            hdr.s[3].v = 0xaa;
        } else if (hdr.h.op == 6) {
            hdr.s.push_front(2);
            hdr.s[1] = hdr.s[3];
        } else if (hdr.h.op == 7) {
            // The right side is read before the left is written.
            tuple<e_t, e_t> swapped = { hdr.s[1], hdr.s[0] };
            hdr.s[0] = swapped[0];
            hdr.s[1] = swapped[1];
            both = { x = hdr.s[2], y = hdr.s[3] };
            both = { x = both.y, y = both.x };
            hdr.s[2] = both.x;
            hdr.s[3] = both.y;
        } else if (hdr.h.op == 8) {
            hdr.s[0].setInvalid();
            hdr.s[0].v = 0xbb;
            hdr.h.a = (bit<8>) (bit<1>) hdr.s[0].isValid();
            hdr.s[1] = (e_t) { v = 0xcc };
            hdr.s[2] = (e_t) {#};
        }
    }
}
#include "after.h"
