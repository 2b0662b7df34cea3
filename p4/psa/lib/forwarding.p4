// ../../lib/forwarding.p4 for PSA: forwarding by longest prefix. A packet that is not sent is dropped, as PSA does with every
// packet for which ingress decides nothing.

control Forwarding(inout headers_t hdr, in psa_ingress_input_metadata_t istd,
                   inout psa_ingress_output_metadata_t ostd) {
    action drop() {
        ingress_drop(ostd);
    }

    action send(PortId_t port) {
        send_to_port(ostd, port);
    }

    table ipv4_lpm {
        key = { hdr.ipv4.dst : lpm; }
        actions = { send; drop; }
        default_action = drop();
        size = 4096;
    }

    table ipv6_lpm {
        key = { hdr.ipv6.dst : lpm; }
        actions = { send; drop; }
        default_action = drop();
        size = 4096;
    }

    apply {
        if (istd.parser_error == error.BadIpHeader || istd.parser_error == error.BadChecksum) {
            drop();
        } else if (hdr.ipv4.isValid() && hdr.ipv4.ttl > 1) {
            hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
            ipv4_lpm.apply();
        } else if (hdr.ipv6.isValid() && hdr.ipv6.hop_limit > 1) {
            hdr.ipv6.hop_limit = hdr.ipv6.hop_limit - 1;
            ipv6_lpm.apply();
        } else {
            drop();
        }
    }
}
