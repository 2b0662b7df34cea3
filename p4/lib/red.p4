// Random Early Detection (Floyd & Jacobson 1993 §4, §7; gentle: Floyd 2000): the average queue and the decision on an
// arrival that finds `depth` packets.
//
// Averages and probabilities have 32 fractional bits. w_q is a power of two; the control plane provides a slope in place
// of a division by the distance of the thresholds. The quotient p_b / (1 - count p_b) is compared with a random number
// by cross-multiplication. The power for an idle time is computed by squaring. It divides by `s`, which BMv2 supports
// and hardware does not; there it would be a table.

struct red_settings_t {
    bit<32> min_th;        // packets
    bit<32> max_th;        // packets
    bit<8>  weight;        // w_q = 2^-weight
    bit<32> max_p;         // of 2^32
    bit<32> slope;         // of 2^32 per packet: max_p / (max_th - min_th)
    bit<32> gentle_slope;  // of 2^32 per packet: (1 - max_p) / max_th; 0: not gentle
    bit<32> s;             // ns, > 0: transmission time of a typical small packet
}

typedef bit<2> red_verdict_t;
const red_verdict_t RED_PASS = 0;
const red_verdict_t RED_EARLY = 1;
const red_verdict_t RED_FORCED = 2;

control Red(in bit<32> queue,        // index of the state
            in bit<32> depth,        // packets that the arrival finds
            in bit<48> idle,         // µs for which the queue has been empty, if depth is 0
            in bool decide,          // otherwise the average is kept, and nothing is decided
            in red_settings_t settings,
            out red_verdict_t verdict)
           (bit<32> queues) {
    const bit<64> ONE = 1 << 32;

    register<bit<64>, bit<32>>(queues) average;
    register<bit<32>, bit<32>>(queues) count;  // unsignalled arrivals since the last signal between the thresholds

    bit<64> avg;
    bit<64> found;
    bit<64> packets;   // packets in the idle time, 16 fractional bits
    bit<64> power;     // (1 - w_q)^(2^i), 24 fractional bits
    bit<64> p_b;
    bit<64> rest;
    bit<32> unsignalled;
    bit<32> drawn;

    action sample() {
        found = (bit<64>) depth << 32;
        if (found >= avg) {
            avg = avg + ((found - avg) >> settings.weight);
        } else {
            avg = avg - ((avg - found) >> settings.weight);
        }
    }

    // avg (1 - w_q)^m for m = idle / s: linear interpolation for the fraction of m, squaring for the integer.
    action decay() {
        packets = ((bit<64>) idle * 65536000) / (bit<64>) settings.s;
        avg = avg - (((avg >> 16) * (packets & 0xffff)) >> settings.weight);
        packets = packets >> 16;
        if (packets > 0xffff) {
            avg = 0;
        }
        power = (1 << 24) - ((64w1 << 24) >> settings.weight);
        for (bit<8> i = 0; i < 16; i = i + 1) {
            if ((packets >> i) & 1 == 1) {
                avg = ((avg >> 8) * power) >> 16;
            }
            power = (power * power) >> 24;
        }
    }

    // Method 2 of §7: the number of arrivals until the next signal is uniform from 1 to 1 / p_b.
    action flip() {
        count.read(unsignalled, queue);
        rest = ONE |-| (bit<64>) unsignalled * p_b;
        verdict = RED_EARLY;
        if (rest > p_b) {
            verdict = RED_PASS;
            if (p_b != 0) {
                random(drawn, 0, 0xffffffff);
                if ((bit<64>) drawn * rest < p_b << 32) {
                    verdict = RED_EARLY;
                }
            }
        }
        unsignalled = verdict == RED_EARLY ? 0 : unsignalled |+| 1;
        count.write(queue, unsignalled);
    }

    apply {
        verdict = RED_PASS;
        average.read(avg, queue);
        if (depth > 0) {
            sample();
        } else if (avg != 0) {
            decay();
        }
        average.write(queue, avg);
        if (decide) {
            bit<64> min_th = (bit<64>) settings.min_th << 32;
            bit<64> max_th = (bit<64>) settings.max_th << 32;
            if (avg < min_th) {
                count.write(queue, 0);
            } else if (avg < max_th) {
                p_b = (((avg - min_th) >> 8) * (bit<64>) settings.slope) >> 24;
                flip();
            } else if (settings.gentle_slope != 0 && avg < max_th << 1) {
                p_b = (bit<64>) settings.max_p
                    + ((((avg - max_th) >> 8) * (bit<64>) settings.gentle_slope) >> 24);
                flip();
            } else {
                verdict = RED_FORCED;
                count.write(queue, 0);
            }
        }
    }
}
