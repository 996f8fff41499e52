# Needs Python 3.11, pip and make; everything else goes into .venv, once, and again when the pins change.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Checked by their sha256; on a machine for which these have no wheel: make setup PINS=constraints.txt
PINS ?= hashes.txt
STAMP := $(VENV)/.installed-$(shell cat constraints.txt hashes.txt pyproject.toml | cksum | cut -d' ' -f1)

.PHONY: help setup hashes test test-all mutants promises stack lint audit docs reproduce clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

setup: $(STAMP) ## build the virtual environment
	@echo 'The environment is ready. To use it in this shell:'
	@echo '  . $(BIN)/activate'

$(STAMP):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "flgc needs Python 3.11 or newer; try: make setup PYTHON=python3.11")'
	@echo 'Setting up $(VENV): about 2.4 GB on the disk, some minutes, and pip says little meanwhile.'
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-deps --requirement $(PINS)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --no-build-isolation --editable '.[dev]'
	@touch $@

# What torch brings depends on the machine (a CPU or a CUDA build), so it is pinned by version alone.
hashes: ## after a change of the pins: the sha256 of their files, with uv
	uv pip compile --quiet --no-deps --generate-hashes --no-emit-package torch --no-annotate --no-header constraints.txt --output-file hashes.txt

lint: $(STAMP) ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Two tests at a time on two cores: threads of one would wait for those of the other, much longer
# than they work.
test test-all mutants promises: export OMP_NUM_THREADS = 1

test: lint ## lint, types and the quick tests
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow and not stack"

test-all: lint ## lint, types and all tests but those that need a stack or database of their own
	HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest -n 2 --dist worksteal -m "not stack"

promises: $(STAMP) ## break 60 promises on purpose and see that tests notice each
	$(BIN)/python tests/run_mutants.py

SEED ?= 0
SIZE ?= 120
mutants: $(STAMP) ## a sample of mutmut's mutants, and those that no test notices; SEED=7 SIZE=500
	$(BIN)/python tests/sample_mutants.py --seed $(SEED) --size $(SIZE)

audit: $(STAMP) ## known vulnerabilities of the pinned packages, where advisories can be had
	$(BIN)/python .ci/audit.py

stack: $(STAMP) ## tests that start servers, workers and databases of their own
	$(BIN)/python -m pytest -m stack

docs: $(STAMP) ## the documentation as a site of its own, into site/
	$(BIN)/mkdocs build --strict

reproduce: $(STAMP) ## the paper's tables, ours beside theirs, and a report; goes on where it was stopped
	$(BIN)/flgc reproduce

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis mutants
