#!/usr/bin/env bash
# Checks what no compiler does: that links between the project's pages lead somewhere, that the book's table of contents
# names every page, and that the crates with a clippy.toml of their own repeat the root's.
set -uo pipefail
cd "$(dirname "$0")/.."
status=0
complain() {
  echo "check-tree: $*" >&2
  status=1
}

# Relative links of Markdown, without their anchors.
while IFS= read -r page; do
  while IFS= read -r target; do
    case $target in
      '' | http://* | https://* | mailto:*) continue ;;
    esac
    [ -e "$(dirname "$page")/$target" ] || complain "$page: the link to $target leads nowhere"
  done < <(awk '/^ *```/ { code = !code } !code' "$page" | grep -oE '\]\([^) ]+' | sed -E 's/^\]\(//; s/#.*//')
done < <(ls -- *.md; find docs/src -name '*.md' | sort)

# Every page of the book is in its table of contents.
while IFS= read -r page; do
  grep -qF "(${page#docs/src/})" docs/src/SUMMARY.md || complain "$page is not in docs/src/SUMMARY.md"
done < <(find docs/src -name '*.md' ! -name SUMMARY.md | sort)

# A crate's clippy.toml replaces the root's: it must hold all of it but the clock bans.
clock='std::time::Instant::now|std::time::SystemTime::now|std::thread::sleep'
rules() { grep -vE "^#|^\$|$clock" "$1"; }
for own in crates/*/clippy.toml; do
  [ -e "$own" ] || continue
  diff <(rules clippy.toml) <(rules "$own") >/dev/null || complain "$own no longer repeats clippy.toml (see CONTRIBUTING.md)"
done

[ $status -eq 0 ] && echo "check-tree: links, table of contents and clippy files are in order"
exit $status
