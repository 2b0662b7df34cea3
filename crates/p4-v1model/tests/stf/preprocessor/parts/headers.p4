#ifndef HEADERS_P4
#define HEADERS_P4

header h_t {
    bit<8> a;
    bit<8> b;
}

#include "more.p4"

#endif
