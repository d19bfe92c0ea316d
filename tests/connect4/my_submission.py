"""A submission to Kaggle's ConnectX, as somebody writes one."""

import random  # noqa: F401


def open_columns(cells, columns):
    return [column for column in range(columns) if cells[column] == 0]


def agent(observation, configuration):
    assert observation.board is observation["board"]
    assert len(observation.board) == configuration.rows * configuration["columns"]
    assert observation.mark == 1 + observation.step % 2
    assert observation.board.count(1) - observation.board.count(2) == observation.mark - 1
    return open_columns(observation.board, configuration.columns)[0]
