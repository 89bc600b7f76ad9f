# Each command does its own set-up: `make report` shows the published results, `make reproduce`
# computes some of them again, `make test` tests. `make help` lists the rest. None of these writes
# outside of .venv, except to STORE and OUTPUT: the rest of the checkout may be read-only.
PYTHON ?= python3
PROFILE ?= quick
# One on a machine, or in a container, with one core.
JOBS ?= $(shell test "$$(nproc 2>/dev/null)" = 1 && echo 1 || echo 2)
BUDGET ?= 9m
BOOK ?= reports/records
STORE ?= results
OUTPUT ?= report
BASE ?= main
# Of tests: a numerical target, as 'nmfbench run --target' takes it.
TARGET ?= reference

BIN := .venv/bin
READY := .venv/.ready
BUILD := .venv/build
SHARED = -n $(JOBS) --dist worksteal
PYTEST = $(BIN)/python tests/targets.py $(TARGET) $(SHARED)

.DEFAULT_GOAL := help
.PHONY: help setup report reproduce test test-all test-targets test-lowest test-newest audit publish release \
	lint format bench race gate counts history clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## make the environment only, as every other command does first

report: $(READY) ## draw every table and figure, with verdicts, from the published records
	$(BIN)/nmfbench import $(BOOK) --store $(STORE)
	$(BIN)/nmfbench report all --stand-in --store $(STORE) --output $(OUTPUT)

# BUDGET= (empty) computes all of the profile, whatever was published.
reproduce: $(READY) ## compute again what fits into BUDGET, compare with what was published, report
	$(BIN)/nmfbench reproduce all --profile $(PROFILE) --stand-in --jobs $(JOBS) \
		$(if $(BUDGET),--budget $(BUDGET) --book $(BOOK),--recompute) \
		--store $(STORE) --output $(OUTPUT)

test: lint ## lint, all tests but the slow ones, and an audit of published records
	$(PYTEST)
	$(MAKE) audit

test-all: lint ## the same with the slow tests: clusters, crashes, clones, every solver and kernel
	$(PYTEST) -m "slow or not slow"
	$(MAKE) audit

test-targets: $(READY) ## all tests under this machine's own numbers, those of published ones under each
	$(BIN)/python tests/targets.py all $(SHARED)

# Environments of their own, in .venv/build; TESTS="tests/cli tests/solvers" runs a part. Lint is not
# for them. Old releases of a library and new ones of what it needs warn of each other.
test-lowest: $(READY) ## the tests under the lowest versions of dependencies that pyproject.toml allows
	$(PYTHON) -m venv --clear $(BUILD)/lowest
	$(BIN)/python tools/lowest.py > $(BUILD)/lowest.txt
	$(BUILD)/lowest/bin/python -m pip install --quiet --editable '.[test]' --constraint $(BUILD)/lowest.txt
	$(BUILD)/lowest/bin/python -m pytest $(SHARED) -o filterwarnings=default $(TESTS)

test-newest: $(READY) ## the tests under the newest versions of dependencies
	$(PYTHON) -m venv --clear $(BUILD)/newest
	$(BUILD)/newest/bin/python -m pip install --quiet --editable '.[test]'
	$(BUILD)/newest/bin/python -m pytest $(SHARED) $(TESTS)

# The sample is random; DRAW=TEXT, as it was shown, draws one again.
audit: $(READY) ## compute a sample of the published records again, and compare
	rm -rf $(BUILD)/audit
	$(BIN)/nmfbench import $(BOOK) --store $(BUILD)/audit
	$(BIN)/nmfbench audit all --store $(BUILD)/audit --budget 75s --jobs $(JOBS) \
		$(if $(DRAW),--draw "$(DRAW)")

publish: $(READY) ## merge the store into the published records, and renew the published pages
	$(BIN)/nmfbench publish --store $(STORE) --book $(BOOK)
	rm -rf $(BUILD)/book
	$(BIN)/nmfbench import $(BOOK) --store $(BUILD)/book
	$(BIN)/python -m tools.tutorial reports
	$(BIN)/nmfbench report all --stand-in --store $(BUILD)/book --output reports

# STEPS="version wheel" checks these alone.
release: $(READY) ## check that this commit can be released (RELEASE.md); uploads nothing
	$(BIN)/python -m tools.release $(STEPS)

lint: $(READY) ## check style and types only
	$(BIN)/ruff check --no-cache .
	$(BIN)/ruff format --no-cache --check .
	$(BIN)/mypy --cache-dir $(BUILD)/mypy

format: $(READY) ## rewrite files in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# ONLY=hals takes the cases whose names match, instead of all.
gate: $(READY) ## find what became slower or faster than at the commit BASE (main)
	$(BIN)/python -m benchmarks.gate --base $(BASE) $(if $(ONLY),-k '$(ONLY)')

counts: $(READY) ## find kernels that execute more or fewer instructions than at the commit BASE (main)
	$(BIN)/python -m benchmarks.counts --base $(BASE) $(if $(ONLY),-k '$(ONLY)')

history: $(READY) ## times of the last twenty commits, as pages in .asv/html
	$(BIN)/asv machine --yes
	$(BIN)/asv run $(BASE)~20..$(BASE)
	$(BIN)/asv publish

bench: $(READY) ## time solvers, kernels and peers; print medians and ratios
	$(BIN)/python -m benchmarks

race: $(READY) ## time to near the best objective on hard problems, for the page of the report
	$(BIN)/python -m benchmarks.race

clean: ## remove the environment and what runs leave behind
	rm -rf .venv .asv .pytest_cache .ruff_cache .mypy_cache build dist

# Made again when the dependencies change; a second run finds it and starts at once.
$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "nmfbench needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $(READY)
