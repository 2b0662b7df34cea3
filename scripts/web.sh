#!/usr/bin/env bash
# Checks and tests the page of `live --watch`, web/page: types with tsc, arithmetic with Node.js. The page needs no build; what is
# installed here also drives it in a browser for `cargo test -p jettison-watch`. If the machine cannot, prints a line `left out:` and
# exits with 3.
set -uo pipefail
cd "$(dirname "$0")/../web"

# Reports that this machine cannot do the task.
cannot() {
  echo "left out: web ($*)" >&2
  exit 3
}

command -v node >/dev/null || cannot "Node.js is not installed; on Debian: apt-get install nodejs npm"
command -v npm >/dev/null || cannot "npm is not installed; on Debian: apt-get install npm"
[ "$(node --print 'Number(process.versions.node.split(".")[0]) >= 18')" = true ] ||
  cannot "Node.js is $(node --version), and 18 or later is needed"

# Run npm only if the lock file has changed since the last installation.
installed=node_modules/.jettison-lock
if ! cmp -s package-lock.json "$installed"; then
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  if ! npm ci --no-progress >"$log" 2>&1; then
    # Without a network there are no tools; anything else is a fault.
    if grep -qE 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH' "$log"; then
      cannot "npm does not reach its registry"
    fi
    cat "$log" >&2
    exit 1
  fi
  cp package-lock.json "$installed"
fi

npm run --silent typecheck && npm run --silent test
