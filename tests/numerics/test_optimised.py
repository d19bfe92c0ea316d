"""Python without asserts, as `python -O` and PYTHONOPTIMIZE have it, does the same."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("bandits", "connect4", "experiments", "mcts", "numerics", "treebandit")
FILES = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
CHANGING = {"add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update"}


def nodes(kind: type[ast.AST]) -> list[tuple[Path, ast.AST]]:
    return [
        (path, node)
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, kind)
    ]


def test_no_assert_has_an_effect():
    def has_effect(node: ast.AST) -> bool:
        called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING
        return called or isinstance(node, ast.NamedExpr | ast.Await | ast.Yield)

    asserts = nodes(ast.Assert)
    assert len(asserts) > 20
    assert not [(path, node.lineno) for path, node in asserts if any(map(has_effect, ast.walk(node)))]  # type: ignore[attr-defined]


def test_no_index_of_pandas_is_calculated_with():
    """`RangeIndex - 0.14` of pandas 3.1 is a wrong index where its assert does not stop it."""

    def is_index(node: ast.AST) -> bool:
        return isinstance(node, ast.Attribute) and node.attr in ("index", "columns")

    found = [(path, node) for path, node in nodes(ast.BinOp) if is_index(node.left) or is_index(node.right)]  # type: ignore[attr-defined]
    assert not [(path, node.lineno) for path, node in found if "self" not in ast.unparse(node)]  # type: ignore[attr-defined]


@pytest.mark.long
@pytest.mark.jit
def test_a_match_has_the_same_tables_and_figures(tmp_path: Path):
    words = ["experiment=match", "player1=random", "player2=level_3", "games=8", "executor=serial"]
    folders = []
    for level in ("", "1"):
        folder = tmp_path / f"level{level}"
        command = [sys.executable, "-m", "experiments.run", *words, f"hydra.run.dir={folder}"]
        done = subprocess.run(
            command, env={**os.environ, "PYTHONOPTIMIZE": level}, capture_output=True, encoding="utf-8", cwd=ROOT
        )
        assert done.returncode == 0, done.stderr
        folders.append(folder)
    names = [
        {path.relative_to(folder) for path in folder.rglob("*") if path.suffix in (".parquet", ".png", ".csv")}
        for folder in folders
    ]
    assert names[0] == names[1]
    assert any(name.suffix == ".png" for name in names[0])
    for name in names[0] - {Path("timings.parquet")}:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes(), name
