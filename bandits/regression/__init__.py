"""Online regression of each arm's rewards on features: building blocks of policies.

A rule of `needs=("features",)` finds them in the first rows of its memory, float64[M, L], a column a replication:

    row 0              d, how many features there are
    rows 1 ... d       x, the features of this step
    from row 1 + d     an arm after another, `arm_rows(d)` rows each: the lower triangle of A^-1, row by row, then theta
"""
