"""Run, test, check and build the project, in `.venv`, an environment that is made first unless it is ready.

::

    python bootstrap.py                          the verbs
    python bootstrap.py run bandit=thompson      an experiment
    python bootstrap.py test -k ucb              the tests whose names say ucb

`make VERB` is the same where there is `make`. Exit status: that of what was run, or 2 after a sentence that says what
to mend. An environment without a valid stamp (unfinished, moved, its Python gone, not made by this script) is made
again.

This file uses only the standard library and the syntax of Python 3.6, so that a Python too old for the project can
still run it. It then looks for a newer Python on PATH. If there is none, it ends with a message instead of a
SyntaxError.
"""

import collections
import contextlib
import errno
import hashlib
import json
import os
import shutil
import signal
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
    """Let one process at a time change .venv, by a lock on pyproject.toml where the file system has locks."""
    with open(str(INPUTS[0]), "rb") as file:
        try:
            import fcntl
        except ImportError:
            _lock_on_windows(file)
        else:
            with contextlib.suppress(OSError):
                os.set_inheritable(file.fileno(), True)
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _lock_on_windows(file):
    """Wait for a lock of a byte far behind the file's end: nobody else can read one that is locked."""
    import msvcrt

    file.seek(2**30)
    while True:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        except OSError as error:
            if error.errno == errno.EDEADLOCK:  # after ten attempts, one a second
                continue
        return


def current():
    """Return what a stamp must say: where `.venv` lies, where its link to a Python leads, what is to be installed."""
    inputs = hashlib.sha256(b"\0".join(path.read_bytes() for path in INPUTS)).hexdigest()
    return {"place": [str(VENV), os.path.realpath(str(PYTHON))], "inputs": inputs}


def stamp():
    """Return the stamp of `.venv`, or an empty one if it must be made again."""
    try:
        written = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return written if PYTHON.exists() and written.get("place") == current()["place"] else {}


def ready(extras):
    """Say whether `.venv` holds the project with these extras."""
    written = stamp()
    return written.get("inputs") == current()["inputs"] and set(extras) <= set(written["extras"])


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
            STAMP.write_text(json.dumps(dict(current(), extras=extras)), encoding="utf-8")
            return
        failed = f"installing {target} failed; call again once the cause is mended:{tail(output)}"
    if before:
        STAMP.write_text(json.dumps(before), encoding="utf-8")  # what was there still works
    raise Failure(failed)


def prepare(extras):
    """Make sure that `.venv` is ready; return the exit status."""
    try:
        if not ready(extras):
            with alone():
                if not ready(extras):  # else another process has made it meanwhile
                    install(extras)
    except (Failure, OSError) as failure:
        held = os.name == "nt" and isinstance(failure, PermissionError)
        hint = "; `deactivate` first, and close what runs in it" if held else ""
        say(f"cannot make .venv: {failure}{hint}")
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


# --- verbs ------------------------------------------------------------------------------------------------------------

# What a verb needs installed (None: no environment), what it does given more words, and whether all steps are done
# even if one fails.
Verb = collections.namedtuple("Verb", "text extras steps goes_on")

