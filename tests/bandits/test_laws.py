"""Reward laws: how one uniform becomes a reward."""

from __future__ import annotations

import numpy as np
from scipy import stats

from bandits import Arms

LEAST, MOST = 0.0, 1.0 - 2.0**-53  # the ends of what a stream gives


def _rewards(law: str, uniforms: list[float], mean: float, scale: float = 1.0) -> np.ndarray:
    out = np.full(len(uniforms), np.nan)
    law_hook = Arms.members[law]([0.1, 0.2]).reward_law
    law_hook.compiled(np.array(uniforms), np.full(len(uniforms), mean), scale, out)
    return out


def test_a_bernoulli_arm_pays_where_the_uniform_is_below_its_mean():
    uniforms = [LEAST, 0.29, 0.3, 0.31, MOST]
    assert _rewards("bernoulli", uniforms, 0.3).tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert _rewards("bernoulli", uniforms, 0.0).tolist() == [0.0] * 5
    assert _rewards("bernoulli", uniforms, 1.0).tolist() == [1.0] * 5


def test_a_gaussian_arm_pays_the_quantile_of_the_uniform_and_is_finite_at_both_ends():
    uniforms = [0.01, 0.3, 0.5, 0.77, 0.999]
    np.testing.assert_allclose(_rewards("gaussian", uniforms, 2.0, 3.0), stats.norm(2.0, 3.0).ppf(uniforms), rtol=1e-12)
    low, high = _rewards("gaussian", [LEAST, MOST], 0.0)
    assert -9.0 < low < -8.0
    assert 8.0 < high < 9.0
