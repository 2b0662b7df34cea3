// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause OR GPL-2.0-only
//
// newCWV for the kernel's TCP: congestion window validation for rate-limited senders (RFC 7661).
//
// Principle: a window is validated if at least half of it was acknowledged within one RTT recently (pipeACK). A
// non-validated window is kept for minutes: it neither grows without need nor collapses due to idleness. A loss then
// reduces it to the part that was in use. Everything else is the kernel's Reno. There are two names: `newcwv`, which
// limits bursts of a non-validated window, and `newcwv_paced`, for which the kernel paces. Units: packets for windows,
// as in the kernel; milliseconds for time unless stated otherwise.
//
// The kernel itself reduces the window of a sender that was idle for an RTO (as in RFC 5681 §4.1) or is limited by the
// application (as in RFC 2861). RFC 7661 replaces both. The controller therefore keeps its own window and ssthresh,
// and restores them when sending resumes and with each ACK. From a loss until the end of recovery the kernel's values
// apply.
//
// The kernel has no hook for the length of a burst, but it asks for the least size of a TSO packet before each round of
// transmission, which an ACK or a write causes. There the controller sets the kernel's window to the flight plus the
// permitted burst. The kernel's window is thus below the controller's while a burst is limited.

#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

// The kernel accepts struct_ops programs, and calls of its functions, only from programs with a licence that it knows
// to be compatible with the GPL. Apache-2.0 is not in its list. Therefore this file and its header are also available
// under BSD-2-Clause or GPL-2.0, as stated in their first lines; this is the kernel's notation for that.
char LICENSE[] SEC("license") = "Dual BSD/GPL";

// Parameters, which the loader sets. It reads them from the kernel again, so members are only appended.
const volatile struct {
  // RFC 7661 §4.4: the non-validated period; five minutes by default and at most.
  __u64 validity_ms;
  // RFC 7661 §4.4.2: packets that one ACK or write may release in the non-validated phase; 0 for no limit.
  __u64 burst;
} parameters = {.validity_ms = 5 * 60 * 1000, .burst = 10};

// The sockets that use either name, for sockets.bpf.c. The kernel removes a socket with its memory, so that the map
// cannot lose track of any.
struct {
  __uint(type, BPF_MAP_TYPE_SK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, __s32);
  __type(value, __u8);
} newcwv_sockets SEC(".maps");

// RFC 7661 §4.2: the pipeACK Sampling Period is max(3 RTT, 1 s).
#define SAMPLING_RTTS 3
#define SAMPLING_FLOOR_MS 1000
// RFC 7661 §4.5.1: a sampling period has several measurement periods, such as five. `put` and `newest` list each of
// them.
#define BINS 5
// RFC 6928 §2: IW.
#define INITIAL_WINDOW 10
// Maximum number of halvings: a window of 2^32 packets falls to IW in fewer.
#define MOST_REDUCTIONS 32
#define NEVER ((__u64)-1)

// The window and ssthresh are ours. Otherwise a loss recovery is active, and they are the kernel's.
#define OWNED 1
// pipeACK is defined (RFC 7661 §4.2).
#define DEFINED 2
// Segments after `counts_from` give samples.
#define COUNTING 4
// The last round of transmission had a burst limit below our window: filling it does not mean that ours limits the sender.
#define HELD_BACK 8

// Least number of segments in a TSO packet: the default of net.ipv4.tcp_min_tso_segs.
#define MIN_TSO_SEGS 2

extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern __u32 tcp_slow_start(struct tcp_sock *tp, __u32 acked) __ksym;
extern void tcp_cong_avoid_ai(struct tcp_sock *tp, __u32 window, __u32 acked) __ksym;

// A measurement period.
struct bin {
  __u32 start; // low bits of the time
  __u32 highest; // highest sample, in packets
};

// State of a socket.
struct newcwv {
  // Start of the non-validated phase, unless a new sample moves it; NEVER while pipeACK is undefined.
  __u64 non_validated_from;
  // Newest first. The verifier requires constant indices here, so a new bin shifts the others.
  struct bin bins[BINS];
  __u32 period; // the pipeACK Sampling Period
  __u32 counts_from; // sequence number
  __u32 active; // low bits of the time of the last acknowledgement
  __u32 window;
  __u32 ssthresh;
  __u32 prior_window; // before the loss, in case it was spurious
  __u32 utilised; // max(pipeACK, LossFlightSize) during recovery from a loss in the non-validated phase; else 0
  __u32 retransmitted_before; // retransmissions of the connection before this recovery
  __u32 flags;
  __u32 burst_limit; // highest flight that the burst permits
  __u32 burst_delivered; // tp->delivered when the limit was set: a change means an ACK
  __u32 burst_time; // low bits of the time of the limit, in microseconds
};
_Static_assert(sizeof(struct newcwv) <= sizeof(((struct inet_connection_sock *)0)->icsk_ca_priv), "icsk_ca_priv is too small");

