#!/usr/bin/env bash
# Installs what building needs and this machine lacks: with apt, through sudo if not root. Where it cannot, it says
# which packages are wanted and exits with 1. A machine that has everything is left alone.
#
# `setup.sh bench` installs what only `make bench` uses, if it can: without valgrind no instructions are counted.
set -euo pipefail
cd "$(dirname "$0")/.."
export HOME="${HOME:-$(echo ~)}"
export PATH="$HOME/.cargo/bin:$PATH"

say() { echo "setup: $*" >&2; }

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

# Runs a command as root, through sudo if need be; gives 2 if this user cannot become root.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    sudo "$@"
  else
    return 2
  fi
}

lists_are_fresh=
update_lists() {
  [ -z "$lists_are_fresh" ] || return 0
  lists_are_fresh=yes
  as_root apt-get update -qq >&2 || say "apt-get update failed; trying with the package lists at hand"
}

has_package() { command -v apt-cache >/dev/null && [ -n "$(apt-cache --names-only search "^$1\$" 2>/dev/null)" ]; }

install_packages() {
  local status=0
  if ! command -v apt-get >/dev/null; then
    say "this machine lacks: $*  (these are Debian's names; install what they hold and run make again)"
    return 1
  fi
  as_root true || status=$?
  if [ $status -ne 0 ]; then
    say "this machine lacks: $*  Install it as root (apt-get install $*) and run make again."
    return 1
  fi
  say "installing $*"
  update_lists
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

if [ "${1:-}" = bench ]; then
  command -v valgrind >/dev/null || install_packages valgrind ||
    say "going on without valgrind: instructions will not be counted"
  exit 0
fi

# 1. A C linker and headers: rustup brings none.
if ! can_link; then
  install_packages gcc libc6-dev
  can_link || { say "cc still cannot link a C program; see what 'cc' says about a small one"; exit 1; }
fi

# 2. Rust, of the version that rust-toolchain.toml names.
wanted=$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)
if ! command -v cargo >/dev/null; then
  # A new machine may have no package lists yet.
  if command -v apt-get >/dev/null && ! has_package rustup && as_root true; then update_lists; fi
  if has_package rustup; then
    install_packages rustup
  else
    say "Rust is missing. Install rustup as https://rustup.rs says, then run make again (Rust $wanted then comes by itself)."
    exit 1
  fi
  hash -r
  command -v rustup >/dev/null || { say "rustup is installed and still not found; is it in PATH?"; exit 1; }
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
    say "this machine's Rust is $have, and $wanted or later is needed; install rustup as https://rustup.rs says."
    exit 1
  fi
fi
