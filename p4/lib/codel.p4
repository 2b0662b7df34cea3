// Controlled Delay (RFC 8289 §5.5, §5.6), applied to one packet at a time as it leaves its queue.
//
// The RFC drops in a loop until a packet may leave. Egress handles one packet at a time and gets the next one at once,
// so the loop's next iteration is the next packet's pass. The part of the loop after a drop (scheduling the next one if
// that packet is still above target) is therefore deferred: phase SIGNALLED. The last packet of a queue leaves an empty
// queue behind, which ends the dropping state as in the RFC.
//
// Times are in µs. The square root of the control law is a table with 383 prefixes of the count.

#include "registers.p4"

struct codel_settings_t {
    bit<32> target;     // µs
    bit<32> interval;   // µs
    bit<32> maxpacket;  // bytes (IP): a backlog of at most this size is not a standing queue
}

control CoDel(in bit<32> queue,         // index of the state
              in bit<48> now,           // µs
              in bit<32> sojourn,       // µs
              in bit<32> backlog,       // bytes (IP) left behind by the packet
              in codel_settings_t settings,
              out bool signal)          // whether to drop (or mark) this packet
             (bit<32> queues) {
    const bit<2> WATCHING = 0;
    const bit<2> DROPPING = 1;
    const bit<2> SIGNALLED = 2;         // dropping, and the next signal is not yet scheduled

    REGISTER(bit<48>)(queues) first_above_time;  // 0: below target
    REGISTER(bit<48>)(queues) drop_next;
    REGISTER(bit<32>)(queues) count;
    REGISTER(bit<32>)(queues) last_count;
    REGISTER(bit<2>)(queues) phase;

    bit<48> above;
    bit<48> next;
    bit<48> start;
    bit<48> step;
    bit<32> signals;
    bit<32> before;
    bit<2> mode;
    bool ok_to_drop;

    action scale(bit<48> factor) {
        step = ((bit<48>) settings.interval * factor) >> 16;
    }

    // INTERVAL / sqrt(count)
    table control_law {
        key = { signals : lpm; }
        actions = { scale; }
        const default_action = scale(256);
        const entries = {
#include "control_law.p4"
        }
        size = 512;
    }

    apply {
        signal = false;
        ok_to_drop = false;
        READ(first_above_time, queue, above);
        if (sojourn < settings.target || backlog <= settings.maxpacket) {
            if (above != 0) {
                first_above_time.write(queue, 0);
            }
        } else if (above == 0) {
            first_above_time.write(queue, now + (bit<48>) settings.interval);
        } else {
            ok_to_drop = now >= above;
        }

        READ(phase, queue, mode);
        if (!ok_to_drop) {
            if (mode != WATCHING) {
                phase.write(queue, WATCHING);
            }
        } else {
            READ(drop_next, queue, next);
            READ(count, queue, signals);
            start = next;
            if (mode == WATCHING) {
                // Dropping ended less than 16 intervals ago: the rate that controlled the queue then is a good start.
                READ(last_count, queue, before);
                before = signals |-| before;
                if (before > 1 && (now |-| next) < ((bit<48>) settings.interval << 4)) {
                    signals = before;
                } else {
                    signals = 1;
                }
                count.write(queue, signals);
                last_count.write(queue, signals);
                start = now;
            }
            if (mode != DROPPING) {
                control_law.apply();
                next = start + step;
                drop_next.write(queue, next);
            }
            if (mode == WATCHING) {
                signal = true;
                mode = DROPPING;
            } else if (now >= next) {
                signal = true;
                count.write(queue, signals |+| 1);
                mode = SIGNALLED;
            } else {
                mode = DROPPING;
            }
            phase.write(queue, mode);
        }
    }
}
