// Headers parsed by the programs of this folder: Ethernet II, IPv4 or IPv6 without options, and, if WITH_TRANSPORT is
// defined, UDP or TCP. Everything after them is payload, including TCP options.

typedef bit<9> port_t;

// v1model's constants, as in BMv2's simple_switch.
const port_t DROP_PORT = 511;
const bit<32> PORTS = 512;
const bit<32> INGRESS_CLONE = 1;
const bit<32> EGRESS_CLONE = 2;
const bit<32> RECIRCULATED = 4;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
const bit<16> ETHER_TYPE_IPV6 = 0x86dd;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;
const bit<32> ETHERNET_BYTES = 14;
const bit<2> CE = 3;  // RFC 3168 §5: 0 is not ECN-capable

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4>  version;
    bit<4>  ihl;
    bit<6>  dscp;
    bit<2>  ecn;
    bit<16> total_length;
    bit<16> identification;
    bit<3>  flags;
    bit<13> fragment_offset;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
}

header ipv6_t {
    bit<4>   version;
    bit<6>   dscp;
    bit<2>   ecn;
    bit<20>  flow_label;
    bit<16>  payload_length;
    bit<8>   next_header;
    bit<8>   hop_limit;
    bit<128> src;
    bit<128> dst;
}

header udp_t {
    bit<16> src_port;
    bit<16> dst_port;
    bit<16> length;
    bit<16> checksum;
}

header tcp_t {
    bit<16> src_port;
    bit<16> dst_port;
    bit<32> sequence;
    bit<32> acknowledgement;
    bit<4>  data_offset;
    bit<4>  reserved;
    bit<8>  flags;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent;
}

// Error of a header that the parser rejects: a version that contradicts the EtherType, or IPv4 options. A router passes
// packets with options to software; here they are dropped.
error { BadIpHeader }
