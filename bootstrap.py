"""Make `.venv`, the project's own environment, unless it is ready.

::

    python3 bootstrap.py        what running needs
    python3 bootstrap.py web    and the extra [web], for `make play`
    python3 bootstrap.py dev    and the extra [dev], for tests and checks

Every verb of the Makefile calls this first. Exit status: 0 if all is ready, 2 after a sentence that says what to mend.
An environment without a valid stamp (unfinished, moved, its Python gone, not made by this script) is made again.

Standard library only, and the syntax of Python 3.6: an older Python than the project needs can still run this, looks
for a newer one on PATH, and otherwise ends with a sentence instead of a SyntaxError.
"""

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "bootstrap.json"  # what was installed; written last, removed first
INPUTS = [ROOT / "pyproject.toml", ROOT / "constraints.txt"]
OLDEST, NEWEST = 11, 14  # Python 3.x: constraints.txt has wheels for these

# Prints the version; exits with 1 if it does not suit the project, with 3 if only ensurepip is missing.
PROBE = f"""
import sys
print("%d.%d" % sys.version_info[:2])
if sys.implementation.name != "cpython" or not (3, {OLDEST}) <= sys.version_info[:2] <= (3, {NEWEST}): sys.exit(1)
try: import ensurepip
except ImportError: sys.exit(3)
"""


class Failure(Exception):
    """Something the user can mend; its text is the sentence to print."""


def run(*command):
    """Run a command in the project's folder; return its exit status and output."""
    lead_astray = ("PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "UV_TARGET", "UV_PREFIX")
    env = {name: value for name, value in os.environ.items() if name not in lead_astray}
    env.update(PIP_USER="0", PIP_USE_PEP517="1", PIP_NO_INPUT="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    # The child inherits the lock, too: if this process is killed, the next one waits until an orphaned pip has ended.
    done = subprocess.run([str(word) for word in command], cwd=str(ROOT), env=env, close_fds=False, **pipes)
    return done.returncode, done.stdout.decode("utf-8", "replace").strip()


def tail(output):
    """Return the last lines of a tool's output, indented."""
    return "".join(f"\n    {line}" for line in output.splitlines()[-6:])


def say(text):
    """Print to stderr: stdout belongs to the program that runs next."""
    print(f"bootstrap: {text}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def alone():
    """Let one process at a time change .venv, by a lock on pyproject.toml where the system has such locks."""
    with open(str(INPUTS[0]), "rb") as file:
        with contextlib.suppress(ImportError, OSError):  # Windows; a file system without locks
            import fcntl

            os.set_inheritable(file.fileno(), True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def current():
    """Return what a stamp must say: where `.venv` lies, where its link to a Python leads, what is to be installed."""
    inputs = hashlib.sha256(b"\0".join(path.read_bytes() for path in INPUTS)).hexdigest()
    return {"place": [str(VENV), os.path.realpath(str(PYTHON))], "inputs": inputs}


def stamp():
    """Return the stamp of `.venv`, or an empty one if it must be made again."""
    try:
        found = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return found if PYTHON.exists() and found.get("place") == current()["place"] else {}


def ready(extras):
    """Say whether `.venv` holds the project with these extras."""
    found = stamp()
    return found.get("inputs") == current()["inputs"] and set(extras) <= set(found["extras"])


def choose():
    """Return a Python that can make the environment: the one running this, else the newest that fits on PATH."""
    running = getattr(sys, "_base_executable", None) or sys.executable  # not that of a .venv about to be removed
    version = "{}.{}".format(*sys.version_info)
    failure = (
        f"found Python {version} ({running}), but the project needs CPython 3.{OLDEST} to 3.{NEWEST}: install one, "
        "or name one that is not on PATH with PYTHON=/path/to/python3."
    )
    for name in [running] + [f"python3.{minor}" for minor in range(NEWEST, OLDEST - 1, -1)]:
        path = shutil.which(name)
        status, version = run(path, "-I", "-c", PROBE) if path else (127, "")
        if status == 0:
            return path
        if status == 3:
            failure = f"{path} lacks ensurepip: on Debian or Ubuntu, `apt install python{version}-venv` as root."
    raise Failure(failure)


def create():
    """Make an empty `.venv` in place of whatever is there."""
    python = choose()
    say(f"making .venv with {python}")
    if VENV.is_symlink() or VENV.is_file():
        VENV.unlink()
    elif VENV.exists():
        shutil.rmtree(str(VENV))
    status, output = run(python, "-I", "-m", "venv", VENV)
    if status:
        raise Failure(f"{python} -m venv failed:{tail(output)}")


def install(extras):
    """Install the project, editable, with `extras`, at the versions of constraints.txt."""
    before = stamp()
    if not before:
        create()
    extras = sorted({*extras, *before.get("extras", ())})  # what is there stays
    target = f".[{','.join(extras)}]" if extras else "."
    say(f"installing the project as {target} (once, about two minutes)")
    if before:
        STAMP.unlink()
    uv = shutil.which("uv")
    tools = [[uv, "pip", "install", "--python", PYTHON]] if uv else []
    for tool in [*tools, [PYTHON, "-I", "-m", "pip", "install"]]:  # pip may know a package index that uv does not
        status, output = run(*tool, "--quiet", "-c", INPUTS[1].name, "-e", target)
        if status == 0:
            STAMP.write_text(json.dumps(dict(current(), extras=extras)))
            return
        failed = f"installing {target} failed; call again once the cause is mended:{tail(output)}"
    if before:
        STAMP.write_text(json.dumps(before))  # what was there still works
    raise Failure(failed)


def main(extras):
    """Make sure that `.venv` is ready; return the exit status."""
    try:
        if not ready(extras):
            with alone():
                if not ready(extras):  # else another process has made it meanwhile
                    install(extras)
    except (Failure, OSError) as failure:
        say(f"cannot make .venv: {failure}")
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