static __always_inline struct newcwv *state_of(struct sock *sk) {
  return (struct newcwv *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

// Unsigned: clang before version 18 has no signed division for BPF.
static __always_inline __u64 now_of(const struct tcp_sock *tp) { return tp->tcp_mstamp / 1000; }

static __always_inline __u32 least(__u32 a, __u32 b) { return a < b ? a : b; }
static __always_inline __u32 most(__u32 a, __u32 b) { return a > b ? a : b; }

// Whether sequence number `a` is after `b`.
static __always_inline int is_after(__u32 a, __u32 b) { return (__s32)(b - a) < 0; }

static __always_inline int is_non_validated(const struct newcwv *c, __u64 now) { return now >= c->non_validated_from; }

// --- pipeACK: the most data acknowledged within one RTT recently (RFC 7661 §4.2, §4.5.1) ---

static __always_inline void put(struct newcwv *c, __u32 sample, __u32 now) {
  if (!(c->flags & DEFINED) || now - c->bins[0].start >= c->period / BINS) {
    c->bins[4] = c->bins[3];
    c->bins[3] = c->bins[2];
    c->bins[2] = c->bins[1];
    c->bins[1] = c->bins[0];
    c->bins[0].start = now;
    c->bins[0].highest = 0;
  }
  c->flags |= DEFINED;
  c->bins[0].highest = most(c->bins[0].highest, sample);
}

// Age of the newest bin of the sampling period with at least `packets`; the period if there is none.
static __always_inline __u32 newest(const struct newcwv *c, __u32 packets, __u32 now) {
#define TRY(i) \
  if (c->bins[i].highest >= packets && now - c->bins[i].start < c->period) return now - c->bins[i].start
  TRY(0);
  TRY(1);
  TRY(2);
  TRY(3);
  TRY(4);
#undef TRY
  return c->period;
}

// pipeACK in packets; 0 if it is undefined or nothing was acknowledged recently.
static __always_inline __u32 pipe_ack(const struct newcwv *c, __u32 now) {
  __u32 highest = 0;
#define TAKE(i) \
  if (now - c->bins[i].start < c->period) highest = most(highest, c->bins[i].highest)
  TAKE(0);
  TAKE(1);
  TAKE(2);
  TAKE(3);
  TAKE(4);
#undef TAKE
  return c->flags & DEFINED ? highest : 0;
}

// RFC 7661 §4.2, §4.3: makes pipeACK undefined and the phase validated until the next sample.
static __always_inline void start_anew(struct newcwv *c) {
  c->flags &= ~(DEFINED | COUNTING);
  c->bins[0].highest = 0;
  c->bins[1].highest = 0;
  c->bins[2].highest = 0;
  c->bins[3].highest = 0;
  c->bins[4].highest = 0;
  c->non_validated_from = NEVER;
}

// RFC 7661 §4.3: determines the phase from a new sample. Half of the window counts in whole packets.
static __always_inline void judge(struct newcwv *c, __u64 now) {
  __u32 age = newest(c, most(c->window / 2, 1), now);
  if (age < c->period)
    c->non_validated_from = now - age + c->period;
  else if (now < c->non_validated_from)
    c->non_validated_from = now;
}

// --- The window ---

static __always_inline void take_over(struct tcp_sock *tp, struct newcwv *c) {
  c->window = tp->snd_cwnd;
  c->ssthresh = tp->snd_ssthresh;
  c->flags |= OWNED;
}

static __always_inline void put_back(struct tcp_sock *tp, struct newcwv *c) {
  c->window = least(most(c->window, tp->snd_cwnd), tp->snd_cwnd_clamp);
  tp->snd_cwnd = c->window;
  tp->snd_ssthresh = c->ssthresh;
  // The kernel reduces the window when this timestamp is an RTO old.
  tp->snd_cwnd_stamp = bpf_jiffies64();
}

// RFC 7661 §4.4.3, applied once per elapsed non-validated period (§4.5.2). The kernel's window follows.
static __always_inline void reduce_for_elapsed_periods(struct tcp_sock *tp, struct newcwv *c, __u64 now) {
  __u64 period = parameters.validity_ms;
  if (c->non_validated_from == NEVER || now < c->non_validated_from + period) return;
  __u64 periods = (now - c->non_validated_from) / period;
  c->non_validated_from += periods * period;
  for (__u32 i = 0; i < MOST_REDUCTIONS; i++) {
    if (i >= periods) break;
    // "Not greater than": a window below IW, such as after a timeout, is not raised.
    __u32 reduced = least(most(c->window / 2, INITIAL_WINDOW), c->window);
    c->ssthresh = most(c->ssthresh, c->window - c->window / 4);
    if (reduced == c->window) break;
    c->window = reduced;
  }
  tp->snd_cwnd = c->window;
  tp->snd_ssthresh = c->ssthresh;
}

static __always_inline __u32 flight_of(const struct tcp_sock *tp) {
  return tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
}

// RFC 7661 §4.4.2: limits the burst of a non-validated window. An ACK permits a whole burst. Without an ACK the
// permission grows at the rate of the window per RTT, up to a whole burst: an application that writes a little at a
// time is not held back, whereas one large write is.
static __always_inline void limit_burst(struct sock *sk, struct tcp_sock *tp, struct newcwv *c) {
  __u32 burst = (__u32)parameters.burst;
  c->flags &= ~HELD_BACK;
  if (!burst || !is_non_validated(c, now_of(tp)) || sk->sk_pacing_status != SK_PACING_NONE) return;
  __u32 now = (__u32)tp->tcp_mstamp;
  __u32 flight = flight_of(tp);
  __u32 srtt = tp->srtt_us >> 3;
  __u32 elapsed = now - c->burst_time;
  if (c->burst_delivered != tp->delivered || elapsed >= srtt) {
    c->burst_limit = flight + burst;
    c->burst_time = now;
  } else {
    __u32 more = (__u32)((__u64)elapsed * c->window / srtt);
    // The time of a fraction of a packet still counts.
    if (more) c->burst_time += (__u32)((__u64)more * srtt / c->window);
    c->burst_limit = least(c->burst_limit + more, flight + burst);
  }
  c->burst_delivered = tp->delivered;
  if (c->burst_limit < c->window) c->flags |= HELD_BACK;
  tp->snd_cwnd = least(c->burst_limit, c->window);
}

// RFC 7661 §4.4: the window survives idleness until a non-validated period ends.
static __always_inline void sending_starts(struct tcp_sock *tp, struct newcwv *c) {
  __u64 now = now_of(tp);
  __u32 idle = (__u32)now - c->active;
  // Nothing was sent, so nothing was acknowledged: a whole sampling period of that is a measurement.
  if (c->non_validated_from == NEVER && idle > c->period) {
    c->flags |= DEFINED;
    c->non_validated_from = now - (idle - c->period);
  }
  put_back(tp, c);
  reduce_for_elapsed_periods(tp, c, now);
}

// RFC 7661 §4.4.1: the retransmitted data exceeded the capacity, so the window is reduced by that amount. ssthresh is
// the window at the end of recovery.
static __always_inline void recovery_ends(struct tcp_sock *tp, struct newcwv *c) {
  if (c->utilised) {
    __u32 retransmitted = tp->total_retrans - c->retransmitted_before;
    __u32 window = most((c->utilised - least(retransmitted, c->utilised)) / 2, 1);
    tp->snd_cwnd = window;
    tp->snd_ssthresh = window;
    c->utilised = 0;
  }
  // The state may have changed before this event, with the window of the recovery.
  if (c->flags & OWNED) take_over(tp, c);
}

// --- Callbacks of the kernel ---

static __always_inline void start(struct sock *sk) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct newcwv *c = state_of(sk);
  __u64 now = now_of(tp);
  bpf_sk_storage_get(&newcwv_sockets, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
  c->flags = COUNTING;
  c->period = SAMPLING_FLOOR_MS;
  c->counts_from = tp->snd_nxt;
  c->active = now;
  c->utilised = 0;
  c->prior_window = 0;
  // RFC 7661 §4.1: starts in the validated phase, with pipeACK undefined.
  c->non_validated_from = NEVER;
  c->bins[0].highest = 0;
  c->bins[1].highest = 0;
  c->bins[2].highest = 0;
  c->bins[3].highest = 0;
  c->bins[4].highest = 0;
  c->burst_limit = 0;
  c->burst_delivered = tp->delivered - 1;
  c->burst_time = 0;
  take_over(tp, c);
}

// A socket that used BBR before, for example as the system's default, has pacing enabled. The status for pacing by the
// queue discipline `fq` is different and left unchanged.
SEC("struct_ops/newcwv_init")
void BPF_PROG(newcwv_init, struct sock *sk) {
  start(sk);
  __sync_val_compare_and_swap(&sk->sk_pacing_status, SK_PACING_NEEDED, SK_PACING_NONE);
}

// RFC 7661 §4.4.2: pacing prevents bursts of a non-validated window.
SEC("struct_ops/newcwv_paced_init")
void BPF_PROG(newcwv_paced_init, struct sock *sk) {
  start(sk);
  __sync_val_compare_and_swap(&sk->sk_pacing_status, SK_PACING_NONE, SK_PACING_NEEDED);
}

SEC("struct_ops/newcwv_release")
void BPF_PROG(newcwv_release, struct sock *sk) { bpf_sk_storage_delete(&newcwv_sockets, sk); }

// Called before each round of transmission, and before retransmissions in recovery.
SEC("struct_ops/newcwv_min_tso_segs")
__u32 BPF_PROG(newcwv_min_tso_segs, struct sock *sk) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct newcwv *c = state_of(sk);
  if (c->flags & OWNED) {
    // The kernel reports the start of sending only after it has built the first packet.
    if (!tp->packets_out) sending_starts(tp, c);
    limit_burst(sk, tp, c);
  }
  return MIN_TSO_SEGS;
}

// Called for each ACK of new data, before the kernel detects losses and before the window grows.
SEC("struct_ops/newcwv_pkts_acked")
void BPF_PROG(newcwv_pkts_acked, struct sock *sk, const struct ack_sample *sample) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct newcwv *c = state_of(sk);
  __u64 now = now_of(tp);
  c->active = now;
  c->period = most((tp->srtt_us >> 3) * SAMPLING_RTTS / 1000, SAMPLING_FLOOR_MS);
  if (BPF_CORE_READ_BITFIELD(tp, inet_conn.icsk_ca_state) != TCP_CA_Open || !(c->flags & OWNED)) {
    // RFC 7661 §4.2: pipeACK is not updated in recovery.
    c->flags &= ~COUNTING;
    return;
  }
  put_back(tp, c);
  reduce_for_elapsed_periods(tp, c, now);
  // RFC 7661 §4.2 does not specify whether selective acknowledgements count. Here they do not: a hole is the first
  // sign of a loss, whose response must use the samples before it.
  if (tp->sacked_out) return;
  if (!(c->flags & COUNTING)) {
    // Segments sent before, or in recovery, would give samples of only a part of an RTT.
    c->flags |= COUNTING;
    c->counts_from = tp->snd_nxt;
    return;
  }
  if (!sample->in_flight || !sample->pkts_acked || !is_after(tp->snd_una, c->counts_from)) return;
  // Between the transmission of a segment and its acknowledgement the data outstanding at its transmission are
  // acknowledged: one RTT.
  __u32 mss = most(tp->mss_cache, 1);
  put(c, (sample->in_flight + mss - 1) / mss, now);
  judge(c, now);
}

