#!/usr/bin/env bash
# Checks and tests the page of `live --watch` (web/page), that of the report (web/report) and their plots (web/plots): types with
# tsc, arithmetic with Node.js. The pages need no build; what is installed here also drives them in a browser for `cargo test -p
# jettison-watch -p jettison-report`. If the machine cannot, prints a line `left out:` and exits with 3.
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

# Runs npm in a folder if its lock file has changed since the last installation.
install() {
  local installed=$1/node_modules/.jettison-lock log
  cmp -s "$1/package-lock.json" "$installed" && return
  log=$(mktemp)
  if ! (cd "$1" && npm ci --no-progress --ignore-scripts) >"$log" 2>&1; then
    # Without a network there are no tools; anything else is a fault.
    if grep -qE 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH' "$log"; then
      rm -f "$log"
      cannot "npm does not reach its registry"
    fi
    cat "$log" >&2
    rm -f "$log"
    exit 1
  fi
  rm -f "$log"
  cp "$1/package-lock.json" "$installed"
}
install .
# uPlot, whose types the check needs.
install plots

npm run --silent typecheck && npm run --silent test
