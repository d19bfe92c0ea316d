"""Programs that play, or fail to: `python -m tests.connect4.my_engine HOW`, leftmost unless a way to fail is given."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

HOW = sys.argv[1] if len(sys.argv) > 1 else "leftmost"


def leftmost(moves: str) -> int:
    """The first column that is not full, from 1."""
    width, height = map(int, os.environ["BOARD"].split("x"))
    played = [int(one) for one in (moves.split(",") if "," in moves or width > 9 else moves) if one]
    return next(column for column in range(1, width + 1) if played.count(column) < height)


if HOW == "loads":
    time.sleep(0.5)
for number, line in enumerate(sys.stdin):
    moves, _, budget = line.rstrip("\n").partition(" ")
    column = leftmost(moves)
    if HOW == "dies":
        sys.exit("my tables are lost")
    if HOW == "loads" and moves:
        sys.exit(4)
    if HOW == "dies later" and number > 0:
        sys.exit(3)
    if HOW == "silent":
        time.sleep(60)
    if HOW == "late" and number > 0:
        time.sleep(60)
    if HOW == "closes":
        os.close(1)
        time.sleep(60)
    if HOW == "endless":
        while True:
            sys.stdout.write("4" * 1000)
    if HOW in ("parent", "stray"):
        child = subprocess.Popen(
            [sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=HOW == "stray"
        )
        print(child.pid, file=sys.stderr, flush=True)
        sys.exit(f"child {child.pid}")
    answers = {
        "budget": f"{column} {budget}",
        "full": "1",
        "none": "8",
        "word": "left",
        "value": f"{column} 2.5",
        "two": "1\n1",
        "full width": chr(0xFF10 + column),
        "start": f"{column} {0.001 * number}",
    }
    sys.stdout.buffer.write(f"{answers.get(HOW, column)}\n".encode())
    sys.stdout.flush()
    if HOW == "deaf":  # answers what it has not read
        while True:
            time.sleep(0.02)
            print(column, flush=True)
    if HOW == "hangs":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "hanging-child", *sys.argv[2:]])
        for stop in (signal.SIGINT, signal.SIGTERM):
            signal.signal(stop, signal.SIG_IGN)
        time.sleep(600)
