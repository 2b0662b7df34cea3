// PSA 1.2, "Counters": an indexed counter counts where it is called; a direct one counts only if the matching entry's action calls
// `count`.

#include "parts/plain.p4"

control C(inout headers_t hdr, inout empty_t meta, in psa_ingress_input_metadata_t istd,
          inout psa_ingress_output_metadata_t ostd) {
    Counter<bit<32>, bit<8>>(4, PSA_CounterType_t.PACKETS_AND_BYTES) indexed;
    DirectCounter<bit<32>>(PSA_CounterType_t.PACKETS) direct;

    action counted() { direct.count(); }
    action silent() {}
    action twice() {
        direct.count();
        direct.count();
    }

    table t {
        key = { hdr.h.op : exact; }
        actions = { counted; silent; twice; }
        default_action = counted();
        psa_direct_counter = direct;
    }

    apply {
        send_to_port(ostd, (PortId_t) 1);
        indexed.count(hdr.h.a);
        t.apply();
    }
}

#include "parts/ingress_only.p4"
