"""
Five levels of players, everyone against everyone
=================================================

*A public exercise for PettingZoo's Connect Four asks for agents of rising levels.*

Level 0 plays any column, legal or not; 1 a legal one; 2 wins at once if it can; 3 also blocks an immediate
win; 4 also makes and blocks runs and likes the centre. Each pair plays 60 games with both colours, and each
level beats the one below it: an illegal move loses, which is all that level 1 has over level 0.

**How ours differs.** The order of the preferences of level 4 is fixed and said in its name, and ties are
random, so that two people's levels can be compared.

With intervals and Elo ratings, and in the environment itself (extra ``[interop]``)::

    python -m experiments.run experiment=tournament 'players=[level_0,level_1,level_2,level_3,level_4]' games=60
    python -m experiments.run experiment=environments 'players=[level_0,level_1,level_2,level_3,level_4]' games=100  # 20 seconds
"""  # noqa: E501

import matplotlib.pyplot as plt
import numpy as np

from connect4 import Board
from experiments.players import make_player

names = [f"level_{number}" for number in range(5)]
score = np.full((5, 5), np.nan)
for row in range(5):
    for column in range(row):
        player, other = make_player(names[row], seed=row), make_player(names[column], seed=10 + column)
        results = [Board().run(player, other) for _ in range(30)] + [-Board().run(other, player) for _ in range(30)]
        score[row, column] = (np.mean(results) + 1) / 2
        score[column, row] = 1 - score[row, column]

figure, axes = plt.subplots(figsize=(5.4, 4.6), constrained_layout=True)
picture = axes.imshow(100 * score, vmin=0, vmax=100, cmap="RdBu")
for (row, column), value in np.ndenumerate(score):
    if row != column:
        dark = abs(value - 0.5) > 0.35
        axes.text(column, row, f"{100 * value:.0f}", ha="center", va="center", color="white" if dark else "black")
axes.set_xticks(range(5), range(5))
axes.set_yticks(range(5), range(5))
axes.set(xlabel="against level", ylabel="score of level, in %")
figure.colorbar(picture, ax=axes)
plt.show()
