"""Another program as a player: it reads positions on its standard input and answers on its standard output.

    we write    4453 0.05        The moves so far, columns from 1. With a budget, a space and the seconds follow.
    it answers  4 0.62           A column from 1. Optionally a space and the value for the side to move, from 0 to 1.

Each is one line. On boards of more than nine columns, commas separate the moves. A position without moves is an empty
line, or a space and the budget. `str.partition(" ")` of the line without its end gives moves and budget in all cases.
The environment holds the size of the board, as BOARD=7x6 and CONNECT=4.

A program starts once for all games that a thread plays on boards of the same size, and answers position after position.
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import errno
import functools
import itertools
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import IO, Any

from connect4.board import Board, for_player
from connect4.notation import write
from connect4.order import moves_to
from connect4.players import orphans
from numerics import systems
from numerics.parameters import parameter
from numerics.players import Forfeit, Player

LONGEST = 1e6  # seconds
_LONGEST_LINE = 1_000  # bytes of an answer
_KEPT = 2_000  # last bytes kept of a program's standard error; its last line is quoted
_LOOK = 0.1  # seconds between two checks whether a silent program has ended
_STARTING = 120.0  # extra seconds for the first answer, while a program loads, or on a busy machine compiles
_ENDING = 30.0  # seconds for the watcher to end
_INTERPRETERS = {".py": "python ", ".js": "node "}  # by the end of a file's name
_silent: set[str] = set()  # commands whose first answer came too late: they get no extra time again


def _command(name: str, value: Any) -> str:
    """Return a command line that can be split."""
    try:
        words = systems.split(value) if isinstance(value, str) else []
    except ValueError as error:
        raise ValueError(f"{name} must be a command line; got {value!r} ({error})") from error
    if not words:
        raise ValueError(f"{name} must be a command line, such as 'python my_engine.py'; got {value!r}")
    return str(value)


def _way_to(command: str) -> str:
    """Return how a file of the current folder is started, if the command's first word is one; else an empty text."""
    first = systems.split(command)[0]
    if os.path.dirname(first) or not os.path.isfile(first):
        return ""
    return f"; write {_INTERPRETERS.get(os.path.splitext(first)[1], './')}{first}"


_numbers = itertools.count()  # of the programs of this process


class _Late(Forfeit):
    """No answer within the limit."""


