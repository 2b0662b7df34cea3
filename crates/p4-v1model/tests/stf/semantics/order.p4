// Arguments are evaluated from left to right, results are copied out from left to right, and places are found before
// the call ("Calling convention: call by copy in/copy out", "Expression evaluation order").
#include "before.h"

bit<8> bump(inout bit<8> x) {
    x = x + 1;
    return x;
}
bit<8> both(in bit<8> p, in bit<8> q) {
    return p[3:0] ++ q[3:0];
}
void two(inout bit<8> p, inout bit<8> q) {
    p = p + 1;
    q = q + 0x10;
}
void place_and_index(out bit<8> p, inout bit<8> index) {
    index = index + 1;
    p = 0x77;
}
bit<8> seen(in bit<8> before, inout bit<8> x) {
    x = 0x99;
    return before;
}

control ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.h.op == 0) {
            hdr.h.b = bump(hdr.h.a) + bump(hdr.h.a) * 16;
        } else if (hdr.h.op == 1) {
            hdr.h.b = both(hdr.h.a, bump(hdr.h.a));
            hdr.h.c = both(bump(hdr.h.a), hdr.h.a);
        } else if (hdr.h.op == 2) {
            // Both write the same place: the last one's copy stays, and it knows nothing of the first.
            two(hdr.h.a, hdr.h.a);
        } else if (hdr.h.op == 3) {
            place_and_index(hdr.s[hdr.h.a].v, hdr.h.a);
        } else if (hdr.h.op == 4) {
            // The left side's index comes before the right side's change of it.
            hdr.s[hdr.h.a].v = bump(hdr.h.a);
        } else if (hdr.h.op == 5) {
            if (hdr.h.a == 9 && bump(hdr.h.b) == 0) {
                hdr.h.c = 1;
            }
            if (hdr.h.a == 1 || bump(hdr.h.b) == 0) {
                hdr.h.c = 2;
            }
            hdr.s[0].v = hdr.h.a == 1 ? bump(hdr.s[1].v) : bump(hdr.s[2].v);
        } else if (hdr.h.op == 6) {
            hdr.h.b = seen(hdr.h.a, hdr.h.a);
        } else if (hdr.h.op == 7) {
            // A value is taken before what is to its right changes it.
            hdr.h.b = hdr.h.a + bump(hdr.h.a);
            hdr.h.c = bump(hdr.h.a) + hdr.h.a;
        } else if (hdr.h.op == 8) {
            hdr.h.w = hdr.h.a ++ bump(hdr.h.a);
            hdr.h.c = bump(hdr.s[bump(meta.i)].v) + meta.i;
        }
    }
}
#include "after.h"
