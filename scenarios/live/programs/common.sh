# What the shell programs of this folder share. It is read with `source`, not run.

say() { echo "${0##*/}: $*" >&2; }
fail() {
  say "$*"
  exit 1
}

# The folder for what is made once and used again: $JETTISON_CACHE, or else the machine's for root (another user has to
# be able to read it: Apache does not serve as root), or else the user's own.
cache_folder() {
  local folder
  for folder in "${JETTISON_CACHE:-}" \
    "$([ "$(id -u)" -eq 0 ] && echo /var/cache/jettison)" \
    "${XDG_CACHE_HOME:+$XDG_CACHE_HOME/jettison}" \
    "${HOME:+$HOME/.cache/jettison}" \
    "${JETTISON_WORK:+$JETTISON_WORK/cache}"; do
    [ -n "$folder" ] && mkdir -p "$folder" 2>/dev/null && [ -w "$folder" ] && echo "$folder" && return 0
  done
  fail "no folder to keep content in; set JETTISON_CACHE to one that can be written"
}

# Puts into `ordinary` the words before a command that make it run as somebody who is not root: none if this is so
# already. In a user namespace that knows no other user (a run without privileges), a nested one renames root.
# `give PATH` hands a path to that user.
find_ordinary_user() {
  ordinary=()
  owner=
  [ "$(id -u)" -eq 0 ] || return 0
  if setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
    ordinary=(setpriv --reuid=65534 --regid=65534 --clear-groups --)
    owner=65534:65534
  else
    ordinary=(unshare --user --map-user=65534 --map-group=65534 --)
  fi
}
give() { [ -z "$owner" ] || chown -R "$owner" "$@"; }
