// A stateful firewall: two registers remember the TCP connections that begin inside; only their packets come in.

#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_TCP = 6;
const bit<32> SLOTS = 256;
// Microseconds without a packet after which a connection is forgotten.
const bit<48> IDLE = 1_500_000;

const bit<32> REFUSED = 0;
const bit<32> PASSED = 1;

header ethernet_t {
    bit<48> to;
    bit<48> from;
    bit<16> kind;
}

header ipv4_t {
    bit<4> version;
    bit<4> words;
    bit<8> tos;
    bit<16> length;
    bit<16> id;
    bit<16> fragment;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> from;
    bit<32> to;
}

header tcp_t {
    bit<16> from;
    bit<16> to;
    bit<32> number;
    bit<32> acknowledged;
    bit<4> words;
    bit<7> unused;
    bool ack;
    bool push;
    bool reset;
    bool begin;
    bool end;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent;
}

enum Side { unknown, inside, outside }

struct Headers {
    ethernet_t eth;
    ipv4_t ip;
    tcp_t tcp;
}

struct Meta {
    Side side;
}

parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start {
        b.extract(h.eth);
        transition select(h.eth.kind) {
            TYPE_IPV4: ip;
            default: accept;
        }
    }
    state ip {
        b.extract(h.ip);
        transition select(h.ip.version, h.ip.words, h.ip.protocol) {
            (4, 5, PROTOCOL_TCP): tcp;
            default: accept;
        }
    }
    state tcp {
        b.extract(h.tcp);
        transition accept;
    }
}

control vrfy(inout Headers h, inout Meta m) {
    apply { }
}

// Decides whether a segment belongs to a connection that began inside, and remembers what it changes.
control track(in ipv4_t ip, in tcp_t tcp, in Side side, in bit<48> now, out bool belongs) {
    register<bit<32>>(SLOTS) owners;
    register<bit<48>>(SLOTS) seen;
    bit<32> slot;
    bit<32> name;
    bit<32> owner;
    bit<48> last;
    apply {
        // Both directions have one name: the lower end comes first.
        bit<48> first = ip.from ++ tcp.from;
        bit<48> second = ip.to ++ tcp.to;
        if (second < first) {
            bit<48> other = first;
            first = second;
            second = other;
        }
        hash(slot, HashAlgorithm.crc16, 32w0, { first, second }, SLOTS);
        hash(name, HashAlgorithm.crc32, 32w1, { first, second }, 64w0xffff_ffff);
        owners.read(owner, slot);
        seen.read(last, slot);
        bool alive = owner != 0 && now - last < IDLE;
        belongs = alive && owner == name;
        // A free slot is taken by a SYN from inside.
        if (!alive && side == Side.inside && tcp.begin && !tcp.ack) {
            owners.write(slot, name);
            belongs = true;
        }
        if (belongs) {
            seen.write(slot, now);
            if (tcp.end || tcp.reset) {
                owners.write(slot, 0);
            }
        }
    }
}

control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    counter(2, CounterType.packets) verdicts;
    track() connections;
    action refuse() {
        mark_to_drop(sm);
    }
    action is_inside() {
        m.side = Side.inside;
    }
    action is_outside() {
        m.side = Side.outside;
    }
    action send(bit<48> next_hop, bit<9> port) {
        h.eth.from = h.eth.to;
        h.eth.to = next_hop;
        h.ip.ttl = h.ip.ttl - 1;
        sm.egress_spec = port;
    }
    table sides {
        key = {
            sm.ingress_port: exact;
        }
        actions = {
            is_inside;
            is_outside;
            NoAction;
        }
        default_action = NoAction();
    }
    table routes {
        key = {
            h.ip.to: lpm;
        }
        actions = {
            send;
            refuse;
        }
        default_action = refuse();
    }
    apply {
        bool belongs = false;
        sides.apply();
        if (h.tcp.isValid() && m.side != Side.unknown) {
            connections.apply(h.ip, h.tcp, m.side, sm.ingress_global_timestamp, belongs);
        }
        if (belongs) {
            verdicts.count(PASSED);
            routes.apply();
        } else {
            verdicts.count(REFUSED);
            refuse();
        }
    }
}

control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    apply { }
}

control update(inout Headers h, inout Meta m) {
    apply {
        update_checksum(h.ip.isValid(), {
            h.ip.version, h.ip.words, h.ip.tos, h.ip.length, h.ip.id, h.ip.fragment, h.ip.ttl, h.ip.protocol, h.ip.from, h.ip.to
        }, h.ip.checksum, HashAlgorithm.csum16);
    }
}

control deparser(packet_out b, in Headers h) {
    apply {
        b.emit(h);
    }
}

V1Switch(p(), vrfy(), ingress(), egress(), update(), deparser()) main;
