#!/usr/bin/env bash
# fuzz.sh BUILD SECONDS [NAME...]: runs each libFuzzer program of BUILD/fuzz, or the named ones, for SECONDS, JOBS at a
# time (default: one a core), seeded with the files its target names. Found inputs gather in BUILD/fuzz/<name>.corpus
# from run to run; a finding is kept as BUILD/fuzz/<name>-crash-* (timeout-*, oom-*), the others still run. Prints
# executions, coverage (edges) and findings of each.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ $# -ge 2 ] && [ "$2" -gt 0 ] 2>/dev/null || { echo "fuzz: fuzz.sh BUILD SECONDS [NAME...]" >&2; exit 2; }
export folder=$1/fuzz seconds=$2
shift 2

# fuzz_one PROGRAM: one line that begins with "ok" or "FAIL".
fuzz_one() {
  local name seeds corpus log status runs coverage words=()
  name=$(basename "$1")
  seeds="$folder/$name.seed-files" corpus="$folder/$name.corpus" log="$folder/$name.log"
  rm -rf "$seeds" && mkdir -p "$seeds" "$corpus"
  while read -r pattern; do
    [ -n "$pattern" ] || continue
    # A seed's name is made of its path: several samples hold a file of the same name.
    for file in $(compgen -G "$pattern"); do
      [ -f "$file" ] && [ ! -L "$file" ] && cp "$file" "$seeds/${file//\//_}"
    done
  done <"$folder/$name.seeds"
  [ -e "$folder/$name.dict" ] && words=("-dict=$folder/$name.dict")
  "$1" "${words[@]}" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 -max_len=65536 \
    -print_final_stats=1 -artifact_prefix="$folder/$name-" "$corpus" "$seeds" >"$log" 2>&1
  status=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  coverage=$(grep -oE 'cov: [0-9]+' "$log" | tail -n 1)
  if [ "$status" -eq 0 ]; then
    echo "ok   $name: ${runs:-0} executions, ${coverage:-cov: ?}"
  else
    echo "FAIL $name: exit $status, ${runs:-?} executions; log: $log" \
      "$(grep -m 3 -E 'ERROR|SUMMARY|Test unit written' "$log" | tr '\n' ' ')"
  fi
}
export -f fuzz_one

programs() {
  if [ $# -gt 0 ]; then
    printf "$folder/%s_fuzz\0" "${@%_fuzz}"
  else
    find "$folder" -maxdepth 1 -name '*_fuzz' -type f -perm -u+x -print0 | sort -z
  fi
}

results=$(programs "$@" | scripts/fixed-addresses.sh xargs -0 -r -n 1 -P "${JOBS:-$(nproc)}" bash -c 'fuzz_one "$1"' fuzz_one |
  tee >(cat >&2))  # /dev/stderr would cut a log that standard error goes to
ran=$(grep -c . <<<"$results") failed=$(grep -c '^FAIL' <<<"$results")
[ -n "$results" ] || { echo "fuzz: no fuzz target in $folder" >&2; exit 1; }
echo "fuzz: $((ran - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
