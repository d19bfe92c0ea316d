"""How a command ends, failure by failure: its status, and what standard error names."""

from __future__ import annotations

import errno
import os
import re

import pytest

from numerics.exits import Terminated, explain_error, one_line, run_guarded, say


def failing(error: BaseException, before: BaseException | None = None):
    """A command that fails, perhaps while it handles another failure."""
    error.__context__ = before

    def main() -> None:
        raise error

    return main


@pytest.mark.parametrize(
    ("main", "status", "said"),
    [
        (lambda: None, 0, ""),
        (failing(KeyboardInterrupt()), 130, "interrupted\n"),
        (failing(Terminated()), 143, "terminated\n"),
        (failing(Terminated("a=1")), 143, "terminated; to resume, repeat the command with a=1\n"),
        (failing(SystemExit(1), BrokenPipeError()), 2, ""),
        (failing(SystemExit(1)), 1, ""),
        (failing(SystemExit(3), ValueError("not this")), 3, ""),
        (failing(SystemExit(None)), 0, ""),
        (failing(ValueError("a must be\n  1")), 2, "a must be 1\n"),
    ],
)
def test_a_command_ends_with_its_status_and_sentence(main, status: int, said: str, capsys):
    assert run_guarded(main) == status
    assert capsys.readouterr() == ("", said)


def test_a_reader_that_has_left_is_a_status_without_a_sentence(capfd):
    kept = os.dup(1)
    try:
        assert run_guarded(failing(BrokenPipeError())) == 2
    finally:
        os.dup2(kept, 1)
        os.close(kept)
    assert capfd.readouterr().err == ""


def test_a_reader_that_has_left_before_a_command_ends_itself_is_noticed(monkeypatch):
    """As Hydra ends `--help`: what was printed still lies in the buffer then."""
    ours, theirs = os.pipe()
    os.close(ours)

    def main():
        print("help")
        raise SystemExit(0)

    with open(theirs, "w", encoding="utf-8") as pipe, monkeypatch.context() as patch:
        patch.setattr("sys.stdout", pipe)
        assert run_guarded(main) == 2


def test_bugs_and_words_to_leave_with_go_on_and_memory_is_a_sentence(capsys):
    assert run_guarded(failing(MemoryError())) == 2
    assert "memory" in capsys.readouterr().err
    with pytest.raises(KeyError, match="a bug"):
        run_guarded(failing(KeyError("a bug")))
    with pytest.raises(SystemExit, match="a word"):
        run_guarded(failing(SystemExit("a word")))


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        *((number, "free ") for number in (errno.ENOSPC, errno.EDQUOT)),
        *((number, "writable ") for number in (errno.ENOENT, errno.EPERM, errno.EACCES, errno.EROFS, errno.EEXIST)),
        (errno.EFBIG, "ulimit -f"),
        (errno.EIO, ""),
    ],
)
def test_each_failure_of_the_system_names_the_file_and_what_helps(error: int, hint: str):
    for place, named in ((["a.csv"], "a.csv"), ([], "output")):
        first, _, more = str(explain_error(OSError(error, os.strerror(error), *place))).partition(";")
        assert first == f"{named}: {os.strerror(error)}"
        assert hint in more
        assert bool(hint) == bool(more)


def test_only_failures_of_the_system_are_sentences():
    assert explain_error(OSError("of no number")) == "of no number"
    assert explain_error(OSError(errno.EIO, "x", "from", None, "to")) == f"to: {os.strerror(errno.EIO)}"
    assert explain_error(ImportError("no module")) is explain_error(RuntimeError("can't start new thread")) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("w" * 299, "w" * 299),
        ("w" * 300, f"{'w' * 60}... (300 signs)"),
        ("a b " * 250, "a b " * 250),
        ("a b " * 251, f"{('a b ' * 251)[:700]} ... {('a b ' * 251)[-250:]}"),
    ],
    ids=["word", "long word", "screen", "more"],
)
def test_long_words_and_sentences_are_cut(text: str, said: str, capsys):
    say(text)
    assert capsys.readouterr().err == f"{said}\n"
    assert one_line(f" {text}\n") == re.sub(r"\s+", " ", text).strip()
