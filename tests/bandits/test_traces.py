"""A trace in Python: the replication of `simulate`, as a table, a figure, and what a notebook shows."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from bandits import UCB, Trace, simulate, trace


def test_it_is_the_replication_that_simulate_plays():
    played, result = trace("ucb", [0.3, 0.7], horizon=60, seed=3, run=4), simulate(UCB(), [0.3, 0.7], 60, 5, seed=3)
    frame = played.to_frame()
    assert isinstance(played, Trace)
    np.testing.assert_array_equal(np.bincount(frame["arm"], minlength=2), result.pulls[4])
    assert frame["realised_regret"].iloc[-1] == result.realised_regret[4]
    assert repr(played) == (
        f"Trace('ucb', arms=2, horizon=60, run=4, seed=3: pseudo-regret {result.pseudo_regret[4]:.2f})"
    )


@pytest.mark.jit
def test_a_notebook_shows_its_first_steps_and_its_figure():
    played = trace("thompson", [0.3, 0.5, 0.7], horizon=30, seed=1)
    body = ET.fromstring(f"<body>{played._repr_html_()}</body>")
    head, *rows = [["".join(cell.itertext()) for cell in row] for row in body.iter("tr")]
    assert head == list(played.to_frame())
    assert [int(row[1]) for row in rows] == played.to_frame()["arm"].head(10).tolist()
    (image,) = body.iter("img")
    assert image.attrib["src"].startswith("data:image/png;base64,iVBOR")
    assert "the first 10 steps (all: to_frame())" in "".join(body.itertext())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"horizon": 0}, "horizon must be .*; got 0"),
        ({"run": -1}, "run must be .*; got -1"),
        ({"horizon": 5_000_001}, "horizon must be at most 5000000 for a trace of 2 arms"),
        ({"policy": "nope"}, "policy must be one of .*; got 'nope'"),
    ],
)
def test_a_mistake_is_one_sentence(arguments, words):
    with pytest.raises(ValueError, match=words):
        trace(**{"policy": "ucb", "arms": [0.3, 0.7], **arguments})
