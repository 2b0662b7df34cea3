#!/usr/bin/env bash
# Builds the page of `live --watch` from web/ into web/dist, from where the next build of the command takes it.
#
#   web.sh          builds it; says what is missing and exits with 1 if it cannot
#   web.sh build    the same, but goes on without the page, with a line that says so: the plain page is then served
#   web.sh test     builds and tests it; where the machine cannot, a line `left out:` and exit status 3
set -uo pipefail
cd "$(dirname "$0")/../web"
mode=${1:-}

# What cannot be done here, and why.
cannot() {
  case $mode in
    build) echo "web: the page with plots is left out ($*); live --watch will serve the plain one" >&2; exit 0 ;;
    test) echo "left out: web ($*)" >&2; exit 3 ;;
    *) echo "web: $*" >&2; exit 1 ;;
  esac
}

command -v node >/dev/null || cannot "Node.js is not installed; on Debian: apt-get install nodejs npm"
command -v npm >/dev/null || cannot "npm is not installed; on Debian: apt-get install npm"
[ "$(node --print 'Number(process.versions.node.split(".")[0]) >= 18')" = true ] ||
  cannot "Node.js is $(node --version), and 18 or later is needed"

# npm installs only if the lock file is not the one that was installed last.
installed=node_modules/.jettison-lock
if ! cmp -s package-lock.json "$installed"; then
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  if ! npm ci --no-progress >"$log" 2>&1; then
    # Without a network there is no page; anything else is a fault.
    if grep -qE 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH' "$log"; then
      cannot "npm does not reach its registry"
    fi
    cat "$log" >&2
    [ "$mode" != build ] || cannot "npm ci failed, see above"
    exit 1
  fi
  cp package-lock.json "$installed"
fi

# Nothing to do if nothing has changed since the last time; the tests run all the same.
sources=(src index.html package.json package-lock.json tsconfig.json vite.config.ts)
if [ ! -e dist/index.html ] || [ -n "$(find "${sources[@]}" -newer dist/index.html -print -quit)" ]; then
  if ! npm run --silent build; then
    [ "$mode" != build ] || cannot "it did not build, see above"
    exit 1
  fi
fi
if [ "$mode" = test ]; then
  npm run --silent typecheck && npm run --silent test
fi
