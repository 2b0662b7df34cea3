// PSA 1.2, "Random": both ends are included.

#include "parts/plain.p4"

control C(inout headers_t hdr, inout empty_t meta, in psa_ingress_input_metadata_t istd,
          inout psa_ingress_output_metadata_t ostd) {
    Random<bit<8>>(7, 7) one;
    Random<bit<8>>(4, 5) two;

    apply {
        hdr.h.a = one.read();
        bit<8> low = 0;
        bit<8> high = 0;
        for (bit<8> i = 0; i < 100; i = i + 1) {
            bit<8> drawn = two.read();
            if (drawn == 4) {
                low = 1;
            } else if (drawn == 5) {
                high = 1;
            } else {
                hdr.h.op = 0xff;
            }
        }
        hdr.h.b = low;
        hdr.h.c = high;
        send_to_port(ostd, (PortId_t) 1);
    }
}

#include "parts/ingress_only.p4"
