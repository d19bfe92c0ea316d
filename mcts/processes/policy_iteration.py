"""Exact values of a part of a process in which play may stay so long that sweeps do not settle: policy iteration.

A part is strongly connected, and the values of all states to which it leads are known. A policy is evaluated by a
sparse linear solve; each state then takes its best action, until no action is better. Howard, "Dynamic programming and
Markov processes", 1960.

Without a discount one player begins with a policy that leaves the part for certain, and every better one then does, or
gains without limit. Staying for ever is worth 0 where it brings no reward.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from mcts.kernels.processes import Model

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_PRECISION = 1e-10  # of the values of a part, relative to the largest value or reward that it meets
_ROUNDING, _EPSILON = 1e-15, 2.0**-53
_SOLVES = 3  # for the values of a policy: the second and third refine them
_MOST_ROUNDS = 1_000
_STOP = -1  # in place of an action: to stay for ever without a reward


class Part:
    """A strongly connected part of a process.

    Parameters
    ----------
    model : Model
    states : int64[n]
        Of the part, by their numbers.
    actions : int
        The most of a state.
    discount : float
    to_move : int, optional
        The word of a state that names the player.
    """

    def __init__(self, model: Model, states: Ints, actions: int, discount: float, to_move: int | None):
        self.states, self._model, self._discount = np.sort(states), model, discount
        pairs = (self.states[:, None] * actions + np.arange(actions)).ravel()
        begins, ends = model.first[pairs], model.first[pairs + 1]
        is_possible = ends > begins
        pairs, sizes = pairs[is_possible], (ends - begins)[is_possible]
        self._first = np.cumsum(sizes) - sizes  # of the outcomes of an action
        outcomes = np.repeat(begins[is_possible] - self._first, sizes) + np.arange(sizes.sum())
        self._after, self._chances = model.after[outcomes].astype(np.int64), model.chances[outcomes]
        self._rewards = model.rewards[pairs]
        self._state = np.searchsorted(self.states, pairs // actions)  # in which each action is possible
        self._action = np.repeat(np.arange(pairs.size), sizes)  # of each outcome
        self._here = self._state[self._action]
        to = np.minimum(np.searchsorted(self.states, self._after), self.states.size - 1)
        self._to = np.where(self.states[to] == self._after, to, self.states.size)  # n of another part
        self._is_move = self._to != self._here
        self._leaves = np.add.reduceat(np.where(self._is_move, self._chances, 0.0), self._first)
        self._sign = np.ones(self.states.size)
        if to_move is not None:
            self._sign[model.states[self.states, to_move] == 1] = -1.0
        self._is_single = to_move is None

    def solve(self, values: Floats) -> None:
        """Write the values of the part.

        Parameters
        ----------
        values : float64[N]
            Of all states: those of the part may be a guess, those to which it leads are known.

        Raises
        ------
        ValueError
            Rewards that go on for ever and have no finite sum, or values that cannot be known to 1e-10.
        """
        is_endless = self._discount == 1.0
        values[self.states] = np.nan_to_num(values[self.states], posinf=0.0, neginf=0.0)
        gain, _ = self._gains(values)
        policy = self._best(gain * self._sign[self._state])
        can_rest = self._can_stay(self._rewards == 0.0) if is_endless and self._is_single else None
        if can_rest is not None and not self._ends(policy).all():
            policy = self._ending(can_rest)
        for _ in range(_MOST_ROUNDS):
            self._evaluate(policy, values)
            gain, noise = self._gains(values)
            gain *= self._sign[self._state]
            better = self._best(np.where(gain > noise, gain, 0.0))
            is_better = gain[better] > noise[better]
            changed = np.where(is_better, better, policy)
            if can_rest is not None:  # to stay for ever, where that is better than all
                least = _ROUNDING * np.abs(values[self.states]).max(initial=0.0)
                changed[can_rest & (values[self.states] < -least) & ~is_better] = _STOP
            if np.array_equal(changed, policy):
                break
            policy = changed
        else:
            raise ValueError(
                f"process must have a discount below 1, or end sooner; no best policy was found from {self._name(0)}"
            )
        if is_endless and self._is_single:
            self.check_loops(values)

    def check_loops(self, values: Floats) -> None:
        """Refuse endless loops whose rewards cancel out, such as +1 and -1, unless leaving them is at least as good."""
        gain, noise = self._gains(values)
        is_tight = np.abs(gain) <= np.maximum(noise, _PRECISION * np.abs(self._rewards))
        while True:
            is_tight &= self._stays(self._can_stay(is_tight))
            parts = self._parts(is_tight)
            is_inside = self._to < self.states.size
            same = np.zeros(self._to.size, np.bool_)
            same[is_inside] = parts[self._here[is_inside]] == parts[self._to[is_inside]]
            kept = is_tight & np.logical_and.reduceat(same, self._first)
            if np.array_equal(kept, is_tight):
                break
            is_tight = kept
        lowest = np.zeros(parts.max(initial=0) + 1)
        np.minimum.at(lowest, parts, values[self.states])
        least = _PRECISION * np.abs(values[self.states]).max(initial=0.0)
        bad = np.flatnonzero(is_tight & (self._rewards != 0.0) & (lowest[parts[self._state]] < -least))
        if bad.size:
            self._refuse(int(self._state[bad[0]]), "rewards for ever have no sum")

    # ------------------------------------------------------------ values

    def _gains(self, values: Floats) -> tuple[Floats, Floats]:
        """Return what each action brings beyond the value of its state, and by how much rounding may change that."""
        here, there = values[self.states[self._here]], values[self._after]
        steps = np.add.reduceat(self._chances * (there - here), self._first)
        sizes = np.where(self._is_move, self._chances * (np.abs(there) + np.abs(here)), 0.0)
        lost = (1.0 - self._discount) * values[self.states[self._state]]
        noise = np.abs(self._rewards) + self._discount * np.add.reduceat(sizes, self._first) + np.abs(lost)
        return self._rewards + self._discount * steps - lost, _ROUNDING * noise

    def _rounding(self, values: Floats) -> Floats:
        """Return the rounding errors of the gains of values that are what they are."""
        here, there = values[self.states[self._here]], values[self._after]
        steps = np.add.reduceat(self._chances * np.abs(there - here), self._first)
        lost = (1.0 - self._discount) * np.abs(values[self.states[self._state]])
        rounding: Floats = _EPSILON * (np.abs(self._rewards) + self._discount * steps + lost)
        return rounding

    def _best(self, gains: Floats) -> Ints:
        """Return the action of each state that gains most."""
        order = np.lexsort((-np.arange(gains.size), gains, self._state))
        best: Ints = order[np.flatnonzero(np.diff(self._state[order], append=-1))]
        return best

    def _evaluate(self, policy: Ints, values: Floats) -> None:
        """Write the values of a policy."""
        from scipy.sparse import csc_array
        from scipy.sparse.linalg import splu

        count, discount = self.states.size, self._discount
        is_moving = policy != _STOP
        if discount == 1.0 and not (ends := self._ends(policy)).all():
            stuck = np.flatnonzero(~ends)
            paid = stuck[self._rewards[policy[stuck]] != 0.0]
            if paid.size:
                self._refuse(int(paid[0]), f"rewards {'add up to infinity' if self._is_single else 'go on for ever'}")
            is_moving[stuck] = False
        chosen = np.zeros(self._state.size, np.bool_)
        chosen[policy[is_moving]] = True
        entries = np.flatnonzero(chosen[self._action] & self._is_move & (self._to < count))
        away = np.ones(count)
        away[is_moving] = 1.0 - discount + discount * self._leaves[policy[is_moving]]
        rows = np.concatenate([np.arange(count), self._here[entries]])
        columns = np.concatenate([np.arange(count), self._to[entries]])
        numbers = np.concatenate([away, -discount * self._chances[entries]])
        system = splu(csc_array((numbers, (rows, columns)), shape=(count, count)))
        values[self.states[~is_moving]] = 0.0
        for _ in range(_SOLVES):
            change = system.solve(np.where(is_moving, self._gains(values)[0][policy], 0.0))
            values[self.states] += change
        rounding = np.where(is_moving, self._rounding(values)[policy], 0.0)
        error = np.abs(change).max() + np.abs(system.solve(rounding)).max()
        largest = max(np.abs(values[self.states]).max(), np.abs(self._rewards).max(), np.abs(values[self._after]).max())
        if not error <= _PRECISION * largest:
            raise ValueError(
                "process must end sooner, or have a smaller discount; errors may be above 1e-10 from "
                f"{self._name(0)} on"
            )

    # ------------------------------------------------------------ ends

    def _ends(self, policy: Ints) -> Flags:
        """Return in which states a policy may leave the part or stop; from all of them together that is certain."""
        is_chosen = np.zeros(self._state.size, np.bool_)
        is_chosen[policy[policy != _STOP]] = True
        entries = is_chosen[self._action]
        stops = np.flatnonzero(policy == _STOP)
        return self._reaching(entries, stops) >= 0

    def _reaching(self, entries: Flags, stops: Ints) -> Ints:
        """Return what follows each state on a shortest way out by these outcomes: a state, n, or -1 without a way."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import breadth_first_order

        count = self.states.size
        rows, columns = np.append(self._to[entries], np.full(stops.size, count)), np.append(self._here[entries], stops)
        graph = csr_array((np.ones(rows.size), (rows, columns)), shape=(count + 1, count + 1))
        before = breadth_first_order(graph, count)[1]
        return np.asarray(before[:count], np.int64)

    def _ending(self, can_rest: Flags) -> Ints:
        """Return a policy that leaves the part for certain, or rests."""
        after = self._reaching(np.ones(self._to.size, np.bool_), np.flatnonzero(can_rest))
        if (after < 0).any():
            self._refuse(int(np.flatnonzero(after < 0)[0]), "rewards go on for ever")
        policy = np.full(self.states.size, _STOP)
        leads = np.flatnonzero(self._to == after[self._here])
        policy[self._here[leads]] = self._action[leads]
        policy[can_rest & (after == self.states.size)] = _STOP
        return policy

    def _stays(self, among: Flags) -> Flags:
        """Return which actions lead to these states alone."""
        inside = np.append(among, False)[self._to]
        stays: Flags = among[self._state] & np.logical_and.reduceat(inside, self._first)
        return stays

    def _can_stay(self, allowed: Flags) -> Flags:
        """Return the states in which one can stay for ever by the actions that are allowed."""
        among = np.ones(self.states.size, np.bool_)
        while True:
            kept = np.zeros(self.states.size, np.bool_)
            kept[self._state[allowed & self._stays(among)]] = True
            if np.array_equal(kept, among):
                return among
            among = kept

    def _parts(self, allowed: Flags) -> Ints:
        """Return the strongly connected part of each state by the actions that are allowed."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        count, entries = self.states.size, allowed[self._action] & (self._to < self.states.size)
        places = self._here[entries], self._to[entries]
        graph = csr_array((np.ones(places[0].size), places), shape=(count, count))
        return np.asarray(connected_components(graph, connection="strong")[1], np.int64)

    def _name(self, number: int) -> str:
        state: Any = self._model.states[self.states[number]].tolist()
        return f"state {state}"

    def _refuse(self, number: int, why: str) -> NoReturn:
        raise ValueError(f"process must end, or have a discount below 1; from {self._name(number)} on {why}")
