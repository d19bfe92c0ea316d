# `make` lists the verbs. Each one first makes .venv, or finds in a moment that it is ready (bootstrap.py tells how).

# What `make run` runs: ARGS="bandit=thompson horizon=1000". In `make test`, PYTEST_ADDOPTS="-k ucb" picks tests.
ARGS ?= bandit=ucb
# A Python to build with instead of the one that bootstrap.py chooses: PYTHON=python3.12.
PYTHON ?=
export PYTHON
# The lane with bounds checks compiles other machine code from the same sources: a kernel cache of its own.
BOUNDS_CACHE ?= $(CURDIR)/__pycache__/kernels/bounds

# Any Python 3 starts the bootstrap. -I: PYTHONPATH, PYTHONHOME and this folder's modules cannot mislead it.
BOOTSTRAP := @start=$$(command -v python3 || command -v "$$PYTHON") || { echo "PYTHON must start a Python, 3.11 to \
3.14, as there is no python3 on PATH: install one, or give PYTHON=/path/to/python3.12; got '$$PYTHON'" >&2; exit 2; }; \
"$$start" -I bootstrap.py
PY := .venv/bin/python
# Tools that load plug-ins must not find other projects' ones on PYTHONPATH. `run` keeps it: a user's rule may be there.
TOOL := env -u PYTHONPATH $(PY) -m
# Processes of tests: one for each core, or PROCESSES=1. One that is done takes over what is left of another's.
PROCESSES ?= auto
PYTEST := $(TOOL) pytest -n $(PROCESSES) --dist worksteal
# The tests that the lanes without full speed can afford; the markers are told in pyproject.toml.
SHORT := -m "not jit and not slow and not commands"

unexport PYTHONHOME
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run test test-jit test-python test-bounds check bench clean-cache clean base dev

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

run: base ## run an experiment: make run ARGS="bandit=thompson horizon=1000"
	$(PY) -m experiments.run $(ARGS)

test: dev ## run the tests in all three lanes, to the end, and fail if any lane does
	@$(MAKE) --no-print-directory --keep-going test-jit test-python test-bounds

test-jit: dev ## the whole suite with compiled kernels
	$(PYTEST)

test-python: dev ## the short tests with the kernels as plain Python
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(SHORT)

test-bounds: dev ## the short tests with every array index checked
	@rm -rf "$(BOUNDS_CACHE)"
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$(BOUNDS_CACHE)" $(PYTEST) $(SHORT)

check: dev ## lint, formatting and types
	$(TOOL) ruff check
	$(TOOL) ruff format --check
	$(TOOL) mypy

bench: base ## time the kernels, beside other libraries where they are installed
	$(PY) -m benchmarks

clean-cache: base ## remove the compiled kernels (never stale; this frees disk space), also of rules run from elsewhere
	$(PY) -m numerics.clean_cache $(FOLDERS)

clean: ## remove .venv and all that can be made again, but no results
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis *.egg-info
	find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

base:
	$(BOOTSTRAP)

dev:
	$(BOOTSTRAP) dev
