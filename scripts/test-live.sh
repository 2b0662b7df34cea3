#!/usr/bin/env bash
# `make test-live`: the tests that need browsers, players, web servers and other programs. Installs them where it can (as root,
# with apt and npm); tests without their programs are skipped with a message.
set -uo pipefail
cd "$(dirname "$0")/.."
export HOME="${HOME:-$(echo ~)}"
export PATH="$HOME/.cargo/bin:$PATH"
cargo=${CARGO:-cargo}
# As in test.sh: the same build of the workspace serves both.
export CARGO_INCREMENTAL=0
command -v python3 >/dev/null || export PYO3_NO_PYTHON=1
# shellcheck source=steps.sh
source scripts/steps.sh

if [ "$(id -u)" -eq 0 ]; then
  scripts/live-deps.sh || leave programs "some could not be installed, see above"
else
  leave programs "not root; \`sudo make live-deps\` installs them"
fi
# Also installs the driver for browser tests of the page.
optional_step page scripts/web.sh
optional_step p4runtime scripts/p4runtime.sh
step live "$cargo" test --workspace --locked --no-fail-fast --test end_to_end --test all -- live_programs:: browser:: a_command_reaches_the_world_through_the_machine
finish
