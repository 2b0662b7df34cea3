// States behind Ethernet, for the parsers of both architectures: parse_ipv4 and parse_ipv6. With WITH_TRANSPORT also UDP and
// TCP, with WITH_OCTOPUS the Octopus headers. IPV4_SUM, if defined, is an InternetChecksum that checks the IPv4 header.

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        verify(hdr.ipv4.version == 4 && hdr.ipv4.ihl == 5, error.BadIpHeader);
#ifdef IPV4_SUM
        // PSA has no control for it between parser and ingress.
        IPV4_SUM.clear();
        IPV4_SUM.add(hdr.ipv4);
        verify(IPV4_SUM.get() == 0, error.BadChecksum);
#endif
#ifdef WITH_TRANSPORT
        transition select(hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (0, PROTOCOL_UDP) : parse_udp;
            (0, PROTOCOL_TCP) : parse_tcp;
            default : accept;
        }
#else
        transition accept;
#endif
    }

    state parse_ipv6 {
        packet.extract(hdr.ipv6);
        verify(hdr.ipv6.version == 6, error.BadIpHeader);
#ifdef WITH_TRANSPORT
        transition select(hdr.ipv6.next_header) {
            PROTOCOL_UDP : parse_udp;
            PROTOCOL_TCP : parse_tcp;
            default : accept;
        }
#else
        transition accept;
#endif
    }

#ifdef WITH_TRANSPORT
    state parse_tcp {
        packet.extract(hdr.tcp);
        transition accept;
    }

    state parse_udp {
        packet.extract(hdr.udp);
#ifdef WITH_OCTOPUS
        transition select(hdr.udp.src_port, hdr.udp.dst_port) {
            (OCTOPUS_PORT, _) : look_for_octopus;
            (_, OCTOPUS_PORT) : look_for_octopus;
            default : accept;
        }
#else
        transition accept;
#endif
    }
#endif

#ifdef WITH_OCTOPUS
    // Packets that are too short, of another kind or version, or with a reserved bit set are opaque. If bytes are
    // missing, the parser ends with an error and extracts nothing more, which also makes the packet opaque.
    state look_for_octopus {
        transition select(hdr.udp.length, packet.lookahead<octopus_datagram_t>().kind,
                          packet.lookahead<octopus_datagram_t>().version,
                          packet.lookahead<octopus_datagram_t>().reserved) {
            (28 .. 0xffff, OCTOPUS_DATA, OCTOPUS_VERSION, 0) : parse_octopus;
            default : accept;
        }
    }

    state parse_octopus {
        packet.extract(hdr.octopus);
        transition accept;
    }
#endif
