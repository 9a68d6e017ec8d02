# Everything a developer types. `make demo` and `make test` do all their own set-up.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := build

# PYTHON: the interpreter that .venv is made of. PYPI_TORCH: further pip arguments for PyTorch alone; where the
# ordinary index serves a GPU build (several GB) the CPU build does, e.g. PYPI_TORCH='--index-url <a CPU index>'.
PYTHON ?= python3
PYPI_TORCH ?=
SYSTEM_PACKAGES ?= install
FUZZ_SECONDS ?= 20
FUZZ ?=
CTEST ?=
JOBS ?= $(shell nproc)

BIN := .venv/bin
STAMPS := .venv/stamps
PIP := $(BIN)/python -m pip --disable-pip-version-check
OURS := git ls-files '*.h' '*.cpp' '*.cu'

.PHONY: help setup system-packages build compiled-tests demo test cases samples unit fuzz asan tsan bench tidy lint \
        format format-check clean distclean

help:  ## this list
	@grep -E '^[a-z -]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

# A demo and a user need PyTorch and the wheel; frameworks, linters and test programs are for those who change it.
setup: build $(STAMPS)/test  ## all that a developer needs; the command is .venv/bin/samestep

system-packages:
	@[ '$(SYSTEM_PACKAGES)' = present ] || scripts/system-packages.sh

# Order-only, so that a look at the system's packages never makes the environment stale.
$(STAMPS)/venv: requirements/build.txt requirements/constraints.txt | system-packages
	$(PYTHON) -m venv .venv
	$(PIP) install -q -r requirements/build.txt
	mkdir -p $(STAMPS) && touch $@

$(STAMPS)/torch: requirements/torch.txt $(STAMPS)/venv
	$(PIP) install -q $(PYPI_TORCH) -r requirements/torch.txt
	touch $@

$(STAMPS)/test: requirements/test.txt requirements/constraints.txt $(STAMPS)/torch
	$(PIP) install -q -r requirements/test.txt
	touch $@

# One tree, build/release, holds the wheel's parts and the C++ tests.
build: system-packages $(STAMPS)/torch  ## compile what changed and install it into .venv
	CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) scripts/build.sh

compiled-tests: setup
	cmake --build build/release -j $(JOBS)

demo: build  ## audit the example trainer twice: sound, and with a fault
	$(BIN)/python scripts/demo.py --samestep $(BIN)/samestep --out demo-out

test: compiled-tests  ## all tests
	scripts/run-tests.sh

unit: compiled-tests  ## the C++ tests alone
	ctest --test-dir build/release --no-tests=error --output-on-failure -j $(JOBS)

cases: setup  ## whole trainers with one fault each, as given and repaired
	$(BIN)/python tests/cases/run_cases.py --samestep $(CURDIR)/$(BIN)/samestep --python $(CURDIR)/$(BIN)/python --fixed

samples: setup  ## real and hostile checkpoints
	$(BIN)/python tests/samples/check_samples.py --samestep $(BIN)/samestep

fuzz: system-packages  ## each fuzz target for FUZZ_SECONDS (FUZZ='pickle zip' for some)
	cmake --preset asan && cmake --build --preset fuzz -j $(JOBS)
	JOBS=$(JOBS) scripts/fuzz.sh build/asan $(FUZZ_SECONDS) $(FUZZ)

asan tsan: system-packages  ## the C++ tests under AddressSanitizer and UndefinedBehaviorSanitizer, or ThreadSanitizer
	cmake --preset $@ && cmake --build --preset $@ -j $(JOBS)
	scripts/fixed-addresses.sh ctest --preset $@ --no-tests=error -j $(JOBS) $(CTEST)

bench: setup  ## what an audit and a trace of operators cost; inspect, verify and diff of large checkpoints; digests; captures
	$(BIN)/python tests/bench/audit_overhead.py --samestep $(BIN)/samestep
	$(BIN)/python tests/bench/checkpoint_speed.py --samestep $(BIN)/samestep
	$(BIN)/python tests/bench/op_trace.py
	cmake --preset bench && cmake --build --preset bench -j $(JOBS)
	build/bench/tests/bench/digest_speed
	$(BIN)/python tests/bench/digest_speed.py
	build/bench/tests/bench/digest_bench
	$(BIN)/python tests/bench/store_bench.py --store-bench build/bench/tests/bench/store_bench --samestep $(BIN)/samestep
	$(BIN)/python tests/bench/background_speed.py
	$(BIN)/python tests/bench/step_digest.py
	$(BIN)/python tests/bench/gate_speed.py --samestep $(BIN)/samestep
	$(BIN)/python tests/bench/scaling.py --svg build/bench/scaling.svg

tidy: setup  ## clang-tidy on every source (TIDY='a.cpp b.cpp' for some)
	scripts/tidy.sh $(TIDY)

lint: setup  ## ruff and mypy
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

format: setup  ## rewrite all sources in the project's format
	$(OURS) | xargs -r clang-format-14 -i && $(BIN)/ruff format . && $(BIN)/ruff check --fix .

format-check: setup lint  ## fail when a source is not in the project's format
	$(OURS) | xargs -r clang-format-14 --dry-run --Werror

clean:  ## remove all that was built; .venv stays
	rm -rf build dist demo-out

distclean: clean  ## clean, and remove .venv
	rm -rf .venv
