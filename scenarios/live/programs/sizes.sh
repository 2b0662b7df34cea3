#!/usr/bin/env bash
# Prints the sizes of a title's segments as `content.sizes` of a scenario has them, so that a modelled player fetches the
# same bytes as a real one.
#
#   sizes.sh [--seconds 180]
set -euo pipefail
folder=$("$(dirname "${BASH_SOURCE[0]}")/content.sh" "$@")
echo representation,segment,bytes
# Names are `init-ID-BITRATE.mp4` and `segment-ID-BITRATE-NUMBER.m4s`; initialization segments have the number 0. Of sound
# ffmpeg makes a segment with the last milliseconds that the manifest does not count: those of pictures set the number.
last=$(cd "$folder" && printf '%s\n' segment-0-*.m4s | wc -l)
(cd "$folder" && stat -c '%n %s' init-*.mp4 segment-*.m4s) |
  sed -E 's/^init-([0-9]+)-[0-9]+\.mp4 /\1 0 /; s/^segment-([0-9]+)-[0-9]+-0*([0-9]+)\.m4s /\1 \2 /' |
  awk -v last="$last" '$2 <= last' | sort -n -k1,1 -k2,2 | tr ' ' ,
