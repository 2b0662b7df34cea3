// PSA 1.2, "Registers": initial values, structs, indexes out of range (here: zero, and no write).

#include "parts/plain.p4"

struct pair_t {
    bit<4>  x;
    bit<12> y;
}

control C(inout headers_t hdr, inout empty_t meta, in psa_ingress_input_metadata_t istd,
          inout psa_ingress_output_metadata_t ostd) {
    Register<bit<8>, bit<8>>(4, 0x2a) numbers;
    Register<bit<8>, bit<8>>(4) zeros;
    Register<pair_t, bit<8>>(2, { 3, 0x456 }) pairs;

    apply {
        send_to_port(ostd, (PortId_t) 1);
        if (hdr.h.op == 1) {
            hdr.h.b = numbers.read(hdr.h.a);
            hdr.h.c = zeros.read(hdr.h.a);
        } else if (hdr.h.op == 2) {
            numbers.write(hdr.h.a, hdr.h.b);
            zeros.write(hdr.h.a, numbers.read(hdr.h.a) + 1);
        } else {
            pair_t pair = pairs.read(hdr.h.a);
            hdr.h.b = (bit<8>) pair.x;
            hdr.h.c = pair.y[7:0];
            pair.x = pair.x + 1;
            pairs.write(hdr.h.a, pair);
        }
    }
}

#include "parts/ingress_only.p4"
