"""Every command by its name: the module that `python -m MODULE` starts too, and what it does in a line."""

COMMANDS = {
    "run": ("experiments.run", "one run, or with -m a sweep: tables, figures and a report in results/"),
    "play": ("experiments.play", "play Connect 4 here, or compare what two rules see of a position"),
    "serve": ("treebandit.page", "the page in a browser: play, watch searches and bandits, replay games"),
    "solve": ("connect4.solver", "the exact score of every column of a position, such as 4453"),
    "catalogue": ("experiments.catalogue", "every policy, law, player and experiment, or what one of them is"),
    "collect": ("experiments.collect", "one table of all finished runs below a folder"),
    "plot": ("experiments.plot", "draw the figures of a run again from its tables"),
    "report": ("experiments.report", "write report.html of a run again"),
    "replay": ("experiments.replay", "one game of a match, move by move"),
    "annotate": ("experiments.annotate", "the exact loss of every move of the games of a run"),
    "record": ("experiments.record", "a search or a bandit step by step, as one file to open"),
    "judge": ("experiments.judge", "how good an engine is, by exact scores, beside known ones"),
    "template": ("connect4.templates", "a small complete engine to begin with: c, javascript, python or rust"),
    "answer": ("experiments.answer", "any player as a program that answers positions"),
    "kaggle": ("connect4.kaggle", "an agent for Kaggle's ConnectX, one file of plain Python"),
    "sprt": ("experiments.sprt", "the sequential test of pairs of games played elsewhere"),
    "check-game": ("experiments.check_game", "whether a game of your own keeps what a search takes for granted"),
    "count": ("connect4.combinatorics.counting", "numbers of positions and games, ply by ply"),
    "build-book": ("connect4.solver.build_book", "an opening book of a board for the solver"),
    "clean-cache": ("numerics.kernels.clean_cache", "remove the compiled kernels"),
}
