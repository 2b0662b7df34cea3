#!/usr/bin/env bash
# run-tests.sh [ARGUMENT…]: compiles all tests of the workspace, then runs as many test programs at a time as there are cores:
# `cargo test` runs one after the other, and the tests of live runs mostly wait. The arguments go to each program. Exit status 1
# if a program failed.
set -uo pipefail
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$cargo" test --workspace --locked --no-run --message-format json-render-diagnostics >"$folder/built" || exit 1
# Of each test program: the folder of its package, in which Cargo would run it, and its path.
sed -nE 's|.*"manifest_path":"([^"]*)/Cargo.toml".*"profile":\{[^}]*"test":true\}.*"executable":"([^"]+)".*|\1\n\2|p' \
  "$folder/built" >"$folder/programs"

# Prints what a program has printed when it has ended, so that outputs do not mix.
one() {
  local package=$1 program=$2 output status=0
  shift 2
  output=$(mktemp "$FOLDER/output.XXXXXX")
  (cd "$package" && exec "$program" "$@") >"$output" 2>&1 </dev/null || status=$?
  {
    flock 9
    echo "     Running ${program##*/} in ${package##*/}"
    cat "$output"
    [ $status -eq 0 ] || echo "error: ${program##*/} failed with status $status; to repeat: (cd $package && $program)"
  } 9>"$FOLDER/lock"
  rm -f "$output"
  return $status
}
export -f one
export FOLDER=$folder
status=0
# xargs appends a folder and a program to the arguments.
xargs -P "$(nproc)" -n 2 bash -c 'one "${@: -2}" "${@:1:$#-2}"' run "$@" <"$folder/programs" || status=1
"$cargo" test --workspace --locked --doc || status=1
exit $status
