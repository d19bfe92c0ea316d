"""Side-by-side timings: `python -m benchmarks` prints one table of ratios, each measured in one run on one machine.

Read in this order:

    __main__        the command and the table
    rows            what is compared with what, and the ratio that is wanted
    timing          A B A B ...: interleaved rounds, processor time, the median of the ratios
    floor           what a step of UCB1 must load, store and compute, beside the time it takes
    numpy_ucb1      UCB1 in NumPy, over all replications at once: equal work in two layouts, and as lean as we can
    numpy_thompson  Thompson sampling in NumPy
    numpy_kl_ucb    KL-UCB in NumPy: by bisection, and by Newton's iteration as lean as we can
    c_ucb1, ucb1.c  UCB1 in C: the kernel's own loop, and the fastest we can write; compiled when `cc` is there
    peers           UCB1 of other libraries, each in its own loop, where they are installed
    own_rule        a rule in a user's own file, with the formula of a built-in one
    processes       whole processes: seconds of a command, memory of a long run
"""
