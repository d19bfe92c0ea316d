"""A recording is the search or the bandit itself as JSON, and one file that holds all it needs."""

from __future__ import annotations

import base64
import html
import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bandits import UCB, Bernoulli, Greedy, bernoulli_kl, make, simulate
from connect4 import Board, analyse
from experiments.recordings import scripts as assets
from mcts import search
from mcts.recording import record
from tests.browser import quiet
from tests.internals import (
    POLICIES,
    Connect4,
    bandit_recording,
    end_programs,
    in_script,
    judge_game,
    kind_of_index,
    page_of,
    search_recording,
    with_left_out,
)
from tests.pages import page as docs

SMALL = ("3321", "board=5x4", "simulations=60", "seed=5")
BANDIT = ("arms=0.3,0.5,0.7", "horizon=40", "seed=5")


def recorded(place: Path) -> dict[str, Any]:
    """Return what a file holds."""
    found = re.search(
        r'<script type="application/json" id="recording">(.*?)</script>', place.read_text(encoding="utf-8"), re.DOTALL
    )
    assert found is not None
    recording: dict[str, Any] = json.loads(found[1])
    return recording


def unpacked(text: str, kind: str, *shape: int) -> Any:
    return np.frombuffer(base64.b64decode(text), f"<{kind}").reshape(shape or (-1,))


def test_two_rules_search_one_position_with_one_seed_and_the_file_holds_both_searches(command, tmp_path):
    command(*SMALL, "rule=ucb c=0.5", "rule2=thompson", "-o", "two.html", module="record")
    recording = recorded(tmp_path / "two.html")
    assert recording["position"] == {"moves": "3321", "width": 5, "height": 4, "connect": 4}
    assert recording["exact"] is None
    assert [one["label"] for one in recording["searches"]] == ["ucb c=0.5", "thompson"]
    for policy, one in zip((UCB(c=0.5), make("thompson")), recording["searches"], strict=True):
        found = search(Board.from_moves("3321", 5, 4), policy, 60, seed=5)
        lengths, path = unpacked(one["lengths"], "u1"), unpacked(one["path"], "u1")
        first = path[np.cumsum(lengths) - lengths]
        assert one["moves"] == found.moves.tolist()
        assert [(first == move).sum() for move in one["moves"]] == found.visits.tolist()
        assert [unpacked(one["results"], "f4")[first == move].mean() for move in one["moves"]] == pytest.approx(
            found.values.tolist()
        )
        scores = unpacked(one["scores"], "f4", 60, 5)
        asked = ~np.isnan(scores).any(axis=1)
        chosen = scores[np.arange(60), np.searchsorted(one["moves"], first)]
        assert (chosen[asked] == scores[asked].max(axis=1)).all()


def test_two_rules_pull_the_same_arms_and_the_file_holds_the_first_replication_of_each(command, tmp_path):
    command(*BANDIT, "rule2=thompson alpha=2", module="record")
    recording = recorded(tmp_path / "bandit.html")
    assert recording["arms"] == {"names": ["0", "1", "2"], "means": [0.3, 0.5, 0.7], "law": "Bernoulli"}
    assert [one["posterior"] for one in recording["plays"]] == [None, {"alpha": 2.0, "beta": 1.0}]
    for policy, one in zip((UCB(), make("thompson", alpha=2)), recording["plays"], strict=True):
        played = simulate(policy, Bernoulli([0.3, 0.5, 0.7]), 40, 1, 5)
        arm, reward = unpacked(one["arm"], "u2"), unpacked(one["reward"], "f4")
        assert np.bincount(arm, minlength=3).tolist() == played.pulls[0].tolist()
        assert unpacked(one["pseudo_regret"], "f4")[-1] == pytest.approx(played.pseudo_regret[0])
        assert unpacked(one["realised_regret"], "f4")[-1] == pytest.approx(played.realised_regret[0])
        means = unpacked(one["means"], "f4", 40, 3)
        best = int(np.bincount(arm[:-1]).argmax())
        assert means[-1, best] == pytest.approx(reward[:-1][arm[:-1] == best].mean())
        assert unpacked(one["scores"], "f4", 40, 3).shape == means.shape


