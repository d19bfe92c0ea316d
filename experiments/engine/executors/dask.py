"""Tasks on a cluster of dask.distributed: a local one, or one that is already running."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import inspect
import logging
import multiprocessing
import platform
import secrets
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine.tasks import Executor, Task, cores
from numerics.exits import at_end, one_line
from numerics.kernels.sources import digest
from numerics.parameters import parameter

if TYPE_CHECKING:
    from distributed import Client

_TO_CLOSE = 10.0  # seconds for workers to end by themselves


class Dask(Executor, name="dask"):
    """Several tasks at once on a cluster of dask.distributed, whose workers share the run's folder."""

    workers: int | None = parameter(None, low=1, help="number of processes of a local cluster; null: one per core")
    address: str | None = parameter(
        None, help="address of a scheduler, such as tcp://host:8786; null: start a local cluster"
    )
    patience: float = parameter(
        60.0, low=0.0, above=True, help="timeout in seconds for the scheduler, then for its workers"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.address is not None and self.workers is not None:
            raise ValueError(f"workers must be null with an address: the cluster has its own; got {self.workers}")

    def ready(self) -> None:  # noqa: D102
        connect(self.workers, self.address, self.patience)

    def run(self, tasks: Sequence[Task]) -> Iterator[None]:  # noqa: D102
        from distributed import as_completed
        from distributed.comm import CommClosedError
        from distributed.scheduler import KilledWorker

        if not tasks:
            return
        client, futures = connect(self.workers, self.address, self.patience), list[Any]()
        try:
            check(client, tasks, self.patience)
            futures = client.map(Task.__call__, list(tasks), pure=False)
            for future in as_completed(futures):
                future.result()
                yield
        except (KilledWorker, CancelledError, CommClosedError) as error:
            raise ValueError(
                "executor: the cluster lost its scheduler or workers. Use fewer workers if memory was exhausted. To "
                "resume, repeat the command with the same hydra.run.dir."
            ) from error
        finally:
            client.cancel(futures)  # those that a failure or Ctrl-C left; what runs stores its result and ends


@functools.cache
def connect(workers: int | None, address: str | None, patience: float) -> Client:
    """Return the client of a cluster, which serves a whole sweep and ends with this process.

    Raises
    ------
    ValueError
        The package is not installed, the cluster does not start, or there is no answer within `patience` seconds.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise ValueError("executor=dask requires dask.distributed: pip install 'treebandit[cluster]'") from error
    _hush()
    try:
        cluster = address or LocalCluster(
            n_workers=workers or cores(),
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address="127.0.0.1:0",  # for nobody else, like the scheduler
            silence_logs=logging.CRITICAL,
            preload=[__name__],
        )
        client = Client(cluster, timeout=patience)
    except (OSError, ValueError, RuntimeError) as error:
        where = f"no answer from {address!r}" if address else "the local cluster did not start"
        raise ValueError(
            f"executor.address must be the address of a Dask scheduler, or null; {where}: {one_line(error)}"
        ) from error
    if client.cluster is not None:
        at_end.append(functools.partial(_end, client.cluster))
        print(f"local cluster of {workers or cores()} processes: {client.dashboard_link}", file=sys.stderr, flush=True)
    return client


def _end(cluster: Any) -> None:
    """Close a local cluster. A worker that Dask has begun to restart is killed, for which it would wait."""

    def kill_workers() -> None:
        for worker in multiprocessing.active_children():
            worker.kill()

    slow = threading.Timer(_TO_CLOSE, kill_workers)
    slow.start()
    try:
        cluster.close(timeout=2 * _TO_CLOSE)
    finally:
        slow.cancel()


def dask_setup(_worker: object) -> None:
    """Set up a worker of our own cluster, which Dask does by this name. Only the command reacts to Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _hush()


def _hush() -> None:
    """Mute all loggers of Dask, even those with a level of their own: an error is one sentence."""
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


def check(client: Client, tasks: Sequence[Task], patience: float) -> None:
    """Refuse a cluster whose workers have other versions or sources, or do not see the folder of the results.

    Raises
    ------
    ValueError
        No worker, another version or source, a worker that does not see the folder, or no answer in time.
    """
    from distributed import wait

    modules = sorted({inspect.unwrap(task.function).__module__ for task in tasks})
    probe = tasks[0].path.parent.absolute() / f".{secrets.token_hex(8)}"
    probe.touch()
    try:
        client.wait_for_workers(1, timeout=patience)
        answers = {
            worker: client.submit(facts, modules, probe, workers=[worker], pure=False) for worker in client.nthreads()
        }
        wait(list(answers.values()), timeout=patience)
        expected = facts(modules, probe)
        for worker, answer in answers.items():
            for name, value in answer.result().items():
                if value != expected[name]:
                    raise ValueError(
                        f"executor: worker {worker} must have the same {name} as this command, {expected[name]}; "
                        f"got {value}"
                    )
    except TimeoutError as error:
        raise ValueError(
            f"executor: no worker of the cluster answered within {patience:g} s (executor.patience)"
        ) from error
    except (ImportError, RuntimeError) as error:
        raise ValueError(
            f"executor: the workers cannot import this project ({one_line(error)}); start them in the same environment"
        ) from error
    finally:
        probe.unlink(missing_ok=True)


def facts(modules: Sequence[str], probe: Path) -> dict[str, str]:
    """Return what must agree wherever tasks are done."""
    specs = [importlib.util.find_spec(name) for name in modules]
    return {
        "Python": ".".join(platform.python_version_tuple()[:2]),
        **{name: importlib.metadata.version(name) for name in ("numpy", "numba")},
        "source code": " ".join(digest(spec.origin) for spec in specs if spec and spec.origin),
        "folder of the run": str(probe.parent if probe.exists() else None),
    }
