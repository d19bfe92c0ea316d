# `make` lists the verbs. Each makes .venv first, where it is missing or not whole. Without make: see noxfile.py.

# What `make run` runs: make run ARGS="bandit=thompson horizon=1000". Other verbs hand these words on too.
ARGS ?=
# The processes of tests: PROCESSES=1 uses one core. PYTEST_ADDOPTS="-k ucb" picks tests.
PROCESSES ?= auto
# The Python that makes .venv: PYTHON=python3.12 (`make clean` first to change it).
PYTHON ?= python3
# Where compiled kernels with checked indices are kept.
BOUNDS_CACHE ?= __pycache__/kernels/bounds

# None of these may lead Python or pip out of .venv.
unexport PYTHONHOME PIP_USER PIP_TARGET PIP_PREFIX PIP_ROOT
PY := .venv/bin/python
TEST := $(PY) -m pytest -n $(PROCESSES) --dist worksteal -rfEs
# Percent of the lines of kernels that all tests reach; a selection of tests need not.
FLOOR := $(if $(ARGS)$(PYTEST_ADDOPTS),0,75)
PANDOC := pandoc paper/paper.md --resource-path=paper --citeproc -M "author=The treebandit developers" $(ARGS)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run play test test-all long plain bounds check docs paper wheel newest extras bench calibrate \
    clean-cache clean base web dev FORCE

help: ## list the verbs
	@while IFS= read -r line; do case "$$line" in \
	    [a-z]*" ## "*) printf '%-13s %s\n' "$${line%%:*}" "$${line##*\#\# }";; \
	esac; done <Makefile

run: .venv/base ## run an experiment: make run ARGS="bandit=thompson horizon=1000"
	$(PY) -m experiments.run $(or $(ARGS),bandit=ucb)

play: .venv/web ## open a page in the browser: play Connect 4, see why the program moves as it does
	$(PY) -m treebandit.page $(ARGS)

test: .venv/dev ## run the fast tests: every part once
	$(TEST) --durations=20 $(ARGS)

test-all: .venv/dev ## run all tests: test, long, plain and bounds
	$(MAKE) --no-print-directory --keep-going test long plain bounds

long: .venv/dev ## run the tests that `make test` leaves out
	$(TEST) -m "long or program" --durations=40 $(ARGS)

plain: .venv/dev ## run the tests of kernels as plain Python, where their coverage can be seen
	NUMBA_DISABLE_JIT=1 $(TEST) -m "" --durations=10 --cov --cov-report=term:skip-covered --cov-fail-under=$(FLOOR) $(ARGS)

# glibc overwrites freed memory, so that a read of it is seen too.
bounds: .venv/dev ## run the tests of kernels with checked indices, compiled afresh
	rm -rf "$(BOUNDS_CACHE)"
	MALLOC_PERTURB_=85 NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$(abspath $(BOUNDS_CACHE))" $(TEST) -m "" --durations=10 $(ARGS)

check: .venv/dev ## lint, formatting, types on each system and the direction of imports
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy --platform linux --cache-dir .mypy_cache/linux
	$(PY) -m mypy --platform darwin --cache-dir .mypy_cache/darwin
	$(PY) -m mypy --platform win32 --cache-dir .mypy_cache/win32
	.venv/bin/lint-imports --no-logo --no-cache
	@! command -v actionlint >/dev/null || actionlint
	@! command -v zizmor >/dev/null || zizmor --offline --quiet .github

docs: .venv/dev ## the site: guides, gallery, reference, in build/docs/html/index.html
	$(PY) -m sphinx -W --keep-going -q -b html -d build/docs/doctrees $(ARGS) docs build/docs/html

paper: ## the paper, by pandoc: build/paper/paper.html, paper.pdf with LaTeX or Chromium
	@command -v pandoc >/dev/null || { echo "no pandoc on PATH: install it from your system's packages" >&2; exit 2; }
	mkdir -p build/paper
	$(PANDOC) --standalone --self-contained --css=paper/paper.css -o build/paper/paper.html
	if command -v xelatex >/dev/null; then $(PANDOC) --pdf-engine=xelatex -V geometry:margin=25mm -o build/paper/paper.pdf; \
	elif command -v chromium >/dev/null; then chromium --headless --log-level=3 --no-sandbox --no-pdf-header-footer \
	    "--user-data-dir=$(CURDIR)/build/paper/browser" --print-to-pdf=build/paper/paper.pdf build/paper/paper.html; fi

wheel: .venv/dev ## the wheel and the source archive, in dist/
	$(PY) -m hatchling build $(ARGS)

newest: .venv/dev ## put the newest libraries into .venv until `make clean`: make newest ARGS="--pre numpy numba"
	$(PY) -m pip install --upgrade --upgrade-strategy eager -e ".[dev]"
	$(if $(ARGS),$(PY) -m pip install --upgrade $(ARGS))

extras: .venv/dev ## try each extra in an empty environment, with the oldest and the newest libraries (half an hour)
	$(PY) .ci/extras.py $(ARGS)

bench: .venv/base ## time the kernels, beside other libraries where they are installed
	$(PY) -m benchmarks $(ARGS)

calibrate: .venv/base ## count how often every printed interval and test keeps its word, in simulated experiments
	$(PY) -m benchmarks.calibration $(ARGS)

clean-cache: .venv/base ## remove the compiled kernels (never stale; this frees disk space)
	$(PY) -m treebandit.clean_cache

clean: ## remove .venv and all that can be made again, but no results
	rm -rf .venv build dist docs/generated .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage *.egg-info
	find . -name __pycache__ -not -path "./.git/*" -prune -exec rm -rf {} +

base: .venv/base ## only make .venv, with what running needs
web: .venv/web ## only make .venv, with what the page needs too
dev: .venv/dev ## only make .venv, with what tests and checks need too

# --- .venv ------------------------------------------------------------------------------------------------------------

define CHECK
import sys
if sys.implementation.name != "cpython" or not (3, 11) <= sys.version_info < (3, 15):
    version = "%d.%d" % sys.version_info[:2]
    sys.exit("found Python %s (%s), but the project needs CPython 3.11 to 3.14: install one, or give "
        "PYTHON=/path/to/python3" % (version, sys.executable))
try:
    import ensurepip
except ImportError:
    version = "%d.%d" % sys.version_info[:2]
    sys.exit("%s lacks ensurepip: on Debian or Ubuntu, `apt install python%s-venv` as root" % (sys.executable, version))
endef
export CHECK

# A stamp is made last. Without one, or moved, or its Python gone, .venv is made again.
WHOLE := $(shell $(PY) -c "" 2>/dev/null && cat .venv/whole 2>/dev/null)
ifneq ("$(WHOLE)","$(CURDIR)")
.venv/whole: FORCE
endif

.venv/whole:
	@command -v "$(PYTHON)" >/dev/null || \
	    { echo "no $(PYTHON) on PATH: install Python 3.11 to 3.14, or give PYTHON=/path/to/python3" >&2; exit 2; }
	@"$(PYTHON)" -c "$$CHECK"
	rm -rf .venv
	"$(PYTHON)" -m venv .venv
	@echo "$(CURDIR)" >$@

INSTALL = $(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e

.venv/base: .venv/whole pyproject.toml constraints.txt
	$(INSTALL) .
	@touch $@

.venv/web: .venv/whole pyproject.toml constraints.txt
	$(INSTALL) ".[web]"
	@touch .venv/base $@

.venv/dev: .venv/whole pyproject.toml constraints.txt
	$(INSTALL) ".[dev]"
	@touch .venv/base .venv/web $@
