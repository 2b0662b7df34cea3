# Installing Debian's packages, for the scripts beside it: they define `say` and read this with `source`.

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
