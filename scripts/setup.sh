#!/usr/bin/env bash
# Installs missing build dependencies with apt, through sudo if not root. If it cannot, it lists
# the packages and exits with 1. Nothing is changed on a complete machine.
#
# `setup.sh bench` also installs the optional dependency of `make bench`: valgrind, to count instructions.
set -euo pipefail
cd "$(dirname "$0")/.."
export HOME="${HOME:-$(echo ~)}"
export PATH="$HOME/.cargo/bin:$PATH"

say() { echo "setup: $*" >&2; }
# shellcheck source=packages.sh
source scripts/packages.sh

# Prints nothing and succeeds if a C program can be compiled and linked: Rust needs the linker and the C start-up files.
can_link() {
  local scratch status=0
  command -v cc >/dev/null || return 1
  scratch=$(mktemp -d)
  printf '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n' >"$scratch/probe.c"
  cc "$scratch/probe.c" -o "$scratch/probe" >/dev/null 2>&1 || status=1
  rm -rf "$scratch"
  return $status
}

if [ "${1:-}" = bench ]; then
  command -v valgrind >/dev/null || install_packages valgrind ||
    say "continuing without valgrind: instructions will not be counted"
  exit 0
fi

# 1. A C linker and headers, which rustup does not include.
if ! can_link; then
  install_packages gcc libc6-dev
  can_link || { say "cc still cannot link a C program; compile a small one with 'cc' to see its error"; exit 1; }
fi

# 2. Dependencies of newCWV for the kernel (crates/cc/build.rs checks for the same). Everything else builds without.
can_build_bpf() {
  local scratch status=0
  for program in clang pkg-config make; do command -v $program >/dev/null || return 1; done
  scratch=$(mktemp -d)
  printf '#include <libelf.h>\n#include <zlib.h>\nint main(void) { return elf_version(EV_CURRENT) == 0 || zlibCompileFlags() == 0; }\n' \
    >"$scratch/probe.c"
  cc "$scratch/probe.c" -o "$scratch/probe" -lelf -lz >/dev/null 2>&1 || status=1
  rm -rf "$scratch"
  return $status
}
if [ "$(uname -s)" = Linux ] && ! can_build_bpf; then
  install_packages clang libelf-dev zlib1g-dev pkg-config make || true
  can_build_bpf || say "continuing without newCWV for the kernel: \`jettison cc\` will list what is missing"
fi

# 3. Python with its venv, for the Python package and its tests. The command builds without it.
has_python() { python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; }
if ! has_python; then
  install_packages python3 python3-venv || true
  has_python || say "continuing without Python 3.10 or later and its venv: the Python package is skipped"
fi

# 4. Rust, of the version that rust-toolchain.toml names.
wanted=$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)
if ! command -v cargo >/dev/null; then
  # A new machine may have no package lists yet.
  if command -v apt-get >/dev/null && ! has_package rustup && as_root true; then update_lists; fi
  if has_package rustup; then
    install_packages rustup
  else
    say "Rust is missing. Install rustup (https://rustup.rs) and run make again, which installs Rust $wanted."
    exit 1
  fi
  hash -r
  command -v rustup >/dev/null || { say "rustup was installed but is not found; is it in PATH?"; exit 1; }
fi
if command -v rustup >/dev/null; then
  if ! rustup run "$wanted" rustc --version >/dev/null 2>&1 ||
    ! rustup run "$wanted" cargo clippy --version >/dev/null 2>&1 ||
    ! rustup run "$wanted" cargo fmt --version >/dev/null 2>&1; then
    say "installing Rust $wanted"
    rustup toolchain install "$wanted" --profile minimal --component rustfmt --component clippy >&2
  fi
else
  have=$(cargo --version | sed -n 's/^cargo \([0-9.]*\).*/\1/p')
  if [ "$(printf '%s\n%s\n' "$wanted" "$have" | sort -V | head -n 1)" != "$wanted" ]; then
    say "Rust must be $wanted or later, got $have; install rustup (https://rustup.rs)."
    exit 1
  fi
fi
