"""The forms of a log: files of several formats, or the journal of an agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bandits.logs.log import Log
from numerics import checks
from numerics.families import Declared, Family


class LogForm(Declared, frozen=True, kw_only=True):
    """Where a log is, and how it is read."""

    def read(self, columns: tuple[str, ...] = ()) -> Log:
        """Return the log, read once, with additional columns of probabilities that policies need.

        Raises
        ------
        ValueError
            A log that is missing or wrong.
        """
        raise self._unfinished("read")

    def fingerprint(self) -> str:
        """Return a digest of what the log holds."""
        raise self._unfinished("fingerprint")

    @property
    def title(self) -> str:
        """The name of the log in tables."""
        raise self._unfinished("title")


LOGS: Family[LogForm] = Family(
    "log",
    LogForm,
    "rows path=log.csv",
    hint=lambda name: f", which looks like a file: give 'rows path={name}'" if "." in name or "/" in name else "",
)
"""The forms of a log."""
LOGS.base.members.modules.update(
    dict.fromkeys(("rows", "open_bandit", "wide"), "bandits.logs.files") | {"journal": "bandits.logs.journal"}
)


def log_of(given: Any, **parameters: Any) -> LogForm:
    """Return the form of a log from a text, a mapping or an object; a database URL means a journal.

    Raises
    ------
    ValueError
        An unknown form or parameter, or parameters beside another form than a journal's URL.
    """
    parameters = {name: value for name, value in parameters.items() if value is not None}
    if isinstance(given, str) and "://" in given and " " not in given:
        return LOGS.of({"name": "journal", "url": given, **parameters}, "log")
    if parameters:
        raise ValueError(
            f"{', '.join(parameters)} must be left out unless log is a database URL, such as sqlite:///shop.db"
        )
    return LOGS.of(given, "log")


def read_log(
    given: LogForm | Mapping[str, Any] | str,
    columns: Sequence[str] = (),
    *,
    agent: str | None = None,
    up_to: int | None = None,
    unrewarded: float | None = None,
    wait: float | None = None,
) -> Log:
    """Return a log: of a file, such as "rows path=log.csv arm_column=item reward_column=click", or of an agent.

    Parameters
    ----------
    given : text, mapping or LogForm
        The form, which is rows, open_bandit, wide or journal, and its parameters. Or the URL of a database with agents.
    columns : sequence of str, optional
        Further columns to keep: probabilities from 0 to 1, of policies to evaluate.
    agent : str, optional
        The name of the agent, with the URL of a database.
    up_to : int, optional
        The number of the last event to read, with the URL of a database. By default all events are read.
    unrewarded : float, optional
        The reward of choices that have none, with the URL of a database. By default they are left out.
    wait : float, optional
        Seconds that a reward may take, with the URL of a database: choices that are younger at the last event are left
        out. By default 0.

    Raises
    ------
    ValueError
        An unknown form or parameter, a file or a column that is missing, or a wrong row, with its line.
    JournalError
        The database did not answer.

    Examples
    --------
    >>> import tempfile
    >>> from bandits import Agent
    >>> shop = f"sqlite:///{tempfile.mkdtemp()}/shop.db"
    >>> with Agent.open(shop, "banner", "random", ["red", "green"]) as agent:
    ...     for _ in range(5):
    ...         _ = agent.reward(agent.choose(), 1.0)
    ...     _ = agent.choose()
    >>> log = read_log(shop, agent="banner")
    >>> len(log), log.unrewarded, log.is_uniform
    (5, 1, True)
    """
    wanted = [] if isinstance(columns, str) or not isinstance(columns, Iterable) else list(columns)
    if isinstance(columns, str) or not isinstance(columns, Iterable) or not all(isinstance(one, str) for one in wanted):
        raise ValueError(f"columns must be a list of column names, such as ['new_policy']; got {checks.show(columns)}")
    return log_of(given, agent=agent, up_to=up_to, unrewarded=unrewarded, wait=wait).read(tuple(wanted))
