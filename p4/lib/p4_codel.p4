// CoDel as P4-CoDel has it (Kundel et al., P4-CoDel: Active Queue Management in Programmable Data Planes, NFV-SDN 2018),
// for one packet at a time as it leaves its queue. Differences from codel.p4, which follows RFC 8289:
//
// - The next drop is due one step after this one, not after the time at which this one was due.
// - The step is interval / sqrt(c), c being the highest power of two that is not above the count.
// - Counts of 1,024 and more have no step: each packet is dropped until the delay falls below target.
// - There is no MAXPACKET, so an empty queue ends neither the estimator's window nor the dropping state.
//
// Times are in µs.

#include "registers.p4"

control P4CoDel(in bit<32> queue,         // index of the state
                in bit<48> now,           // µs
                in bit<32> sojourn,       // µs
                in codel_settings_t settings,
                out bool signal)          // whether to drop (or mark) this packet
               (bit<32> queues) {
    REGISTER(bit<48>)(queues) above_since;  // end of the window; 0: below target
    REGISTER(bit<48>)(queues) next_drop;
    REGISTER(bit<32>)(queues) drops;
    REGISTER(bit<32>)(queues) drops_at_entry;
    REGISTER(bit<1>)(queues) dropping;

    bit<48> above;
    bit<48> next;
    bit<32> signals;
    bit<32> before;
    bit<1> drops_now;
    bool stands;

    action scale(bit<80> factor) {
        next_drop.write(queue, now + (bit<48>) (((bit<80>) settings.interval * factor) >> 32));
    }

    // interval / sqrt(count), with 32 fractional bits. A test in crates/queue/src/control_law.rs compares these numbers with
    // those of the native implementation.
    table power_law {
        key = { signals : lpm; }
        actions = { scale; NoAction; }
        const default_action = NoAction();
        const entries = {
            0x00000000 &&& 0xfffffffe : scale(4294967296);
            0x00000002 &&& 0xfffffffe : scale(3037000499);
            0x00000004 &&& 0xfffffffc : scale(2147483648);
            0x00000008 &&& 0xfffffff8 : scale(1518500249);
            0x00000010 &&& 0xfffffff0 : scale(1073741824);
            0x00000020 &&& 0xffffffe0 : scale(759250124);
            0x00000040 &&& 0xffffffc0 : scale(536870912);
            0x00000080 &&& 0xffffff80 : scale(379625062);
            0x00000100 &&& 0xffffff00 : scale(268435456);
            0x00000200 &&& 0xfffffe00 : scale(189812531);
        }
        size = 16;
    }

    apply {
        signal = false;
        stands = false;
        READ(above_since, queue, above);
        if (sojourn < settings.target) {
            if (above != 0) {
                above_since.write(queue, 0);
            }
        } else if (above == 0) {
            above_since.write(queue, now + (bit<48>) settings.interval);
        } else {
            stands = now >= above;
        }

        READ(dropping, queue, drops_now);
        if (!stands) {
            if (drops_now == 1) {
                dropping.write(queue, 0);
            }
        } else {
            READ(next_drop, queue, next);
            READ(drops, queue, signals);
            if (drops_now == 1) {
                signal = now >= next;
                signals = signals + 1;
            } else {
                // Dropping ended less than 16 intervals ago: the rate that controlled the queue then is a good start.
                READ(drops_at_entry, queue, before);
                before = signals - before;
                if (before > 1 && now - next < ((bit<48>) settings.interval << 4)) {
                    signals = before;
                } else {
                    signals = 1;
                }
                drops_at_entry.write(queue, signals);
                dropping.write(queue, 1);
                signal = true;
            }
            if (signal) {
                drops.write(queue, signals);
                power_law.apply();
            }
        }
    }
}
