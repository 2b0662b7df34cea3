#!/usr/bin/env bash
# Packages for users without Rust, into target/packages: a wheel with the module and the command, an archive, a Debian package,
# the description of a container image, and SHA256SUMS. Then each is tried in a clean environment.
#
#   dist.sh          builds and tries
#   dist.sh build    builds only
#
# Everything is linked against glibc 2.17 (of 2012), the oldest that Rust supports: by Zig's C compiler, which has the symbols of all
# versions. A static program (musl) would run on older systems still, but Python's module cannot be static, and one build makes both.
set -euo pipefail
cd "$(dirname "$0")/.."
export HOME="${HOME:-$(echo ~)}"
export PATH="$HOME/.cargo/bin:$PATH"
say() { echo "dist: $*" >&2; }
# shellcheck source=packages.sh
source scripts/packages.sh
glibc=2.17
machine=$(uname -m)
triple=$machine-unknown-linux-gnu
out=$(pwd)/target/packages
work=$(pwd)/target/packages-work
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
# Times in packages are of the commit, so that the same commit gives the same packages.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH

# Fails if a file needs a newer glibc than the packages promise.
check_glibc() {
  local needed
  needed=$(objdump -T "$1" | grep -oE 'GLIBC_[0-9]+[0-9.]*' | sed 's/GLIBC_//' | sort -Vu | tail -n 1)
  if [ "$(printf '%s\n' "$needed" $glibc | sort -V | tail -n 1)" != $glibc ]; then
    say "$(basename "$1") needs glibc $needed; the packages promise $glibc"
    exit 1
  fi
  say "$(basename "$1") needs glibc $needed or later"
}

[ "$(uname -s)" = Linux ] || { say "packages are built on Linux; elsewhere: make wheel"; exit 1; }
for program in strip objdump gzip tar; do
  command -v $program >/dev/null || install_packages binutils gzip tar || exit 1
done
python3 -c 'import ensurepip' 2>/dev/null || install_packages python3-venv || exit 1

# 1. The tools, in an environment of their own. Zig alone has half a gigabyte: it is not among the tools of `make test`.
tools=$(pwd)/target/packages-tools
if [ "$(cat "$tools/.installed" 2>/dev/null)" != "$(cat packaging/tools.txt)" ]; then
  say "installing $(grep -c == packaging/tools.txt) tools into $tools"
  rm -rf "$tools"
  python3 -m venv "$tools"
  "$tools/bin/pip" install --disable-pip-version-check --quiet --requirement packaging/tools.txt
  cat packaging/tools.txt >"$tools/.installed"
fi
export PATH="$tools/bin:$PATH"
rm -rf "$out" "$work"
mkdir -p "$out" "$work"

# 2. One build of command and module. Maturin asks its Cargo for the module alone; other features would compile everything again.
loader=()
if [ -e "$(cc -print-file-name=libelf.a)" ] && command -v clang >/dev/null; then
  export JETTISON_STATIC_LOADER=1
  loader=(--with-static-loader)
else
  say "without libelf.a and clang: the packages have no loader of congestion controls (\`jettison cc\`)"
fi
cat >"$work/cargo" <<WRAPPER
#!/usr/bin/env bash
[ "\$1" = rustc ] || exec cargo "\$@"
# Settings that would build pyo3, and all above it, once more for each version of Python. For the stable ABI they say nothing.
unset PYO3_PYTHON PYO3_CONFIG_FILE PYO3_ENVIRONMENT_SIGNATURE PYO3_BUILD_EXTENSION_MODULE PYTHON_SYS_EXECUTABLE
exec cargo zigbuild --locked --profile dist --target $triple.$glibc --package jettison-cli --package jettison-python \\
  --message-format json-render-diagnostics