SEC("struct_ops/newcwv_cong_avoid")
void BPF_PROG(newcwv_cong_avoid, struct sock *sk, __u32 ack, __u32 acked) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct newcwv *c = state_of(sk);
  if (!(c->flags & OWNED)) {
    tcp_reno_cong_avoid(sk, ack, acked);
    return;
  }
  put_back(tp, c);
  // RFC 7661 §4.3, §4.4: a validated window grows as in RFC 5681, a non-validated one only while it limits the sender.
  // The kernel's Reno would not grow a validated window that is not full.
  if (is_non_validated(c, now_of(tp)) && (c->flags & HELD_BACK || !BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))) return;
  if (tp->snd_cwnd < tp->snd_ssthresh) acked = tcp_slow_start(tp, acked);
  if (acked) tcp_cong_avoid_ai(tp, tp->snd_cwnd, acked);
  c->window = tp->snd_cwnd;
}

// Congestion: a loss or an ECN mark. The return value is the window at the end of the kernel's recovery.
SEC("struct_ops/newcwv_ssthresh")
__u32 BPF_PROG(newcwv_ssthresh, struct sock *sk) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct newcwv *c = state_of(sk);
  __u64 now = now_of(tp);
  __u32 window = c->flags & OWNED ? c->window : tp->snd_cwnd;
  __u32 target = window / 2;
  c->utilised = 0;
  if (c->flags & OWNED && is_non_validated(c, now)) {
    // RFC 7661 §4.4.1: a safe window for recovery. Packets of limited transmit, which exceed the window, do not count
    // (RFC 5681 §3.2 step 2).
    c->utilised = least(most(tp->packets_out, pipe_ack(c, now)), window);
    target = c->utilised / 2;
  }
  c->prior_window = window;
  c->retransmitted_before = tp->total_retrans;
  // RFC 7661 §4.4: congestion ends the non-validated phase.
  c->non_validated_from = NEVER;
  c->flags &= ~(OWNED | COUNTING);
  return most(target, 2);
}

