// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause OR GPL-2.0-only
//
// Prague for the kernel's TCP (draft-briscoe-iccrg-prague-congestion-control), the congestion control of L4S.
//
// Principle: the window is reduced by half of the average share of marked packets, alpha, once per round trip, and grows
// for every unmarked packet, in that round trip too; packets are paced. A flow with a short RTT behaves as if its RTT were
// 25 ms. The response to loss is Reno's. Without AccECN the controller is Reno. The rules and constants are those of the
// simulator's `prague`. Units: packets for windows, microseconds for time.
//
// The kernel leaves the window to a controller with `cong_control`: neither its PRR nor its restart after idleness applies.
// Both are therefore here. It still calls `ssthresh` when a mark or a loss starts a reduction.
//
// The kernel sends data as ECT(0), and no controller in BPF can change that. A second program, for packets that leave a
// device, makes it ECT(1).

#include "marks.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

// See newcwv.bpf.c.
char LICENSE[] SEC("license") = "Dual BSD/GPL";

// Parameters, which the loader sets and reads.
const volatile struct {
  // Draft §2.2: 1 for ECT(1), as RFC 9331 §4.1 requires; 0 for ECT(0), in private networks.
  __u64 codepoint;
} parameters = {.codepoint = 1};

// The sockets that use the controller, for sockets.bpf.c; the value is what the program for packets does.
struct {
  __uint(type, BPF_MAP_TYPE_SK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, __s32);
  __type(value, __u8);
} prague_sockets SEC(".maps");

#define KEEP 0
#define MAKE_ECT_1 1
#define MAKE_NOT_ECT 2

// Draft §2.4.4: RTT_VIRT_MIN, and the rounds before it applies.
#define RTT_VIRT_MIN_US 25000
#define RTT_DEPENDENT_ROUNDS 500
// RFC 6928 §2: IW, the restart window (RFC 5681 §4.1).
#define INITIAL_WINDOW 10
#define LEAST_WINDOW 2
#define MOST_RESTARTS 32

extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern __u32 tcp_slow_start(struct tcp_sock *tp, __u32 acked) __ksym;

// A point in time and in the stream.
struct mark {
  __u32 at; // low bits of the time
  __u32 snd_nxt; // its round trip ends when more is acknowledged
};

// State of a socket.
struct prague {
  struct marks marks;
  struct mark observed; // the last update of alpha
  struct mark reduced; // the last reduction
  __u32 fraction; // of the window, in 1/2^32 packets
  __u32 delivered; // tp->delivered after the last ACK
  __u32 delivered_ce;
  __u32 round_end; // sequence number
  __u32 rounds;
  __u32 prior_window; // before the last loss, in case it was spurious
  __u32 prr_delivered; // packets delivered in this recovery
  __u8 is_marked; // there was a mark
  __u8 has_reduced; // `reduced` is valid
  __u8 is_recovering; // the kernel's window will be ssthresh at the end of recovery
};
_Static_assert(sizeof(struct prague) <= sizeof(((struct inet_connection_sock *)0)->icsk_ca_priv), "icsk_ca_priv is too small");

