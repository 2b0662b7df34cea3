#!/usr/bin/env bash
# Makes a DASH title with ffmpeg, once, and prints the folder that holds its `manifest.mpd`.
#
#   content.sh [--seconds 24] [--preset ultrafast]
#
# The ladder is Table VII of the iRED paper: 280, 980 and 2,080 kbit/s of H.264 with groups of pictures of 4 s and an
# encoder's buffer of half a second, AAC of 64 and 128 kbit/s, segments of 4 s. The paper shows a film; these pictures are
# generated: a moving test pattern, with as much noise as makes the encoder use its bitrate. `ultrafast` makes a worse
# picture of the same size, which is all that the network sees. Names of segments carry the bitrate, for players that say no
# more than what they fetch.
set -euo pipefail
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

seconds=24 preset=ultrafast
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=$2 ;;
    --preset) preset=$2 ;;
    *) fail "unknown option $1; there are --seconds and --preset" ;;
  esac
  shift 2
done
[[ $seconds =~ ^[0-9]+$ ]] && [ $((seconds % 4)) -eq 0 ] && [ "$seconds" -gt 0 ] ||
  fail "--seconds is $seconds; it has to be a multiple of a segment's 4 s"
command -v ffmpeg >/dev/null || fail "ffmpeg is missing; make live-deps installs it"

cache=$(cache_folder)/dash
# Whoever serves the title may be another user.
umask 022
mkdir -p "$cache"
# What this script does is part of the key: a change of it makes the title anew.
key=ired-${seconds}s-$preset-$(sha256sum "${BASH_SOURCE[0]}" | cut -c1-12)
folder=$cache/$key

# One maker at a time; the others wait and find it done.
exec 9>"$cache/$key.lock"
flock 9
if [ ! -e "$folder/manifest.mpd" ]; then
  say "making $seconds s of content in $folder"
  draft=$cache/$key.$$
  trap 'rm -rf "$draft"' EXIT
  mkdir "$draft"

  # A rung: its pictures from the common source, then x264 at a mean bitrate under a buffer of half a second.
  filters="[0:v]noise=alls=12:allf=t,split=3[s0][s1][s2]"
  rungs=()
  rung() { # number, size, pictures a second, kbit/s, kbit of buffer
    filters+=";[s$1]fps=$3,scale=$2[v$1]"
    rungs+=(-map "[v$1]" "-c:v:$1" libx264 "-b:v:$1" "$4k" "-maxrate:v:$1" "$4k" "-bufsize:v:$1" "$5k"
      "-g:v:$1" $((4 * $3)) "-keyint_min:v:$1" $((4 * $3)))
  }
  rung 0 426x240 18 280 140
  rung 1 854x480 24 980 490
  rung 2 1280x720 30 2080 1040

  (
    cd "$draft"
    ffmpeg -nostdin -hide_banner -loglevel error -y \
      -f lavfi -i "testsrc2=size=1280x720:rate=30:duration=$seconds" \
      -f lavfi -i "anoisesrc=color=pink:sample_rate=48000:amplitude=0.2:seed=1:duration=$seconds" \
      -filter_complex "$filters;[1:a]asplit=2[a0][a1]" \
      "${rungs[@]}" -preset "$preset" -pix_fmt yuv420p -sc_threshold 0 -bf 0 \
      -map '[a0]' -map '[a1]' -c:a aac -ac 2 -b:a:0 64k -b:a:1 128k \
      -f dash -seg_duration 4 -use_template 1 -use_timeline 0 \
      -init_seg_name 'init-$RepresentationID$-$Bandwidth$.mp4' -media_seg_name 'segment-$RepresentationID$-$Bandwidth$-$Number$.m4s' \
      -adaptation_sets 'id=0,streams=v id=1,streams=a' manifest.mpd
  ) || fail "ffmpeg could not make the content"
  rm -rf "$folder"
  mv "$draft" "$folder"
  trap - EXIT
fi
echo "$folder"
