"""Side-by-side timings: `python -m benchmarks` prints tables of ratios, each measured in one run on one machine.

Read in this order:

    __main__        the command and its tables, one for each part
    row             a line of a table
    rows            bandits: what is compared with what, and the ratio that is wanted
    timing          A B A B ...: interleaved rounds, processor time, the median of the ratios
    floor           what a step of UCB1 must load, store and compute, beside the time it takes
    numpy_ucb1      UCB1 in NumPy, over all replications at once: equal work in two layouts, and as lean as we can
    numpy_thompson  Thompson sampling in NumPy
    numpy_kl_ucb    KL-UCB in NumPy: by bisection, and by Newton's iteration as lean as we can
    policy_rows     the other policies and laws beside NumPy, whose loops are in numpy_policies
    c_compiler      the C compiler, where there is one
    c_ucb1, ucb1.c  UCB1 in C: our general loop, and our counting one; compiled when `cc` is there
    peers           UCB1 of other libraries, each in its own loop, where they are installed
    own_rule        a rule in a user's own file, with the formula of a built-in one
    processes       whole processes: seconds of a command, memory of a long run
    peak_memory     the most memory that a process has held

    connect4_rows   Connect 4: what is compared with what, and the ratio that is wanted
    connect4_loop   our playouts, through the hook that a search calls
    connect4_c, playouts.c  uniform playouts in C: any board, and 7 x 6 only
    connect4_peers  playouts of other libraries, where they are installed
    connect4_floor  the operations of a playout, counted

    search_rows     tree search: what is compared with what, and the ratio that is wanted
    c_uct, uct.c    our search in C, 7 x 6 only
    search_peers    the searches of other libraries, where they are installed
    strength        `python -m benchmarks.strength`: moves of OpenSpiel's search and ours, judged by exact scores

    game_rows       searches of OpenSpiel's states beside OpenSpiel's own search in Python

    problem_rows    any problem: what is compared with what, and the ratio that is wanted
    tictactoe/      a class in plain Python, and a script for each library that searches it
    environments    environments that hold one library each
    c_sailing, sailing.c    our search of sailing in C, through the same hook

    solver_rows     the exact solver and its book beside others, whose searches are in solver_peers
    cluster_rows    what the engine costs a task, and Dask
    ablation        `python -m benchmarks.ablation`: the gain of each optimisation of the kernels
"""
