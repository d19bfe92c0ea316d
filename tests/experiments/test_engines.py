"""Other people's engines in runs: named as nodes, in every experiment of games, what they do wrong, and what is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

PROJECT = Path(__file__).resolve().parents[2]
ENGINE = f"{sys.executable} {PROJECT / 'tests' / 'connect4' / 'my_engine.py'}"
SUBMISSION = PROJECT / "tests" / "connect4" / "my_submission.py"
SMALL = ("board=4x3", "connect=3", "games=4")


def processes_of(word: str) -> list[str]:
    """Return the command lines of all running processes that hold a word."""
    listed = subprocess.run(["ps", "-eo", "pid,stat,args"], capture_output=True, text=True, check=True).stdout
    own = str(os.getpid())
    return [
        line for line in listed.splitlines()
        if word in line and line.split()[0] != own and not line.split()[1].startswith("Z")
    ]  # fmt: skip


def test_a_node_of_a_player_is_what_its_overrides_are(command):
    terms = ("experiment=match", *SMALL)
    node = command(*terms, "player1=random", "player2={name: minimax, depth: 2, ties: left, label: \"mini, max's\"}")
    plain = command(
        *terms, "player1=random", "player2=minimax", "player2.depth=2", "player2.ties=left",
        "player2.label=\"mini, max's\"",
    )  # fmt: skip
    assert node.status == plain.status == 0, node.err + plain.err
    assert (node.folder / "games.parquet").read_bytes() == (plain.folder / "games.parquet").read_bytes()
    assert set(pd.read_parquet(node.folder / "games.parquet")["player2"]) == {"mini, max's"}


@pytest.mark.parametrize(
    ("node", "sentence"),
    [
        ("{name: minimax, ply: 2}", "ply"),
        ("{name: nobody}", "player2 must be one of "),
        ("{depth: 2}", "player2 must be one of "),
        ("{name: program}", "player2.command must be a command line, such as 'python my_engine.py'; got ''"),
        ("{name: kaggle, file: no_such.py}", "player2.file must be a submission's file; 'no_such.py': No such file"),
        ("{name: pettingzoo, agent: os.no_such}", "player2.agent 'os.no_such': module 'os' has no 'no_such'"),
        ("{name: open_spiel, bot: os.no_such}", "player2.bot 'os.no_such': module 'os' has no 'no_such'"),
    ],
)
def test_a_node_that_is_no_player_is_one_sentence(command, node, sentence):
    said = command("experiment=match", *SMALL, "player1=random", f"player2={node}")
    assert said.status == 2
    assert sentence in said.err
    assert said.err.count("\n") == 1
