// Skipped lines may be no tokens at all; #line, #pragma once, #undef, nested conditions, macros next to strings.

#define CAT(a, b) a##b
#define STR(x) #x
#define MULTI(x) \
   (x + /* comment */ 1) // trailing
#define EMPTY
#define FN() 10
#define OBJ (8w11)
#define NESTED(x) MULTI(MULTI(x))
#if defined(FOO) || !defined BAR && (1 << 3) == 8 
#define OK 1
#elif X
#error no
#else
#error no
#endif
#if 0
# if 1
  junk ' " unbalanced
# else
# endif
#elif OK
#define OK2
#endif
#ifdef OK2
#undef OK2
#endif
#ifndef OK2
#pragma once
#line 5 "foo.p4"
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<8> b; bit<8> c; bit<8> d; }
struct Headers { h_t h; }
struct Meta {  }

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
state start { b.extract(h.h); transition accept; }
}
control vrfy(inout Headers h, inout Meta m) { apply {  } }
control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {

apply { sm.egress_spec = 1; bit<8> CAT(fo, o) = FN(); h.h.c = foo; log_msg(STR(hello)); h.h.d = OBJ; EMPTY h.h.a = NESTED(h.h.a) - 2; log_msg("MULTI(x) // no comment /* */"); }
#endif

}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
apply { }
}
control update(inout Headers h, inout Meta m) { apply {  } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