static __always_inline struct prague *state_of(struct sock *sk) {
  return (struct prague *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

static __always_inline int is_accurate(const struct tcp_sock *tp) { return !!(tp->ecn_flags & TCP_ECN_MODE_ACCECN); }

static __always_inline __u32 flight_of(const struct tcp_sock *tp) {
  return tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
}

static __always_inline __u64 window_of(const struct tcp_sock *tp, const struct prague *c) {
  return (__u64)tp->snd_cwnd << WINDOW_BITS | c->fraction;
}

static __always_inline void set_window(struct tcp_sock *tp, struct prague *c, __u64 window) {
  tp->snd_cwnd = least((__u32)(window >> WINDOW_BITS), tp->snd_cwnd_clamp);
  c->fraction = (__u32)window;
}

static __always_inline struct mark mark_of(const struct tcp_sock *tp) {
  struct mark mark = {.at = (__u32)tp->tcp_mstamp, .snd_nxt = tp->snd_nxt};
  return mark;
}

static __always_inline __u32 rtt_of(const struct tcp_sock *tp) { return most(tp->srtt_us >> 3, 1); }

// Draft §2.4.4: the virtual RTT.
static __always_inline __u32 virtual_rtt(const struct tcp_sock *tp, const struct prague *c) {
  return c->rounds < RTT_DEPENDENT_ROUNDS ? rtt_of(tp) : most(rtt_of(tp), RTT_VIRT_MIN_US);
}

// Whether a round trip and a virtual one have passed since `mark`.
static __always_inline int has_passed(const struct tcp_sock *tp, const struct prague *c, struct mark mark) {
  __u32 rtt = virtual_rtt(tp, c);
  return is_after(tp->snd_una, mark.snd_nxt) && (rtt == rtt_of(tp) || (__u32)tp->tcp_mstamp - mark.at >= rtt);
}

// Draft §2.3.2: alpha starts at 1 with the first mark, and is updated once per virtual RTT.
static __always_inline void observe(const struct tcp_sock *tp, struct prague *c, __u32 marked) {
  if (!c->is_marked) {
    if (!marked) return;
    c->is_marked = 1;
    start_average(&c->marks, tp);
    c->observed = mark_of(tp);
  } else if (has_passed(tp, c, c->observed)) {
    end_window(&c->marks, tp);
    c->observed = mark_of(tp);
  }
}

// Draft §2.4.2: (1 - alpha / 2) * cwnd on a mark, then no other reduction for a virtual RTT. The first mark ends slow start
// (§2.4.5).
static __always_inline void answer_marks(struct tcp_sock *tp, struct prague *c) {
  if (c->has_reduced && !has_passed(tp, c, c->reduced)) return;
  __u64 window = reduced(&c->marks, window_of(tp, c));
  if (window < (__u64)LEAST_WINDOW << WINDOW_BITS) window = (__u64)LEAST_WINDOW << WINDOW_BITS;
  set_window(tp, c, window);
  tp->snd_ssthresh = tp->snd_cwnd;
  c->reduced = mark_of(tp);
  c->has_reduced = 1;
}

// Draft §2.4.3: one packet per RTT, for unmarked packets only. §2.4.4: a packet per virtual RTT for a window that spans a
// virtual RTT is 1/M² of a packet in this one, M the ratio of the RTTs. Pacing keeps the flight just below the window, so
// half of it in use is enough (RFC 7661 §4.3).
static __always_inline void grow(struct tcp_sock *tp, struct prague *c, __u32 unmarked, __u32 in_flight_before) {
  int is_used = BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited) || 2 * in_flight_before >= tp->snd_cwnd;
  if (!unmarked || !is_used) return;
  if (tp->snd_cwnd < tp->snd_ssthresh) unmarked = tcp_slow_start(tp, unmarked);
  __u64 increase = (__u64)least(unmarked, 1 << 15) << WINDOW_BITS;
  __u64 rtt = rtt_of(tp), of_window = virtual_rtt(tp, c);
  if (rtt < of_window) increase = increase * rtt / of_window * rtt / of_window;
  // With the window in 1/256 packets.
  increase = (increase << 8) / most((__u32)(window_of(tp, c) >> (WINDOW_BITS - 8)), 1);
  set_window(tp, c, window_of(tp, c) + increase);
}

// RFC 6937 §3.1, with the slow start reduction bound.
static __always_inline void recover(struct tcp_sock *tp, struct prague *c, __u32 delivered) {
  __u32 flight = flight_of(tp), out = tp->prr_out;
  __s32 more;
  c->prr_delivered += delivered;
  if (flight > tp->snd_ssthresh) {
    __u32 of_window = most(c->prior_window, 1);
    __u64 due = ((__u64)c->prr_delivered * tp->snd_ssthresh + of_window - 1) / of_window;
    more = (__s32)((__u32)due - out);
  } else {
    __s32 limit = (__s32)(c->prr_delivered - out);
    if (limit < (__s32)delivered) limit = (__s32)delivered;
    more = (__s32)(tp->snd_ssthresh - flight);
    if (more > limit + 1) more = limit + 1;
  }
  // A fast retransmission is always permitted (§3).
  if (more < !out) more = !out;
  tp->snd_cwnd = most(flight + (__u32)more, 1);
}

// Draft §2.5.1: the window, or the flight if that is larger, over the RTT; twice that in slow start.
static __always_inline void set_pacing_rate(struct sock *sk, struct tcp_sock *tp) {
  if (!tp->srtt_us) return;
  __u64 rate = (__u64)most(tp->snd_cwnd, flight_of(tp)) * tp->mss_cache * 1000000 / rtt_of(tp);
  if (tp->snd_cwnd < tp->snd_ssthresh / 2) rate *= 2;
  sk->sk_pacing_rate = rate;
}

// Draft §2.2: ECT(1), but not without accurate feedback, and nothing without feedback: the kernel sends ECT(0) for a
// controller that needs ECN even if the peer has none.
static __always_inline void choose_codepoint(struct sock *sk, struct tcp_sock *tp) {
  __u8 *value = bpf_sk_storage_get(&prague_sockets, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
  if (!value) return;
  if (is_accurate(tp))
    *value = parameters.codepoint ? MAKE_ECT_1 : KEEP;
  else
    *value = tp->ecn_flags & TCP_ECN_OK ? KEEP : MAKE_NOT_ECT;
}

// --- Callbacks of the kernel ---

SEC("struct_ops/prague_init")
void BPF_PROG(prague_init, struct sock *sk) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct prague *c = state_of(sk);
  choose_codepoint(sk, tp);
  start_average(&c->marks, tp);
  c->observed = mark_of(tp);
  c->reduced = c->observed;
  c->fraction = 0;
  c->delivered = tp->delivered;
  c->delivered_ce = tp->delivered_ce;
  c->round_end = tp->snd_nxt;
  c->rounds = 0;
  c->prior_window = 0;
  c->prr_delivered = 0;
  c->is_marked = 0;
  c->has_reduced = 0;
  c->is_recovering = 0;
  __sync_val_compare_and_swap(&sk->sk_pacing_status, SK_PACING_NONE, SK_PACING_NEEDED);
}

SEC("struct_ops/prague_release")
void BPF_PROG(prague_release, struct sock *sk) { bpf_sk_storage_delete(&prague_sockets, sk); }

// Called for each ACK, after the kernel has detected losses.
SEC("struct_ops/prague_cong_control")
void BPF_PROG(prague_cong_control, struct sock *sk, __u32 ack, int flag, const struct rate_sample *sample) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct prague *c = state_of(sk);
  __u8 state = BPF_CORE_READ_BITFIELD(tp, inet_conn.icsk_ca_state);
  __u32 delivered = tp->delivered - c->delivered;
  __u32 marked = least(tp->delivered_ce - c->delivered_ce, delivered);
  c->delivered = tp->delivered;
  c->delivered_ce = tp->delivered_ce;
  if (is_after(tp->snd_una, c->round_end)) {
    // A passive connection learns what its peer supports with the first ACK.
    if (!c->rounds) choose_codepoint(sk, tp);
    c->round_end = tp->snd_nxt;
    if (c->rounds < RTT_DEPENDENT_ROUNDS) c->rounds++;
  }
  if (is_accurate(tp)) {
    observe(tp, c, marked);
    if (marked && state < TCP_CA_Recovery) answer_marks(tp, c);
    if (state == TCP_CA_Recovery)
      recover(tp, c, delivered);
    else
      grow(tp, c, delivered - marked, sample->prior_in_flight);
  } else if (c->is_recovering && (state == TCP_CA_Recovery || state == TCP_CA_CWR)) {
    recover(tp, c, delivered);
  } else {
    // Draft §2.3.1: without accurate feedback it is Reno.
    tcp_reno_cong_avoid(sk, ack, delivered);
  }
  set_pacing_rate(sk, tp);
}

