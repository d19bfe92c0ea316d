"""The best move of a position with probability 1 - delta: LUCB-MCTS and UGapE-MCTS."""
