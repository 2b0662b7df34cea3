#!/usr/bin/env bash
# Runs the fuzz targets (fuzz/fuzz_targets/*.rs), each for a time, and keeps the inputs that reach new code in fuzz/corpus/.
# Inputs of fuzz/seeds/<target>/ are always tried first.
#
#   fuzz.sh check            compiles the targets, without instrumentation
#   fuzz.sh [TARGET…]        runs these; all without a name
#
# Environment: SECONDS_EACH (60) seconds for each target; JOBS (1) processes for a target; SANITIZER=address for
# AddressSanitizer, which takes twice the time: the crates under test have no unsafe code, some dependencies do.
#
# It needs the pinned toolchain and a C++ compiler for libFuzzer; no nightly compiler, as coverage is a pass of LLVM that the
# stable compiler has too. Exit status: 0 without findings, 1 with findings (fuzz/artifacts/<target>/ has the inputs), 2 if
# something cannot be built or a target does not exist.
set -uo pipefail
cd "$(dirname "$0")/.."
export PATH="$HOME/.cargo/bin:$PATH"
cargo=${CARGO:-cargo}

if [ "${1:-}" = check ]; then
  # In the workspace's folder, so that what its tests have compiled is used. Not --locked: fuzz/Cargo.lock follows the dependencies of
  # the crates under test.
  exec "$cargo" check --quiet --manifest-path fuzz/Cargo.toml --bins --target-dir target
fi

mapfile -t known < <(sed -n 's/^name = "\(.*\)"/\1/p' fuzz/Cargo.toml | tail -n +2)
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=("${known[@]}")
for target in "${targets[@]}"; do
  if [[ " ${known[*]} " != *" $target "* ]]; then
    echo "fuzz: no target $target; the targets are: ${known[*]}" >&2
    exit 2
  fi
done
if ! command -v c++ >/dev/null && ! command -v clang++ >/dev/null; then
  echo "fuzz: libFuzzer needs a C++ compiler; install g++ or clang" >&2
  exit 2
fi

# The instrumentation that libFuzzer reads: counters at each edge, and the operands of comparisons.
flags="--cfg fuzzing -Ccodegen-units=1 -Cpasses=sancov-module"
for option in level=4 inline-8bit-counters pc-table trace-compares; do
  flags+=" -Cllvm-args=-sanitizer-coverage-$option"
done
case ${SANITIZER:-none} in
  none) ;;
  address)
    # The compiler has sanitizers, but their option is not stable.
    export RUSTC_BOOTSTRAP=1
    flags+=" -Zsanitizer=address"
    ;;
  *) echo "fuzz: SANITIZER must be none or address, got $SANITIZER" >&2; exit 2 ;;
esac
host=$(rustc -vV | sed -n 's/^host: //p')
bins=()
for target in "${targets[@]}"; do bins+=(--bin "$target"); done
# With --target, build scripts and macros are not instrumented.
CARGO_INCREMENTAL=0 RUSTFLAGS="$flags" "$cargo" build --release --manifest-path fuzz/Cargo.toml \
  --target "$host" --target-dir target/fuzz "${bins[@]}" || exit 2

seconds=${SECONDS_EACH:-60}
found=()
for target in "${targets[@]}"; do
  corpus=fuzz/corpus/$target artifacts=fuzz/artifacts/$target
  mkdir -p "$corpus" "$artifacts"
  seeds=()
  [ -d "fuzz/seeds/$target" ] && seeds=("fuzz/seeds/$target")
  dictionary=()
  [ -f "fuzz/seeds/$target.dict" ] && dictionary=("-dict=fuzz/seeds/$target.dict")
  log=$artifacts/log.txt
  echo "fuzz: $target for $seconds s"
  options=(-max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0)
  [ "${JOBS:-1}" -gt 1 ] && options+=(-fork="$JOBS" -ignore_crashes=0)
  "target/fuzz/$host/release/$target" "${options[@]}" "${dictionary[@]}" -artifact_prefix="$artifacts/" \
    "$corpus" "${seeds[@]}" >"$log" 2>&1
  status=$?
  executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
  echo "      ${executed:-?} inputs, $(find "$corpus" -type f | wc -l) in the corpus"
  if [ $status -ne 0 ]; then
    found+=("$target")
    tail -n 40 "$log"
    echo "fuzz: a finding in $target; to repeat it: target/fuzz/$host/release/$target <an input of $artifacts/>"
  fi
done
if [ ${#found[@]} -gt 0 ]; then
  echo "fuzz: findings in: ${found[*]}" >&2
  exit 1
fi
echo "fuzz: no findings in ${#targets[@]} targets"
