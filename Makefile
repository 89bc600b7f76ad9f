# Two commands do all set-up: `make reproduce` and `make test`. `make help` lists the rest.
PYTHON ?= python3
PROFILE ?= quick
JOBS ?= 2
STORE ?= results
OUTPUT ?= report

BIN := .venv/bin
READY := .venv/.ready

.DEFAULT_GOAL := help
.PHONY: help reproduce test lint format bench clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

reproduce: $(READY) ## run everything at PROFILE=quick (or smoke, paper) and write the report
	$(BIN)/nmfbench reproduce all --profile $(PROFILE) --stand-in --jobs $(JOBS) \
		--store $(STORE) --output $(OUTPUT)

test: $(READY) ## lint, then all tests but the slow ones
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

lint: $(READY) ## check style only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(READY) ## rewrite files in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY) ## time solvers, kernels and peers; print medians and ratios
	$(BIN)/python -m benchmarks

clean: ## remove the environment and what runs leave behind
	rm -rf .venv .asv .pytest_cache .ruff_cache build dist

# Made anew when the dependencies change; a second run finds it and starts at once.
$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "nmfbench needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $(READY)
