#!/usr/bin/env bash
# fixed-addresses.sh COMMAND...: runs it without address randomisation where the system lets it. The sanitizers of
# clang 14 and gcc 12 keep their shadow at places that kernels with more random bits (vm.mmap_rnd_bits above 28) may
# have given away: "unexpected memory mapping", or an endless DEADLYSIGNAL.
set -euo pipefail
if setarch "$(uname -m)" -R true 2>/dev/null; then
  exec setarch "$(uname -m)" -R "$@"
fi
bits=$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)
if [ "$bits" -gt 28 ]; then
  echo "addresses: they cannot be fixed here, and vm.mmap_rnd_bits is $bits: when a sanitizer fails at its start," \
    "run 'sysctl vm.mmap_rnd_bits=28' as root on the host" >&2
fi
exec "$@"
