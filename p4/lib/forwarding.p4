// Forwarding by longest prefix, for IPv4 and IPv6 (RFC 1812 §5.2, §5.3.1; RFC 8200 §3). Packets without a route, with too
// small a hop limit or with an invalid header are dropped: `egress_spec` is then DROP_PORT. Link addresses are not changed.

control Forwarding(inout headers_t hdr, inout standard_metadata_t standard_metadata) {
    action drop() {
        mark_to_drop(standard_metadata);
    }

    action send(port_t port) {
        standard_metadata.egress_spec = port;
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
        if (standard_metadata.parser_error == error.BadIpHeader || standard_metadata.checksum_error == 1) {
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
