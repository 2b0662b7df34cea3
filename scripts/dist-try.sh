#!/usr/bin/env bash
# Tries packages where there is neither Rust nor a network: the wheel in a fresh virtual environment; wheel, archive and Debian
# package in minimal installations of Debian, in namespaces of their own; the container file with buildah. What this machine cannot
# try is listed as `left out`; exits 1 if something fails.
#
#   dist-try.sh [FOLDER]     FOLDER: target/packages unless told
set -uo pipefail
cd "$(dirname "$0")/.."
packages=$(realpath "${1:-target/packages}")
# The oldest Debian that its mirrors still have (glibc 2.31), and one with a Python that the module supports.
oldest=bullseye
newest=trixie
status=0
say() { echo "dist-try: $*"; }
left_out() { echo "left out: dist-try $1 ($2)"; }
passed() { say "OK: $*"; }
failed() {
  say "FAILED: $*"
  status=1
}
# shellcheck source=packages.sh
source scripts/packages.sh

# The script runs twice. The outer process installs tools, and removes the folder of roots at the end. The inner one does the work in
# namespaces of its own: no mount or process outlives them, however the work ends.
if [ -z "${DIST_TRY_SCRATCH:-}" ]; then
  [ -e "$packages/SHA256SUMS" ] || { say "there are no packages in $packages: run \`scripts/dist.sh build\`"; exit 1; }
  for program in debootstrap lintian buildah unzip; do
    command -v $program >/dev/null || install_packages $program || say "continuing without $program"
  done
  scratch=$(mktemp -d)
  inner=
  # The kernel ends all processes of the namespace after its first; the folder cannot be removed while they still write to it.
  cleanup() {
    [ -z "$inner" ] || kill -KILL "$inner" 2>/dev/null
    for _ in 1 2 3 4 5; do
      rm -rf --one-file-system "$scratch" 2>/dev/null && break
      sleep 1
    done
  }
  trap cleanup EXIT
  trap 'say "interrupted: removing what was made"; exit 130' INT TERM HUP
  own=()
  [ "$(id -u)" -ne 0 ] || own=(unshare --mount --pid --fork --kill-child --mount-proc)
  DIST_TRY_SCRATCH=$scratch "${own[@]}" "$0" "$packages" &
  inner=$!
  wait $inner
  status=$?
  inner=
  exit $status
fi
scratch=$DIST_TRY_SCRATCH
export TMPDIR=$scratch/tmp
mkdir -p "$TMPDIR"

(cd "$packages" && sha256sum --quiet --check SHA256SUMS) && passed "SHA256SUMS" || failed "SHA256SUMS"

# What every installation must do: say its version, print its parts, run the shortened demo, check and read the result. In a folder
# of its own; `$1` is the command.
cat >"$scratch/command.sh" <<'TRY'
set -eu
! command -v cargo
jettison=$1
cd "$(mktemp -d)"
"$jettison" --version
"$jettison" list queues codel | grep -q interval
"$jettison" run demo --quick --set duration='"20 s"' --jobs 2 >printed
grep -q fq-codel printed
"$jettison" verify out/demo >/dev/null
"$jettison" new home && "$jettison" check home.toml
"$jettison" reproduce | grep -q ired
TRY
cat >"$scratch/module.py" <<'TRY'
import jettison

assert jettison.__version__, jettison
scenario = jettison.load("ired/ingress-vs-egress", quick=True).only(congestion="cubic").set("duration", "6 s")
result = jettison.run(scenario, seeds=2)
assert result.status == "complete" and len(result.queues) > 0
print(f"jettison {jettison.__version__}: {len(result.queues)} rows of queues")
TRY

# What the module requires, fetched once: the installations have no network.
python=
for candidate in python3 python3.14 python3.13 python3.12 python3.11 python3.10; do
  "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && { python=$candidate; break; }
done
wheel=$(echo "$packages"/jettison-*.whl)
say "$(basename "$wheel"): $(unzip -p "$wheel" '*/WHEEL' | grep Tag)"
target/packages-tools/bin/auditwheel show "$wheel" | tr '\n' ' ' | grep -oE 'constrained to "[^"]*"|consistent with[^"]*"[^"]*"' |
  sed 's/^/dist-try: auditwheel: /'
if [ -n "$python" ] && "$python" -m venv "$scratch/venv" &&
  "$scratch/venv/bin/pip" download --quiet --disable-pip-version-check --dest "$scratch/wheels" "$wheel"; then
  if env -i PATH=/usr/bin:/bin HOME="$scratch" TMPDIR="$scratch" "$scratch/venv/bin/pip" install --quiet --no-index --find-links "$scratch/wheels" "$wheel" &&
    (cd / && env -i PATH=/usr/bin:/bin HOME="$scratch" TMPDIR="$scratch" "$scratch/venv/bin/python" "$scratch/module.py") &&
    env -i PATH=/usr/bin:/bin HOME="$scratch" TMPDIR="$scratch" sh "$scratch/command.sh" "$scratch/venv/bin/jettison" >"$scratch/log" 2>&1; then
    passed "wheel in a virtual environment ($("$python" -V))"
  else
    cat "$scratch/log" 2>/dev/null
    failed "wheel in a virtual environment"
  fi
