// Reports of a port's queue: once per interval, a digest with what the packets that left meanwhile have waited. A controller
// sets the parameters of a queue management by them. Times are microseconds.

#ifndef REPORT_INTERVAL
#define REPORT_INTERVAL 100000
#endif

struct queue_report_t {
    port_t  port;
    bit<48> span;     // time since the previous report
    bit<32> packets;  // packets that left the queue
    bit<32> waited;   // sum of their sojourn times
    bit<32> longest;  // the longest sojourn time
}

control Reports(in standard_metadata_t standard_metadata)(bit<32> ports, bit<48> interval) {
    register<bit<48>, port_t>(ports) begun;
    register<bit<32>, port_t>(ports) packets;
    register<bit<32>, port_t>(ports) waited;
    register<bit<32>, port_t>(ports) longest;

    apply {
        port_t port = standard_metadata.egress_port;
        bit<48> now = standard_metadata.egress_global_timestamp;
        queue_report_t report;
        report.port = port;
        begun.read(report.span, port);
        packets.read(report.packets, port);
        waited.read(report.waited, port);
        longest.read(report.longest, port);
        report.span = now - report.span;
        report.packets = report.packets + 1;
        report.waited = report.waited + standard_metadata.deq_timedelta;
        if (standard_metadata.deq_timedelta > report.longest) {
            report.longest = standard_metadata.deq_timedelta;
        }
        if (report.span >= interval) {
            digest<queue_report_t>(1, report);
            begun.write(port, now);
            report.packets = 0;
            report.waited = 0;
            report.longest = 0;
        }
        packets.write(port, report.packets);
        waited.write(port, report.waited);
        longest.write(port, report.longest);
    }
}
