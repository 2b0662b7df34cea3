#!/usr/bin/env bash
# Checks the dependencies of Rust (Cargo.lock, fuzz/Cargo.lock) and Python (uv.lock) against databases of advisories.
#
# Rust: cargo-audit, or else cargo-deny, with the RustSec database. ADVISORY_DB names a checkout of it; without it the database is
# fetched (https://github.com/RustSec/advisory-db). Python: `uv audit` or pip-audit, which ask the network.
#
# Exit status: 0 all were checked and nothing was found, 1 an advisory applies, 2 nothing was found, but a part could not be
# checked, because a program or a database is missing; the output says which.
set -uo pipefail
cd "$(dirname "$0")/.."
export PATH="$HOME/.cargo/bin:$PATH"
cargo=${CARGO:-cargo}
output=$(mktemp)
trap 'rm -f "$output"' EXIT
status=0
unchecked() {
  echo "audit: NOT CHECKED: $1 ($2)"
  [ $status -eq 1 ] || status=2
}
vulnerable() {
  echo "audit: advisories apply to $1"
  status=1
}

database=${ADVISORY_DB:-}
if [ -n "$database" ] && [ ! -d "$database/crates" ]; then
  echo "audit: ADVISORY_DB must be a checkout of RustSec's advisory-db, with a folder crates; got $database" >&2
  exit 2
fi

# Runs a check; its output decides between a finding and a database that cannot be reached.
check() {
  local what=$1 unreachable=$2
  shift 2
  if "$@" >"$output" 2>&1; then
    echo "audit: $what: no advisory applies"
  elif grep -qiE "$unreachable" "$output"; then
    unchecked "$what" "no database: $(grep -iE "$unreachable" "$output" | head -n 1)"
  else
    cat "$output"
    vulnerable "$what"
  fi
}

network="couldn.t fetch|failed to fetch|error fetching|could not resolve|network|connection|timed out|unable to find|No such host"
for lock in Cargo.lock fuzz/Cargo.lock bpf/loader/Cargo.lock; do
  [ -f "$lock" ] || continue
  if command -v cargo-audit >/dev/null; then
    options=()
    [ -n "$database" ] && options=(--db "$database" --no-fetch --stale)
    check "$lock" "$network" "$cargo" audit --quiet "${options[@]}" --file "$lock"
  elif command -v cargo-deny >/dev/null; then
    options=()
    configuration=deny.toml
    if [ -n "$database" ]; then
      # cargo-deny looks for databases in a folder, each in one whose name is derived from its address: ours is told to it as an address.
      configuration=$output.toml
      { cat deny.toml; printf '\n[advisories]\ndb-urls = ["file://%s"]\n' "$(realpath "$database")"; } >"$configuration"
    fi
    check "$lock" "$network" "$cargo" deny --manifest-path "$(dirname "$lock")/Cargo.toml" --log-level error \
      check --config "$(realpath "$configuration")" "${options[@]}" advisories
    [ "$configuration" = deny.toml ] || rm -f "$configuration"
  else
    unchecked "$lock" "neither cargo-audit nor cargo-deny is installed; cargo install cargo-audit --locked"
  fi
done

if command -v uv >/dev/null && uv audit --help >/dev/null 2>&1; then
  check uv.lock "$network" uv audit --frozen
elif command -v pip-audit >/dev/null && command -v uv >/dev/null; then
  requirements=$output.txt
  uv export --frozen --quiet --no-emit-project --format requirements-txt >"$requirements"
  check uv.lock "$network" pip-audit --disable-pip --requirement "$requirements"
  rm -f "$requirements"
else
  unchecked uv.lock "it needs uv with \`uv audit\`, or uv and pip-audit: pip install uv pip-audit"
fi

case $status in
  0) echo "audit: everything was checked" ;;
  2) echo "audit: nothing found, but not everything was checked: status 2" ;;
esac
exit $status
