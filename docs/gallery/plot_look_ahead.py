"""
What looking ahead is worth
===========================

*Two public exercises: minimax to a depth with weights of the cells, 50 games of depth 5 against a random
player; and a player with exact scores (0 loses, 50 neither, 100 wins) of every column after some plies.*

Left, minimax against level 3, which wins at once and blocks at once: depth 1 sees the weights only, and each
ply up to four makes the player stronger. Against a random player already depth 2 wins nearly all games. Right,
the exact scores of the look-ahead player in one position: more plies decide more columns. The one that wins
is seen after three, and that most others lose after four and six.

**How ours differs.** Colours are balanced. A full board scores 50 in the look-ahead player.

In a terminal::

    python -m experiments.run experiment=match player1=minimax player1.depth=5 player2=random games=50
    python -m experiments.run -m experiment=match player1=minimax player1.depth=1,2,3,4,5,6 player2=level_3 games=200  # 20 seconds
"""  # noqa: E501

import matplotlib.pyplot as plt
import numpy as np

from connect4 import Board
from connect4.players.lookahead import Lookahead
from experiments.players import make_player

depths, opponents = range(1, 7), ["random", "level_3"]
figure, (matches, columns) = plt.subplots(1, 2, figsize=(11, 4.2), constrained_layout=True)
for opponent, style in zip(opponents, ("o-", "s--"), strict=True):
    scores = []
    for depth in depths:
        player, other = make_player("minimax", depth=depth, seed=1), make_player(opponent, seed=2)
        results = [Board().run(player, other) for _ in range(50)] + [-Board().run(other, player) for _ in range(50)]
        scores.append(50 * (np.mean(results) + 1))
    matches.plot(depths, scores, style, label=f"against {opponent}")
matches.set(xlabel="depth of minimax, in plies", ylabel="score in % of 100 games", ylim=(0, 104))
matches.legend(frameon=False, loc="lower right")

board = Board.from_moves("125634237244")
plies = range(8)
scores = np.array([Lookahead(ply=ply).scores_for(board) for ply in plies])
columns.imshow(scores, vmin=-60, vmax=160, cmap="RdYlGn", aspect="auto")
for (row, column), value in np.ndenumerate(scores):
    columns.text(column, row, f"{value:.0f}", ha="center", va="center")
columns.set_xticks(range(7), range(1, 8))
columns.set(xlabel="column", ylabel="plies looked ahead", title=f"scores after {board.notation}, X to move")
plt.show()
