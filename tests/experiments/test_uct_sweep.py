"""One parameter swept in one command: the games of the sweep of matches, the same bytes for any workers, mistakes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.experiments.commands import OF_EVERY_RUN, split_words

SMALL = ("board=4x3", "connect=3", "games=32")
RUN = ("experiment=uct_sweep", *SMALL, "opponent=random", "player.simulations=8", "values=[0.25,1]")
TABLES = ("games.parquet", "sweep.csv")


@pytest.mark.drawn
def test_it_plays_the_games_of_the_sweep_of_matches_and_leaves_the_promised_files(command, tmp_path):
    said = command(*RUN)
    names = {path.name for path in said.folder.iterdir() if path.name != ".lock"}
    assert names == {*TABLES, *OF_EVERY_RUN}
    assert {path.name for path in (said.folder / "figures").iterdir()} == {"score.png"}
    assert "uct simulations=8 with player.c=0.25,1 against random" in said.out
    assert "player 1's results, uct simulations=8 against random; score" in said.out
    assert "uct simulations=8 against random on 4x3" in (said.folder / "figures" / "score.png").read_text(
        encoding="utf-8"
    )
    command(
        "-m",
        "experiment=match",
        *SMALL,
        *split_words(
            "openings=pairs player1=uct player2=random player1.simulations=8 player1.c=0.25,1 hydra.sweep.dir=sweep"
        ),
    )
    table = pd.read_parquet(said.folder / "games.parquet")
    assert list(table["game"]) == list(range(64))
    for place, own in enumerate((table.iloc[:32], table.iloc[32:])):
        other = pd.read_parquet(tmp_path / "sweep" / str(place) / "games.parquet")
        for column in ("seed", "opening", "first_player", "moves", "result"):
            assert list(own[column]) == list(other[column])
    one, two = pd.read_csv(said.folder / "sweep.csv"), pd.read_csv(tmp_path / "sweep" / "sweep.csv")
    for column in ("score", "score_low", "difference", "p_adjusted", "standing"):
        assert one[column].equals(two[column])
    assert list(one["player.c"]) == [0.25, 1.0]


@pytest.mark.long
def test_names_are_swept_too(command):
    said = command(*RUN[:-1], "parameter=final", "values=[visits,value]")
    table = pd.read_csv(said.folder / "sweep.csv")
    assert list(table["player.final"]) == ["visits", "value"]
    assert np.isclose(table["difference"].max(), 0.0)


@pytest.mark.long
def test_settings_of_several_parameters_are_swept_too(command):
    said = command(*RUN[:-1], "parameter=settings", "values=[{solve: true},{c: 0.7, keep: true},{}]")
    table = pd.read_csv(said.folder / "sweep.csv")
    assert list(table["player.settings"]) == ["{solve: true}", "{c: 0.7, keep: true}", "{}"]
    assert list(table["player"]) == [f"uct settings={text}" for text in table["player.settings"]]
    names = pd.read_parquet(said.folder / "games.parquet")["player1"].unique()
    assert len(names) == 3
