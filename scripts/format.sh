#!/usr/bin/env bash
# Formats every Rust file, or with --check names those that are not formatted. `cargo fmt` alone skips the components' files:
# it does not look for modules within the `components!` lists.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="${HOME:-$(echo ~)}/.cargo/bin:$PATH"
git ls-files -z --cached --others --exclude-standard '*.rs' | while IFS= read -r -d '' file; do
  # A file that was deleted but not yet committed is still listed.
  if [ -e "$file" ]; then printf '%s\0' "$file"; fi
done | xargs -0 rustfmt "$@"