static __always_inline void transmission_starts(struct sock *sk) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct newcwv *c = state_of(sk);
  if (!(c->flags & OWNED)) return;
  sending_starts(tp, c);
  limit_burst(sk, tp, c);
}

// Called for the first packet after an idle time, by kernels that have this member.
SEC("struct_ops/newcwv_cwnd_event_tx_start")
void BPF_PROG(newcwv_cwnd_event_tx_start, struct sock *sk) { transmission_starts(sk); }

SEC("struct_ops/newcwv_cwnd_event")
void BPF_PROG(newcwv_cwnd_event, struct sock *sk, enum tcp_ca_event event) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct newcwv *c = state_of(sk);
  switch (event) {
  case CA_EVENT_TX_START:
    // By kernels without `cwnd_event_tx_start`.
    transmission_starts(sk);
    break;
  case CA_EVENT_COMPLETE_CWR:
    recovery_ends(tp, c);
    break;
  case CA_EVENT_LOSS:
    // RFC 7661 §4.4: a timeout follows the standard rules (RFC 5681 §3.1: half of the flight size).
    if (c->utilised) tp->snd_ssthresh = most(least(tp->packets_out, c->prior_window) / 2, 2);
    c->utilised = 0;
    break;
  default:
    break;
  }
}

SEC("struct_ops/newcwv_set_state")
void BPF_PROG(newcwv_set_state, struct sock *sk, __u8 new_state) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct newcwv *c = state_of(sk);
  if (new_state == TCP_CA_Loss) {
    c->utilised = 0;
    c->flags &= ~OWNED;
  } else if (new_state <= TCP_CA_Disorder && !(c->flags & OWNED)) {
    // The recovery has ended.
    take_over(tp, c);
    start_anew(c);
  }
}

