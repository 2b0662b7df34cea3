#!/usr/bin/env bash
# Checks links between the project's pages, that the book's table of contents names every page, and that every crate
# forbids or denies unsafe code.
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

# Crates forbid unsafe code; those that need some deny it, and allow it file by file, with the reason. The fuzz targets cannot:
# libFuzzer's macro exports a function.
while IFS= read -r root; do
  grep -qE '^#!\[(forbid|deny)\(unsafe_code\)\]' "$root" || complain "$root must begin with #![forbid(unsafe_code)]"
done < <(git ls-files ':(glob)crates/*/src/lib.rs' ':(glob)crates/*/src/main.rs' ':(glob)crates/*/build.rs' ':(glob)examples/*.rs' xtask/src/main.rs bpf/loader/src/main.rs)
while IFS= read -r place; do
  complain "$place: allow(unsafe_code) must have a reason"
done < <(git grep -nE 'allow\(unsafe_code\)' -- '*.rs')

[ $status -eq 0 ] && echo "check-tree: links, table of contents and unsafe code are in order"
exit $status
