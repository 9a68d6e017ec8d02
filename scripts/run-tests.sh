#!/usr/bin/env bash
# Runs every suite, also after one has failed, and ends with one line: "N passed, M failed, K skipped".
# Result files: build/test-results/*.xml (JUnit). PYTEST_JOBS: trainers that are audited at the same time.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

results=build/test-results
rm -rf "$results" && mkdir -p "$results"
jobs=${PYTEST_JOBS:-$(nproc)}
failed=0

echo "== C++ tests"
ctest --test-dir build/release --no-tests=error --output-on-failure -j "$(nproc)" \
  --output-junit "$PWD/$results/ctest.xml" --progress || failed=1

echo "== Python tests"
.venv/bin/python -m pytest --ignore=tests/cases -n "$jobs" --junitxml="$results/pytest.xml" -q || failed=1

echo "== Cases: whole trainers, each audited"
.venv/bin/python -m pytest tests/cases -n "$jobs" --junitxml="$results/cases.xml" -q || failed=1

.venv/bin/python scripts/summary.py "$results" || failed=1
exit "$failed"