// The loss was spurious.
SEC("struct_ops/newcwv_undo_cwnd")
__u32 BPF_PROG(newcwv_undo_cwnd, struct sock *sk) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct newcwv *c = state_of(sk);
  c->utilised = 0;
  return most(tp->snd_cwnd, c->prior_window);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops newcwv = {
  .init = (void *)newcwv_init,
  .release = (void *)newcwv_release,
  .ssthresh = (void *)newcwv_ssthresh,
  .cong_avoid = (void *)newcwv_cong_avoid,
  .set_state = (void *)newcwv_set_state,
  .cwnd_event = (void *)newcwv_cwnd_event,
  .cwnd_event_tx_start = (void *)newcwv_cwnd_event_tx_start,
  .pkts_acked = (void *)newcwv_pkts_acked,
  .min_tso_segs = (void *)newcwv_min_tso_segs,
  .undo_cwnd = (void *)newcwv_undo_cwnd,
  .flags = TCP_CONG_NON_RESTRICTED,
  .name = "newcwv",
};

SEC(".struct_ops.link")
struct tcp_congestion_ops newcwv_paced = {
  .init = (void *)newcwv_paced_init,
  .release = (void *)newcwv_release,
  .ssthresh = (void *)newcwv_ssthresh,
  .cong_avoid = (void *)newcwv_cong_avoid,
  .set_state = (void *)newcwv_set_state,
  .cwnd_event = (void *)newcwv_cwnd_event,
  .cwnd_event_tx_start = (void *)newcwv_cwnd_event_tx_start,
  .pkts_acked = (void *)newcwv_pkts_acked,
  .undo_cwnd = (void *)newcwv_undo_cwnd,
  .flags = TCP_CONG_NON_RESTRICTED,
  .name = "newcwv_paced",
};
