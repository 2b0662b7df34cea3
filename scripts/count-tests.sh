#!/usr/bin/env bash
# count-tests.sh LOG: sums the result lines that `cargo test` left in LOG as "N passed, N failed, N skipped".
#
# A test without its input writes "left out: <test> (<reason>)" past libtest's capture and returns. Cargo counts it as
# passed; here it counts as skipped, like ignored tests.
set -euo pipefail
log=${1:?usage: count-tests.sh LOG}

awk '
  { rest = $0; while (match(rest, /left out: [A-Za-z0-9_:]+ \(/)) { left_out++; rest = substr(rest, RSTART + RLENGTH) } }
  match($0, /test result: [A-Za-z]+\. /) {
    count = split(substr($0, RSTART + RLENGTH), fields, "; ")
    for (i = 1; i <= count; i++) {
      split(fields[i], words, " ")
      if (words[2] == "passed") passed += words[1]
      if (words[2] == "failed") failed += words[1]
      if (words[2] == "ignored") ignored += words[1]
    }
  }
  END { printf "%d passed, %d failed, %d skipped\n", passed - left_out, failed, ignored + left_out }
' "$log"
