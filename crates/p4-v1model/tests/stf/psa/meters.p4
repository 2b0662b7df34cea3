// PSA 1.2, "Meters": RED is 0, GREEN 1, YELLOW 2. Colour-blind, colour-aware, direct; without rates, and out of range, green.

#include "parts/plain.p4"

control C(inout headers_t hdr, inout empty_t meta, in psa_ingress_input_metadata_t istd,
          inout psa_ingress_output_metadata_t ostd) {
    Meter<bit<8>>(2, PSA_MeterType_t.PACKETS) indexed;
    DirectMeter(PSA_MeterType_t.PACKETS) direct;
    PSA_MeterColor_t colour;

    action number() {
        if (colour == PSA_MeterColor_t.RED) {
            hdr.h.c = 0xd;
        } else if (colour == PSA_MeterColor_t.YELLOW) {
            hdr.h.c = 0xe;
        } else if (colour == PSA_MeterColor_t.GREEN) {
            hdr.h.c = 0xf;
        }
    }

    action marked() { colour = direct.execute(); }
    action again() { colour = direct.execute(PSA_MeterColor_t.YELLOW); }
    action silent() { colour = PSA_MeterColor_t.GREEN; }

    table t {
        key = { hdr.h.a : exact; }
        actions = { marked; again; silent; }
        default_action = marked();
        psa_direct_meter = direct;
    }

    apply {
        send_to_port(ostd, (PortId_t) 1);
        if (hdr.h.op == 1) {
            colour = indexed.execute(hdr.h.a);
        } else if (hdr.h.op == 2) {
            colour = indexed.execute(hdr.h.a, PSA_MeterColor_t.YELLOW);
        } else if (hdr.h.op == 3) {
            colour = indexed.execute(hdr.h.a, PSA_MeterColor_t.RED);
        } else {
            t.apply();
        }
        number();
    }
}

#include "parts/ingress_only.p4"
