#!/usr/bin/env bash
# Compiles what changed in build/release and installs the wheel into .venv. Shows the compiler's progress; the whole
# output lies in build/install.log. Both pip and ctest use this one tree.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p build

export CMAKE_GENERATOR=Ninja SAMESTEP_TESTS=ON
.venv/bin/python -m pip --disable-pip-version-check install -v \
  --no-build-isolation --no-deps --force-reinstall . 2>&1 | tee build/install.log |
  sed -u -n 's/^ *\(\[[0-9]*\/[0-9]*\] \)/\1/p'
status=${PIPESTATUS[0]}
if [ "$status" -ne 0 ]; then
  grep -n -m 5 -E 'error:|CMake Error' build/install.log >&2
  tail -n 40 build/install.log >&2
  echo "build: failed; all of it is in build/install.log" >&2
  exit "$status"
fi
.venv/bin/samestep --version
