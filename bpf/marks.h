// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause OR GPL-2.0-only
//
// Common parts of the scalable controllers: the moving average of the share of marked packets, and the reduction by half
// of it. Packets count, not bytes, as in the kernel's counters.
#pragma once

#include "kernel.h"

#include <bpf/bpf_helpers.h>

// Alpha has 20 fractional bits (draft-briscoe-iccrg-prague-congestion-control §2.3.2).
#define ALPHA_BITS 20
#define ALPHA_ONE (1u << ALPHA_BITS)
// The gain g is 1/16 (the same section, and RFC 8257 §4.2).
#define GAIN_SHIFT 4
// A window has 32 fractional bits.
#define WINDOW_BITS 32

// The average, and the counters at the start of the observation window.
struct marks {
  __u32 upscaled; // alpha / g, which keeps small shares
  __u32 delivered;
  __u32 delivered_ce;
};

static __always_inline __u32 least(__u32 a, __u32 b) { return a < b ? a : b; }
static __always_inline __u32 most(__u32 a, __u32 b) { return a > b ? a : b; }

// Whether sequence number `a` is after `b`.
static __always_inline int is_after(__u32 a, __u32 b) { return (__s32)(b - a) < 0; }

static __always_inline __u32 alpha_of(const struct marks *m) { return m->upscaled >> GAIN_SHIFT; }

static __always_inline void start_window(struct marks *m, const struct tcp_sock *tp) {
  m->delivered = tp->delivered;
  m->delivered_ce = tp->delivered_ce;
}

// RFC 8257 §3.3: alpha starts at 1.
static __always_inline void start_average(struct marks *m, const struct tcp_sock *tp) {
  m->upscaled = ALPHA_ONE << GAIN_SHIFT;
  start_window(m, tp);
}

// RFC 8257 §3.3: alpha = (1 - g) * alpha + g * M, M the share of marked packets since the last update.
static __always_inline void end_window(struct marks *m, const struct tcp_sock *tp) {
  __u32 delivered = tp->delivered - m->delivered;
  __u32 marked = least(tp->delivered_ce - m->delivered_ce, delivered);
  if (delivered) {
    __u32 share = (__u32)(((__u64)marked << ALPHA_BITS) / delivered);
    m->upscaled = least(m->upscaled - (m->upscaled >> GAIN_SHIFT) + share, ALPHA_ONE << GAIN_SHIFT);
  }
  start_window(m, tp);
}

// RFC 8257 §3.3, draft §2.4.2: (1 - alpha / 2) * window, for a window with fraction.
static __always_inline __u64 reduced(const struct marks *m, __u64 window) {
  return window - (window >> (ALPHA_BITS + 1)) * alpha_of(m);
}
