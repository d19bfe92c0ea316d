"""The sweeper of the experiments. Hydra takes sweepers only from a package of the name `hydra_plugins`."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.core.utils import JobReturn

from experiments.engine import console, errors
from experiments.engine.arguments import check_overrides
from experiments.engine.experiment import Job
from experiments.engine.store import sweep_folder
from experiments.engine.sweep import put_together


class TolerantSweeper(BasicSweeper):
    """Hydra's basic sweeper, except that a combination that cannot be composed or run does not stop the others."""

    def __init__(self) -> None:
        super().__init__(max_batch_size=None)

    def sweep(self, arguments: list[str]) -> Any:
        """Run every combination, saying each and the sentence of a bad one; then put the good ones together."""
        assert self.config is not None
        assert self.hydra_context is not None
        parser = OverridesParser.create(config_loader=self.hydra_context.config_loader)
        (every,) = self.split_arguments(parser.parse_overrides(arguments), None)
        combinations = [list(one) for one in dict.fromkeys(map(tuple, every))]  # the same one twice is one
        if not combinations:
            raise ValueError(f"{' '.join(arguments)} must have at least one combination of values; got none")
        pairs = [dict(override.split("=", 1) for override in one) for one in combinations]
        varied = [key for key in pairs[0] if len({one[key] for one in pairs}) > 1]
        folder, jobs, returned = Path(self.config.hydra.sweep.dir), list[Job](), list[JobReturn]()
        with sweep_folder(folder, pairs):
            for number, overrides in enumerate(combinations):
                said = " ".join(overrides)
                console.say(f"[{number + 1}/{len(combinations)}] {said}")
                try:
                    job = self._run(number, overrides)
                except Exception as error:
                    sentence = errors.sentence(error)
                    if sentence is None:
                        raise
                    errors.say(f"{said}: {sentence}")
                else:
                    jobs.append(Job(pairs[number], Path(job.hydra_cfg.hydra.runtime.output_dir)))  # type: ignore[union-attr]
                    returned.append(job)
            try:
                put_together(jobs, varied, folder.absolute())
            except OSError as error:
                errors.locate(error, str(folder))
                raise
        if len(jobs) < len(combinations):
            raise errors.SaidAlready
        return [returned]

    def _run(self, number: int, overrides: list[str]) -> JobReturn:
        """Compose and run one combination, or raise what went wrong."""
        assert self.launcher is not None
        check_overrides(overrides)
        self.validate_batch_is_legal([overrides])
        (job,) = self.launcher.launch([overrides], initial_job_idx=number)
        if job.return_value is not None:
            raise job.return_value
        return job

    @staticmethod
    def split_arguments(overrides: list[Override], max_batch_size: int | None) -> list[list[list[str]]]:
        """Return every combination; the values of a range without the noise of sums, 0.3 for 0.30000000000000004."""
        ranges = {override.get_key_element() for override in overrides if override.is_range_sweep()}
        every = BasicSweeper.split_arguments(overrides, max_batch_size)
        return [[[_rounded(text, ranges) for text in one] for one in batch] for batch in every]


def _rounded(override: str, ranges: Collection[str]) -> str:
    """Write the value of an override of a range with 12 digits, if it is no whole number."""
    key, _, value = override.partition("=")
    return f"{key}={float(value):.12g}" if key in ranges and not value.lstrip("-").isdigit() else override


ConfigStore.instance().store(
    group="hydra/sweeper",
    name="tolerant",
    node={"_target_": f"{TolerantSweeper.__module__}.{TolerantSweeper.__name__}"},
    provider="bandit_laboratory",
)
