"""Games and players as a user writes them, in plain Python; some of the games break a promise."""

from __future__ import annotations

import functools
import operator


class Nim:
    """Take any number from one heap; who takes the last one wins."""

    def __init__(self, heaps=(1, 2), mover=0):
        self.heaps, self.mover = tuple(heaps), mover

    def moves(self):
        return [(heap, taken) for heap, left in enumerate(self.heaps) for taken in range(1, left + 1)]

    def play(self, move):
        heap, taken = move
        heaps = [left - taken * (place == heap) for place, left in enumerate(self.heaps)]
        return type(self)(heaps, 1 - self.mover)

    def player(self):
        return self.mover

    def result(self):
        if any(self.heaps):
            return None
        return (-1, 1) if self.mover == 0 else (1, -1)

    def __str__(self):
        return " ".join(map(str, self.heaps))


class Scored(Nim):
    """Nim whose moves have scores: one of 0 for the sum of the heaps without carrying wins."""

    def scores(self):
        return [1 if functools.reduce(operator.xor, self.play(move).heaps) == 0 else -1 for move in self.moves()]

    def __eq__(self, other):
        return isinstance(other, Scored) and (self.heaps, self.mover) == (other.heaps, other.mover)

    def __hash__(self):
        return hash((self.heaps, self.mover))


class FailsToScore(Scored):
    """Its scores fail where a heap is gone."""

    def scores(self):
        return [1 // (min(self.heaps)) for _ in self.moves()]


LINES = ("012", "345", "678", "036", "147", "258", "048", "246")


class TicTacToe:
    """Three in a row on nine cells, whose names are a1 to c3."""

    def __init__(self, size=3, cells="." * 9):
        assert size == 3, "there is no other board"
        self.cells = cells

    def moves(self):
        return tuple("abc"[cell % 3] + "123"[cell // 3] for cell in range(9) if self.cells[cell] == ".")

    def play(self, move):
        cell = "abc".index(move[0]) + 3 * "123".index(move[1])
        return TicTacToe(3, self.cells[:cell] + "XO"[self.player()] + self.cells[cell + 1 :])

    def player(self):
        return (9 - self.cells.count(".")) % 2

    def result(self):
        for side, sign in enumerate("XO"):
            if any(all(self.cells[int(cell)] == sign for cell in line) for line in LINES):
                return (1, -1) if side == 0 else (-1, 1)
        return None if "." in self.cells else (0, 0)

    def __str__(self):
        return "\n".join(self.cells[row : row + 3] for row in (0, 3, 6))


class Dice:
    """Two players draw a die in turn, twice each; keep pays what it shows, pass pays 2; chance begins."""

    def __init__(self, turn=0, shown=0):
        self.turn, self.shown = turn, shown

    def moves(self):
        return ["keep", "pass"]

    def play(self, move):
        paid = [0.0, 0.0]
        paid[self.player()] = self.shown if move == "keep" else 2.0
        return type(self)(self.turn + 1), paid

    def player(self):
        return self.turn % 2 if self.shown else "chance"

    def result(self):
        return None if self.turn < 4 else (0.0, 0.0)

    def chance(self):
        return [(0.5, type(self)(self.turn, 1)), (0.5, type(self)(self.turn, 4))]


class Sampled:
    """A race of dice whose chances nobody names: first to 10."""

    def __init__(self, scores=(0, 0), mover=0, rolls=False):
        self.scores, self.mover, self.rolls = scores, mover, rolls

    def moves(self):
        return ["roll"]

    def play(self, move):
        return Sampled(self.scores, self.mover, True)

    def player(self):
        return "chance" if self.rolls else self.mover

    def result(self):
        return None if max(self.scores) < 10 else [int(score >= 10) for score in self.scores]

    def sample(self, rng):
        scores = [score + rng.randint(1, 6) * (who == self.mover) for who, score in enumerate(self.scores)]
        return Sampled(tuple(scores), 1 - self.mover)


class Alone(Nim):
    """One player."""

    def player(self):
        return 0

    def result(self):
        return None if any(self.heaps) else 1.0


class Three(Nim):
    """Three players."""

    def result(self):
        return None if any(self.heaps) else (1.0, 0.0, 0.0)


class SecondBegins(Nim):
    """Player 1 has the first move."""

    def __init__(self, heaps=(1, 2), mover=1):
        super().__init__(heaps, mover)


# ---------------------------------------------------------------- broken promises


class NoResult:
    def moves(self):
        return [1]

    def play(self, move):
        return self

    def player(self):
        return 0


def changed(name, **methods):
    """Nim with other methods."""
    return type(name, (Nim,), methods)


Endless = changed("Endless", play=lambda self, move: type(self)(self.heaps, 1 - self.mover))
Unequal = changed("Unequal", result=lambda self: None if any(self.heaps) else ((1, -1) if self.mover else (1, 0, 0)))
NoMoves = changed("NoMoves", moves=lambda self: [])
SetOfMoves = changed("SetOfMoves", moves=lambda self: {*Nim.moves(self)})
TwiceTheSame = changed("TwiceTheSame", moves=lambda self: [*Nim.moves(self), Nim.moves(self)[0]])
Lists = changed("Lists", moves=lambda self: [[*move] for move in Nim.moves(self)])
ReturnsItself = changed("ReturnsItself", play=lambda self, move: self)
ThirdPlayer = changed("ThirdPlayer", player=lambda self: 2 * self.mover)
Over = changed("Over", __init__=lambda self: Nim.__init__(self, (0, 0)))
NeedsHeaps = changed("NeedsHeaps", __init__=lambda self, heaps: Nim.__init__(self, heaps))


class Fails(Nim):
    def play(self, move):
        return 1 // (move[1] - 2) and super().play(move)


class Loaded(Dice):
    def chance(self):
        return [(0.5, Loaded(self.turn, 1)), (0.4, Loaded(self.turn, 4))]


class FailsLate(Nim):
    """Fails where a trial hardly comes: after 300 moves of one."""

    def __init__(self, heaps=(400,), mover=0):
        super().__init__(heaps, mover)

    def result(self):
        return None if self.heaps[0] != 50 else "won"


number = 7

# ---------------------------------------------------------------- players


class Greedy:
    """The last move of all."""

    def play(self, position):
        return position.moves()[-1]


def first(position):
    return position.moves()[0]


def one_by_one(position):
    return min(position.moves(), key=lambda move: move[1])


class Perfect:
    """Plays Nim so that the sum of the heaps without carrying is 0."""

    def play(self, position):
        for move in position.moves():
            total = 0
            for left in position.play(move).heaps:
                total ^= left
            if total == 0:
                return move
        return position.moves()[0]


def illegal(position):
    return "everything"


def failing(position):
    raise RuntimeError("out of ideas")


def true(position):
    return True