def test_a_program_plays_a_game_whose_file_marks_its_blunders(command, tmp_path):
    (tmp_path / "my_engine.py").write_text(docs("guides/engines").files["my_engine.py"])
    engine = f"{sys.executable} -S -E my_engine.py"
    words = (f"command={engine}", "player=minimax depth=2", "board=5x4", "moves=33", "seed=2", "first=player")
    command(*words, module="record")
    recording = recorded(tmp_path / "game.html")
    assert recording["players"] == ["minimax depth=2", engine]
    assert recording["opening"] == "33"
    board = Board.from_moves(recording["position"]["moves"], 5, 4)
    assert board.is_finished()
    assert recording["result"] == board.winner()
    played = list(board.moves)
    for ply in range(3, len(played), 2):  # the engine takes an open column nearest to the middle
        open_columns = Board.from_moves(played[:ply], 5, 4).legal_moves()
        assert abs(played[ply] - 2) == min(abs(column - 2) for column in open_columns)
    row = {"game": 0, "moves": board.notation, "opening": "33", "ending": "row" if board.winner() else "full"}
    rows, decision = judge_game({**row, "player1": "a", "player2": "b", "first_player": 1}, Connect4(board="5x4"), 5.0)
    assert [one["ply"] for one in recording["blunders"]] == [one["ply"] for one in rows if one["keeps_value"] is False]
    assert recording["deciding"] == decision["ply"]
    end_programs()


def test_a_program_that_dies_later_loses_the_game_in_the_file(command, tmp_path):
    (tmp_path / "engine.py").write_text(
        "for line in open(0):\n if line != '\\n': raise SystemExit(3)\n print(4, flush=True)"
    )
    command(f"command={sys.executable} -S -E engine.py", "player=random", module="record")
    recording = recorded(tmp_path / "game.html")
    assert (recording["result"], recording["decided_by"]) == (-1, "forfeit")
    assert "status 3" in recording["ending"]
    end_programs()


def test_exact_scores_are_the_solvers_and_none_of_a_full_column(command, tmp_path):
    command("111122", "board=4x4", "simulations=20", "exact=true", module="record")
    told = analyse(Board.from_moves("111122", 4, 4)).scores
    assert recorded(tmp_path / "search.html")["exact"] == list(told)
    assert told[0] is None


OWN = "game=tests.experiments.own_games."


@pytest.mark.parametrize(
    "words",
    [
        (*SMALL, "rule=ucb c=0.3", "rule2=puct"),
        (*BANDIT, "rule=ucb c=1"),
        (f"{OWN}Nim heaps=[2,3]", "(0,1)", "rule=thompson", "rule2=ucb", "simulations=30", "seed=2"),
        (f"{OWN}Dice", "player=random", "player2=custom path=tests.experiments.own_games.first", "seed=4"),
    ],
)
def test_the_same_command_and_the_one_in_the_file_write_the_same_bytes(command, tmp_path, words):
    for name in ("a.html", "b.html", "data.json"):
        command(*words, "-o", name, module="record")
    data = recorded(tmp_path / "a.html")
    command(
        *shlex.split(data["command"].removeprefix("python -m experiments.record ")), "-o", "c.html", module="record"
    )
    assert len({(tmp_path / f"{name}.html").read_bytes() for name in "abc"}) == 1
    assert json.loads((tmp_path / "data.json").read_text()) == data
    assert f"{html.escape(data['command'])}</title>" in (tmp_path / "a.html").read_text()


def test_a_file_holds_its_data_and_every_module_that_its_modules_import_and_names_no_address():
    held = in_script(["</script><!--", "\u2028", "é"])
    assert "<" not in held
    assert held.isascii()
    assert json.loads(held) == ["</script><!--", "\u2028", "é"]
    text = page_of({"kind": "bandit", "title": "a & b", "command": "c"})
    imports = json.loads(re.search(r'<script type="importmap">(.*?)</script>', text, re.DOTALL)[1])["imports"]  # type: ignore[index]
    sources = [base64.b64decode(address.partition(",")[2]).decode() for address in imports.values()]
    wanted = {
        name for source in [*sources, text] for name in re.findall(r"""(?:from|import)\s*["']([^"']+)["']""", source)
    }
    assert wanted <= set(imports)
    assert "lab/recording/record" in wanted
    addresses = {one for source in [*sources, text] for one in re.findall(r"""https?://[^"'\s)]+""", source)}
    assert addresses <= {"http://www.w3.org/2000/svg"}  # the name of a language
    assert "<title>a &amp; b" in text
    assert assets.text_of("style.css") in text


