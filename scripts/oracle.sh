#!/usr/bin/env bash
# `make oracle`: measures all cases of oracle/cases.toml in each kernel, verifies newCWV in the kernels, and rewrites
# docs/src/appendix/linux.md. With arguments, runs `oracle` with them.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$HOME/.cargo/bin:$PATH"
cargo=${CARGO:-cargo}
oracle() { "$cargo" run --release --quiet --locked --package jettison-oracle -- "$@"; }
if [ $# -gt 0 ]; then
  oracle "$@"
  exit
fi
oracle measure --kernel new --jobs "$(nproc)"
oracle exported --kernel stable
oracle page
crates/cc/tests/kernel/in-vm oracle/vm/linux-vm trixie new
