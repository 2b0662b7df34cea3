#!/usr/bin/env bash
# The Python package, for development and for the tests: an environment of its own with the tools that uv.lock pins, and the
# native module built with what `cargo test` has built.
#
#   python.sh          builds it and prints how to use it; lists missing dependencies and exits with 1 if it cannot
#   python.sh test     builds, checks and tests it; if the machine cannot, prints a line `left out:` and exits with 3
#   python.sh wheel    builds a release wheel (profile dist) into target/wheels, and tests it
#   python.sh notebooks [NAME…]
#                      builds it, executes the notebooks and renders them as pages of the book (python/book/notebook_pages.py)
#   python.sh api      writes the book's reference of the package (python/book/api.py)
#   python.sh bench [NAME ARGUMENT…]
#                      benchmarks the release build (profile dist) with python/bench/NAME.py (default bench); if the
#                      machine cannot, prints a line `left out:` and exits with 3
set -uo pipefail
cd "$(dirname "$0")/.."
export HOME="${HOME:-$(echo ~)}"
export PATH="$HOME/.cargo/bin:$PATH"
cargo=${CARGO:-cargo}
target=$(pwd)/target
mode=${1:-}
# The version of uv, which installs the rest.
uv_wanted=0.13.8

# Reports that this machine cannot do the task.
cannot() {
  case $mode in
    test | bench) echo "left out: python ($*)" >&2; exit 3 ;;
    *) echo "python: $*" >&2; exit 1 ;;
  esac
}

# The latest installed Python of the supported versions.
python=
for candidate in python3 python3.14 python3.13 python3.12 python3.11 python3.10; do
  if command -v "$candidate" >/dev/null && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
[ -n "$python" ] || cannot "Python 3.10 or later is not installed; on Debian: apt-get install python3 python3-venv"
"$python" -c 'import ensurepip, venv' 2>/dev/null || cannot "Python's venv is not installed; on Debian: apt-get install python3-venv"

# The environment. It is created again only if the lock file, uv or Python has changed.
venv=$target/python/venv
installed=$venv/.jettison-lock
wanted=$({ cat uv.lock; echo "$uv_wanted"; "$python" -VV; } | cksum)
if [ "$(cat "$installed" 2>/dev/null)" != "$wanted" ]; then
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  rm -rf "$venv"
  mkdir -p "$(dirname "$venv")"
  if ! { "$python" -m venv "$venv" && "$venv/bin/pip" install --disable-pip-version-check --quiet "uv==$uv_wanted" &&
    UV_PROJECT_ENVIRONMENT=$venv "$venv/bin/uv" sync --frozen --inexact --no-install-project --all-extras --all-groups --no-progress; } >"$log" 2>&1
  then
    cat "$log" >&2
    # Only a missing network is excused; other errors are failures.
    if grep -qiE 'name resolution|resolve host|dns error|connection refused|connection reset|timed out|unreachable|No matching distribution|error sending request|Failed to fetch' "$log"; then
      cannot "the Python package index is not reached"
    fi
    exit 1
  fi
  echo "$wanted" >"$installed"
fi

# The native module.
build() {
  local profile=$1 folder=$2
  shift 2
  "$cargo" build --locked --profile "$profile" "$@" || return 1
  local library=$target/$folder/lib_jettison.so
  [ -e "$library" ] || library=$target/$folder/lib_jettison.dylib
  # Replace it atomically: a process may have the old one open.
  cp "$library" python/jettison/.new.so && mv python/jettison/.new.so python/jettison/_jettison.abi3.so
}
# Builds and tests the wheel of `pip install .`, reusing build output. Other features would make it compile
# everything again: the wrapper makes maturin use the build of the tests.
wheel() {
  local made=$target/python/wheel wrapper=$target/python/cargo
  rm -rf "$made"
  cat >"$wrapper" <<'WRAPPER' && chmod +x "$wrapper" || return 1
#!/usr/bin/env bash
[ "$1" = rustc ] || exec cargo "$@"
exec cargo build --locked --profile test --workspace --lib --examples --features jettison-python/testing \
  --message-format json-render-diagnostics
WRAPPER
  CARGO=$wrapper "$venv/bin/maturin" build --quiet --profile test --out "$made" || return 1
  try_wheel "$made"/jettison-*.whl
}
# Tests a wheel outside of the checkout: installs it into its own folder and runs a short scenario.
try_wheel() {
  local site=$target/python/tried
  rm -rf "$site"
  "$venv/bin/uv" pip install --quiet --offline --no-deps --target "$site" "$1" || return 1
  (cd / && PYTHONPATH=$site "$venv/bin/python" - "$site" <<'PYTHON')
import sys
from pathlib import Path

import jettison

package = Path(jettison.__file__).parent
assert package.parent == Path(sys.argv[1]), package
assert (package / "py.typed").exists() and (package / "_jettison.pyi").exists()
assert not list(package.parent.rglob("test_*")), "the tests are in the wheel"
result = jettison.run(jettison.load("ired/ingress-vs-egress", quick=True).only(congestion="cubic").set("duration", "6 s"), seeds=1)
assert result.status == "complete" and len(result.queues) > 0
PYTHON
}
# Make it importable from everywhere, like an editable installation.
site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))') && echo "$(pwd)/python" >"$site/jettison.pth" || exit 1

case $mode in
  test)
    # Include examples, whose dependencies are those of tests: `cargo test --workspace` has built all but the module.
    build test debug --workspace --lib --examples --features jettison-python/testing || exit 1
    status=0
    run() {
      echo "-- $*"
      "$@" || status=1
    }
    run "$venv/bin/ruff" check --quiet python
    run "$venv/bin/ruff" format --quiet --check python
    run "$venv/bin/pyright" --pythonpath "$venv/bin/python"
    run "$venv/bin/uv" lock --check --quiet
    run wheel
    run env JETTISON="$target/debug/jettison" "$venv/bin/python" -m pytest --quiet --numprocesses auto python/tests
    exit $status
    ;;
  wheel)
    rm -rf "$target/wheels"
    "$venv/bin/maturin" build --profile dist --out "$target/wheels" || exit 1
    try_wheel "$target"/wheels/jettison-*.whl || exit 1
    echo "The wheel: $(echo "$target"/wheels/jettison-*.whl)"
    ;;
  notebooks)
    build release release -p jettison-python || exit 1
    "$venv/bin/python" python/book/notebook_pages.py "${@:2}"
    ;;
  api)
    "$venv/bin/python" python/book/api.py
    ;;
  bench)
    build dist dist -p jettison-python --features jettison-python/testing >&2 || exit 1
    "$venv/bin/python" "python/bench/${2:-bench}.py" "${@:3}"
    ;;
  *)
    build release release -p jettison-python || exit 1
    echo "The package jettison is in $venv: $venv/bin/python"
    ;;
esac
