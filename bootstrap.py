"""Make `.venv`, the project's own environment, or find in a moment that it is already right.

::

    python3 bootstrap.py              what running needs
    python3 bootstrap.py dev          that, and the extra [dev] for tests and checks
    PYTHON=python3.12 python3 bootstrap.py

Every verb of the Makefile calls this first. Exit status: 0 all is ready, 2 the user can mend it (one sentence on stderr
says how). Nothing outside `.venv` is written, no root is needed, and no other environment is touched.

Standard library only, and the syntax of Python 3.6: a Python too old for the project then meets a sentence instead of a
SyntaxError, and before that looks for a newer one on PATH and goes on with it.
"""

import argparse
import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STAMP = VENV / "bootstrap.json"  # what the environment was made from; UNFINISHED while it is being made
VENV_PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
INPUTS = (ROOT / "pyproject.toml", ROOT / "constraints.txt")
UNFINISHED = {"unfinished": True}

SUPPORTED = ((3, 14), (3, 13), (3, 12), (3, 11))  # newest first: constraints.txt has wheels for these
NEEDED = "CPython 3.11 to 3.14"

# Variables that would send Python, pip or uv to another place than `.venv`.
ASTRAY = {
    *("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "__PYVENV_LAUNCHER__"),
    *("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_PYTHON", "UV_SYSTEM_PYTHON", "UV_TARGET", "UV_PREFIX"),
}


class Failure(Exception):
    """Something the user can mend; its text is the sentence to print."""


class ToolFailure(Failure):
    """One tool, uv or pip, did not manage; the other one may."""


class Interpreter(NamedTuple):
    """A Python that was found, and what it said of itself."""

    path: str
    version: tuple  # such as (3, 11, 7)
    name: str  # "cpython", "pypy", ...
    has_ensurepip: bool  # Debian keeps it in a package of its own

    @property
    def fits(self) -> bool:
        """Whether the project runs on it."""
        return self.name == "cpython" and tuple(self.version[:2]) in SUPPORTED

    def __str__(self) -> str:
        name = "Python" if self.name == "cpython" else self.name
        return f"{name} {'.'.join(map(str, self.version))} ({self.path})"


# --- Running things ---------------------------------------------------------------------------------------------------


def say(text: str) -> None:
    """Tell the user, on stderr: stdout belongs to the program that runs next."""
    print(f"bootstrap: {text}", file=sys.stderr, flush=True)


def run(*command, show: bool = False) -> tuple:
    """Run `command` in the project's folder; return its exit status and its output (with `show`, only its stderr)."""
    env = {name: value for name, value in os.environ.items() if name not in ASTRAY}
    # PEP 517 for all: without it an old pip installs hydra's antlr4 (a source package only) in a deprecated way.
    env.update(PIP_USER="0", PIP_USE_PEP517="1", PIP_NO_INPUT="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
    try:
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=str(ROOT),
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=None if show else subprocess.PIPE,
            stderr=subprocess.PIPE,
            close_fds=False,  # the child holds the lock too: see `alone`
        )
    except OSError as error:  # not there, not executable, a dangling link
        return 127, str(error)
    out, err = process.communicate()
    return process.returncode, ((out or b"") + err).decode("utf-8", "replace")


def last_errors(output: str, count: int = 3) -> str:
    """Return, indented, the last `count` lines of a tool's output that tell of errors; its last lines if none does."""
    # pip warns of each retry, and concludes with an error about versions that hides the reason: put it last.
    retries = re.findall("connection broken by '(.*)'", output)
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(\w*error|cause):", line, re.IGNORECASE)]
    errors += [re.sub("<.*?>: ", "", retry) for retry in retries[-1:]]
    return "".join(f"\n    {line}" for line in (errors or lines)[-count:])


@contextlib.contextmanager
def alone():
    """Let one process at a time build, where the system has `flock`.

    The lock lies on pyproject.toml, so that no lock file is left. Children inherit it: if this process is killed, the
    next one waits until an orphaned pip has ended, and only then repairs what it left.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with open(str(INPUTS[0]), "rb") as file:
        os.set_inheritable(file.fileno(), True)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another process is making .venv; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError:  # a file system without locks
            pass
        yield


# --- The interpreter --------------------------------------------------------------------------------------------------

PROBE = """
import json, os, sys
base = getattr(sys, "_base_executable", "") or ""  # an active environment may be the one that is to be replaced
try:
    from ensurepip import version
except ImportError:
    version = None
path = base if os.path.exists(base) else sys.executable
print(json.dumps([path, list(sys.version_info[:3]), sys.implementation.name, version is not None]))
"""


def probe(command: str):
    """Return the `Interpreter` that `command` starts, or None: a shim of pyenv, for one, may start nothing."""
    path = shutil.which(command)
    status, output = run(os.path.abspath(path), "-I", "-c", PROBE) if path else (127, "")
    if status:
        return None
    path, version, name, has_ensurepip = json.loads(output.splitlines()[-1])
    return Interpreter(path, tuple(version), name, has_ensurepip)


def wrong_version(found) -> str:
    """Say that the interpreters `found` do not fit, and what would."""
    names = ", ".join(map(str, found)) or "no Python that starts"
    return (
        f"found {names}, but the project needs {NEEDED}: "
        "install one of these, or name one that is not on PATH with PYTHON=/path/to/python3."
    )


def no_ensurepip(python: Interpreter) -> str:
    """Say that `python` cannot make environments, and which package mends it."""
    package = "python{}.{}-venv".format(*python.version)
    return f"{python} lacks ensurepip, so it cannot make .venv: on Debian or Ubuntu, `apt install {package}` as root."


def choose(asked: str, need_ensurepip: bool) -> Interpreter:
    """Return the interpreter to build with: the one `asked` for, else this one if it fits, else the newest on PATH."""
    names = [asked] if asked else [sys.executable] + ["python{}.{}".format(*version) for version in SUPPORTED]
    found = []
    for name in names:
        python = probe(name)
        if python and python.fits and (python.has_ensurepip or not need_ensurepip):
            return python
        if python:
            found.append(python)
    if asked and not found:
        raise Failure(f"PYTHON={asked} starts no Python 3: it must name one, {NEEDED}.")
    fitting = [python for python in found if python.fits]
    raise Failure(no_ensurepip(fitting[0]) if fitting else wrong_version(found))


# --- The state of .venv -----------------------------------------------------------------------------------------------


def read_stamp():
    """Return the stamp: a dict, None if there is none, UNFINISHED if it is unreadable."""
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return UNFINISHED
    return stamp if isinstance(stamp, dict) else UNFINISHED


def write_stamp(stamp: dict) -> None:
    """Write the stamp."""
    STAMP.write_text(json.dumps(stamp, indent=1) + "\n", encoding="utf-8")


def inputs_digest() -> str:
    """Return a digest of the files that say what is to be installed."""
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in INPUTS)).hexdigest()


def place() -> list:
    """Return what an environment is tied to: the folder it stands in and the interpreter its link leads to."""
    return [str(VENV), os.path.realpath(str(VENV_PYTHON))]


def state(extras) -> str:
    """Say what `.venv` needs so that it holds `extras`: "nothing", "install" or "rebuild"."""
    stamp = read_stamp()
    if not VENV_PYTHON.exists():  # none yet, or its Python was removed and the link dangles
        return "rebuild"
    if stamp is None:  # made by hand, or the last installation failed cleanly: go on with it
        return "install"
    if stamp.get("place") != place():  # killed on the way, moved, or its Python was replaced
        return "rebuild"
    if stamp.get("inputs") != inputs_digest() or not set(extras) <= set(stamp.get("extras", ())):
        return "install"
    return "nothing"


def usable(asked: str, uv) -> bool:
    """Say whether `.venv` starts a Python that fits (and is the one `asked` for) and can be installed into."""
    inside = probe(str(VENV_PYTHON))
    if inside is None or not inside.fits:
        return False
    if asked and inside.version != choose(asked, need_ensurepip=False).version:
        return False
    return bool(uv) or run(VENV_PYTHON, "-I", "-m", "pip", "--version")[0] == 0


# --- Building ---------------------------------------------------------------------------------------------------------


def remove() -> None:
    """Remove `.venv`, whatever it is."""
    if VENV.is_symlink() or VENV.is_file():
        VENV.unlink()
    elif VENV.exists():
        shutil.rmtree(str(VENV))


def create(python: Interpreter, uv) -> None:
    """Make an empty `.venv` with `python`, marked as unfinished from its first moment; leave none if that fails."""
    remove()
    VENV.mkdir()
    write_stamp(UNFINISHED)
    if uv:
        status, output = run(uv, "venv", "--quiet", "--allow-existing", "--python", python.path, VENV)
    else:
        status, output = run(python.path, "-I", "-m", "venv", VENV)
    if status:
        remove()
        if "ensurepip" in output and not uv:  # it is there, but its wheels are not
            raise Failure(no_ensurepip(python))
        raise ToolFailure(f"{python} could not make .venv:{last_errors(output)}")


def install(extras, uv) -> None:
    """Install the project, editable, with `extras`, at the versions of constraints.txt."""
    target = f".[{','.join(extras)}]" if extras else "."
    show = sys.stdout.isatty() and not uv  # progress for people, silence for logs
    tool = [uv, "pip", "install", "--python", VENV_PYTHON] if uv else [VENV_PYTHON, "-I", "-m", "pip", "install"]
    status, output = run(*tool, *([] if show else ["--quiet"]), "-c", INPUTS[1].name, "-e", target, show=show)
    if status:
        name = "uv" if uv else "pip"
        raise ToolFailure(
            f"{name} could not install {target}; call again once what it says is mended (`make clean` starts afresh):"
            f"{last_errors(output)}"
        )


def build(extras, asked: str, uv) -> None:
    """Bring `.venv` to hold `extras`, with uv or (None) with venv and pip."""
    if state(extras) == "rebuild" or not usable(asked, uv):
        python = choose(asked, need_ensurepip=not uv)
        say(f"making .venv with {python}")
        create(python, uv)
    before = read_stamp()
    extras = sorted({*extras, *(before or {}).get("extras", ())})  # drop nothing that is there
    say(f"installing the project with {'uv' if uv else 'pip'}: {', '.join(['base', *extras])} (once, a minute or two)")
    start = time.time()
    write_stamp(UNFINISHED)
    try:
        install(extras, uv)
    except Failure:
        if before in (None, UNFINISHED):
            STAMP.unlink()  # what is installed can stay, the next call goes on with it
        else:
            write_stamp(before)  # and what was ready is so still
        raise
    write_stamp({"place": place(), "inputs": inputs_digest(), "extras": extras})
    say(f"ready after {time.time() - start:.0f} s")


def ensure(extras, asked: str = "") -> None:
    """Make sure that `.venv` holds the project with `extras`, on the interpreter `asked` for if one is."""
    if state(extras) == "nothing" and not asked:
        return
    with alone():
        uv = shutil.which("uv")
        if state(extras) == "nothing" and usable(asked, uv="not needed"):
            return  # another process made it meanwhile, or it is already the interpreter asked for
        if uv:
            try:
                return build(extras, asked, uv)
            except ToolFailure as failure:  # pip may know a package index that uv does not
                say(f"{failure}\nbootstrap: trying without uv")
        build(extras, asked, None)


def main(arguments=None) -> int:
    """Read the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Make .venv, the project's own environment, if it is not ready yet.")
    parser.add_argument("extras", nargs="*", help="extras of pyproject.toml to install beside the base, such as dev")
    extras = parser.parse_args(arguments).extras
    try:
        ensure(extras, os.environ.get("PYTHON", ""))
    except Failure as failure:
        say(str(failure))
        return 2
    except OSError as error:
        say(f"cannot make .venv: {error}")
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