WRAPPER
chmod +x "$work/cargo"
CARGO=$work/cargo maturin build --quiet --locked --profile dist --target "$triple" --out "$work/made"
command=target/$triple/dist/jettison
strip -o "$work/jettison" "$command"
check_glibc "$work/jettison"
if [ ${#loader[@]} -gt 0 ] && ! grep -qF "libbpf: " "$work/jettison"; then
  say "the command has no loader of congestion controls, although its parts are there"
  exit 1
fi
packaging/third-party.py "$triple" "${loader[@]}" >"$work/THIRD-PARTY"

# 3. The wheel: the module, and the command as a script of the environment.
made=$(echo "$work"/made/jettison-*.whl)
wheel unpack "$made" --dest "$work/wheel" >/dev/null
inside=$(echo "$work"/wheel/jettison-*)
strip "$inside"/jettison/*.so
check_glibc "$(echo "$inside"/jettison/*.so)"
install -D -m 755 "$work/jettison" "$inside/jettison-$version.data/scripts/jettison"
install -m 644 "$work/THIRD-PARTY" "$inside/jettison-$version.dist-info/licenses/THIRD-PARTY"
wheel pack "$inside" --dest-dir "$out" >/dev/null
rm -rf "$work/made" "$work/wheel"

# 4. The archive.
name=jettison-$version-$machine-linux
tree=$work/$name
mkdir -p "$tree/completions"
install -m 755 "$work/jettison" "$tree/jettison"
install -m 644 LICENSE NOTICE README.md CHANGELOG.md "$work/THIRD-PARTY" "$tree/"
"$work/jettison" man --out "$tree/man" >/dev/null
for shell in bash zsh fish elvish powershell; do "$work/jettison" completions $shell >"$tree/completions/jettison.$shell"; done
# Sorted, with fixed times and owners. gzip, because every `tar` can read it.
tar --create --directory "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner "$name" |
  gzip --no-name --best >"$out/$name.tar.gz"

# 5. The Debian package.
if command -v dpkg-deb >/dev/null; then
  architecture=$(dpkg --print-architecture)
  root=$work/debian
  documents=$root/usr/share/doc/jettison
  install -D -m 755 "$work/jettison" "$root/usr/bin/jettison"
  install -d "$documents" "$root/usr/share/man/man1" "$root/DEBIAN"
  install -D -m 644 "$tree/completions/jettison.bash" "$root/usr/share/bash-completion/completions/jettison"
  install -D -m 644 "$tree/completions/jettison.zsh" "$root/usr/share/zsh/vendor-completions/_jettison"
  install -D -m 644 "$tree/completions/jettison.fish" "$root/usr/share/fish/vendor_completions.d/jettison.fish"
  for page in "$tree"/man/*.1; do gzip --no-name --best <"$page" >"$root/usr/share/man/man1/$(basename "$page").gz"; done
  install -D -m 644 packaging/debian/lintian-overrides "$root/usr/share/lintian/overrides/jettison"
  install -m 644 packaging/debian/copyright NOTICE "$documents/"
  gzip --no-name --best <CHANGELOG.md >"$documents/CHANGELOG.md.gz"
  printf 'jettison (%s) unstable; urgency=medium\n\n  * Changes are listed in CHANGELOG.md.gz beside this file.\n\n -- %s  %s\n' \
    "$version" "$(sed -n 's/^Maintainer: //p' packaging/debian/control)" "$(date --utc --date="@$SOURCE_DATE_EPOCH" -R)" |
    gzip --no-name --best >"$documents/changelog.gz"
  gzip --no-name --best <"$work/THIRD-PARTY" >"$documents/THIRD-PARTY.gz"
  find "$root/usr" -type d -exec chmod 755 {} + -o -type f ! -perm -100 -exec chmod 644 {} +
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@GLIBC@/$glibc/" \
    -e "s/@SIZE@/$(du -sk "$root/usr" | cut -f1)/" packaging/debian/control >"$root/DEBIAN/control"
  dpkg-deb --root-owner-group --build "$root" "$out/jettison_${version}_$architecture.deb" >/dev/null
else
  say "without dpkg-deb: no Debian package"
fi

# 6. The container image is made of the Debian package, beside it.
install -m 644 packaging/Containerfile "$out/Containerfile"
(cd "$out" && sha256sum -- *.whl *.tar.gz *.deb Containerfile >SHA256SUMS)
rm -rf "$work"
say "built in target/packages:"
(cd "$out" && ls -l --block-size=K | awk 'NR > 1 { print "  " $5 "\t" $9 }')
[ "${1:-}" = build ] || scripts/dist-try.sh
