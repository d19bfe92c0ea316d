"""What a recording tells of a policy: name, formula, what its index is made of, and the words that people type."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from bandits import UCB, Policy
from bandits.given import labelled
from bandits.hooks import IndexRule
from experiments.engine.options import named
from mcts.policy import index_rule_of
from numerics.checks import under
from numerics.parameters import must_be_one_of
from numerics.random import Purpose, streams

COMMAND = "python -m experiments.record"  # which makes the same recording again
_STREAMS = 32  # so many that each of two arms is drawn
USUAL = UCB(c=1.0)  # what the name ucb stands for in a search, as in `mcts.search`


def rule_of(option: str, text: str, *, searches: bool) -> Policy:
    """Return the policy of a name and its parameters, as people type them.

    Parameters
    ----------
    option : str
        What a sentence begins with.
    text : str
        Such as "ucb c=0.5".
    searches : bool
        Whether it searches a tree: then it must be an index policy, and ucb has c = 1 unless it is given.

    Raises
    ------
    ValueError
        One sentence.

    Examples
    --------
    >>> rule_of("rule", "ucb", searches=True), rule_of("rule", "ucb c=0.5", searches=True)
    (UCB(c=1.0), UCB(c=0.5))
    """
    name, *words = text.split() or [""]
    if name not in Policy.members:
        raise ValueError(must_be_one_of(option, name, sorted(Policy.members)))
    try:
        parameters = named(words)
    except ValueError as error:
        raise ValueError(f"{option}: {error}") from None
    if searches and name == USUAL.name:
        parameters = {"c": USUAL.c, **parameters}
    with under(option):
        policy = Policy.make(name, **parameters)
    if searches:
        try:
            index_rule_of(policy, horizon=True)
        except ValueError as error:
            said = str(error)
            raise ValueError(option + said[6:] if said.startswith("policy ") else f"{option}: {said}") from None
    return policy


def described(policy: Policy) -> dict[str, str]:
    """Return name, label (the name and the parameters that are not the defaults), formula and kind of index.

    Examples
    --------
    >>> from bandits import UCB
    >>> described(UCB(c=1.0))
    {'name': 'ucb', 'label': 'ucb c=1', 'formula': 'm + 1 sqrt(ln t / n)', 'index': 'bonus'}
    """
    (label,) = labelled([policy])
    return {"name": policy.name, "label": label, "formula": policy.formula, "index": kind_of_index(policy)}


def kind_of_index(policy: Policy) -> str:
    """Return what an index less its mean is: "bonus", "sample" where the rule draws it, "other", or "none" without one.

    The rule is asked about two arms with some random streams. "other" is also what a rule compares that draws the arm
    itself and scores no other one.

    Examples
    --------
    >>> from bandits import make
    >>> [kind_of_index(make(name)) for name in ("thompson", "kl_ucb", "imed", "maillard", "softmax")]
    ['sample', 'bonus', 'other', 'other', 'none']
    """
    spec = policy.spec()
    if not isinstance(spec.rule, IndexRule):
        return "none"
    pulls, means, scores = np.array([4.0, 9.0]), np.array([0.25, 0.6]), np.empty((_STREAMS, 2))
    drawn = streams(0, (Purpose.POLICY,), 0, _STREAMS)
    for row, out in enumerate(scores):
        spec.rule.compiled(
            pulls,
            means,
            1.0 / np.sqrt(pulls),
            np.full(2, 0.2),
            np.full(2, 0.5),
            14.0,
            100.0,
            spec.numbers(100),
            drawn[row : row + 1],
            out,
        )
    told = [np.unique(own[np.isfinite(own)]) for own in scores.T]
    if any(values.size > 1 for values in told):
        return "sample"
    above = all((values >= mean).all() for values, mean in zip(told, means, strict=True))
    return "bonus" if above and (scores == scores[0]).all() else "other"


def words_of(policy: Policy, usual: Policy | None = None) -> str:
    """Return a policy as the command takes it: its name, and the parameters that differ from the usual ones.

    Parameters
    ----------
    policy : Policy
    usual : Policy, optional
        What the name alone stands for; the policy with its defaults when left out.

    Examples
    --------
    >>> from bandits import make
    >>> words_of(make("ucb", c=0.5)), words_of(make("ucb")), words_of(make("ucb"), make("ucb", c=1))
    ('ucb c=0.5', 'ucb', 'ucb c=1.4142135623730951')
    """
    fields = dataclasses.fields(policy)
    given = [(one.name, getattr(policy, one.name), getattr(usual, one.name, one.default)) for one in fields]
    return " ".join([policy.name, *(f"{name}={_text(value)}" for name, value, left_out in given if value != left_out)])


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    return str(list(value) if isinstance(value, tuple) else value).replace(" ", "")
