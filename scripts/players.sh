#!/usr/bin/env bash
# `make players`: runs real DASH players on the networks of scenarios/live/players.toml, stores the figures, and rewrites
# docs/src/appendix/players-live.md. Late runs are left out. Needs root and what `make live-deps` installs.
#
#   players.sh [--repeats 3] [--player 'dash.js 5'|'dash.js 4'|VLC] [--first-seed 1]
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$HOME/.cargo/bin:$PATH"
cargo=${CARGO:-cargo}
repeats=3 player='' seed=1
while [ $# -gt 0 ]; do
  case $1 in
    --repeats) repeats=$2 ;;
    --player) player=$2 ;;
    --first-seed) seed=$2 ;;
    *) echo "players: unknown option $1; there are --repeats, --player and --first-seed" >&2 && exit 1 ;;
  esac
  shift 2
done
scenario=scenarios/live/players.toml
options=()
if [ -n "$player" ]; then
  # The arm of that player as the scenario has it, which is one line with its `set`.
  set=$(grep -A1 -xF "name = \"$player\"" "$scenario" | sed -n 's/^set = //p')
  [ -n "$set" ] || { echo "players: $scenario has no player \`$player\`" >&2 && exit 1; }
  options=(--set "vary[1].variants=[{ name = \"$player\", set = $set }]")
fi
# The models fetch what the real players fetch.
sizes=scenarios/live/content/ired-180s.csv
made=$(scenarios/live/programs/sizes.sh --seconds 180)
if [ "$made" != "$(cat $sizes)" ]; then
  echo "players: this machine's ffmpeg made segments of other sizes; $sizes now has them: run all players" >&2
  echo "$made" >$sizes
fi
folders=()
for ((i = 0; i < repeats; i++)); do
  folder=out/live/players-$((seed + i))${player:+-${player// /-}}
  "$cargo" run --release --quiet --locked --bin jettison -- live "$scenario" --yes --runs 1 --seed $((seed + i)) \
    --out "$folder" ${options[@]+"${options[@]}"}
  folders+=("$folder")
done
oracle() { "$cargo" run --release --quiet --locked --package jettison-oracle -- players "$@"; }
oracle store "${folders[@]}"
oracle page
