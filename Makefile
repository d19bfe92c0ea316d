# `make` lists the verbs. bootstrap.py has what each one does, and does it without make: `python bootstrap.py VERB`.

# What `make run` runs: ARGS="bandit=thompson horizon=1000"; without, the first experiment. In `make test`,
# PYTEST_ADDOPTS="-k ucb" picks tests, and PROCESSES=1 uses one core.
ARGS ?=
# What `make calibrate` measures: parts of names of claims, or all.
CLAIMS ?=
# What `make newest` installs beside the newest libraries that are allowed: NEWEST="--pre numpy numba".
NEWEST ?=
# The Python that makes .venv, when it is made: PYTHON=python3.12 (`make clean` first to change it).
PYTHON ?= python3

# -I: PYTHONPATH, PYTHONHOME and this folder's modules cannot mislead it.
BOOTSTRAP := @command -v "$(PYTHON)" >/dev/null || { echo "no $(PYTHON) on PATH: install Python 3.11 to 3.14, or give \
PYTHON=/path/to/python3" >&2; exit 2; }; "$(PYTHON)" -I bootstrap.py
VERBS := help run play test test-all check docs paper wheel newest extras bench calibrate clean-cache clean base web dev

export PROCESSES BOUNDS_CACHE
unexport PYTHONHOME
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: $(VERBS)

run: WORDS = $(ARGS)
calibrate: WORDS = $(CLAIMS)
newest: WORDS = $(NEWEST)

$(VERBS):
	$(BOOTSTRAP) $@ $(WORDS)

# Another word is refused there, in a sentence that lists the verbs.
.DEFAULT:
	$(BOOTSTRAP) $@
