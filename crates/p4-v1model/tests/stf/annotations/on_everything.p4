// Annotations stand on all that is declared and on statements; unknown ones, and unknown properties, are ignored.

#include <core.p4>
#include <v1model.p4>
header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct Headers {
    h_t h;
}

struct Meta { }
@deprecated("x") @brief("y") extern void unused(in bit<8> z);
@pure extern bit<8> hh(in bit<8> z);
@noSideEffects extern bit<8> h2(in bit<8> z);
@foo[a=1, b="x", c=2+3] struct AA {
    @alias("b") bit<8> x;
}
@bar[1,"s",true] const bit<8> q = 1;
@baz[] typedef bit<8> bz;
@my(anything goes (here) 1 2 "3" != &&& ..) type bit<8> TT;
@p4runtime_translation("", 32) type bit<9> PT;
@p4runtime_translation("x.y/z", string) type bit<9> PS;
@controller_header("packet_in") header pin_t {
    bit<9> port;
    bit<7> pad;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.h);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) { apply { } }

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    @hidden @name(".foo.bar") @id(0x1234) @brief("""x""") action a(@name("pp") @id(1) bit<8> p) { }
    @pragma stage 3 foo bar
 @noWarn("unused") @tableonly_ action b_() {}
    @name("tab") @hidden @id(5) table t {
        key = {
            h.h.a : exact @name("A") @id(1) @format(HEX) ;
            h.h.b : ternary @match("x") @refers_to(t, "x");
        }
        actions = {
            @tableonly a;
            @defaultonly @id(7) NoAction;
            b_();
        }
        @name("zz") size = 10;
        @optional const default_action = NoAction();
        @unknown_prop foo = 5;
        largest_priority_wins = false;
        priority_delta = 10;
        support_timeout = true;
        idle_timeout = true;
    }
    @name("x") bit<8> v;
    apply {
        sm.egress_spec = 1;
        @atomic {
            t.apply();
        }
        @likely if (h.h.a == 1) { }
        @unroll { }
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }

control update(inout Headers h, inout Meta m) { apply { } }

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