class Program:
    """A running program, in a separate process group so that everything it starts ends with it."""

    def __init__(self, command: str, board: Board):
        self._mark = f"{os.getpid()}.{time.monotonic_ns()}.{next(_numbers)}."  # some clocks stand still for 16 ms
        marks = os.environ.get(orphans.MARK, "") + self._mark  # a program may start programs
        size = {"BOARD": f"{board.width}x{board.height}", "CONNECT": str(board.connect), orphans.MARK: marks}
        try:
            self._process = subprocess.Popen(
                systems.split(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env={**os.environ, **size},
                **systems.detached_options(),
            )
        except OSError as error:
            raise Forfeit(f"{command} cannot be started: {error.strerror}{_way_to(command)}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._question, self._pipes = self._process.stdin, (self._process.stdout, self._process.stderr)
        if sys.platform != "win32":  # where `_write` has another way
            os.set_blocking(self._question.fileno(), False)  # a program that never reads must not block us
        _notify(f"+ {self._process.pid} {self._mark}")
        self._output: queue.SimpleQueue[bytes] = queue.SimpleQueue()  # in parts, the last of which is empty
        self._complaints: collections.deque[int] = collections.deque(maxlen=_KEPT)  # bytes
        keep = (self._output.put, self._complaints.extend)
        # Threads, since Windows can wait for no pipe with a limit of time.
        self._readers = [
            threading.Thread(target=_read, args=words, daemon=True) for words in zip(self._pipes, keep, strict=True)
        ]
        for reader in self._readers:
            reader.start()
        self.answers = 0

    def ask(self, line: str, seconds: float, check: Callable[[], None] = lambda: None) -> str:
        """Write a line and return the program's answer, a line, within some time.

        Raises
        ------
        Forfeit
            The program has ended, is late, or writes without an end of line. It is then killed, also if `check`, which
            is called meanwhile, raises.
        """
        asked = f"{line}\n".encode()
        try:
            if self._part(0.0):
                raise Forfeit("more than one line for one position")
            if self._write(asked, seconds) != len(asked):
                raise Forfeit("the program does not read its input")
            return self._line(time.monotonic() + seconds, seconds, check)
        except (BrokenPipeError, EOFError):
            raise Forfeit(self._why_it_ended()) from None
        except BaseException:  # also an interrupt: a later line would answer an older question
            self.kill()
            raise

    def _write(self, asked: bytes, seconds: float) -> int | None:
        """Return how many bytes the program's pipe took; Windows waits for it until a late program is killed."""
        if sys.platform != "win32":
            return self._question.write(asked)
        late = threading.Timer(seconds, self._process.kill)
        late.start()
        try:
            return self._question.write(asked)
        except OSError as error:  # which need not be a BrokenPipeError there
            raise BrokenPipeError from error
        finally:
            late.cancel()

    def _part(self, seconds: float) -> bytes | None:
        """Wait for output; return a part of it, nothing at its end, and None if neither came."""
        try:
            part = self._output.get(timeout=seconds) if seconds > 0.0 else self._output.get_nowait()
        except queue.Empty:
            return None
        if not part:
            self._output.put(part)  # the end is the end for whoever asks next
        return part

    def _line(self, until: float, seconds: float, check: Callable[[], None]) -> str:
        answer = b""
        while not answer.endswith(b"\n"):
            check()
            left = until - time.monotonic()
            part = self._part(min(left, _LOOK))
            if part is None:
                if not self.runs:  # its children may keep its output open
                    raise EOFError
                if left <= 0.0:
                    raise _Late(f"no move after {seconds:g} s")
                continue
            if not part:
                raise EOFError
            answer += part
            if len(answer) > _LONGEST_LINE:
                raise Forfeit(f"an answer of more than {_LONGEST_LINE:,} bytes")
        if answer.count(b"\n") > 1:
            raise Forfeit("more than one line for one position")
        self.answers += 1
        return answer.decode(errors="replace").strip()

    def _why_it_ended(self) -> str:
        """Kill the program's remaining processes and return how it ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        code = self._process.returncode
        orphans.end(self._process.pid, self._mark)  # its children may keep standard error open
        self._readers[1].join(1.0)
        self.kill()
        how = "has closed its output" if code is None else f"has ended with status {code}"
        last = bytes(self._complaints).decode(errors="replace").strip().rpartition("\n")[2]
        return f"the program {how}: {last}" if last else f"the program {how}"

    @property
    def runs(self) -> bool:
        """Whether the program still runs."""
        return self._process.poll() is None

    @property
    def is_killed(self) -> bool:
        """Whether its pipes are closed, since it was killed."""
        return self._question.closed

    def kill(self) -> None:
        """Kill the program and every process that it started."""
        orphans.end(self._process.pid, self._mark)
        self._process.kill()  # should it still run
        self._process.wait()
        for reader in self._readers:
            reader.join(1.0)
        for pipe in (self._question, *self._pipes):
            with contextlib.suppress(OSError):  # Windows: what was written last has no reader
                pipe.close()
        _notify(f"- {self._process.pid} {self._mark}")


def _read(pipe: IO[bytes], keep: Callable[[bytes], object]) -> None:
    """Keep what a program writes until it ends, then nothing, as a sign of the end."""
    with contextlib.suppress(ValueError, OSError):  # closed meanwhile
        while part := os.read(pipe.fileno(), 4096):
            keep(part)
    keep(b"")


_idle: dict[tuple[str, int, int, int], list[Program]] = {}
if hasattr(os, "register_at_fork"):  # a forked process must not ask its parent's programs
    os.register_at_fork(after_in_child=_idle.clear)


_watching = threading.Lock()


@functools.cache
def _watcher() -> subprocess.Popen[bytes]:
    """Start the process that kills the programs which this process leaves running."""
    command = [sys.executable, "-I", "-S", orphans.__file__]
    return subprocess.Popen(command, stdin=subprocess.PIPE, bufsize=0, **systems.detached_options())


def _notify(line: str) -> None:
    with _watching, contextlib.suppress(OSError):  # the watcher may have been killed
        pipe = _watcher().stdin
        assert pipe is not None
        pipe.write(f"{line}\n".encode())


@contextlib.contextmanager
def program_of(command: str, board: Board) -> Iterator[Program]:
    """Lend a running program to a single caller at a time, and keep it for the next."""
    free = _idle.setdefault((command, board.width, board.height, board.connect), [])
    try:
        program = free.pop()
    except IndexError:
        program = Program(command, board)
    try:
        yield program
    finally:
        if program.runs:
            free.append(program)
        elif not program.is_killed:  # it has ended after its answer
            program.kill()


@atexit.register
def end_programs() -> None:
    """Kill all idle programs and their watcher."""
    for free in _idle.values():
        while free:
            free.pop().kill()
    with _watching:
        if _watcher.cache_info().currsize:
            watcher = _watcher()
            _watcher.cache_clear()
            with contextlib.suppress(subprocess.TimeoutExpired):
                watcher.communicate(timeout=_ENDING)


class ProgramPlayer(Player, name="program"):
    """Plays what another program answers: see `connect4.players.program` for the two lines.

    A program that cannot be started, dies, or answers late, too much, or a column that is full or none, loses the game.
    One that is late or says too much is killed with all that it has started, and the next game starts it anew. Nothing
    is left running when this process ends, whether it is done, interrupted or killed.
    """

    command: str = parameter("", check=_command, help="command line, as 'python my_engine.py'")
    seconds: float | None = parameter(
        None, low=0.0, above=True, high=LONGEST, help="time budget per move, sent to the program after the position"
    )
    limit: float = parameter(10.0, low=0.0, above=True, high=LONGEST, help="time limit for an answer, in seconds")

    def check(self) -> None:
        """Keep the budget below the limit."""
        self.value: float | None = None
        if self.seconds is not None and self.seconds > self.limit:
            raise ValueError(f"seconds must be at most limit={self.limit:g}; got {self.seconds:g}")

    def check_board(self, board: Any) -> None:
        """Refuse another game, and a program that is not there or may not be executed, before a game that it loses."""
        for_player(self.name, board)
        first = systems.split(self.command)[0]
        if shutil.which(first) is None:
            reason = os.strerror(errno.EACCES if os.path.isfile(first) and os.path.dirname(first) else errno.ENOENT)
            raise ValueError(f"command must start a program; got {self.command!r} ({reason}{_way_to(self.command)})")

    def play(self, board: Board) -> int:
        """Return the program's column; sets `value` to its value for the side to move, or None.

        Raises
        ------
        Forfeit
            No answer in time, or an answer that is not a column.
        """
        return self.play_unless(board, lambda: None)

    def play_unless(self, board: Board, check: Callable[[], None]) -> int:
        """Return the column as `play` does, unless `check`, which is called every tenth of a second, raises.

        The program is killed then, since it thinks about a position of which nobody wants the answer.
        """
        board = for_player(self.name, board)
        moves = write(moves_to(board), board.width)
        with program_of(self.command, board) as program:
            is_known = program.answers > 0 or self.command in _silent
            waiting = self.limit if is_known else self.limit + _STARTING
            try:
                line = moves if self.seconds is None else f"{moves} {self.seconds:g}"
                answer = program.ask(line, waiting, check)
            except _Late:  # a program that has ended gets its time again when it starts anew
                if not program.answers:
                    _silent.add(self.command)
                raise
        column, _, value = answer.partition(" ")
        if not (column.isascii() and column.isdigit()):
            raise Forfeit(f"the answer is not a column: {answer!r}")
        chosen = int(column)
        try:
            self.value = float(value) if value.strip() else None
        except ValueError:
            raise Forfeit(f"the value is not a number: {answer!r}") from None
        if self.value is not None and not 0.0 <= self.value <= 1.0:
            raise Forfeit(f"the value is not in [0, 1]: {answer!r}")
        if not 1 <= chosen <= board.width:
            raise Forfeit(f"illegal move: returned {chosen}; columns count from 1 to {board.width}")
        return chosen - 1
