#!/usr/bin/env bash
# Checks links between the project's pages, that the book's table of contents names every page, that the book is short, and that
# every crate forbids or denies unsafe code.
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

# Their anchors are headings.
while IFS= read -r problem; do
  complain "$problem"
done < <({ ls -- *.md docs/*.md; find docs/src -name '*.md'; } | sort | xargs awk -f scripts/check-book.awk)

# Every page of the book is in its table of contents.
while IFS= read -r page; do
  grep -qF "(${page#docs/src/})" docs/src/SUMMARY.md || complain "$page is not in docs/src/SUMMARY.md"
done < <(find docs/src -name '*.md' ! -name SUMMARY.md | sort)

# Outside the appendix and the generated reference of the Python package the book can be read in an afternoon; a page can be read at
# once.
words() { cat -- "$@" | wc -w; }
mapfile -t pages < <(find docs/src -name '*.md' ! -name SUMMARY.md ! -path 'docs/src/appendix/*' ! -path 'docs/src/api/*' ! -path 'docs/src/notebooks/*' | sort)
total=$(words "${pages[@]}")
[ "$total" -le 40000 ] || complain "docs/src has $total words outside appendix/; at most 40,000"
for page in "${pages[@]}"; do
  length=$(words "$page")
  case $page in
    docs/src/tutorials/*) most=1500 ;;
    *) most=3000 ;;
  esac
  [ "$length" -le $most ] || complain "$page has $length words, at most $most: move measurements to docs/src/appendix/"
done

# Crates forbid unsafe code; those that need some deny it, and allow it file by file, with the reason. The fuzz targets cannot:
# libFuzzer's macro exports a function.
while IFS= read -r root; do
  grep -qE '^#!\[(forbid|deny)\(unsafe_code\)\]' "$root" || complain "$root must begin with #![forbid(unsafe_code)]"
done < <(git ls-files ':(glob)crates/*/src/lib.rs' ':(glob)crates/*/src/main.rs' ':(glob)crates/*/build.rs' ':(glob)examples/*.rs' xtask/src/main.rs bpf/loader/src/main.rs)
while IFS= read -r place; do
  complain "$place: allow(unsafe_code) must have a reason"
done < <(git grep -nE 'allow\(unsafe_code\)' -- '*.rs')

[ $status -eq 0 ] && echo "check-tree: links, table of contents, $total words and unsafe code are in order"
exit $status
