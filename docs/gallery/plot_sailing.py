"""
Sailing: what a target of 0.1 asks for (Kocsis and Szepesvari 2006)
===================================================================

*Kocsis and Szepesvari, Bandit based Monte-Carlo planning, ECML 2006, section 4.2.*

A boat crosses a lake of n by n points while the wind turns. How many simulated steps does a search need until the leg
that it chooses costs at most 0.1 more than the best one, on average over the lake? Where a search stops, it is told the
true cost of the rest, up to 10 % wrong.

On small lakes, up to some 8 by 8 points, such values leave nothing to search: the leg that is best by the values one
leg ahead meets the target (left). A search of one leg only has to average some outcomes of seven legs (right). On
larger lakes costs, and so errors, are larger: two legs ahead are needed. They take far more steps, because a mean
counts the bad second legs that were tried too.

**How ours differs.** The paper's tree grows without a limit, and stops at random; ours looks 1 or 2 legs ahead. c is 1
on the scale of the tree. We draw UCT alone, the paper ARTDP and PG-ID too, and we average over 150 random states, not
1,000. A point is missing where 4,096 simulations do not meet the target.

The loss of longer searches without any such values, in a terminal::

    python -m experiments.run experiment=planning process.delay=3 process.size=5
"""

import matplotlib.pyplot as plt
import numpy as np

from mcts import Process, exact_values
from mcts.processes.planning import plan
from mcts.processes.sailing import DELAY, SIZE, TACK, WIND, Sailing, X, Y, sail

SIZES, TARGET = (2, 3, 4, 6, 8, 10, 14, 20), 0.1
LEFT = DELAY + 1  # one more word of a state: the legs that are left

rng = np.random.default_rng(0)
lakes = {size: exact_values(Sailing(size, delay=3)) for size in SIZES}
told = np.zeros((max(SIZES) + 1, max(SIZES), max(SIZES), 8, 3))
for size, values in lakes.items():
    wrong = 1 + rng.uniform(-0.1, 0.1, len(values.states))
    told[(size, *values.states[:, [X, Y, WIND, TACK]].T)] = wrong * values.values


def sail_ahead(state, action, states, chances, rewards):
    if state[LEFT] == 0:
        return 0
    count = sail(state, action, states, chances, rewards)
    for i in range(count):
        states[i, LEFT] = state[LEFT] - 1
        if states[i, LEFT] == 0:
            rewards[i] += told[states[i, SIZE], states[i, X], states[i, Y], states[i, WIND], states[i, TACK]]
    return count


def begin(size, legs, runs):
    """Random states of a lake from which so many legs are looked ahead, and what each leg of them loses."""
    values = lakes[size]
    on_the_way = values.states[(values.states[:, [X, Y]] < size - 1).any(axis=1)]
    states = on_the_way[rng.integers(len(on_the_way), size=runs)]
    losses = [np.nanmax(found) - found for found in map(values.action_values, states)]
    return [Process(np.append(state, legs), 8, 3, sail_ahead) for state in states], losses


def exact_loss(begun, losses):
    legs = [np.nanargmax(exact_values(process).action_values()) for process in begun]
    return np.mean([loss[leg] for loss, leg in zip(losses, legs, strict=True)])


def steps_needed(begun, losses):
    """Mean steps of the shortest searches, of 8, 16, ... simulations, that meet the target; else NaN."""
    for simulations in 2 ** np.arange(3, 13):
        found = [plan(process, "ucb", int(simulations), seed=seed) for seed, process in enumerate(begun)]
        legs = [result.moves[np.nanargmax(result.values)] for result in found]
        if np.mean([loss[leg] for loss, leg in zip(losses, legs, strict=True)]) <= TARGET:
            return np.mean([result.steps for result in found])
    return np.nan


figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), constrained_layout=True)
for legs, style in ((1, "o-"), (2, "s--")):
    studies = [begin(size, legs, runs=150) for size in SIZES]
    label = f"{legs} leg{'s' * (legs > 1)} ahead"
    left.plot(SIZES, [exact_loss(*study) for study in studies], style, label=label)
    right.plot(SIZES, [steps_needed(*study) for study in studies], style, label=label)
left.axhline(TARGET, color="0.5", linewidth=1)
left.annotate("target", (SIZES[0], TARGET), (0, 3), textcoords="offset points", color="0.35")
left.set(title="Exact look-ahead, no search", ylabel="mean loss of the chosen leg")
left.legend(frameon=False)
right.set(title="UCT: mean loss at most 0.1", ylabel="simulated steps", yscale="log", xlim=left.get_xlim())
for axes in (left, right):
    axes.set(xlabel="points on each side of the lake", xticks=SIZES)
plt.show()
