"""What may stand next on the command line of `python -m experiments.run`, for a shell that completes its words."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from experiments.engine.configuration import default_experiment, groups
from experiments.engine.experiment import DRAWING, Choice, experiments


def words(before: Sequence[str], last: str) -> list[str]:
    """Return the names that the last word may be, where it has a sign =, or else the keys.

    Parameters
    ----------
    before : sequence of str
        The words before it, such as ["bandit=ucb"].
    last : str
        What is typed of it so far, such as "bandit.".

    Examples
    --------
    >>> words([], "executor=")
    ['executor=dask', 'executor=processes', 'executor=serial', 'executor=slice', 'executor=threads']
    >>> words(["bandit=ucb"], "bandit.")
    ['bandit.c=']
    """
    key, equals, typed = last.partition("=")
    if equals:
        done = typed[: typed.rfind(",") + 1]  # of a sweep
        return [f"{key}={done}{name}" for name in groups().get(key, ())]
    chosen = dict(word.split("=", 1) for word in before if "=" in word)
    cls = experiments().get(chosen.get("experiment", default_experiment()))
    if cls is None:
        return ["experiment="]
    fields = {field.name: field.metadata.get("group") for field in dataclasses.fields(cls)}
    group, dot, _ = key.partition(".")
    if dot:
        family: Choice | None = fields.get(group)
        if family is None or chosen.get(group) not in family.family.members:
            return []
        return [f"{group}.{field.name}=" for field in family.parameters(chosen[group])]
    return [f"{name}=" for name in ("experiment", *fields, *DRAWING)]
