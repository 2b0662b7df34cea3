// Octopus's labels: what the parser needs, before the program's `headers_t`. The decision is in octopus_verdict.p4.

const bit<16> OCTOPUS_PORT = 4433;
const bit<8> OCTOPUS_DATA = 1;
const bit<4> OCTOPUS_VERSION = 1;
const bit<32> STREAMS = 1024;
const bit<32> LEVELS = 8;

typedef bit<29> message_t;  // compared by serial arithmetic (RFC 1982)

// First 20 bytes of a data packet: the sequence header and the Octopus header.
header octopus_datagram_t {
    bit<8>    kind;
    bit<8>    flags;
    bit<16>   index;
    bit<32>   sequence;
    bit<4>    version;
    bit<2>    position;  // 0 first, 1 middle, 2 last, 3 solo
    message_t message;
    bit<3>    priority;
    bit<1>    drop_flag;
    bit<3>    threshold;
    bit<24>   bitrate_threshold;
    bit<9>    slack;
    bit<16>   stream;
    bit<5>    reserved;
}
