// VLAN tags, MPLS labels, NAT with ECMP by hash, per-flow counts in a count-min sketch, learning by digest.
#include <core.p4>
#define V1MODEL_VERSION 20200408
#include <v1model.p4>
#define SKETCH_BUCKETS 32w64
#define SKETCH(row, algorithm) \
    hash(meta.index##row, HashAlgorithm.algorithm, (bit<32>)0, { hdr.ipv4.src, hdr.ipv4.dst, meta.l4.sport, meta.l4.dport }, SKETCH_BUCKETS); \
    sketch##row.read(meta.count##row, meta.index##row); \
    meta.count##row = meta.count##row |+| 1; \
    sketch##row.write(meta.index##row, meta.count##row);
enum bit<16> EtherType { VLAN = 0x8100, QINQ = 0x88a8, MPLS = 0x8847, IPV4 = 0x0800, ARP = 0x0806 }
header eth_t {
    bit<48> dst;
    bit<48> src;
    EtherType type;
}

header vlan_t {
    bit<3> pcp;
    bool dei;
    bit<12> vid;
    EtherType type;
}

header mpls_t {
    bit<20> label;
    bit<3> tc;
    bit<1> bos;
    bit<8> ttl;
}

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<8> tos;
    bit<16> len;
    bit<16> id;
    bit<3> flags;
    bit<13> frag;
    bit<8> ttl;
    bit<8> proto;
    bit<16> csum;
    bit<32> src;
    bit<32> dst;
}

header ports_t {
    bit<16> sport;
    bit<16> dport;
}

struct l4_t {
    bit<16> sport;
    bit<16> dport;
}

struct headers_t {
    eth_t eth;
    vlan_t[2] vlan;
    mpls_t[3] mpls;
    ipv4_t ipv4;
    ports_t ports;
}

struct learn_t {
    bit<48> mac;
    PortId_t port;
}

struct meta_t {
    l4_t l4;
    bit<32> index0;
    bit<32> index1;
    bit<8> count0;
    bit<8> count1;
    bit<14> member;
    bool heavy;
}

parser P(packet_in pkt, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        pkt.extract(hdr.eth);
        transition by_type_0;
    }
    state by_type_0 {
        transition select(hdr.eth.type) {
            EtherType.VLAN: tag;
            EtherType.QINQ: tag;
            EtherType.MPLS: label;
            EtherType.IPV4: ip;
            default: accept;
        }
    }
    state tag {
        pkt.extract(hdr.vlan.next);
        transition select(hdr.vlan.last.type) {
            EtherType.VLAN: tag;
            EtherType.MPLS: label;
            EtherType.IPV4: ip;
            default: accept;
        }
    }
    state label {
        pkt.extract(hdr.mpls.next);
        transition select(hdr.mpls.last.bos, pkt.lookahead<bit<4>>()) {
            (0, _): label;
            (1, 4): ip;
            default: accept;
        }
    }
    state ip {
        pkt.extract(hdr.ipv4);
        transition select(hdr.ipv4.frag, hdr.ipv4.ihl, hdr.ipv4.proto) {
            (0, 5, 6): ports;
            (0, 5, 17): ports;
            default: accept;
        }
    }
    state ports {
        pkt.extract(hdr.ports);
        meta.l4 = { hdr.ports.sport, hdr.ports.dport };
        transition accept;
    }
}

control VC(inout headers_t hdr, inout meta_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid() && hdr.ipv4.csum != 0, { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.len, hdr.ipv4.id, hdr.ipv4.flags, hdr.ipv4.frag, hdr.ipv4.ttl, hdr.ipv4.proto, hdr.ipv4.src, hdr.ipv4.dst }, hdr.ipv4.csum, HashAlgorithm.csum16);
    }
}

control Nat(inout headers_t hdr, inout meta_t meta, inout bool changed)(bit<32> inside) {
    action translate(bit<32> addr, bit<16> port) {
        hdr.ipv4.src = addr;
        hdr.ports.sport = port;
        changed = true;
    }
    table snat {
        key = {
            hdr.ipv4.src & 0xff000000 : exact @name("net");
            hdr.ports.sport : range;
        }
        actions = {
            translate;
            NoAction;
        }
        const default_action = NoAction;
    }
    apply {
        if (hdr.ports.isValid() && hdr.ipv4.src >> 24 == inside) {
            snat.apply();
        }
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    register<bit<8>, bit<32>>(SKETCH_BUCKETS) sketch0;
    register<bit<8>, bit<32>>(SKETCH_BUCKETS) sketch1;
    counter<bit<12>>(4096, CounterType.packets_and_bytes) per_vlan;
    Nat(inside = 10) nat;
    bool translated = false;
    action learn() {
        digest<learn_t>(1, { hdr.eth.src, std.ingress_port });
    }
    table known {
        key = {
            hdr.eth.src : exact;
            std.ingress_port : exact @name("port");
        }
        actions = {
            learn;
            NoAction;
        }
        const default_action = learn();
    }
    action choose(bit<14> base, bit<14> many) {
        hash(meta.member, HashAlgorithm.crc16, base, { hdr.ipv4.src, hdr.ipv4.dst, hdr.ipv4.proto }, many);
    }
    table route {
        key = {
            hdr.ipv4.dst : lpm;
        }
        actions = {
            choose;
            @defaultonly NoAction;
        }
        size = 1024;
    }
    action out_port(PortId_t port, bit<48> dmac) {
        std.egress_spec = port;
        hdr.eth = { dmac, hdr.eth.dst, hdr.eth.type };
    }
    table next {
        key = {
            meta.member : exact;
        }
        actions = {
            out_port;
        }
    }
    apply {
        if (std.checksum_error == 1) {
            mark_to_drop(std);
            exit;
        }
        known.apply();
        if (hdr.vlan[0].isValid()) {
            per_vlan.count(hdr.vlan[0].vid);
            hdr.eth.type = hdr.vlan[0].type;
            hdr.vlan.pop_front(1);
        }
        if (hdr.mpls[0].isValid() && hdr.mpls[0].bos == 1) {
            hdr.mpls.pop_front(1);
            if (hdr.vlan[0].isValid()) {
                hdr.vlan[0].type = EtherType.IPV4;
            } else {
                hdr.eth.type = EtherType.IPV4;
            }
        }
        if (!hdr.ipv4.isValid()) {
            mark_to_drop(std);
            return;
        }
        SKETCH(0, crc16) SKETCH(1, crc32) meta.heavy = (meta.count0 < meta.count1 ? meta.count0 : meta.count1) >= 3;
        nat.apply(hdr, meta, translated);
        switch (route.apply().action_run) {
            choose: {
                if (!next.apply().hit) {
                    mark_to_drop(std);
                }
            }
            default: {
                mark_to_drop(std);
            }
        }
        hdr.ipv4.ttl = hdr.ipv4.ttl |-| 1;
        if (hdr.ipv4.ttl == 0) {
            mark_to_drop(std);
        }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        if (meta.heavy) {
            hdr.ipv4.tos[7:2] = 6w8;
        }
    }
}

control CC(inout headers_t hdr, inout meta_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(), { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.len, hdr.ipv4.id, hdr.ipv4.flags, hdr.ipv4.frag, hdr.ipv4.ttl, hdr.ipv4.proto, hdr.ipv4.src, hdr.ipv4.dst }, hdr.ipv4.csum, HashAlgorithm.csum16);
    }
}

control D(packet_out pkt, in headers_t hdr) {
    apply {
        pkt.emit(hdr);
    }
}

V1Switch(p = P(), vr = VC(), ig = I(), eg = E(), ck = CC(), dep = D()) main;
