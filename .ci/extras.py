"""Try each extra alone, in an empty environment, with the oldest and with the newest libraries that pyproject allows.

    make extras                 all of them: half an hour
    python .ci/extras.py web    some of them; `base` is the package without any

The oldest are the lower bounds of what is asked for by name; what these need comes as new as they take it. Each
environment then does what the extra is for. Exit status 1 if one cannot be installed, or fails.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
RUN = ["-m", "experiments.run", "hydra.run.dir=out", "horizon=300", "runs=20"]
TUNE = ["-m", "experiments.run", "experiment=tune", "method=optuna", "values=[0.1,4]", "trials=4", "budget=80"]
TUNE += ["confirm=false", "player.simulations=8"]
SERVE = """
import os, threading, urllib.request
from pathlib import Path
from treebandit.page import serve, server

with serve.listen("127.0.0.1", 0) as listener:
    address = f"http://127.0.0.1:{listener.getsockname()[1]}/"

    def look():
        page = urllib.request.urlopen(address, timeout=60).read()
        os._exit(0 if b"<!doctype html>" in page.lower() else 1)

    threading.Thread(target=look).start()
    server.serve(listener, "127.0.0.1", Path("results"))
"""
LIVE = """
from bandits import Agent
from treebandit.agents.app import make_app
from treebandit.agents.open_agents import OpenAgents
from treebandit.page.safety import Names

with Agent.open("sqlite:///shop.db", "banner", "thompson", 3) as agent:
    agent.reward(agent.choose(), 1.0)
make_app(OpenAgents("sqlite:///shop.db"), Names("127.0.0.1", 8080)).openapi()
"""
PETTINGZOO = """
from connect4.pettingzoo_agents import Agent, environment
from experiments.players import make_player

env = environment()
agents = {f"player_{seat}": Agent(make_player("random", seed=seat)) for seat in (0, 1)}
env.reset()
for name in env.agent_iter():
    env.step(agents[name].choose(*env.last()))
"""
ADAPTERS = """
import random
import gymnasium, pyspiel
from mcts.adapters import position_of
from mcts import exact_values
from mcts.adapters.gymnasium import process_of
from pettingzoo.classic.tictactoe.tictactoe import env

game, cart, rng = env(), gymnasium.make("CartPole-v1"), random.Random(0)
game.reset()
cart.reset(seed=0)
for start in (game, cart, pyspiel.load_game("tic_tac_toe")):
    position = position_of(start)
    while position.result() is None:
        position = position.play(rng.choice(position.moves()))
        position = position[0] if isinstance(position, tuple) else position
assert abs(exact_values(process_of(gymnasium.make("FrozenLake-v1"))).value - 14 / 17) < 1e-9
"""
GAMES = [
    "-m",
    "experiments.run",
    "experiment=match",
    "player1=open_spiel",
    "player2=random",
    "games=2",
    "player1.simulations=8",
]
PEERS = "import river.bandit, mabwiser.mab, gittins, bayesianbandits, pymab, pyspiel, bitbully; import importlib as i; "
TRIALS = {
    "base": [RUN, ["-m", "treebandit", "solve", "4453"]],
    "web": [["-c", SERVE]],
    "live": [["-c", LIVE]],
    "tune": [TUNE],
    "cluster": [[*RUN, "executor=dask", "executor.workers=1"]],
    "interop": [["-c", PETTINGZOO], ["-c", ADAPTERS], GAMES],
    "docs": [["-c", "import furo, myst_parser, sphinx, sphinx_gallery; __import__('sphinx-mathjax-offline')"]],
    "peers": [["-c", f"{PEERS}i.import_module('puissance4.agent.ai')"]],
    "dev": [["-m", "pytest", "-n", "1", "-o", "filterwarnings=default", "tests/test_golden.py"]],
}


def requirements(extra: str) -> list[str]:
    """Return what an extra and the package ask for, with the extras that it names."""
    asked = [*PROJECT["dependencies"], *EXTRAS.get(extra, [])]
    for ours in [line for line in asked if line.startswith(PROJECT["name"])]:
        for inner in ours[ours.index("[") + 1 : ours.index("]")].split(","):
            asked += EXTRAS[inner]
    return [line for line in asked if not line.startswith(PROJECT["name"])]


def oldest(extra: str) -> str:
    """Return the lower bounds of all that is asked for, as constraints; an extra's bound before those that it names."""
    pattern = re.compile(r"([\w-]+)>=([\w.]+)[^;]*(;.*)?")
    bounds: dict[str, str] = {}
    for asked in filter(None, map(pattern.match, requirements(extra))):
        bounds.setdefault(asked[1], f"{asked[1]}=={asked[2]} {asked[3] or ''}\n")
    return "".join(bounds.values())


def attempt(wheel: Path, extra: str, libraries: str, place: Path) -> str:
    """Install and try an extra; return why it failed, or an empty text."""
    subprocess.run([sys.executable, "-m", "venv", place / "venv"], check=True)
    python = place / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    (place / "oldest.txt").write_text(oldest(extra) if libraries == "oldest" else "", encoding="utf-8")
    uv = shutil.which("uv")
    install = [uv, "pip", "install", "--python", python] if uv else [python, "-m", "pip", "install"]
    target = f"{wheel}[{extra}]" if extra in EXTRAS else str(wheel)
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "NUMBA_CACHE_DIR")}
    steps = [[*install, "--quiet", "-c", place / "oldest.txt", target]]
    steps += [[python, *trial] for trial in TRIALS[extra]]
    for step in steps:
        cwd = ROOT if "pytest" in step else place
        done = subprocess.run(step, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            return done.stdout.decode("utf-8", "replace")[-2_000:]
    return ""


def main(words: list[str]) -> int:
    """Try the extras that are named, or all."""
    failed = 0
    if unknown := {*words} - {*TRIALS}:
        print(f"extras must be among {', '.join(TRIALS)}; got {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True)
        (wheel,) = Path(folder).glob("*.whl")
        for extra in words or TRIALS:
            for libraries in ("oldest", "newest"):
                began, place = time.monotonic(), Path(folder) / f"{extra}-{libraries}"
                place.mkdir()
                fault = attempt(wheel, extra, libraries, place)
                failed += bool(fault)
                took = f"{time.monotonic() - began:.0f} s"
                print(
                    f"{extra:8} {libraries:7} {took:>6}  {'failed' if fault else 'works'}\n{fault}".rstrip(), flush=True
                )
                shutil.rmtree(place, ignore_errors=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
