"""`treebandit COMMAND ...`, also `python -m treebandit`: every command of the project under one name.

A command is a module that `python -m MODULE` starts too. Only the one that is called is loaded.
"""

from __future__ import annotations

import difflib
import runpy
import sys

from treebandit import __version__
from treebandit.strangers import refuse_strangers

COMMANDS = {
    "run": ("experiments.run", "one run, or with -m a sweep: tables, figures and a report in results/"),
    "play": ("experiments.play", "play Connect 4 here, or compare what two rules see of a position"),
    "serve": ("experiments.serve", "the page in a browser: play, watch searches and bandits, replay games"),
    "solve": ("connect4.solver", "the exact score of every column of a position, such as 4453"),
    "catalogue": ("experiments.catalogue", "every policy, law, player and experiment, or what one of them is"),
    "collect": ("experiments.collect", "one table of all finished runs below a folder"),
    "plot": ("experiments.plot", "draw the figures of a run again from its tables"),
    "report": ("experiments.report", "write report.html of a run again"),
    "replay": ("experiments.replay", "one game of a match, move by move"),
    "annotate": ("experiments.annotate", "the exact loss of every move of the games of a run"),
    "record": ("experiments.record", "a search or a bandit step by step, as one file to open"),
    "answer": ("experiments.answer", "any player as a program that answers positions"),
    "sprt": ("experiments.sprt", "the sequential test of pairs of games played elsewhere"),
    "count": ("connect4.combinatorics.counting", "numbers of positions and games, ply by ply"),
    "build-book": ("connect4.solver.build_book", "an opening book of a board for the solver"),
    "calibrate": ("experiments.calibration", "how often printed intervals and tests keep their word"),
    "clean-cache": ("numerics.kernels.clean_cache", "remove the compiled kernels"),
}
MISTAKE = 2


def main() -> int:
    """Start the command that is named, and return the exit status of what ends here.

    A command that starts ends the process with a status of its own.
    """
    name, *words = sys.argv[1:] or ["--help"]
    if name in ("-h", "--help"):
        print(_help())
    elif name == "--version":
        print(f"treebandit {__version__}")
    elif name not in COMMANDS:
        return _refuse(_unknown(name))
    else:
        try:
            refuse_strangers("numerics", "bandits", "connect4", "mcts", "configs", "experiments")
        except ImportError as error:
            return _refuse(str(error))
        sys.argv[1:] = words
        runpy.run_module(COMMANDS[name][0], run_name="__main__", alter_sys=True)
    return 0


def _help() -> str:
    lines = [f"  {name:<12} {purpose}" for name, (_, purpose) in COMMANDS.items()]
    return "\n".join(
        [
            "treebandit COMMAND ...   bandits and Monte-Carlo tree search under one selection rule",
            "",
            *lines,
            "",
            "  treebandit COMMAND --help tells more of one; --version",
        ]
    )


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, COMMANDS, 1)
    said = f"COMMAND must be one of {', '.join(COMMANDS)}; got {name!r}"
    return f"{said} (did you mean {near[0]}?)" if near else said


def _refuse(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return MISTAKE


if __name__ == "__main__":
    sys.exit(main())
