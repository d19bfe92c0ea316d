"""A SLURM of this machine alone: munge, controller and node in one folder, for the length of a test."""

from __future__ import annotations

import contextlib
import getpass
import os
import secrets
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.experiments.commands import until

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "sinfo")


@contextlib.contextmanager
def slurm(root: Path) -> Iterator[dict[str, str]]:
    """Start SLURM in a folder, and stop it; yields the environment in which `sbatch` finds it."""
    host, user = socket.gethostname().partition(".")[0], getpass.getuser()
    for name in ("state", "spool"):
        (root / name).mkdir()
    key, munge = root / "munge.key", root / "munge.socket"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o600)
    settings = {
        "ClusterName": "one",
        "SlurmctldHost": f"{host}(127.0.0.1)",
        "SlurmUser": user,
        "SlurmdUser": user,
        "AuthInfo": f"socket={munge},cred_expire=5",  # seconds that a requeued job waits, which are usually 120
        "SlurmctldPort": _free_port(),
        "SlurmdPort": _free_port(),
        "StateSaveLocation": root / "state",
        "SlurmdSpoolDir": root / "spool",
        "SlurmctldPidFile": root / "slurmctld.pid",
        "SlurmdPidFile": root / "slurmd.pid",
        "ProctrackType": "proctrack/linuxproc",
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_Core",
        "SchedulerParameters": "batch_sched_delay=1,sched_interval=1",
        "NodeName": f"{host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()}",
        "PartitionName": f"all Nodes={host} Default=YES",
    }
    configuration = root / "slurm.conf"
    configuration.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
    environment = {**os.environ, "SLURM_CONF": str(configuration)}
    daemons = {
        "munged": [
            "--foreground",
            "--force",
            f"--socket={munge}",
            f"--key-file={key}",
            f"--pid-file={root / 'munged.pid'}",
            f"--log-file={root / 'munged.log'}",
            f"--seed-file={root / 'munged.seed'}",
        ],
        "slurmctld": ["-D", "-f", str(configuration)],
        "slurmd": ["-D", "-f", str(configuration)],
    }
    with contextlib.ExitStack() as running:
        for name, words in daemons.items():
            output = running.enter_context((root / f"{name}.said").open("w"))
            daemon = subprocess.Popen([name, *words], env=environment, stdout=output, stderr=output)
            running.callback(daemon.wait)
            running.callback(daemon.terminate)
            if name == "munged":
                until(munge.exists, 20)
        until(lambda: _ask(["sinfo", "--noheader", "--format=%T"], environment) == "idle", 60)
        yield environment


def running(environment: dict[str, str], states: str = "RUNNING") -> list[str]:
    """Return the jobs in some states, parts of an array by their own numbers."""
    return _ask(["squeue", "--noheader", "--array", "--format=%i", f"--states={states}"], environment).split()


def end(how: str, job: str, environment: dict[str, str]) -> None:
    """Take a job off its node: "requeue" has it begin anew, "cancel" not."""
    _ask({"requeue": ["scontrol", "requeue", job], "cancel": ["scancel", job]}[how], environment)


def submit(words: list[str], environment: dict[str, str]) -> str:
    """Give SLURM a job; return its number."""
    return _ask(["sbatch", "--parsable", *words], environment)


def _ask(words: list[str], environment: dict[str, str]) -> str:
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False).stdout.strip()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