// A mark or a loss; `set_state` knows which. `cong_control` responds to accurate marks.
SEC("struct_ops/prague_ssthresh")
__u32 BPF_PROG(prague_ssthresh, struct sock *sk) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct prague *c = state_of(sk);
  c->prior_window = tp->snd_cwnd;
  c->prr_delivered = 0;
  if (is_accurate(tp)) return tp->snd_ssthresh;
  return most(tp->snd_cwnd / 2, LEAST_WINDOW);
}

SEC("struct_ops/prague_set_state")
void BPF_PROG(prague_set_state, struct sock *sk, __u8 new_state) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct prague *c = state_of(sk);
  __u8 state = BPF_CORE_READ_BITFIELD(tp, inet_conn.icsk_ca_state);
  if (new_state <= TCP_CA_Disorder) {
    if (c->is_recovering && state != TCP_CA_Loss) {
      tp->snd_cwnd = tp->snd_ssthresh;
      c->fraction = 0;
    }
    c->is_recovering = 0;
  } else if (new_state == TCP_CA_CWR) {
    c->is_recovering = !is_accurate(tp);
  } else if (state < TCP_CA_Recovery || (state == TCP_CA_Recovery && new_state == TCP_CA_Loss)) {
    // RFC 9331 §4.3, draft §2.4.1: a loss halves the flight, as in Reno. A timeout in recovery follows a reduction.
    __u32 window = state == TCP_CA_CWR ? tp->snd_cwnd : c->prior_window;
    if (state < TCP_CA_Recovery) tp->snd_ssthresh = most(least(tp->packets_out, window) / 2, LEAST_WINDOW);
    c->prior_window = window;
    c->prr_delivered = 0;
    c->fraction = 0;
    c->reduced = mark_of(tp);
    c->has_reduced = 1;
    c->is_recovering = new_state == TCP_CA_Recovery;
  }
}

// The loss was spurious.
SEC("struct_ops/prague_undo_cwnd")
__u32 BPF_PROG(prague_undo_cwnd, struct sock *sk) {
  struct prague *c = state_of(sk);
  c->is_recovering = 0;
  return most(((struct tcp_sock *)sk)->snd_cwnd, c->prior_window);
}

