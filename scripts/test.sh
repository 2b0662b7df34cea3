#!/usr/bin/env bash
# Everything that must hold, step by step. A step that fails does not keep the later ones from running; the end says
# which failed, and the exit status is 1 if any did.
set -uo pipefail
cd "$(dirname "$0")/.."
export HOME="${HOME:-$(echo ~)}"
export PATH="$HOME/.cargo/bin:$PATH"
cargo=${CARGO:-cargo}

# Without Python its native module is checked all the same: it is built for the stable ABI.
command -v python3 >/dev/null || export PYO3_NO_PYTHON=1

results=()
failed=0
step() {
  local name=$1 status
  shift
  echo "== $name: $*"
  if "$@"; then
    results+=("ok      $name")
  else
    status=$?
    results+=("FAILED  $name (status $status)")
    failed=1
  fi
}

# First, so that the tests can drive the page in a browser.
echo "== page: scripts/web.sh"
scripts/web.sh
case $? in
  0) results+=("ok      page") ;;
  3) results+=("left    page (see above)") ;;
  *) results+=("FAILED  page") failed=1 ;;
esac
# What real programs are tested with; without them their tests say that they are left out.
if [ "$(id -u)" -eq 0 ]; then
  echo "== programs: scripts/live-deps.sh"
  if scripts/live-deps.sh; then
    results+=("ok      programs of live runs")
  else
    results+=("left    programs of live runs (see above; the tests say which they leave out)")
  fi
else
  results+=("left    programs of live runs (not root; \`make live-deps\` installs them)")
fi
step format "$cargo" fmt --all --check
step format-bpf "$cargo" fmt --manifest-path bpf/loader/Cargo.toml --check
step clippy "$cargo" clippy --workspace --all-targets --features jettison-python/testing --locked -- -D warnings
# Unit, property and end-to-end tests (those run the built command), and the examples in the documentation.
step tests "$cargo" test --workspace --locked --no-fail-fast
# With what the tests have built.
echo "== python: scripts/python.sh test"
scripts/python.sh test
case $? in
  0) results+=("ok      python") ;;
  3) results+=("left    python (see above)") ;;
  *) results+=("FAILED  python") failed=1 ;;
esac
step documentation env RUSTDOCFLAGS=-Dwarnings "$cargo" doc --workspace --no-deps --locked
step tree scripts/check-tree.sh
if command -v cargo-deny >/dev/null; then
  step dependencies "$cargo" deny --log-level error check bans licenses sources
else
  results+=("left    dependencies (cargo-deny is not installed; \`make deny\` installs and runs it)")
fi

echo
printf '%s\n' "${results[@]}"
exit $failed
