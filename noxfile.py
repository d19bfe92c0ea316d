#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""The verbs of the Makefile where there is no make, as on Windows: `pip install nox`, then `nox -s test`.

Words behind `--` go on: `nox -s run -- bandit=thompson horizon=1000`, `nox -s test -- -k ucb`.
"""

from __future__ import annotations

import nox

nox.needs_version = ">=2025.2.9"  # runs by itself: `uv run noxfile.py`
nox.options.default_venv_backend = "venv"
nox.options.reuse_existing_virtualenvs = True
PYTEST = ["python", "-m", "pytest", "-n", "auto", "--dist", "worksteal", "-rfEs"]


def install(session: nox.Session, extra: str = "") -> None:
    """Install the project, editable, at the versions of constraints.txt."""
    session.install("--quiet", "-c", "constraints.txt", "-e", f".[{extra}]" if extra else ".")


@nox.session(default=False)
def run(session: nox.Session) -> None:
    """Run an experiment."""
    install(session)
    session.run("python", "-m", "experiments.run", *(session.posargs or ["bandit=ucb"]))


@nox.session(default=False)
def play(session: nox.Session) -> None:
    """Open a page in the browser: play Connect 4, see why the program moves as it does."""
    install(session, "web")
    session.run("python", "-m", "treebandit.page", *session.posargs)


@nox.session
def test(session: nox.Session) -> None:
    """Run the fast tests: every part once."""
    install(session, "dev")
    session.run(*PYTEST, *session.posargs)


@nox.session(default=False)
@nox.parametrize("lane", ["compiled", "plain", "bounds"])
def test_all(session: nox.Session, lane: str) -> None:
    """Run all tests in three lanes: kernels compiled, as plain Python, with checked indices."""
    install(session, "dev")
    cache = f"{session.create_tmp()}/kernels"
    lanes = {
        "compiled": {},
        "plain": {"NUMBA_DISABLE_JIT": "1"},
        "bounds": {"MALLOC_PERTURB_": "85", "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": cache},
    }
    session.run(*PYTEST, "-m", "", *session.posargs, env=lanes[lane])


@nox.session(default=False)
def check(session: nox.Session) -> None:
    """Lint, formatting, types on each system and the direction of imports."""
    install(session, "dev")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    for system in ("linux", "darwin", "win32"):
        session.run("python", "-m", "mypy", "--platform", system, "--cache-dir", f".mypy_cache/{system}")
    session.run("lint-imports", "--no-logo", "--no-cache")


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """Build the site in build/docs/html."""
    install(session, "dev")
    session.run("sphinx-build", "-W", "--keep-going", "-q", "-b", "html", "docs", "build/docs/html", *session.posargs)


if __name__ == "__main__":
    nox.main()
