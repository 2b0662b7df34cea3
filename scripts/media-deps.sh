#!/usr/bin/env bash
# Installs the encoders of `jettison media encode` into target/media: ffmpeg with libvmaf, SVT-AV1, libaom, x264 and openh264,
# from the PyPI package imageio-ffmpeg, and vp9-layers, an encoder in layers over Debian's libvpx, compiled from
# crates/media/native. What is unavailable is listed at the end with its use, and the exit status is then 1.
set -uo pipefail
cd "$(dirname "$0")/.."
export HOME="${HOME:-$(echo ~)}"
say() { echo "media-deps: $*" >&2; }
# shellcheck source=packages.sh
source scripts/packages.sh
folder=target/media
# The version whose figures the book has.
ffmpeg_wanted=0.8.1

missing=()
mkdir -p "$folder"

# The environment is made again only if the version or Python has changed.
wanted="$ffmpeg_wanted $(python3 -VV 2>/dev/null)"
if [ "$(cat "$folder/.jettison-ffmpeg" 2>/dev/null)" != "$wanted" ] || [ ! -x "$folder/ffmpeg" ]; then
  python3 -c 'import ensurepip, venv' 2>/dev/null || install_packages python3 python3-venv
  say "installing imageio-ffmpeg $ffmpeg_wanted"
  rm -rf "$folder/venv"
  if python3 -m venv "$folder/venv" &&
    "$folder/venv/bin/pip" install --disable-pip-version-check --quiet "imageio-ffmpeg==$ffmpeg_wanted" >&2 &&
    program=$("$folder/venv/bin/python" -c 'import imageio_ffmpeg; print(imageio_ffmpeg.get_ffmpeg_exe())'); then
    ln -sf "$(realpath --relative-to="$folder" "$program")" "$folder/ffmpeg"
    echo "$wanted" >"$folder/.jettison-ffmpeg"
  fi
fi
[ -x "$folder/ffmpeg" ] || missing+=("ffmpeg (PyPI: imageio-ffmpeg): no encoder but vp9, and no measured quality")

has_libvpx() { echo '#include <vpx/vpx_encoder.h>' | "${CC:-cc}" -E -x c - >/dev/null 2>&1; }
source=crates/media/native/vp9-layers.c
if [ ! -x "$folder/vp9-layers" ] || [ "$source" -nt "$folder/vp9-layers" ]; then
  command -v "${CC:-cc}" >/dev/null || install_packages gcc libc6-dev
  has_libvpx || install_packages libvpx-dev
  "${CC:-cc}" -O2 -Wall -Wextra -Werror -o "$folder/vp9-layers" "$source" -lvpx ||
    missing+=("libvpx (Debian: libvpx-dev): no VP9 in layers")
fi

[ ${#missing[@]} -eq 0 ] && exit 0
say "unavailable:"
printf '  %s\n' "${missing[@]}" >&2
exit 1
