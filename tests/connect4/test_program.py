"""A player that is another program: what it is asked, and every way in which it may fail."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import pytest

from connect4 import Board
from connect4.players import ProgramPlayer, program
from connect4.referee import play_game
from experiments.players import make_player
from numerics.players import Forfeit
from tests.refusals import refused

ENGINE = f"{sys.executable} -m tests.connect4.my_engine"


@pytest.fixture(autouse=True)
def none_is_left():
    """Whatever a test has started is ended after it."""
    yield
    program.end_programs()


def player(how: str = "", **parameters: object) -> ProgramPlayer:
    made = make_player("program", command=f"{ENGINE} '{how}'" if how else ENGINE, **parameters)
    assert isinstance(made, ProgramPlayer)
    return made


def ended(process: int) -> bool:
    """Whether a process is gone, or waits to be buried, within a second."""
    for _ in range(100):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        with open(f"/proc/{process}/stat", encoding="utf-8") as about:
            if about.read().rpartition(")")[2].split()[0] == "Z":
                return True
        time.sleep(0.01)
    return False


def test_a_program_is_started_once_for_all_games_and_reads_its_budget_and_may_say_a_value():
    numbers = []
    for _ in range(3):
        one = player("start")
        one.play(Board())
        numbers.append(one.value)
    assert numbers == [0.0, 0.001, 0.002]  # the lines that one process had read before
    for made, value in ((player("budget", seconds=0.25), 0.25), (player(), None)):
        assert [(made.play(board), made.value) for board in (Board(), Board.from_moves("444"))] == [(0, value)] * 2
    for given, key, value in (({"command": "a 'b"}, "command", "quotation"), ({"seconds": 20}, "seconds", "limit=10")):
        refused(lambda given=given: make_player("program", **{"command": "cat", **given}), f"{key} ", value)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("how", "fact"),
    [
        ("dies", "status 1: my tables are lost"),
        ("silent", "no move after 0.3 s"),
        ("closes", "closed"),
        ("endless", "1,000 bytes"),
        ("full", "illegal move: column 1 is full"),
        ("none", "illegal move: returned 8; "),
        ("word", "'left'"),
        ("full width", "'\uff11'"),
        ("value", "'1 2.5'"),
        ("two", "one line"),
    ],
)
def test_what_a_program_does_wrong_loses_its_game(how: str, fact: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(program, "_STARTING", 0.0 if how == "silent" else 30.0)
    one = player(how, limit=0.3 if how == "silent" else 10.0)
    board = Board.from_moves("111111") if how == "full" else Board()
    played = play_game(one, lambda board: board.legal_moves()[-1], board)
    assert played.result == -1
    assert fact in played.ending


def test_a_program_that_dies_is_started_anew_with_its_time_to_load():
    one = player("dies later")
    assert one.play(Board()) == 0
    with pytest.raises(Forfeit, match="status 3"):
        one.play(Board.from_moves("12"))
    assert one.play(Board()) == 0
    at_first = player("loads", limit=0.1)
    for _ in range(2):
        with pytest.raises(Forfeit, match="status 4"):
            at_first.play(Board.from_moves("1"))
    assert at_first.play(Board()) == 0


def test_nothing_stays_open_of_a_program_that_ends_after_its_answer(monkeypatch: pytest.MonkeyPatch):
    ask, asked = program.Program.ask, []

    def ask_and_wait(self: program.Program, *given: Any) -> str:
        answer = ask(self, *given)
        self._process.wait(10.0)
        asked.append(self)
        return answer

    monkeypatch.setattr(program.Program, "ask", ask_and_wait)
    once = make_player("program", command=f"{sys.executable} -c 'input(); print(4, flush=True)'")
    assert [once.play(Board()), once.play(Board())] == [3, 3]
    for each in asked:
        assert each.is_killed
        assert all(pipe.closed for pipe in each._pipes)
        assert not any(reader.is_alive() for reader in each._readers)


def test_a_program_is_killed_in_its_thought_when_nobody_wants_the_answer():
    one, checks = player("silent"), []

    def check() -> None:
        checks.append(time.monotonic())
        if len(checks) > 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        one.play_unless(Board(), check)
    assert checks[-1] - checks[0] < 5.0  # not the limit
    assert not any(idle for key, idle in program._idle.items() if key[0] == one.command)


@pytest.mark.parametrize(
    ("file", "way"), [("", ""), ("eng.py", "python eng.py"), ("eng.js", "node eng.js"), ("eng", "./eng")]
)
def test_a_command_that_does_not_start_loses_and_a_file_that_lies_here_is_named_with_its_way(
    file, way, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    if file:
        (tmp_path / file).write_text("")
    command = file or "./no_such_engine --fast"
    played = play_game(make_player("program", command=command), lambda board: 0, Board())
    assert played.ending.startswith(f"{command} cannot be started: No such file or directory")
    assert played.ending.endswith(way)


def test_a_program_that_is_late_in_the_middle_loses_then(monkeypatch: pytest.MonkeyPatch):
    one = player("late", limit=0.3)
    played = play_game(one, lambda board: board.legal_moves()[-1], Board())
    assert (played.result, played.moves, played.ending) == (-1, (0, 6), "no move after 0.3 s")


def test_what_was_said_before_a_question_is_no_answer_to_it():
    one = player("deaf")
    one.play(Board())
    time.sleep(0.5)
    with pytest.raises(Forfeit, match="one line"):
        one.play(Board.from_moves("12"))
    assert one.play(Board()) == 0, "the next game starts it anew"


def test_a_program_that_never_reads_does_not_hold_the_games_up():
    running = program.Program("sleep 60", Board())
    with pytest.raises(Forfeit, match="read"):
        running.ask("4" * 100_000, 1.0)  # more than its pipe holds
    assert not running.runs


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="no /proc to look at")
@pytest.mark.parametrize("how", ["parent", "stray"])
def test_what_a_program_has_started_ends_with_it(how: str):
    with pytest.raises(Forfeit, match=r"child \d+$") as caught:
        player(how).play(Board())
    assert ended(int(str(caught.value).split()[-1]))