// RFC 5681 §4.1: a sender that was idle for an RTO restarts; like the kernel's own, with half of the window per RTO.
static __always_inline void restart(struct tcp_sock *tp, struct prague *c) {
  __u32 idle = (__u32)bpf_jiffies64() - tp->lsndtime, rto = most(tp->inet_conn.icsk_rto, 1);
  if (idle <= rto || tp->packets_out) return;
  __u32 window = tp->snd_cwnd;
  tp->snd_ssthresh = most(tp->snd_ssthresh, window - window / 4);
  for (__u32 i = 0; i < MOST_RESTARTS; i++) {
    if (idle <= rto || window <= INITIAL_WINDOW) break;
    idle -= rto;
    window /= 2;
  }
  window = most(window, least(INITIAL_WINDOW, tp->snd_cwnd));
  if (window != tp->snd_cwnd) c->fraction = 0;
  tp->snd_cwnd = window;
}

// By kernels that have this member.
SEC("struct_ops/prague_cwnd_event_tx_start")
void BPF_PROG(prague_cwnd_event_tx_start, struct sock *sk) { restart((struct tcp_sock *)sk, state_of(sk)); }

SEC("struct_ops/prague_cwnd_event")
void BPF_PROG(prague_cwnd_event, struct sock *sk, enum tcp_ca_event event) {
  if (event == CA_EVENT_TX_START) restart((struct tcp_sock *)sk, state_of(sk));
}

// Draft §2.5.2: a burst has at least one packet. The kernel's bursts last for about 1 ms, which a controller cannot reduce.
SEC("struct_ops/prague_min_tso_segs")
__u32 BPF_PROG(prague_min_tso_segs, struct sock *sk) { return 1; }

SEC(".struct_ops.link")
struct tcp_congestion_ops prague = {
  .init = (void *)prague_init,
  .release = (void *)prague_release,
  .ssthresh = (void *)prague_ssthresh,
  .set_state = (void *)prague_set_state,
  .cwnd_event = (void *)prague_cwnd_event,
  .cwnd_event_tx_start = (void *)prague_cwnd_event_tx_start,
  .cong_control = (void *)prague_cong_control,
  .min_tso_segs = (void *)prague_min_tso_segs,
  .undo_cwnd = (void *)prague_undo_cwnd,
  .flags = TCP_CONG_NON_RESTRICTED | TCP_CONG_NEEDS_ECN | TCP_CONG_NEEDS_ACCECN | TCP_CONG_ECT_1_NEGOTIATION,
  .name = "prague",
};

// --- ECT(1) ---

#define TCX_NEXT -1
#define ETHERNET_HEADER 14
#define ECT_0 2
#define ECT_1 1
#define ECN_MASK 3

// RFC 9331 §4.1: makes packets of the controller's sockets ECT(1), or Not-ECT, where the kernel sent ECT(0).
SEC("tcx/egress")
int prague_codepoint(struct __sk_buff *skb) {
  struct bpf_sock *sk = skb->sk;
  if (!sk) return TCX_NEXT;
  sk = bpf_sk_fullsock(sk);
  if (!sk) return TCX_NEXT;
  __u8 *value = bpf_sk_storage_get(&prague_sockets, sk, 0, 0);
  if (!value || *value == KEEP) return TCX_NEXT;
  __u8 change = *value == MAKE_ECT_1 ? ECT_0 ^ ECT_1 : ECT_0;

  // The first words of the network header, and its offset, which depends on the kind of device.
  __u16 head[4], other[4];
  if (bpf_skb_load_bytes_relative(skb, 0, head, sizeof(head), BPF_HDR_START_NET)) return TCX_NEXT;
  if (bpf_skb_load_bytes(skb, 0, other, sizeof(other))) return TCX_NEXT;
  __u32 offset = ETHERNET_HEADER;
  if (head[0] == other[0] && head[1] == other[1] && head[2] == other[2] && head[3] == other[3]) offset = 0;

  __u8 *bytes = (__u8 *)head;
  __u16 old = head[0];
  // The ECN field ends the second byte in IPv4 (RFC 3168 §5), and the upper half of it in IPv6 (RFC 8200 §3).
  if (bytes[0] >> 4 == 4 && (bytes[1] & ECN_MASK) == ECT_0) {
    bytes[1] ^= change;
    if (bpf_l3_csum_replace(skb, offset + 10, old, head[0], sizeof(old))) return TCX_NEXT;
  } else if (bytes[0] >> 4 == 6 && (bytes[1] >> 4 & ECN_MASK) == ECT_0) {
    bytes[1] ^= change << 4;
  } else {
    return TCX_NEXT;
  }
  bpf_skb_store_bytes(skb, offset, head, sizeof(old), 0);
  return TCX_NEXT;
}