@pytest.mark.parametrize("name", ["kl_ucb", "kl_ucb_plus_plus", "bayes_ucb"])
def test_an_index_that_a_rule_left_out_is_shown_and_is_no_other_than_the_rule_would_have_found(name: str):
    policy = make(name)
    kept = record(Board.from_moves("3321", 5, 4), policy, 60)
    known = np.isfinite(kept.scores)
    assert np.isneginf(kept.scores).any()
    found = with_left_out(policy, kept.scores, kept.visits, kept.means, 60)
    again = with_left_out(policy, np.where(known, -np.inf, kept.scores), kept.visits, kept.means, 60)
    asked = ~np.isnan(found).any(axis=1)
    assert np.isfinite(found[asked]).all()
    assert (found[asked].max(axis=1) == kept.scores[asked].max(axis=1)).all()
    assert (again[known] == kept.scores[known]).all()
    shown = search_recording(Board.from_moves("3321", 5, 4), [policy], 60)["searches"][0]["scores"]
    np.testing.assert_array_equal(unpacked(shown, "f4", 60, 5), found.astype("f4"))


def test_the_index_of_kl_ucb_is_where_the_divergence_of_its_pulls_meets_ln_t():
    arms = Bernoulli([0.3, 0.5, 0.7])
    play = bandit_recording(arms, [make("kl_ucb")], 40)["plays"][0]
    pulls = np.bincount(unpacked(play["arm"], "u2")[:-1], minlength=3)
    means, scores = (unpacked(play[key], "f4", 40, 3)[-1].astype(float) for key in ("means", "scores"))
    assert pulls * bernoulli_kl(means, scores) == pytest.approx([np.log(40)] * 3, rel=1e-3)


def test_what_is_added_to_a_mean_is_a_bonus_a_draw_or_nothing():
    kinds = {"ucb": "bonus", "thompson": "sample", "imed": "other", "softmax": "none", "glr_kl_ucb": "forgets"}
    kinds |= {"puct": "bonus", "boltzmann_gumbel": "sample", "sliding_window_ucb": "forgets", "greedy": "bonus"}
    assert {name: kind_of_index(make(name)) for name in kinds} == kinds
    scores = np.array([[-np.inf, 0.5]])  # what a rule that draws leaves out stays left out
    assert with_left_out(make("thompson"), scores, np.ones((1, 2)), np.full((1, 2), 0.5), 9) is scores
    one = search_recording(Board(4, 4), [make("puct", c=1e60)], 20)["searches"][0]
    assert np.isinf(unpacked(one["scores"], "f4", 20, 4)[-1]).any()  # beyond what a recording can say


def test_the_longest_recording_is_below_a_megabyte():
    rules = [Greedy(), make("optimistic")]  # whose paths are the longest
    with pytest.raises(ValueError, match=r"^simulations") as refused:
        search_recording(Board(), rules, 10**6)
    most = int(str(refused.value).split()[5])
    assert len(page_of(search_recording(Board(), rules, most)).encode()) < 1_000_000
    with pytest.raises(ValueError, match=f"{most} .*; got {most + 1}"):
        search_recording(Board(), rules, most + 1)


@pytest.mark.jit
@pytest.mark.parametrize("rule", ["optimistic initial=0.9 prior_pulls=2", "greedy step_size=0.2"])
def test_the_browser_replays_every_node_of_the_search(command, page, tmp_path, rule):
    command(*SMALL, f"rule={rule}", module="record")
    faults = quiet(page)
    page.goto((tmp_path / "search.html").as_uri())
    told = page.evaluate(
        """() => import("lab/recording/replay").then(({ Replay }) => {
            const text = document.getElementById("recording").textContent;
            const one = new Replay(JSON.parse(text).searches[0]);
            one.seek(60);
            const nodes = Array.from({ length: one.size }, (_, node) => node);
            return nodes.map((node) => [one.movesTo(node), one.visits[node], one.values[node]]);
        })"""
    )
    found = search(Board.from_moves("3321", 5, 4), POLICIES.of(rule), 60, seed=5)
    lines = {0: ()}
    for node, parent in enumerate(found.parents.tolist()[1:], start=1):
        lines[node] = (*lines[parent], int(found.tree.move[node]))
    seen = {line: node for node, line in lines.items() if found.tree.visits[node] > 0}
    assert len(told) == len(seen)
    for moves, visits, value in told:
        node = seen[tuple(moves)]
        assert (visits, value) == (found.tree.visits[node], pytest.approx(found.tree.values[node], abs=1e-6)), moves
    assert faults == []
