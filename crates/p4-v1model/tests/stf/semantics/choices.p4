// `switch`, `for`, tables in conditions.
#include "before.h"

enum bit<8> Kind {
    first  = 1,
    second = 2
}

control ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    action set(bit<8> value) {
        hdr.h.b = value;
    }
    action add(inout bit<8> x, bit<8> value) {
        x = x + value;
    }
    table t {
        key = { hdr.h.a : ternary; }
        actions = { set; add(hdr.h.c); NoAction; }
        default_action = add(hdr.h.c, 0x70);
        const entries = {
            0x10 &&& 0xf0 : set(1);
            0x11 &&& 0xff : set(2);
            0x20 &&& 0x20 : add(hdr.h.c, 3);
        }
    }
    apply {
        bit<8> sum = 0;
        switch (hdr.h.op) {
            0:
            1: {
                switch (t.apply().action_run) {
                    set: { hdr.s[0].v = 0xa0; }
                    add:
                    NoAction: { hdr.s[0].v = 0xa1; }
                }
            }
            2: {
                if (!t.apply().hit) {
                    hdr.s[0].v = 0xb0;
                }
            }
            3: {
                for (bit<8> i = 0; i < hdr.h.a; i = i + 1) {
                    if (i == 2) {
                        continue;
                    }
                    if (i == 5) {
                        break;
                    }
                    sum = sum + i;
                    for (bit<8> j in 1..3) {
                        if (j == 2) {
                            continue;
                        }
                        sum = sum + (j << 4);
                    }
                }
                hdr.h.b = sum;
            }
            4: {
                switch ((Kind) hdr.h.a) {
                    Kind.first: { hdr.h.b = 1; }
                    Kind.second: { hdr.h.b = 2; return; }
                    default: { hdr.h.b = 3; }
                }
                hdr.h.c = 0;
            }
            5: {
                switch (hdr.h.a) {
                    default: { hdr.h.b = 9; }
                    7: { hdr.h.b = 7; }
                }
            }
            default: {
                // A local starts anew in each round.
                for (bit<8> i in 0..2) {
                    bit<8> fresh = 1;
                    fresh = fresh + i;
                    sum = sum + fresh;
                }
                hdr.h.b = sum;
            }
        }
    }
}
#include "after.h"
