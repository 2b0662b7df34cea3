// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause OR GPL-2.0-only
//
// DCTCP for the kernel's TCP (RFC 8257), for kernels without their own.
//
// Principle: if a queue marks above a low threshold, the share of marked packets, alpha, measures congestion; the window is
// reduced by half of that share, not by half. All else is the kernel's Reno. The rules and constants are those of the
// simulator's `dctcp`. Units: packets.
//
// From a mark until the end of the kernel's CWR state the window does not grow. The kernel approaches the reduced window
// by its PRR, and drops the packets acknowledged towards the next increase; the controller keeps them, as it keeps the
// fraction of the window, since both would be lost with each of many small reductions.

#include "marks.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

// See newcwv.bpf.c.
char LICENSE[] SEC("license") = "Dual BSD/GPL";

// The sockets that use the controller, for sockets.bpf.c.
struct {
  __uint(type, BPF_MAP_TYPE_SK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, __s32);
  __type(value, __u8);
} dctcp_sockets SEC(".maps");

extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;

// State of a socket.
struct dctcp {
  struct marks marks;
  __u32 window_end; // DCTCP.WindowEnd
  __u32 fraction; // of the window, in 1/2^32 packets
  __u32 acked; // packets acknowledged towards the next increase of the window
  __u32 prior_window; // before the last reduction
  __u32 rcv_nxt; // before the newest packet
  __u8 is_by_marks; // the last reduction was for marks, as far as known
  __u8 ce; // DCTCP.CE
};
_Static_assert(sizeof(struct dctcp) <= sizeof(((struct inet_connection_sock *)0)->icsk_ca_priv), "icsk_ca_priv is too small");

static __always_inline struct dctcp *state_of(struct sock *sk) {
  return (struct dctcp *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

SEC("struct_ops/dctcp_init")
void BPF_PROG(dctcp_init, struct sock *sk) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct dctcp *c = state_of(sk);
  bpf_sk_storage_get(&dctcp_sockets, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
  start_average(&c->marks, tp);
  c->window_end = tp->snd_una;
  c->fraction = 0;
  c->acked = 0;
  c->prior_window = 0;
  c->rcv_nxt = tp->rcv_nxt;
  c->is_by_marks = 0;
  c->ce = 0;
}

SEC("struct_ops/dctcp_release")
void BPF_PROG(dctcp_release, struct sock *sk) { bpf_sk_storage_delete(&dctcp_sockets, sk); }

// RFC 8257 §3.3 steps 4 to 8, for each ACK.
SEC("struct_ops/dctcp_in_ack_event")
void BPF_PROG(dctcp_in_ack_event, struct sock *sk, __u32 flags) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct dctcp *c = state_of(sk);
  if (!is_after(tp->snd_una, c->window_end)) return;
  end_window(&c->marks, tp);
  c->window_end = tp->snd_nxt;
}

// RFC 8257 §3.4: as Reno.
SEC("struct_ops/dctcp_cong_avoid")
void BPF_PROG(dctcp_cong_avoid, struct sock *sk, __u32 ack, __u32 acked) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct dctcp *c = state_of(sk);
  tp->snd_cwnd_cnt = c->acked;
  tcp_reno_cong_avoid(sk, ack, acked);
  c->acked = tp->snd_cwnd_cnt;
}

// RFC 8257 §3.3 step 9. The kernel calls this before it says why: `set_state` corrects the value after a loss.
SEC("struct_ops/dctcp_ssthresh")
__u32 BPF_PROG(dctcp_ssthresh, struct sock *sk) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct dctcp *c = state_of(sk);
  __u64 window = reduced(&c->marks, (__u64)tp->snd_cwnd << WINDOW_BITS | c->fraction);
  c->prior_window = tp->snd_cwnd;
  c->fraction = (__u32)window;
  c->is_by_marks = 1;
  return most((__u32)(window >> WINDOW_BITS), 2);
}

SEC("struct_ops/dctcp_set_state")
void BPF_PROG(dctcp_set_state, struct sock *sk, __u8 new_state) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct dctcp *c = state_of(sk);
  if (new_state <= TCP_CA_Disorder) c->is_by_marks = 0;
  // RFC 8257 §3.5: a loss halves the window, also one less than an RTT after a mark: from the window before the mark, so
  // that there is one reduction per window of data.
  if (new_state >= TCP_CA_Recovery && c->is_by_marks) {
    tp->snd_ssthresh = most(c->prior_window / 2, 2);
    c->fraction = 0;
    c->acked = 0;
    c->is_by_marks = 0;
  }
}

// The loss was spurious.
SEC("struct_ops/dctcp_undo_cwnd")
__u32 BPF_PROG(dctcp_undo_cwnd, struct sock *sk) {
  return most(((struct tcp_sock *)sk)->snd_cwnd, state_of(sk)->prior_window);
}

// RFC 8257 §3.2: ECE is set if and only if the newest packet had CE. Before a change, a delayed ACK is sent for the packets
// before it, with the former ECE. The kernel does not let the controller send one for the packet itself at once. With AccECN
// the kernel counts instead.
SEC("struct_ops/dctcp_cwnd_event")
void BPF_PROG(dctcp_cwnd_event, struct sock *sk, enum tcp_ca_event event) {
  struct tcp_sock *tp = (struct tcp_sock *)sk;
  struct dctcp *c = state_of(sk);
  if ((event != CA_EVENT_ECN_IS_CE && event != CA_EVENT_ECN_NO_CE) || tp->ecn_flags & TCP_ECN_MODE_ACCECN) return;
  __u8 ce = event == CA_EVENT_ECN_IS_CE;
  if (ce != c->ce && tp->inet_conn.icsk_ack.pending & ICSK_ACK_TIMER) {
    if (c->ce)
      tp->ecn_flags |= TCP_ECN_DEMAND_CWR;
    else
      tp->ecn_flags &= ~TCP_ECN_DEMAND_CWR;
    bpf_tcp_send_ack(tp, c->rcv_nxt);
  }
  c->ce = ce;
  c->rcv_nxt = tp->rcv_nxt;
  if (ce)
    tp->ecn_flags |= TCP_ECN_DEMAND_CWR;
  else
    tp->ecn_flags &= ~TCP_ECN_DEMAND_CWR;
}

SEC(".struct_ops.link")
struct tcp_congestion_ops dctcp = {
  .init = (void *)dctcp_init,
  .release = (void *)dctcp_release,
  .ssthresh = (void *)dctcp_ssthresh,
  .cong_avoid = (void *)dctcp_cong_avoid,
  .set_state = (void *)dctcp_set_state,
  .cwnd_event = (void *)dctcp_cwnd_event,
  .in_ack_event = (void *)dctcp_in_ack_event,
  .undo_cwnd = (void *)dctcp_undo_cwnd,
  .flags = TCP_CONG_NON_RESTRICTED | TCP_CONG_NEEDS_ECN,
  .name = "dctcp",
};