SYSTEMS = ["linux", "darwin", "win32"]  # whose types are checked, wherever this runs
FLOOR = 75  # percent of the lines of kernels that tests reach; a selection of tests need not
LINTERS = {"actionlint": [], "zizmor": ["--offline", "--quiet", ".github"]}  # of workflows
MADE = [".venv", "build", "dist", "docs/generated", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis"]


def module(name, *words, **added):
    """Return a step: a module of `.venv`, words, and what is added to the environment."""
    return [str(PYTHON), "-m", name, *words], added


def tool(name, *words, **added):
    """Return a step whose plug-ins come from `.venv` alone; others keep PYTHONPATH: a user's rule may be there."""
    return module(name, *words, PYTHONPATH=None, **added)


def tests(*words, **added):
    """Return a step: tests in a process for each core, or PROCESSES; one that is done takes over tests of another."""
    processes = os.environ.get("PROCESSES") or "auto"
    return tool("pytest", "-n", processes, "--dist", "worksteal", "-rfEs", *words, **added)


def fast(words):
    """Return the tests that are not long, with compiled kernels."""
    return [tests("--durations=20", *words)]


def every(words):
    """Return all tests in three lanes: kernels compiled, as plain Python, and compiled with checked indices.

    The coverage of kernels can be seen only where they are plain Python. Checked indices are other machine code from
    the same sources, in a new cache of its own. Where the fast tests have passed on a bare machine, as in CI, the first
    lane is of the others.
    """
    floor = 0 if words or os.environ.get("PYTEST_ADDOPTS") else FLOOR
    cover = ["--cov", "--cov-report=term:skip-covered", f"--cov-fail-under={floor}"]
    cache = os.environ.get("BOUNDS_CACHE") or str(ROOT / "__pycache__" / "kernels" / "bounds")
    shutil.rmtree(cache, ignore_errors=True)
    return [
        tests("-m", "long or program" if os.environ.get("FAST_PASSED") else "", "--durations=40", *words),
        tests("-m", "", *cover, *words, NUMBA_DISABLE_JIT="1"),
        tests("-m", "", *words, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=cache),
    ]


def check(words):
    """Return lint, formatting, types on each system, the direction of imports, and workflows if their linters exist."""
    steps = [tool("ruff", "check"), tool("ruff", "format", "--check")]
    steps += [tool("mypy", "--platform", name, "--cache-dir", f".mypy_cache/{name}") for name in SYSTEMS]
    steps += [([program("lint-imports"), "--no-logo", "--no-cache"], {"PYTHONPATH": None})]
    for name, more in LINTERS.items():
        if program(name):
            steps.append(([program(name), *more], {}))
    return steps


def program(name):
    """Return the path of a program of `.venv`, or else of PATH; None if there is none."""
    return shutil.which(name, path=str(PYTHON.parent)) or shutil.which(name)


def newest(words):
    """Return the installation of the newest libraries that are allowed, then of what words say, allowed or not."""
    steps = [tool("pip", "install", "--upgrade", "--upgrade-strategy", "eager", "-e", ".[dev]")]
    return [*steps, tool("pip", "install", "--upgrade", *words)] if words else steps


def site(words):
    """Return the building of the site, in which a warning is an error."""
    options = ["-W", "--keep-going", "-q", "-b", "html", "-d", "build/docs/doctrees"]
    return [tool("sphinx", *options, *words, "docs", "build/docs/html")]


def paper(words):
    """Return the paper by pandoc: as a page, and as PDF where there is LaTeX, or Chromium to print the page."""
    if not program("pandoc"):
        raise Failure("no pandoc on PATH: install it from your system's packages")
    folder = ROOT / "build" / "paper"
    folder.mkdir(parents=True, exist_ok=True)
    common = ["paper/paper.md", "--resource-path=paper", "--citeproc", "-M", "author=The treebandit developers", *words]
    page = [program("pandoc"), *common, "--standalone", "--self-contained", "--css=paper/paper.css"]
    steps = [([*page, "-o", "build/paper/paper.html"], {})]
    if program("xelatex"):
        pdf = [program("pandoc"), *common, "--pdf-engine=xelatex", "-V", "geometry:margin=25mm"]  # wide figures
        steps.append(([*pdf, "-o", "build/paper/paper.pdf"], {}))
    elif program("chromium"):
        pdf = [program("chromium"), "--headless", "--log-level=3", "--no-pdf-header-footer"]
        pdf += [f"--user-data-dir={folder / 'browser'}"]  # none of the user's
        pdf += ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []  # else root cannot start it
        steps.append(([*pdf, f"--print-to-pdf={folder / 'paper.pdf'}", (folder / "paper.html").as_uri()], {}))
    return steps


def clean(words):
    """Remove what can be made again, but no results."""
    for path in [*(ROOT / name for name in MADE), *ROOT.glob("*.egg-info")]:
        shutil.rmtree(str(path), ignore_errors=True)
    for path in [path for path in ROOT.rglob("__pycache__") if ".git" not in path.parts]:
        shutil.rmtree(str(path), ignore_errors=True)
    with contextlib.suppress(OSError):
        (ROOT / ".coverage").unlink()
    return []


def show(words):
    """List the verbs."""
    for name, verb in VERBS.items():
        print(f"  {name:13} {verb.text}")
    return []


VERBS = {
    "help": Verb("list the verbs", None, show, False),
    "run": Verb(
        "run an experiment: run bandit=thompson horizon=1000",
        (),
        lambda words: [module("experiments.run", *(words or ["bandit=ucb"]))],
        False,
    ),
    "play": Verb(
        "open a page in the browser: play Connect 4, see why the program moves as it does, compare rules",
        ("web",),
        lambda words: [module("experiments.serve", *words)],
        False,
    ),
    "test": Verb("run the fast tests: every part once, in about five minutes", ("dev",), fast, False),
    "test-all": Verb(
        "run all tests, those of kernels as plain Python and with checked indices too (about an hour)",
        ("dev",),
        every,
        True,
    ),
    "check": Verb("lint, formatting, types on each system and the direction of imports", ("dev",), check, False),
    "docs": Verb(
        "the site: guides, gallery, reference, in build/docs/html/index.html (some minutes)", ("dev",), site, False
    ),
    "paper": Verb("the paper, by pandoc: build/paper/paper.html, paper.pdf with LaTeX or Chromium", None, paper, False),
    "wheel": Verb(
        "the wheel and the source archive, in dist/",
        ("dev",),
        lambda words: [module("hatchling", "build", *words)],
        False,
    ),
    "newest": Verb(
        "put the newest libraries into .venv until `clean`, and more with words: newest --pre numpy numba",
        ("dev",),
        newest,
        False,
    ),
    "extras": Verb(
        "try each extra in an empty environment, with the oldest and the newest libraries (half an hour)",
        ("dev",),
        lambda words: [([str(PYTHON), str(ROOT / ".ci" / "extras.py"), *words], {"PYTHONPATH": None})],
        False,
    ),
    "bench": Verb(
        "time the kernels, beside other libraries where they are installed",
        (),
        lambda words: [module("benchmarks", *words)],
        False,
    ),
    "calibrate": Verb(
        "count how often every printed interval and test keeps its word, in simulated experiments",
        (),
        lambda words: [module("benchmarks.calibration", *words)],
        False,
    ),
    "clean-cache": Verb(
        "remove the compiled kernels (never stale; this frees disk space)",
        (),
        lambda words: [module("numerics.kernels.clean_cache")],
        False,
    ),
    "clean": Verb("remove .venv and all that can be made again, but no results", None, clean, False),
    "base": Verb("only make .venv, with what running needs", (), lambda words: [], False),
    "web": Verb("only make .venv, with what the page needs too", ("web",), lambda words: [], False),
    "dev": Verb("only make .venv, with what tests and checks need too", ("dev",), lambda words: [], False),
}


def do(words, added, *, last):
    """Carry out a step and return its exit status; the last one takes the place of this process where it can."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONHOME"}
    env.update((name, value) for name, value in added.items() if value is not None)
    for name in [name for name, value in added.items() if value is None]:
        env.pop(name, None)
    say(" ".join([os.path.basename(words[0]), *words[1:]]))
    if last and os.name == "posix":
        os.chdir(str(ROOT))
        os.execve(words[0], words, env)
    heard = signal.getsignal(signal.SIGINT)
    if heard is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: None)  # the step hears Ctrl-C too, and ends in its own way
    try:
        return subprocess.Popen(words, cwd=str(ROOT), env=env).wait()
    finally:
        signal.signal(signal.SIGINT, heard)


def main(words):
    """Prepare and do what a verb says; return the exit status."""
    name = words[0] if words else "help"
    if name not in VERBS:
        hint = "; the tests are `test` and `test-all`" if name.startswith(("test", "quick")) else ""
        say(f"the verb must be one of {', '.join(VERBS)}; got {name!r}{hint}")
        return 2
    verb = VERBS[name]
    status = 0 if verb.extras is None else prepare(verb.extras)
    try:
        steps = verb.steps(list(words[1:])) if status == 0 else []
    except Failure as failure:
        say(failure)
        return 2
    for number, (step, added) in enumerate(steps, start=1):
        status = do(step, added, last=number == len(steps) and status == 0) or status
        if status and not verb.goes_on:
            break
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
