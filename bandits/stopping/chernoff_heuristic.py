"""The likelihood ratio with the threshold that experiments use."""

from __future__ import annotations

import math

from bandits.rules import stopping_rule
from bandits.stopping.chernoff import LikelihoodRatio, evidence_against, leaders


class ChernoffHeuristic(LikelihoodRatio, name="chernoff_heuristic"):
    """Stop as chernoff does, with the threshold that experiments use: usually far below delta, but not proved."""

    source = "Garivier and Kaufmann 2016, section 6"
    formula = "every Z > ln((1 + ln t) / delta)"


@stopping_rule
def chernoff_heuristic(pulls, means, variances, t, params):
    """Whether all evidence exceeds ln((1 + ln t) / delta). params = [family, unit, factor, epsilon, delta]."""
    best, rival = leaders(pulls, means)
    threshold = math.log((1.0 + math.log(t)) / params[4])
    for k in range(means.size):
        b = (rival + k) % means.size
        if b != best and evidence_against(pulls, means, params, best, b) <= threshold:
            return False
    return True
