// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause OR GPL-2.0-only
//
// Counts the sockets that use a congestion control, in all network namespaces. The loader attaches the program to
// the control's map of sockets and reads the iterator to its end; the iterator has no output.

#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

// Sockets with a connection that a program has open.
__u64 open = 0;
// Sockets that their programs have closed, and whose data or FIN the peer has not yet acknowledged.
__u64 closing = 0;

SEC("iter/bpf_sk_storage_map")
int count_sockets(struct bpf_iter__bpf_sk_storage_map *context) {
  struct sock *sk = context->sk;
  if (!sk || sk->__sk_common.skc_state == TCP_CLOSE) return 0;
  if (sk->__sk_common.skc_flags >> SOCK_DEAD & 1)
    closing++;
  else
    open++;
  return 0;
}
