// PSA 1.2, "Action Profile", "Action Selector", "Table entry timeout notification".

#include "parts/plain.p4"

control C(inout headers_t hdr, inout empty_t meta, in psa_ingress_input_metadata_t istd,
          inout psa_ingress_output_metadata_t ostd) {
    ActionProfile(8) profile;
    ActionSelector(PSA_HashAlgorithm_t.IDENTITY, 8, 16) selector;

    action set_b(bit<8> value) { hdr.h.b = value; }
    action set_c(bit<8> value) { hdr.h.c = value; }

    table by_profile {
        key = { hdr.h.op : exact; }
        actions = { set_b; NoAction; }
        psa_implementation = profile;
    }

    table by_selector {
        key = {
            hdr.h.op : exact;
            hdr.h.a : selector;
        }
        actions = { set_c; NoAction; }
        psa_implementation = selector;
        psa_empty_group_action = NoAction();
    }

    table aging {
        key = { hdr.h.op : exact; }
        actions = { NoAction; }
        psa_idle_timeout = PSA_IdleTimeout_t.NOTIFY_CONTROL;
    }

    apply {
        send_to_port(ostd, (PortId_t) 1);
        by_profile.apply();
        by_selector.apply();
        aging.apply();
    }
}

#include "parts/ingress_only.p4"
