#!/usr/bin/env bash
# Controls `jettison p4 serve` and `jettison live` with p4runtime-shell, a client of the P4 project, in a virtual environment under target/. If the
# package cannot be installed, prints a line `left out:` and exits with 3.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=target/p4runtime/venv
log=target/p4runtime/install.log

left_out() { echo "left out: p4runtime_shell ($*)" >&2; exit 3; }

mkdir -p target/p4runtime
if ! "$venv/bin/python" -c 'import p4runtime_sh' 2>/dev/null; then
  python3 -m venv "$venv" >"$log" 2>&1 || left_out "no virtual environment, see $log"
  "$venv/bin/pip" install --quiet p4runtime-shell==0.0.6 >"$log" 2>&1 || left_out "p4runtime-shell cannot be installed, see $log"
fi
# The build of the live tests, so that nothing is compiled twice.
"${CARGO:-cargo}" test --workspace --locked --no-run --test end_to_end --test all
"$venv/bin/python" crates/p4-runtime/tests/shell.py target/debug/jettison
"$venv/bin/python" crates/p4-runtime/tests/live.py target/debug/jettison
"$venv/bin/python" crates/p4-runtime/tests/closed_loop.py target/debug/jettison
