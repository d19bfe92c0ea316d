"""Games of random players, or of any two, as an object of study: how long, how often drawn, how many there are.

Random players are played by a kernel, and what can be counted or estimated of their board is; other players meet as in
a match, each with the first move in half of the games, and only their lengths and results are studied.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from connect4 import Board
from connect4.combinatorics import counting, estimates, random_games
from experiments.engine import console, tasks
from experiments.engine.families import EXECUTOR
from experiments.engine.store import RunFolder
from experiments.match import games
from experiments.players.specs import PlayerSpec, check_board, player_spec
from experiments.random_games import figures, printed, shards
from experiments.random_games import tables as own
from experiments.random_games.shards import EXACT, FILLINGS, GAMES, PATHS, POSITION_PATHS
from numerics import checks
from numerics.kernels.sources import digest
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd

_MOST = {GAMES: 1_000_000_000, PATHS: 1_000_000_000, POSITION_PATHS: 10_000_000, FILLINGS: 1_000_000_000}


def run_random_games(config: Mapping[str, Any], folder: Path) -> None:
    """Play the games, leave tables and figures in `folder`, and print what they say."""
    pair = player_spec(config["player1"], "player1"), player_spec(config["player2"], "player2")
    for key, one in zip(("player1", "player2"), pair, strict=True):
        if one.is_human:
            raise ValueError(f"{key} must be a player that needs no person; experiment=match has human ones; got human")
    board = Board.of_size(config["board"], config["connect"])
    check_board(pair, board)
    shape = board.width, board.height, board.connect
    amounts = {name: checks.whole(name, config[name], 1, most=_MOST.get(name)) for name in [*_MOST, EXACT]}
    seed = checks.whole("seed", config["seed"], 0)
    execute = EXECUTOR.build(config["executor"], "executor").run
    at_random = all(one.kind == "random" for one in pair)
    terms = None if at_random else games.terms_of({**config, "openings": "none"})
    code = _source_digest() if terms is None else games.source_digest(pair, terms)
    with RunFolder.open(folder, config, code) as store:
        names = " against ".join(one.label for one in pair)
        console.say(f"{names}, {amounts[GAMES]:,} games on {shape[0]}x{shape[1]}, {shape[2]} in a row")
        if store.manifest is None:
            start = time.perf_counter()
            if terms is None:
                planned = shards.plan(amounts, shape, seed, store.shards)
                tasks.carry_out(planned, execute, "games and paths")
                _write_random(planned, amounts, shape, folder)
            else:
                played = games.plan([games.labelled_apart(pair)], terms, store.shards)
                tasks.carry_out(played, execute, "games")
                _write_match(*games.gather(played), pair, shape, folder)
            figures.draw_run(folder)
            store.finish({"seed": seed, "timings": {"all": round(time.perf_counter() - start, 3)}})
        else:
            store.drop_shards()
    printed.say_results(folder)


def _write_random(parts: list[shards.Part], amounts: Mapping[str, int], shape: own.Shape, folder: Path) -> None:
    """Write every table of random play."""
    import pandas as pd

    walked = shards.exact(parts)
    lengths = own.lengths_of_random(shards.lengths(parts))
    summary = own.summary(lengths, shape, ("random", "random"), walked)
    _write_common(lengths, summary, shape, folder, shards.mixed(parts), amounts[FILLINGS])
    walks, places = (shards.sums(parts, kind) for kind in (PATHS, POSITION_PATHS))
    tables.write(own.counts(shape, walked, walks, places), folder / "counts.csv")
    tables.write(own.chances(walked), folder / "chances.csv")
    timings = [{"part": part.path.stem, "seconds": part.seconds()} for part in parts]
    tables.write(pd.DataFrame(timings), folder / "timings.parquet")


def _write_match(
    played: pd.DataFrame, timings: pd.DataFrame, pair: tuple[PlayerSpec, PlayerSpec], shape: own.Shape, folder: Path
) -> None:
    """Write the tables of games of other players."""
    label = pair[0].label if pair[0].label == pair[1].label else None
    lengths = own.lengths_of_match(played, label)
    forfeits = sum(bool(games.forfeit(str(ending))) for ending in played["ending"])
    summary = own.summary(lengths, shape, (pair[0].label, pair[1].label), [], forfeits)
    _write_common(lengths, summary, shape, folder, 0, 0)
    tables.write(played, folder / "games.parquet")
    tables.write(timings, folder / "timings.parquet")


def _write_common(
    lengths: pd.DataFrame, summary: pd.DataFrame, shape: own.Shape, folder: Path, mixed: int, fillings: int
) -> None:
    tables.write(lengths, folder / "lengths.csv")
    tables.write(summary, folder / "summary.csv")
    tables.write(own.draws(summary.iloc[0].to_dict(), shape, mixed, fillings), folder / "draws.csv")
    laws, curves = own.laws(lengths, shape)
    tables.write(laws, folder / "laws.csv")
    tables.write(curves, folder / "law_curves.csv")


def _source_digest() -> str:
    """Return a digest of the source code that the numbers of random play depend on."""
    total = hashlib.sha256()
    for module in (counting, estimates, random_games):
        total.update(digest(str(module.__file__)).encode())
    return total.hexdigest()[:16]
