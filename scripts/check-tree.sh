#!/usr/bin/env bash
# Checks links between the project's pages, and that the book's table of contents
# names every page.
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

[ $status -eq 0 ] && echo "check-tree: links and table of contents are in order"
exit $status
