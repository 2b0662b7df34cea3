#!/usr/bin/env bash
# `make test`: all checks but those that need browsers, players or web servers (`make test-live`), step by step. A step that
# fails does not stop the later ones; a list at the end shows the result and time of each, and the exit status
# is 1 if any failed.
set -uo pipefail
cd "$(dirname "$0")/.."
export HOME="${HOME:-$(echo ~)}"
export PATH="$HOME/.cargo/bin:$PATH"
cargo=${CARGO:-cargo}

# The whole workspace is compiled once; incremental compilation would make that slower.
export CARGO_INCREMENTAL=0
# The native module is checked even without Python, because it is built for the stable ABI.
command -v python3 >/dev/null || export PYO3_NO_PYTHON=1

# shellcheck source=steps.sh
source scripts/steps.sh

step format scripts/format.sh --check
step clippy "$cargo" clippy --workspace --all-targets --features jettison-python/testing --locked -- -D warnings
# Unit, property and end-to-end tests (those run the built command), and the examples in the documentation.
step tests scripts/run-tests.sh --skip live_programs:: --skip browser:: --skip a_command_reaches_the_world_through_the_machine
# Reuses the build of the tests.
optional_step python scripts/python.sh test
step documentation env RUSTDOCFLAGS=-Dwarnings "$cargo" doc --workspace --no-deps --locked
step tree scripts/check-tree.sh
if command -v cargo-deny >/dev/null; then
  step dependencies "$cargo" deny --log-level error check bans licenses sources
else
  leave dependencies "cargo-deny is not installed; \`make deny\` installs and runs it"
fi

finish
