// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause OR GPL-2.0-only
//
// Declarations of the running kernel for the programs of this folder, with only the members that they use. The loader
// relocates them by the kernel's BTF (CO-RE), so neither order nor offsets matter here, and one object works with many
// kernels.
#pragma once

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

enum tcp_ca_event {
  CA_EVENT_TX_START,
  CA_EVENT_CWND_RESTART,
  CA_EVENT_COMPLETE_CWR,
  CA_EVENT_LOSS,
  CA_EVENT_ECN_NO_CE, // a packet without CE arrived
  CA_EVENT_ECN_IS_CE, // a packet with CE arrived
};

enum tcp_ca_state {
  TCP_CA_Open,
  TCP_CA_Disorder,
  TCP_CA_CWR,
  TCP_CA_Recovery,
  TCP_CA_Loss,
};

// Values of sk_pacing_status.
#define SK_PACING_NONE 0
#define SK_PACING_NEEDED 1

// State of a socket without a connection.
#define TCP_CLOSE 7

// Number of the bit of skc_flags for a socket that its program has closed.
#define SOCK_DEAD 0

#define BPF_MAP_TYPE_SK_STORAGE 24
#define BPF_F_NO_PREALLOC 1
#define BPF_SK_STORAGE_GET_F_CREATE 1
#define BPF_HDR_START_NET 1

// Value of tcp_congestion_ops.flags: any user may choose this controller for a socket.
#define TCP_CONG_NON_RESTRICTED 1
// A socket of this controller asks for ECN, whatever net.ipv4.tcp_ecn says. Its SYN is ECN-capable.
#define TCP_CONG_NEEDS_ECN 2
// It asks for AccECN. Kernels without AccECN reject the flag.
#define TCP_CONG_NEEDS_ACCECN 4
// Its SYN is marked ECT(1), not ECT(0). Data remains ECT(0) all the same.
#define TCP_CONG_ECT_1_NEGOTIATION 8

// Bits of ecn_flags: ECN as in RFC 3168 is in use; the receiver sets ECE in its ACKs; AccECN is in use.
#define TCP_ECN_OK 1
#define TCP_ECN_DEMAND_CWR 4
#define TCP_ECN_MODE_ACCECN 16

// Bit of icsk_ack.pending: an ACK is delayed.
#define ICSK_ACK_TIMER 2

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock_common {
  volatile __u8 skc_state;
  unsigned long skc_flags;
};

struct sock {
  struct sock_common __sk_common;
  __u32 sk_pacing_status;
  unsigned long sk_pacing_rate; // bytes/s
};

struct inet_connection_sock {
  __u8 icsk_ca_state : 5;
  __u32 icsk_rto; // jiffies
  struct {
    __u8 pending;
  } icsk_ack;
  __u64 icsk_ca_priv[13];
};

struct tcp_sock {
  struct inet_connection_sock inet_conn;
  __u32 delivered;
  __u32 delivered_ce; // packets of those that were marked
  __u8 ecn_flags;
  __u8 is_cwnd_limited : 1;
  __u32 lost_out;
  __u32 lsndtime; // jiffies
  __u32 mss_cache;
  __u32 packets_out;
  __u32 prr_out; // packets sent in this recovery
  __u32 rcv_nxt;
  __u32 retrans_out;
  __u32 sacked_out;
  __u32 snd_cwnd;
  __u32 snd_cwnd_cnt;
  __u32 snd_cwnd_clamp;
  __u32 snd_cwnd_stamp;
  __u32 snd_nxt;
  __u32 snd_ssthresh;
  __u32 snd_una;
  __u32 srtt_us; // of the smoothed RTT, times 8
  __u64 tcp_mstamp; // µs: when what is being handled began
  __u32 total_retrans;
};

struct ack_sample {
  __u32 pkts_acked;
  __u32 in_flight; // packets delivered since the newest acknowledged segment left, times the MSS
};

struct rate_sample {
  __u32 prior_in_flight; // packets, before the ACK
};

struct tcp_congestion_ops {
  __u32 (*ssthresh)(struct sock *sk);
  void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
  void (*set_state)(struct sock *sk, __u8 new_state);
  void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
  // Not in all kernels. Where it exists, it replaces `cwnd_event` with CA_EVENT_TX_START; the loader clears it elsewhere.
  void (*cwnd_event_tx_start)(struct sock *sk);
  void (*in_ack_event)(struct sock *sk, __u32 flags);
  void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
  // With two arguments before Linux 6.10.
  void (*cong_control)(struct sock *sk, __u32 ack, int flag, const struct rate_sample *sample);
  __u32 (*min_tso_segs)(struct sock *sk);
  __u32 (*undo_cwnd)(struct sock *sk);
  char name[16];
  __u32 flags;
  void (*init)(struct sock *sk);
  void (*release)(struct sock *sk);
};

// Context of a program for packets of a device, with the socket that sent the packet.
struct bpf_sock;
struct __sk_buff {
  struct bpf_sock *sk;
};

// Context of an iterator over the sockets of a map of type BPF_MAP_TYPE_SK_STORAGE.
struct bpf_iter_meta;
struct bpf_map;
struct bpf_iter__bpf_sk_storage_map {
  struct bpf_iter_meta *meta;
  struct bpf_map *map;
  struct sock *sk;
  void *value;
};

#pragma clang attribute pop
