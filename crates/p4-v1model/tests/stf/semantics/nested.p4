// Tables within controls within switches; side effects in keys and conditions; what an exit there leaves.
#include "before.h"

bit<8> bump(inout bit<8> x) {
    x = x + 1;
    return x;
}

control inner(inout headers hdr, inout bit<8> count) {
    action stop(bit<8> value) {
        count = value;
        exit;
    }
    action go(bit<8> value) {
        count = count + value;
    }
    table deep {
        key = { bump(count) : exact @name("bumped"); }
        actions = { stop; go; }
        default_action = go(0x10);
        const entries = {
            2 : stop(0x77);
            3 : go(0x20);
        }
    }
    apply {
        switch (deep.apply().action_run) {
            go: {
                if (count == 0x23) {
                    return;
                }
            }
        }
        count = count + 1;
    }
}

control ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    inner() one;
    inner() two;
    action nop() {}
    action mark(bit<8> value) {
        hdr.s[3].v = value;
    }
    table outer {
        key = { hdr.h.op : exact; }
        actions = { nop; mark; }
        default_action = nop;
        const entries = {
            1 : mark(0x11);
            2 : mark(0x22);
            4 : mark(0x44);
        }
    }
    table empty {
        key = { hdr.h.a : exact; }
        actions = { mark; @defaultonly nop; }
        const default_action = nop();
    }
    apply {
        switch (outer.apply().action_run) {
            mark: {
                one.apply(hdr, hdr.h.a);
                if (bump(hdr.h.b) == 5 || empty.apply().hit || outer.apply().miss) {
                    hdr.s[0].v = 0xaa;
                }
                bool hit = outer.apply().hit && bump(hdr.h.c) != 0;
                hdr.s[1].v = hit ? 8w1 : 0;
            }
            default: {
                two.apply(hdr, hdr.h.b);
                bool hit = outer.apply().hit && bump(hdr.h.c) != 0;
                hdr.s[1].v = hit ? 8w1 : 0;
            }
        }
        two.apply(hdr, hdr.h.c);
        hdr.s[2].v = 0xcc;
    }
}
#include "after.h"
