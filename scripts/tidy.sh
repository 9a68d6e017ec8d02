#!/usr/bin/env bash
# clang-tidy 14 on the named sources; with --parsers on those that read foreign bytes; without arguments on every
# source of ours that build/release compiles (tests left out).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ "${1-}" = --parsers ]; then
  mapfile -t sources < <(git ls-files 'checkpoint/containers/*.cpp' 'checkpoint/pickle/*.cpp' \
    'checkpoint/formats/*.cpp' 'schemas/json/parse.cpp')
elif [ $# -gt 0 ]; then
  sources=("$@")
else
  mapfile -t sources < <(git ls-files 'schemas/*.cpp' 'checkpoint/*.cpp' 'capture/*.cpp' \
    'resume_check/*.cpp' 'tools/*.cpp' 'python/*.cpp')
fi
[ ${#sources[@]} -gt 0 ] || { echo "tidy: no source to look at" >&2; exit 1; }

# Sources on libtorch are compiled several at a time and have no command of their own, so that clang-tidy takes that of
# another source: where to find libtorch comes from one that has.
mapfile -t libtorch < <(grep -o '"command": "[^"]*/op_trace_abi\.cpp"' build/release/compile_commands.json |
  grep -o -- '-isystem [^ ]*' | sed 's/^-isystem //; s/^/--extra-arg=-isystem/')

# look PATTERN ARGUMENT...: at those of the sources whose path matches, or (PATTERN begins with !) does not.
look() {
  local pattern=${1#!} found=()
  for source in "${sources[@]}"; do
    if [[ $source == $pattern ]]; then [ "$1" = "$pattern" ] && found+=("$source"); else
      [ "$1" != "$pattern" ] && found+=("$source"); fi
  done
  [ ${#found[@]} -gt 0 ] || return 0
  printf '%s\0' "${found[@]}" |
    xargs -0 -n 1 -P "$(nproc)" clang-tidy-14 -p build/release --quiet \
      --extra-arg=-Wno-unknown-warning-option "${@:2}" 2>>build/tidy.log
}

echo "clang-tidy on ${#sources[@]} sources"
: >build/tidy.log
status=0
look '!*/torch/*' || status=1
look '*/torch/*' "${libtorch[@]}" || status=1
[ "$status" -eq 0 ] ||
  { echo "tidy: see above; what clang-tidy itself said is in build/tidy.log" >&2; exit 1; }
echo "clang-tidy: nothing found"
