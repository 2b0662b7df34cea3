// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause OR GPL-2.0-only
//
// Per-packet sojourn time in the root queue discipline of the device `neck`: from the start of enqueueing
// (net_dev_queue) to the handover to the driver (net_dev_start_xmit). Packets that leave in the measured window count.
// Units: nanoseconds of CLOCK_MONOTONIC.

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
enum { BPF_MAP_TYPE_HASH = 1, BPF_MAP_TYPE_ARRAY = 2, BPF_ANY = 0 };

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct net_device {
  char name[16];
};
struct sk_buff {
  struct net_device *dev;
  unsigned char *head;
  __u16 network_header;
};
#pragma clang attribute pop

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define BIN_NS 50000
#define BINS 40000

// One record, which user space zeroes and gives a window, and reads afterwards.
struct measurement {
  __u64 from, until; // window
  __u64 packets; // that left
  __u64 sum, highest; // of sojourn times
  __u64 marks; // left with CE
  __u64 unmatched; // left without a known arrival
  __u64 bins[BINS]; // sojourn times in steps of BIN_NS; the last bin holds all above
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct measurement);
} measured SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 65536);
  __type(key, __u64);
  __type(value, __u64);
} arrivals SEC(".maps");

static __always_inline int is_bottleneck(const struct net_device *device) {
  return device->name[0] == 'n' && device->name[1] == 'e' && device->name[2] == 'c' && device->name[3] == 'k' &&
    device->name[4] == 0;
}

SEC("tp_btf/net_dev_queue")
int BPF_PROG(arrive, struct sk_buff *skb) {
  if (!is_bottleneck(skb->dev)) return 0;
  __u64 packet = (__u64)skb;
  __u64 now = bpf_ktime_get_ns();
  bpf_map_update_elem(&arrivals, &packet, &now, BPF_ANY);
  return 0;
}

SEC("tp_btf/net_dev_start_xmit")
int BPF_PROG(leave, struct sk_buff *skb, struct net_device *device) {
  if (!is_bottleneck(device)) return 0;
  __u64 packet = (__u64)skb;
  __u32 zero = 0;
  __u64 now = bpf_ktime_get_ns();
  struct measurement *m = bpf_map_lookup_elem(&measured, &zero);
  if (!m) return 0;
  __u64 *arrival = bpf_map_lookup_elem(&arrivals, &packet);
  int counts = now >= m->from && now < m->until;
  if (!arrival) {
    if (counts) m->unmatched++;
    return 0;
  }
  __u64 sojourn = now - *arrival;
  bpf_map_delete_elem(&arrivals, &packet);
  if (!counts) return 0;
  m->packets++;
  m->sum += sojourn;
  if (sojourn > m->highest) m->highest = sojourn;
  __u64 bin = sojourn / BIN_NS;
  if (bin >= BINS) bin = BINS - 1;
  m->bins[bin]++;
  __u8 tos = 0;
  bpf_probe_read_kernel(&tos, 1, skb->head + skb->network_header + 1);
  if ((tos & 3) == 3) m->marks++;
  return 0;
}
