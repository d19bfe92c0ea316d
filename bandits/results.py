"""Results of simulations: numbers, tidy tables and figures."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bandits import summaries
from bandits.arms.base import Arms
from bandits.bounds import can_lock, regret_bound
from bandits.delivery.base import Delivery
from bandits.differences import paired_differences
from bandits.figures.lines import Context, Theory
from bandits.figures.pulls import draw_pulls
from bandits.figures.regret import draw_regret
from bandits.figures.save import save_all, title_of
from bandits.policies.base import Policy
from bandits.replications import Floats, Replications
from numerics import checks
from numerics.output import notebook, style
from numerics.output.tables import write
from numerics.parameters import must_be_one_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_SIZE = (11.0, 4.6)  # inches of the figure of a result


@dataclass(frozen=True, repr=False, eq=False)
class Result:
    """The outcome of `simulate`.

    Attributes
    ----------
    label : str
        What the policy is called in tables and figures.
    policy, arms, seed
        What was played.
    replications : Replications
        Every number that was kept.
    delivery : Delivery
        When rewards were known.
    """

    label: str
    policy: Policy
    arms: Arms
    seed: int
    replications: Replications
    delivery: Delivery

    def __repr__(self) -> str:
        """Return one line: what was played, and the mean of the final pseudo-regret."""
        return (
            f"Result({self.label!r}, arms={self.arms.count}, horizon={self.horizon}, runs={self.replications.runs}, "
            f"seed={self.seed}: pseudo-regret {self.pseudo_regret.mean():.2f})"
        )

    def _repr_html_(self) -> str:
        return self._alone._repr_html_()

    @property
    def _alone(self) -> Comparison:
        return Comparison({self.label: self})

    @property
    def played(self) -> str:
        """The arms, and the delivery of rewards if it was not immediate, for titles."""
        return ", ".join(filter(None, (self.arms.title, self.delivery.title)))

    @property
    def horizon(self) -> int:
        """T, the pulls of a replication."""
        return int(self.replications.checkpoints[-1])

    @property
    def pulls(self) -> npt.NDArray[np.int64]:
        """N_T(a), int64 of shape (runs, arms)."""
        return self.replications.pulls

    @property
    def pseudo_regret(self) -> Floats:
        """sum_a gap_a N_T(a), float64 of shape (runs,)."""
        return self.replications.pseudo_regret[:, -1]

    @property
    def realised_regret(self) -> Floats:
        """L_T = sum_t (r*_t - r_t), float64 of shape (runs,)."""
        return self.replications.realised_regret[:, -1]

    @property
    def simple_regret(self) -> Floats:
        """The gap of the arm that the policy would recommend, float64 of shape (runs, checkpoints).

        Column c is the gap after `replications.checkpoints[c]` pulls. The recommended arm has the highest estimate;
        with `sequential_halving` and `successive_rejects` it is the most pulled arm, which is their answer. Ties are
        broken by the other of the two, then by the first arm. A recommendation costs no pull, and does not change what
        is played.
        """
        return self.replications.simple_regret

    @property
    def curves(self) -> pd.DataFrame:
        """Mean, standard error and quantiles at every checkpoint; columns as in `bandits.summaries.CURVES`."""
        return summaries.curves(self.label, self.replications, self._bound / self.horizon, self.arms.largest_gap)

    @property
    def summary(self) -> pd.DataFrame:
        """One row: final regret, rewards and share of optimal pulls; columns as in `bandits.summaries.SUMMARY`."""
        return summaries.summary(self.label, self.policy, self.arms, self.replications, bound=self._bound)

    @functools.cached_property
    def _bound(self) -> float:
        """What the interval of the mean regret needs."""
        return regret_bound(self.policy, self.arms, self.horizon, self.pseudo_regret)

    def plot(self, *, log: bool = False) -> Figure:
        """Draw regret against t, and the pulls of every arm, in one pyplot figure.

        A notebook shows the figure once, whether or not it is the last line of a cell.

        Parameters
        ----------
        log : bool, default False
            A logarithmic time axis, on which logarithmic regret is a straight line.

        Raises
        ------
        ValueError
            Another value of `log` than True and False.
        """
        return self._alone.plot(log=log)

    def save(self, folder: str | Path, *, vectors: bool = False) -> Path:
        """Write curves.parquet, pulls.parquet, summary.csv and figures/ into a folder, made if it is absent.

        Parameters
        ----------
        folder : str or Path
        vectors : bool, default False
            Whether figures are saved as SVG and PDF beside PNG.

        Returns
        -------
        Path
            The folder.

        Raises
        ------
        ValueError
            Something else than a path.
        """
        return self._alone.save(folder, vectors=vectors)


class Comparison(Mapping[str, Result]):
    """The outcome of `simulate` with several policies: a mapping of labels to results over the same random numbers.

    Parameters
    ----------
    results : mapping of str to Result
        At least one, of the same arms, horizon, replications and seed.

    Examples
    --------
    >>> from bandits import simulate
    >>> compared = simulate(["ucb", "thompson"], [0.1, 0.9], horizon=200, runs=50)
    >>> list(compared)
    ['ucb', 'thompson']
    >>> compared["thompson"].pulls.shape
    (50, 2)
    >>> float(compared.differences["difference_mean"].iloc[0]) > 0.0
    True
    """

    def __init__(self, results: Mapping[str, Result]):
        if not isinstance(results, Mapping) or not results:
            raise ValueError(
                "results must be a mapping of labels to results, with at least one, such as "
                "{'ucb': simulate('ucb', ...)}; "
                f"got {checks.show(results)}"
            )
        for label, result in results.items():
            if not isinstance(result, Result):
                raise ValueError(f"results[{label!r}] must be a Result of `simulate`; got {checks.show(result)}")
        self._results = dict(results)
        self._first = next(iter(self._results.values()))

    def __getitem__(self, label: str) -> Result:
        """Return the result of a policy; KeyError names the labels where there is none of this label."""
        if label not in self._results:
            raise KeyError(must_be_one_of("label", label, self._results))
        return self._results[label]

    def __iter__(self) -> Iterator[str]:
        """Yield the labels, in the order in which the policies were given."""
        return iter(self._results)

    def __len__(self) -> int:
        """Return the number of policies."""
        return len(self._results)

    def __repr__(self) -> str:
        """Return one line: what was played, and each policy's mean of the final pseudo-regret."""
        first = self._first
        regrets = ", ".join(f"{label} {each.pseudo_regret.mean():.2f}" for label, each in self.items())
        return (
            f"Comparison(arms={first.arms.count}, horizon={first.horizon}, runs={first.replications.runs}, "
            f"seed={first.seed}: pseudo-regret {regrets})"
        )

    def _repr_html_(self) -> str:
        """Return the final numbers of each policy as a table, and the figure of `plot` below it."""
        from matplotlib.figure import Figure

        (sheet,) = summaries.SHEET.of(self.summary)
        with style.house_style():
            figure = Figure(figsize=_SIZE, layout="constrained")
            self._draw(figure, log=False)
            picture = notebook.picture(figure)
        played = f"{self._first.arms.describe()}; seed {self._first.seed}"
        return notebook.paragraph(played) + sheet.html() + picture

    @property
    def curves(self) -> pd.DataFrame:
        """The curves of all policies, one after another."""
        return self._joined(result.curves for result in self.values())

    @property
    def summary(self) -> pd.DataFrame:
        """One row a policy; columns as in `bandits.summaries.SUMMARY`."""
        return self._joined(result.summary for result in self.values())

    @property
    def differences(self) -> pd.DataFrame:
        """One row a pair of policies: the difference of their final pseudo-regret; see `paired_differences`."""
        locked = [label for label, result in self.items() if can_lock(result.policy)]
        return paired_differences(self._pulls, locked, self._first.horizon * self._first.arms.largest_gap)

    @property
    def _pulls(self) -> pd.DataFrame:
        return self._joined(summaries.pulls(label, result.replications) for label, result in self.items())

    def _joined(self, parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
        import pandas as pd

        return pd.concat(list(parts), ignore_index=True)

    def plot(self, *, log: bool = False) -> Figure:
        """Draw the regret of all policies against t, and their pulls of every arm; see `Result.plot`."""
        import matplotlib.pyplot as plt

        if not isinstance(log, bool):
            raise ValueError(f"log must be true or false; got {log!r}")
        with style.house_style():
            figure = plt.figure(figsize=_SIZE, layout="constrained", FigureClass=notebook.figure_class())
            self._draw(figure, log)
            figure.draw_without_rendering()  # numbers at the axes are written at the first drawing, in its style
        return figure

    def _draw(self, figure: Figure, log: bool) -> None:
        """Draw regret on the left and pulls on the right of an empty figure."""
        left, right = figure.subplots(1, 2, width_ratios=[3, 2])
        curves, arms, runs = self.curves, self._first.arms, self._first.replications.runs
        title = title_of("Regret", summaries.policies_of(curves), self._first.played)
        of_arms: Any = {"names": arms.names, "estimated": arms.estimated, "moments": arms.moments}
        draw_regret(left, curves, Context(runs=runs, title=title, theory=Theory.of(arms), **of_arms), log=log)
        draw_pulls(right, self._pulls, Context(**of_arms))

    def save(self, folder: str | Path, *, vectors: bool = False) -> Path:
        """Write what `Result.save` writes, of all policies, and differences.csv; return the folder."""
        if not isinstance(folder, str | os.PathLike) or "\0" in str(folder):
            raise ValueError(f"folder must be the path of a folder; got {folder!r}")
        path, curves, pulls, arms = Path(folder).expanduser(), self.curves, self._pulls, self._first.arms
        path.mkdir(parents=True, exist_ok=True)
        write(curves, path / "curves.parquet")
        write(pulls, path / "pulls.parquet")
        write(self.summary, path / "summary.csv")
        if len(self) > 1:
            write(self.differences, path / "differences.csv")
        of_arms: Any = {"names": arms.names, "estimated": arms.estimated, "moments": arms.moments}
        with style.vectors(vectors):
            save_all(path / "figures", curves, pulls, Theory.of(arms), arms=self._first.played, **of_arms)
        return path
