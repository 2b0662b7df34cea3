# Installation of Debian packages, sourced by other scripts, which define `say`.

# Runs a command as root, through sudo if necessary; returns 2 if this user cannot become root.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    sudo "$@"
  else
    return 2
  fi
}

# Timeout for a busy package manager in seconds: another `make`, or unattended upgrades after booting.
apt_patience=${APT_PATIENCE:-600}

# Runs apt-get as root. Waits while another process holds one of its locks. (`DPkg::Lock::Timeout` waits for dpkg's alone, and in
# silence: apt-get fails at once on those of the package lists and of the downloads.)
apt_get() {
  local log status=0 end=$((SECONDS + apt_patience)) told=
  log=$(mktemp)
  while true; do
    status=0
    as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -qq -o Acquire::Retries=3 "$@" >"$log" 2>&1 || status=$?
    if [ $status -eq 0 ] || [ $SECONDS -ge $end ]; then break; fi
    grep -qE 'Could not get lock|Unable to (lock|acquire)|locked by another process' "$log" || break
    [ -n "$told" ] || say "waiting for another package manager (up to $apt_patience s)"
    told=yes
    sleep 2
  done
  cat "$log" >&2
  rm -f "$log"
  return $status
}

lists_are_fresh=
update_lists() {
  [ -z "$lists_are_fresh" ] || return 0
  lists_are_fresh=yes
  apt_get update || say "apt-get update failed; using the existing package lists"
}

has_package() { command -v apt-cache >/dev/null && [ -n "$(apt-cache --names-only search "^$1\$" 2>/dev/null)" ]; }

install_packages() {
  local status=0
  if ! command -v apt-get >/dev/null; then
    say "missing: $*  (names of Debian packages; install their equivalents and run make again)"
    return 1
  fi
  as_root true || status=$?
  if [ $status -ne 0 ]; then
    say "missing: $*  Install as root (apt-get install $*) and run make again."
    return 1
  fi
  say "installing $*"
  update_lists
  apt_get install -y --no-install-recommends "$@"
}
