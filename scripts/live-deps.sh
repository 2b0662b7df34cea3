#!/usr/bin/env bash
# Installs the programs that scenarios/live/ runs and this machine lacks: Debian's packages with apt, dash.js with npm. Each on
# its own: unavailable ones are listed at the end with their use, and the exit status is then 1. No service is started
# or enabled: only the program of Apache is installed. Nothing is changed on a complete machine.
set -uo pipefail
cd "$(dirname "$0")/.."
export HOME="${HOME:-$(echo ~)}"
export PATH="$PATH:/usr/sbin:/sbin"
say() { echo "live-deps: $*" >&2; }
# shellcheck source=packages.sh
source scripts/packages.sh

missing=()
# A command, its package, and its use.
need() {
  command -v "$1" >/dev/null || install_packages "$2"
  hash -r
  command -v "$1" >/dev/null || missing+=("$1 (Debian: $2): no $3")
}
need iperf3 iperf3 "iRED experiment 1"
need ping iputils-ping "iRED experiment 1"
need node nodejs "measures of ping, and no DASH player"
need npm npm "dash.js"
need ffmpeg ffmpeg "DASH content"
need apache2 apache2-bin "DASH server"
need chromium chromium "dash.js"
need vlc vlc-bin "VLC"
need nft nftables "test of \`jettison shell --nat\`"
# Without its modules, `vlc` starts but plays nothing.
if command -v vlc >/dev/null && ! compgen -G '/usr/lib/*/vlc/plugins/demux/libadaptive_plugin.so' >/dev/null; then
  install_packages vlc-plugin-base || missing+=("VLC's modules (Debian: vlc-plugin-base): no VLC")
fi

# Run npm only if the lock file has changed since the last installation.
player=web/player
if command -v npm >/dev/null && ! cmp -s "$player/package-lock.json" "$player/node_modules/.jettison-lock"; then
  say "installing dash.js with npm"
  if (cd "$player" && npm ci --no-progress --ignore-scripts >&2); then
    cp "$player/package-lock.json" "$player/node_modules/.jettison-lock"
  fi
fi
[ -e "$player/node_modules/dashjs-4/dist/dash.all.min.js" ] || missing+=("dash.js 4 (npm): no comparison of players")
[ -e "$player/node_modules/dashjs/dist/modern/umd/dash.all.min.js" ] || missing+=("dash.js (npm): no DASH in a browser")

# The titles of the quick forms, so that the first run does not wait for them.
if command -v ffmpeg >/dev/null; then
  { scenarios/live/programs/content.sh --seconds 24 && scenarios/live/programs/content.sh --seconds 180; } >/dev/null || missing+=("DASH content: ffmpeg could not make it")
fi

[ ${#missing[@]} -eq 0 ] && exit 0
say "unavailable:"
printf '  %s\n' "${missing[@]}" >&2
exit 1
