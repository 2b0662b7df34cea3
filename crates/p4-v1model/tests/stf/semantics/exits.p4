// `exit` and `return`: what still runs, and what has been copied out.
#include "before.h"

control leaves(inout bit<8> x, out bit<8> y) {
    apply {
        x = 3;
        y = 4;
        if (x == 3) {
            exit;
        }
        x = 5;
    }
}
control wraps(inout bit<8> x) {
    bit<8> y = 9;
    leaves() inner;
    apply {
        inner.apply(x, y);
        x = y;
    }
}
control returns(inout bit<8> x) {
    apply {
        x = x + 1;
        if (x > 3) {
            x = x + 0x10;
            return;
        }
        x = x + 0x20;
    }
}

control ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    leaves() leave;
    wraps() wrap;
    returns() ret;

    action set_and_exit(inout bit<8> x) {
        x = 1;
        exit;
    }
    action calls_exit(inout bit<8> y) {
        y = 7;
        set_and_exit(hdr.h.a);
        y = 8;
    }
    action early(inout bit<8> x) {
        if (x == 0) {
            x = 0x11;
            return;
        }
        x = 0x22;
    }
    action by_table(inout bit<8> x, bit<8> value) {
        x = value;
        exit;
    }
    table t {
        key = { hdr.h.op : exact; }
        actions = { by_table(hdr.h.b); @defaultonly NoAction; }
        const default_action = NoAction();
        const entries = { 5 : by_table(0x55); }
    }

    apply {
        if (hdr.h.op == 0) {
            set_and_exit(hdr.h.a);
        } else if (hdr.h.op == 1) {
            calls_exit(hdr.h.b);
        } else if (hdr.h.op == 2) {
            leave.apply(hdr.h.a, hdr.h.b);
        } else if (hdr.h.op == 3) {
            wrap.apply(hdr.h.a);
        } else if (hdr.h.op == 4) {
            ret.apply(hdr.h.a);
            ret.apply(hdr.h.b);
            early(hdr.h.c);
            hdr.s[0].v = 0xee;
            return;
        } else if (t.apply().hit) {
            hdr.h.c = 0xff;
        }
        hdr.s[1].v = 0xdd;
    }
}
#include "after.h"
