"""Tasks on a cluster of dask.distributed: one of this machine's processes, or one that runs already."""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import importlib.util
import inspect
import logging
import platform
import secrets
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from experiments.engine.tasks import Executor, Task, cores
from numerics.exits import at_end, name_crashes, one_line
from numerics.kernels.sources import digest
from numerics.parameters import parameter

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

_PATIENCE = 10.0  # seconds for the answer of a cluster that runs
_STARTING = 60.0  # and of one that has to start first, on a machine that may be busy

_LOCAL = {
    "dashboard_address": "127.0.0.1:0",  # for nobody else, like the scheduler
    "threads_per_worker": 1,
    "memory_limit": 0,
    "preload": [__name__],
}


class Dask(Executor, name="dask"):
    """Several tasks at once on a cluster of dask.distributed, whose workers share the run's folder."""

    workers: int | None = parameter(None, low=1, help="processes of a cluster on this machine; null: one a core")
    address: str | None = parameter(None, help="a scheduler that runs, such as tcp://host:8786; null: one is started")
    patience: float | None = parameter(
        None,
        low=0.0,
        above=True,
        help="seconds for the scheduler, and then its workers, to answer; null: 10, or 60 for one that is started",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.address is not None and self.workers is not None:
            raise ValueError(f"workers must be null with an address, whose cluster has its own; got {self.workers}")

    @property
    def _seconds(self) -> float:
        return self.patience or (_STARTING if self.address is None else _PATIENCE)

    def ready(self) -> None:  # noqa: D102
        connected(self.workers, self.address, self._seconds)

    def run(self, tasks: Sequence[Task]) -> Iterator[None]:  # noqa: D102
        from distributed import as_completed

        if not tasks:
            return
        client, futures = connected(self.workers, self.address, self._seconds), list[Any]()
        try:
            with _said_in_a_sentence():
                futures = _submitted(client, tasks, check(client, tasks, self._seconds))
                for future in as_completed(futures):
                    future.result()
                    yield
        finally:
            for future in futures:  # those that a failure or Ctrl-C left; what runs stores its result and ends
                future.cancel()


@contextlib.contextmanager
def _said_in_a_sentence() -> Iterator[None]:
    """Explain that the cluster has cancelled tasks, has given one up, or does not answer."""
    from distributed.comm import CommClosedError
    from distributed.scheduler import KilledWorker

    try:
        yield
    except KilledWorker as error:
        raise ValueError(
            "executor: several workers have died at the same task, killed from outside, for lack of memory, or by code "
            "of yours that crashes; "
            "start again with the same hydra.run.dir, and with fewer workers"
        ) from error
    except (CancelledError, CommClosedError) as error:
        again = "the same command with the same hydra.run.dir plays only what is missing"
        raise ValueError(f"executor: the scheduler is gone, or was stopped; {again}") from error


@functools.cache
def connected(workers: int | None, address: str | None, patience: float) -> Client:
    """Return the client of a cluster, which serves a whole sweep and ends with this process.

    Raises
    ------
    ValueError
        The package is not installed, the cluster does not start, or nobody answers at the address within `patience`
        seconds.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise ValueError("executor=dask needs dask.distributed: pip install 'treebandit[cluster]'") from error
    _hush()  # this module reports errors in one sentence
    cluster = address or _started(LocalCluster, workers or cores())
    try:
        client = Client(cluster, timeout=patience)
    except (OSError, ValueError) as error:
        raise ValueError(f"executor.address must be a Dask scheduler's; nobody answers at {address!r}") from error
    if client.cluster is not None:
        at_end.append(client.cluster.close)
    _say_dashboard(client, patience)
    return client


def _say_dashboard(client: Client, patience: float) -> None:
    """Print the address of the scheduler's dashboard, which it has loaded if it has one."""
    question = "'distributed.dashboard.scheduler' in __import__('sys').modules"
    with contextlib.suppress(TimeoutError):  # which the first questions about tasks will meet again
        if _in_time(lambda: client.run_on_scheduler(eval, question), patience):
            print(f"dashboard: {client.dashboard_link}", file=sys.stderr, flush=True)


def _started(make: Callable[..., LocalCluster], workers: int) -> LocalCluster:
    """Start a cluster of this machine."""
    print(f"starting a cluster of {workers} process{'es' * (workers > 1)}", file=sys.stderr, flush=True)
    try:
        return make(n_workers=workers, **_LOCAL)
    except RuntimeError as error:
        raise ValueError(
            f"executor: the cluster of this machine has not started ({one_line(error)}); it needs a writable "
            "/dev/shm with some free space; executor=processes does not"
        ) from error


def dask_setup(_worker: object) -> None:
    """Begin a worker of our own cluster, as Dask does by this name: Ctrl-C is for the command, which says all."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    name_crashes()
    _hush()


def _hush() -> None:
    """Let no logger of Dask print, also none whose level differs from that of its parent."""
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


def check(client: Client, tasks: Sequence[Task], patience: float) -> dict[str, str]:
    """Refuse a cluster that could not do the tasks, or would do others; return one worker of each other host.

    Scheduler and workers must have our versions and sources. Workers must see the run's folder, which stores results.

    Raises
    ------
    ValueError
        No worker, another version or source, a worker that does not see the folder, or no answer in time.
    """
    modules = tuple(sorted({inspect.unwrap(task.function).__module__ for task in tasks}))
    folder, nonce = tasks[0].path.parent.absolute(), secrets.token_hex(8)
    probe = folder / f".{nonce}"
    probe.write_text(nonce, encoding="utf-8", newline="\n")
    try:
        client.wait_for_workers(1, timeout=patience)
        expected = facts(modules, str(probe))
        question = f"__import__({__name__!r}, fromlist=['facts']).facts({modules!r}, {str(probe)!r})"
        for who, answer in _ask(client, question, patience).items():
            _compare(who, answer, expected, folder)
    except TimeoutError as error:
        raise ValueError(
            f"executor: the cluster has no worker that answers within {patience:g} s (executor.patience)"
        ) from error
    finally:
        probe.unlink(missing_ok=True)
    named = {urlsplit(worker).hostname or "": worker for worker in client.nthreads()}
    ours = urlsplit(client.scheduler.address).hostname
    return {host: worker for host, worker in named.items() if host != ours}


def facts(modules: Sequence[str], probe: str) -> dict[str, str]:
    """Return the versions and sources that must agree wherever tasks are done, without any slow import."""
    versions = {name: importlib.metadata.version(name) for name in ("numpy", "numba")}
    specs = [importlib.util.find_spec(name) for name in modules]
    read = ""
    with contextlib.suppress(OSError):
        read = Path(probe).read_text(encoding="utf-8")
    return {
        "Python": ".".join(platform.python_version_tuple()[:2]),
        **versions,
        "source": " ".join(digest(spec.origin) for spec in specs if spec and spec.origin),
        "folder": read,
    }


def _ask(client: Client, question: str, patience: float) -> dict[str, Any]:
    """Return the answers of the scheduler and of all workers to an expression, a failure as the exception.

    The expression goes to `eval`, which is everywhere: a function of ours could not even be read without our modules.
    """
    workers = _in_time(lambda: client.run(eval, question, on_error="return"), patience)
    try:
        scheduler = _in_time(lambda: client.run_on_scheduler(eval, question), patience)
    except TimeoutError:
        raise
    except Exception as error:
        scheduler = error
    return {f"the scheduler {client.scheduler.address}": scheduler} | {
        f"the worker {worker}": answer for worker, answer in workers.items()
    }


def _in_time(ask: Callable[[], Any], seconds: float) -> Any:
    """Return the result of a call, or raise TimeoutError; a call that hangs is abandoned."""
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(ask).result(seconds)
    finally:
        pool.shutdown(wait=False)


def _compare(who: str, answer: Any, expected: Mapping[str, str], folder: Path) -> None:
    """Refuse a scheduler or worker whose facts differ from ours."""
    if isinstance(answer, Exception):
        reason = " ".join(str(answer).split())
        raise ValueError(f"executor: {who} cannot load this project ({reason}); start it in the same environment")
    for name, value in expected.items():
        if answer[name] == value:
            continue
        if name == "folder":
            raise ValueError(
                f"executor: {who} does not see the folder {folder}; tasks store their results there, "
                "so it must lie on a file system that all workers share (hydra.run.dir)"
            )
        if name == "source":
            raise ValueError(f"executor: {who} has other source code than this command; start it in the same checkout")
        raise ValueError(f"executor: {who} has {name} {answer[name]}, this command {value}; they must be the same")


def _submitted(client: Client, tasks: Sequence[Task], hosts: Mapping[str, str]) -> list[Future]:
    """Give the tasks to the cluster; on each other host first one alone, which compiles what the others there find."""
    pairs = zip(tasks, hosts.values(), strict=False)
    alone = [client.submit(_do, task, workers=[worker], pure=False) for task, worker in pairs]
    for future in alone:
        future.result()
    return [*alone, *client.map(_do, list(tasks[len(alone) :]), pure=False)]


def _do(task: Task) -> None:
    """Do a task; the cluster knows it by this function."""
    task()
