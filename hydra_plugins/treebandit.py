"""The sweeper of the experiments. Hydra takes sweepers only from a package of the name `hydra_plugins`."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.utils import JobReturn

from experiments.engine import errors, printing
from experiments.engine.arguments import check_overrides
from experiments.engine.configuration import folder_of
from experiments.engine.executors import Executor
from experiments.engine.experiment import Job
from experiments.engine.store import sweep_folder
from experiments.engine.sweep import put_together
from numerics.output import style


class TolerantSweeper(BasicSweeper):
    """Hydra's basic sweeper, except that a combination that cannot be composed or run does not stop the others."""

    def __init__(self) -> None:
        super().__init__(max_batch_size=None)

    def sweep(self, arguments: list[str]) -> Any:
        """Run every combination, print each and the sentence of one that fails, and combine the others."""
        assert self.config is not None
        assert self.hydra_context is not None
        parser = OverridesParser.create(config_loader=self.hydra_context.config_loader)
        parsed = parser.parse_overrides(arguments)
        ranges = {override.get_key_element() for override in parsed if override.is_range_sweep()}
        (every,) = self.split_arguments(parsed, None)
        combinations = list(dict.fromkeys(tuple(_rounded(text, ranges) for text in words) for words in every))
        if not combinations:
            raise ValueError(f"{' '.join(arguments)} must have at least one combination of values; got none")
        pairs = [dict(override.split("=", 1) for override in combination) for combination in combinations]
        shown = [{key: _unquoted(parser, value) for key, value in pair.items()} for pair in pairs]
        varied = [key for key in pairs[0] if len({pair[key] for pair in pairs}) > 1]
        folder, jobs, done = Path(self.config.hydra.sweep.dir), list[Job](), list[JobReturn]()
        failed: dict[int, str] = {}
        cls = Executor.members.get(pairs[0].get("executor", ""), Executor)
        with sweep_folder(folder, pairs, alone=cls.alone):
            for number, run in self._runs(combinations, cls.ahead, failed):
                jobs.append(Job(shown[number], folder_of(run.hydra_cfg.hydra)))  # type: ignore[union-attr]
                done.append(run)
            finished = sum((job.folder / "manifest.json").exists() for job in jobs)
            if finished < len(jobs):
                printing.say(f"{finished:,} of {len(jobs):,} runs are finished; parts of the others are missing")
                return []
            try:
                with style.vectors(any(job.cfg is not None and bool(job.cfg.get("vectors")) for job in done)):
                    named = {
                        " ".join(f"{key}={value}" for key, value in pairs[number].items() if key in varied): why
                        for number, why in failed.items()
                    }
                    put_together(jobs, varied, folder.absolute(), named)
            except OSError as error:
                errors.locate(error, str(folder))
                raise
        if len(jobs) < len(combinations):
            raise errors.SaidAlready
        return []

    def _runs(
        self, combinations: Sequence[Sequence[str]], ahead: int, failed: dict[int, str]
    ) -> Iterator[tuple[int, JobReturn]]:
        """Run the combinations in turn, `ahead` of them at once; yield the number and the run of each that succeeds.

        Of each that fails, the number and the sentence go into `failed`.
        """
        begun: deque[tuple[int, JobReturn]] = deque()
        for number, overrides in enumerate([*combinations, *[None] * ahead]):
            if overrides is not None:
                printing.say(f"[{number + 1}/{len(combinations)}] {' '.join(overrides)}")
                with _said(overrides, number, failed):
                    begun.append((number, self._begin(number, overrides)))
            if begun and begun[0][0] <= number + 1 - ahead:
                first, run = begun.popleft()
                with _said(combinations[first], first, failed):
                    _finish(run)
                    yield first, run

    def _begin(self, number: int, overrides: Sequence[str]) -> JobReturn:
        """Compose a combination and begin its run, or raise its error."""
        assert self.launcher is not None
        check_overrides(overrides)
        self.validate_batch_is_legal([list(overrides)])
        (run,) = self.launcher.launch([list(overrides)], initial_job_idx=number)
        failure, _ = run.return_value
        if failure is not None:
            raise failure
        return run


def _finish(run: JobReturn) -> None:
    """Finish a run that has begun, or raise its error."""
    _, steps = run.return_value
    with printing.muted():
        failures = [*filter(None, steps)]
    if failures:
        raise failures[0]


@contextlib.contextmanager
def _said(overrides: Sequence[str], number: int, failed: dict[int, str]) -> Iterator[None]:
    """Print and note the sentence of a combination that fails; the others go on."""
    try:
        yield
    except Exception as error:
        sentence = errors.sentence(error)
        if sentence is None:
            raise
        failed[number] = sentence
        errors.say(f"{' '.join(overrides)}: {sentence}")


def _unquoted(parser: OverridesParser, value: str) -> str:
    """Return the value of an override as tables show it: a text without the quotes in which a command needs it."""
    read = parser.parse_override(f"key={value}").value()
    return read if isinstance(read, str) else value


def _rounded(override: str, ranges: Collection[str]) -> str:
    """Write the value of an override of a range with 12 digits, if it is no whole number."""
    key, _, value = override.partition("=")
    return f"{key}={float(value):.12g}" if key in ranges and not value.lstrip("-").isdigit() else override


ConfigStore.instance().store(
    group="hydra/sweeper",
    name="tolerant",
    node={"_target_": f"{TolerantSweeper.__module__}.{TolerantSweeper.__name__}"},
    provider="treebandit",
)
