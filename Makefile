# `make` lists the verbs. Each one first makes .venv, or finds in a moment that it is ready (bootstrap.py tells how).

# What `make run` runs: ARGS="bandit=thompson horizon=1000". In `make test`, PYTEST_ADDOPTS="-k ucb" picks tests.
ARGS ?= bandit=ucb
# What `make calibrate` measures: parts of names of claims, or all.
CLAIMS ?=
# The Python that makes .venv, when it is made: PYTHON=python3.12 (`make clean` first to change it).
PYTHON ?= python3
# The lane with bounds checks compiles other machine code from the same sources: a kernel cache of its own.
BOUNDS_CACHE ?= $(CURDIR)/__pycache__/kernels/bounds

# -I: PYTHONPATH, PYTHONHOME and this folder's modules cannot mislead it.
BOOTSTRAP := @command -v "$(PYTHON)" >/dev/null || { echo "no $(PYTHON) on PATH: install Python 3.11 to 3.14, or give \
PYTHON=/path/to/python3" >&2; exit 2; }; "$(PYTHON)" -I bootstrap.py
PY := .venv/bin/python
# Tools that load plug-ins must not find other projects' ones on PYTHONPATH. `run` keeps it: a user's rule may be there.
TOOL := env -u PYTHONPATH $(PY) -m
# Processes of tests: one for each core, or PROCESSES=1. One that is done takes over what is left of another's.
PROCESSES ?= auto
PYTEST := $(TOOL) pytest -n $(PROCESSES) --dist worksteal -rfEs
# Coverage can see kernels only where they are plain Python. A choice of tests need not reach the floor, in percent.
COVERAGE := NUMBA_DISABLE_JIT=1 $(PYTEST) --cov --cov-report=term:skip-covered --cov-fail-under=$(if $(PYTEST_ADDOPTS),0,75)

unexport PYTHONHOME
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run play quick test test-jit test-python test-bounds test-slow check bench calibrate clean-cache clean base web dev docs paper wheel

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

run: base ## run an experiment: make run ARGS="bandit=thompson horizon=1000"
	$(PY) -m experiments.run $(ARGS)

play: web ## open a page in the browser: play Connect 4, see why the program moves as it does, compare rules
	$(PY) -m experiments.serve

quick: dev ## a few tests of every part, in about a minute
	$(PYTEST) tests/test_golden.py tests/bandits/test_truth.py tests/connect4/test_board.py tests/connect4/test_solver.py \
	tests/mcts/test_reference.py tests/experiments/test_interrupts.py tests/experiments/test_trace.py

test: dev ## run the tests in all three lanes, to the end, and fail if any lane does
	@$(MAKE) --no-print-directory --keep-going test-jit test-python test-bounds

test-jit: dev ## all tests but the long ones, with compiled kernels
	$(PYTEST) --durations=20

test-python: dev ## the tests of kernels again, with the kernels as plain Python
	NUMBA_DISABLE_JIT=1 $(PYTEST)

test-bounds: dev ## the tests of kernels again, with every array index checked
	@rm -rf "$(BOUNDS_CACHE)"
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$(BOUNDS_CACHE)" $(PYTEST)

test-slow: dev ## the long tests: runs killed at many moments, large samples, every page; coverage of the kernels
	$(PYTEST) -m long --durations=20
	$(COVERAGE)

check: dev ## lint, formatting, types and the direction of imports
	$(TOOL) ruff check
	$(TOOL) ruff format --check
	$(TOOL) mypy
	env -u PYTHONPATH .venv/bin/lint-imports --no-logo --no-cache

docs: dev ## the site: guides, gallery, reference, in build/docs/html/index.html (some minutes)
	$(TOOL) sphinx -W --keep-going -q -b html -d build/docs/doctrees docs build/docs/html

paper: ## the paper, by pandoc: build/paper/paper.html, and paper.pdf where there is LaTeX
	@command -v pandoc >/dev/null || { echo "no pandoc on PATH: install it from your system's packages" >&2; exit 2; }
	mkdir -p build/paper
	cd paper && pandoc paper.md --citeproc -M author="The treebandit developers" --standalone --self-contained -o ../build/paper/paper.html
	@if command -v xelatex >/dev/null; then cd paper && \
	pandoc paper.md --citeproc -M author="The treebandit developers" --pdf-engine=xelatex -o ../build/paper/paper.pdf; fi

wheel: dev ## the wheel and the source archive, in dist/
	$(PY) -m hatchling build

bench: base ## time the kernels, beside other libraries where they are installed
	$(PY) -m benchmarks

calibrate: base ## count how often every printed interval and test keeps its word, in simulated experiments
	$(PY) -m experiments.calibration $(CLAIMS)

clean-cache: base ## remove the compiled kernels (never stale; this frees disk space)
	$(PY) -m numerics.kernels.clean_cache

clean: ## remove .venv and all that can be made again, but no results
	rm -rf .venv build dist docs/generated .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage *.egg-info
	find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

base:
	$(BOOTSTRAP)

web:
	$(BOOTSTRAP) web

dev:
	$(BOOTSTRAP) dev
