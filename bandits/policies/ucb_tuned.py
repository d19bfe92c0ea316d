"""UCB1-tuned."""

from __future__ import annotations

import math

from bandits.policies.base import Policy
from bandits.rules import index_rule


class UCBTuned(Policy, name="ucb_tuned"):
    """UCB1 with the measured variance instead of its bound, for rewards in [0, 1]; nothing is proven about it."""

    source = "Auer, Cesa-Bianchi and Fischer 2002, section 4"
    locks = False
    unit_rewards = True
    formula = "m + sqrt(min(1/4, V + sqrt(2 ln t / n)) ln t / n)"


@index_rule
def ucb_tuned(mean, width, variance, t):
    """m + sqrt(min(1/4, V + sqrt(2 ln t / n)) ln t / n).

    Auer, Cesa-Bianchi and Fischer, Machine Learning 47 (2002), section 4, "UCB1-tuned". They count the
    pulls so far, t - 1 of them; here as in all rules t is the pull being chosen, one more.
    """
    level = math.log(t)
    spread = variance + math.sqrt(2.0 * level) * width
    return mean + math.sqrt(level) * math.sqrt(spread if spread < 0.25 else 0.25) * width
