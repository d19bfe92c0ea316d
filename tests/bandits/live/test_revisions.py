"""A policy's revision rises when its choices change: a saved agent of the older one then says so."""

from __future__ import annotations

import hashlib
import json

import pytest

from tests import golden
from tests.data import read

PLAYS: dict[str, list[str]] = {}  # of each policy, the names of its golden plays
for arms, policy in golden.PAIRS:
    PLAYS.setdefault(policy.name, []).append(golden.name_of(arms, policy))
REVISIONS = {policy.name: policy.revision for _, policy in golden.PAIRS}


@pytest.mark.parametrize("name", PLAYS)
def test_choices_that_changed_have_another_revision(name: str):
    plays = read("golden")["plays"]
    digest = hashlib.sha256(json.dumps([plays[play] for play in sorted(PLAYS[name])]).encode()).hexdigest()[:16]
    stored = read("revisions")["revisions"].get(name)
    assert stored == [REVISIONS[name], digest], (
        f"if the choices of {name} have changed, raise `revision` in its file; "
        f"then store {[REVISIONS[name], digest]} in tests/data/revisions.json"
    )
