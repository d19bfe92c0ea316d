"""The one argmax: the highest score of each replication, equals broken at random by the replication's own stream."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from numerics.random import streams
from tests import naive
from tests.internals import choose_best, choose_by_bonus, choose_one

pytestmark = pytest.mark.kernels


def _chosen(scores: np.ndarray, rng: np.ndarray) -> np.ndarray:
    size = scores.shape[1]
    arm = np.full(size, -1, dtype=np.int64)
    choose_best(np.ascontiguousarray(scores).ravel(), rng, arm)
    return arm


@pytest.mark.parametrize(("arms", "replications"), [(1, 5), (2, 1), (7, 33), (64, 8)])
def test_the_choice_is_the_naive_one_and_only_tied_replications_draw(arms: int, replications: int):
    generator = np.random.default_rng(arms)
    rng = streams(1, (8,), 0, replications)
    twins = [naive.Xoshiro(words) for words in rng]
    for values in ([0.0, 1.0], [-np.inf, 0.5, 2.0], [-1.0, np.inf], np.arange(1_000.0)):
        scores = generator.choice(values, (arms, replications))
        expected = [naive.argmax(list(column), twin) for column, twin in zip(scores.T, twins, strict=True)]
        assert _chosen(scores, rng).tolist() == expected
        assert rng.tolist() == [twin.s for twin in twins]


@pytest.mark.parametrize("arms", [1, 2, 7])
def test_the_choice_of_a_single_replication_is_the_naive_one_too(arms: int):
    generator = np.random.default_rng(arms)
    by_scores: Any = lambda means, widths, *given: choose_one(means + 0.5 * widths, *given)  # noqa: E731
    by_bonus: Any = lambda means, widths, *given: choose_by_bonus(means, widths, 0.5, *given)  # noqa: E731
    for choose in (by_scores, by_bonus):
        rng = streams(1, (8,), 0, 2)
        twin, untouched = naive.Xoshiro(rng[1]), rng[0].tolist()
        for values in ([0.0, 1.0], [-np.inf, 0.5, 2.0], [-1.0, np.inf], np.arange(1_000.0)):
            for _ in range(10):
                means, widths = generator.choice(values, arms), generator.choice([0.5, 1.0], arms)
                assert choose(means, widths, arms, rng, 1) == naive.argmax(list(means + 0.5 * widths), twin)
        assert (rng[0].tolist(), rng[1].tolist()) == (untouched, twin.s)


@pytest.mark.parametrize("replications", [1, 7, 8, 20])
def test_a_score_that_is_no_number_is_told_wherever_it_stands(replications: int):
    rng, arm = streams(4, (8,), 0, replications), np.zeros(replications, dtype=np.int64)
    scores = np.arange(3.0 * replications)
    scores[0], scores[-1] = np.inf, -np.inf
    assert not choose_best(scores, rng, arm)
    for place in range(scores.size):
        wrong = scores.copy()
        wrong[place] = np.nan
        assert choose_best(wrong, rng, arm)