else
  left_out "wheel in a virtual environment" "needs Python 3.10 and pyarrow from the package index"
fi

# A minimal Debian in a folder, without a network: its own namespaces, with /proc and /dev. $1 is the root, the rest the command.
within() {
  local root=$1
  shift
  unshare --mount --net --pid --fork --uts -- sh -c '
    mount --bind "$1" "$1" && mount --rbind /dev "$1/dev" && mount --rbind /sys "$1/sys" && mount -t proc proc "$1/proc" && ip link set lo up 2>/dev/null
    root=$1; shift; exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"' sh "$root" "$@"
}
made_root() {
  local release=$1 with=$2
  command -v debootstrap >/dev/null || { echo "debootstrap is not installed"; return 1; }
  [ "$(id -u)" -eq 0 ] || { echo "must be root"; return 1; }
  debootstrap --variant=minbase ${with:+--include=$with} "$release" "$scratch/$release" >"$scratch/$release.log" 2>&1 ||
    { tail -n 1 "$scratch/$release.log"; return 1; }
  install -D -m 644 "$scratch/command.sh" "$scratch/module.py" -t "$scratch/$release/try"
  cp "$packages"/*.tar.gz "$packages"/*.deb "$wheel" "$scratch/$release/try/"
}
run_in() {
  local name=$1 root=$2 script=$3
  : >"$scratch/log"
  if within "$root" sh -euc "$script" >"$scratch/log" 2>&1; then
    passed "$name ($(within "$root" sh -c '. /etc/os-release; echo "$PRETTY_NAME, $(ldd --version | head -n 1 | grep -oE "[0-9.]+$" | sed "s/^/glibc /")"'))"
  else
    tail -n 20 "$scratch/log"
    failed "$name"
  fi
}
archive='cd /root; tar xf /try/*.tar.gz; cd jettison-*; ls LICENSE NOTICE THIRD-PARTY man/jettison.1 completions/jettison.bash
  sh /try/command.sh "$PWD/jettison"; ./jettison cc status'
debian='dpkg --install /try/*.deb; sh /try/command.sh jettison; zcat /usr/share/man/man1/jettison.1.gz | grep -q jettison
  jettison cc status; jettison shell --queue codel --down "10 Mbit/s" --delay "5 ms" -- true
  dpkg --listfiles jettison >/root/files; dpkg --purge jettison; ! command -v jettison
  while read -r file; do [ -d "$file" ] || [ ! -e "$file" ] || { echo "purging left $file"; exit 1; }; done </root/files'
for release in $oldest $newest; do
  with=
  [ $release = $newest ] && with=python3-venv
  if why=$(made_root $release "$with"); then
    run_in "archive in $release" "$scratch/$release" "$archive"
    run_in "Debian package in $release" "$scratch/$release" "$debian"
  else
    left_out "$release" "$why"
  fi
done
if [ -d "$scratch/$newest/try" ] && [ -d "$scratch/wheels" ]; then
  # The wheels of dependencies are chosen by the version of Python in there.
  mkdir "$scratch/$newest/try/wheels"
  minor=$(within "$scratch/$newest" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  "$scratch/venv/bin/pip" download --quiet --disable-pip-version-check --only-binary=:all: --python-version "$minor" \
    --dest "$scratch/$newest/try/wheels" "$wheel"
  run_in "wheel in $newest" "$scratch/$newest" 'python3 -m venv /root/venv
    /root/venv/bin/pip install --quiet --no-index --find-links /try/wheels /try/jettison-*.whl
    /root/venv/bin/python /try/module.py; sh /try/command.sh /root/venv/bin/jettison'
fi

if ! command -v lintian >/dev/null; then
  left_out "lintian" "lintian is not installed"
elif lintian --allow-root --fail-on error,warning "$packages"/*.deb >"$scratch/log" 2>&1; then
  passed "Debian package: lintian finds no errors and no warnings"
else
  cat "$scratch/log"
  failed "Debian package: lintian"
fi

# The image, of the container file, with the minimal Debian as its base.
if ! command -v buildah >/dev/null; then
  left_out "container" "buildah is not installed"
elif [ ! -d "$scratch/$newest" ]; then
  left_out "container" "there is no base"
else
  export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
  storage=(--root "$scratch/storage" --runroot "$scratch/runroot")
  rm -rf "$scratch/$newest/try" "$scratch/$newest/root/venv" "$scratch/$newest"/root/jettison-*
  base=docker.io/library/debian:$newest-slim
  if made=$(buildah "${storage[@]}" from scratch) && buildah "${storage[@]}" add --quiet "$made" "$scratch/$newest" / >/dev/null &&
    buildah "${storage[@]}" commit --quiet --rm "$made" "$base" >/dev/null &&
    buildah "${storage[@]}" build --quiet --pull-never --network none --tag jettison "$packages" >"$scratch/log" 2>&1 &&
    made=$(buildah "${storage[@]}" from --pull-never jettison) &&
    buildah "${storage[@]}" run "$made" -- jettison run demo --quick --set duration='"20 s"' >"$scratch/log" 2>&1 &&
    grep -q fq-codel "$scratch/log"; then
    passed "container file with buildah"
  else
    tail -n 20 "$scratch/log"
    failed "container file with buildah"
  fi
fi
exit $status
