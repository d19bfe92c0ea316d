"""What an experiment is: a declaration with its configuration, tasks, tables, sheets and figures.

Each experiment is a kind: a file `experiments/kinds/NAME.py`, or a folder `experiments/kinds/NAME/` whose
`experiment.py` declares it. It is registered by lying there, and imports no other kind. The engine owns the rest:
Hydra, checks, run, resume, print, draw, sweep, report.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from experiments.engine.executors import Executor
from experiments.engine.sweep.table import Sweep
from experiments.engine.tasks import Task
from numerics.checks import prefix_errors
from numerics.families import REQUIRED, Declared, Family
from numerics.output.figures import Figure, draw_figures, reader_of
from numerics.output.sheets import Sheet
from numerics.parameters import convert_value, did_you_mean, hints, must_be_one_of, parameter

# Keys of every experiment: what is drawn changes no number.
DRAWING: dict[str, bool | None] = {"figures": None, "vectors": False}
SHARDS = "shards"  # the folder of the tasks' files in that of their run

Values = Mapping[str, Any]
Facts = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Choice:
    """A family that configurations choose from, and what an experiment makes of a member.

    Attributes
    ----------
    family : Family
    made : callable
        `made(label, member, key)` returns what an experiment holds; its errors begin with the key.
    source_fingerprint : callable
        `source_fingerprint(object)` returns what numbers depend on beyond the configuration, such as the digest of a
        user's file.
    labelled : bool
        Whether a node has a label for tables and figures.
    least : int
        How many a list must hold.
    if_empty : tuple of str
        What an empty list stands for.
    settle : callable
        `settle(node, earlier)` returns a node as its run stores it, with values that are fixed when the run starts. An
        example is how much of a growing journal it reads. `earlier` is the node in the run's folder, or None.
    is_raw : bool
        Whether the experiment holds the nodes themselves, of which it makes members later.
    """

    family: Family[Any]
    made: Callable[[str, Any, str], Any] = lambda label, member, key: member
    source_fingerprint: Callable[[Any], str] = lambda member: ""
    labelled: bool = False
    least: int = 1
    if_empty: tuple[str, ...] = ()
    settle: Callable[[Any, Any], Any] = lambda node, earlier: node
    is_raw: bool = False

    def parameters(self, name: str) -> list[dataclasses.Field[Any]]:
        """Return the parameters of a member that a configuration sets."""
        fields = dataclasses.fields(self.family.members[name])
        return [field for field in fields if field.init and field.name not in self.family.hidden]

    def checked(self, value: Any, key: str) -> dict[str, Any]:
        """Return a member's node with each value as its parameter's type has it."""
        node = self.family.mapping(value, key)
        return self.family.node(self.family.of(value, key)) if node is None else node

    def build(self, node: Any, key: str) -> Any:
        """Return what an experiment holds of the member of a node."""
        return dict(node) if self.is_raw else self.made(*self.family.labelled(node, key), key)

    def checked_list(self, values: Any, key: str) -> list[Any]:
        """Return the names and nodes of a list as `checked` has them."""
        members = self.family.members
        if not isinstance(values, list):
            example = values if isinstance(values, str) and values in members else max(members)
            raise ValueError(f"{key} must be a list, such as [{example},...]; got {values}")
        return [
            value if isinstance(value, str) and value in members else self.checked(value, f"{key}[{position}]")
            for position, value in enumerate(values)
        ]

    def build_list(self, nodes: Sequence[Any], key: str) -> list[Any]:
        """Return what an experiment holds of the members of several nodes, whose labels differ."""
        if self.is_raw:
            return list(nodes)
        members = self.family.many(nodes or self.if_empty, key, self.least).items()
        return [self.made(label, member, f"{key}[{position}]") for position, (label, member) in enumerate(members)]


def group(family: Choice) -> Any:
    """Declare a field that is one member of a family; the experiment's YAML says which by default."""
    return dataclasses.field(kw_only=True, metadata={"choice": family, "several": False})


def list_of(family: Choice) -> Any:
    """Declare a field that is a list of members of a family, each a name or a node such as {name: ucb, c: 0.5}."""
    return dataclasses.field(kw_only=True, metadata={"choice": family, "several": True})


@typing.dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(parameter, group, list_of))
class Experiment(Declared):
    """An experiment; its subclasses declare their configuration as fields: `parameter`, `group`, `list_of`.

    Objects are for a run that may play. Figures, sheets, caveats and notes are static: they need only the tables of a
    folder and `facts`, which the manifest keeps. So they work wherever the folder is.
    """

    unit: ClassVar[str] = "tasks"  # what progress counts, such as "games"
    options: ClassVar[tuple[str, ...]] = ()  # of `python -m experiments.plot` that `draw` takes
    summary: ClassVar[str | None] = "summary.csv"  # the table that `python -m experiments.collect` reads of a run
    figures: ClassVar[Sequence[Figure]] = ()
    """The figures, as `numerics.output.figures` says; their facts have the run's configuration too, as `settings`."""
    sheets: ClassVar[Sequence[Sheet]] = ()
    """The tables that people read, in their order, as `numerics.output.sheets` says."""
    caveats: ClassVar[Callable[..., list[str]]] = staticmethod(lambda folder, facts: [])
    """`caveats(folder, facts)` returns sentences that a reader must know before relying on the numbers; they stand
    above the sheets."""
    notes: ClassVar[Callable[..., list[str]]] = staticmethod(lambda folder, facts: [])
    """`notes(folder, facts)` returns sentences that stand below the sheets."""
    headline: ClassVar[Callable[..., str]] = staticmethod(lambda settings: "")
    """`headline(settings)` returns the title of a report; where it is empty, that is what was run: the experiment and
    its members."""
    hint: ClassVar[str] = ""
    """What a reader may do next, such as a command, with `{folder}` in it; only the terminal shows it."""
    embedded: ClassVar[Callable[..., str] | None] = None
    """`embedded(folder, facts)` returns HTML for the report: a recording of a run that can be played step by step. If
    there is none, it raises ValueError, and the report shows the error's sentence instead."""
    sweep: ClassVar[Sweep | None] = None
    """What is made of the runs of a sweep; None if there are no results to combine."""

    @classmethod
    def draw(cls, folder: Path, facts: Facts, **options: Any) -> list[Path]:
        """Draw all figures from the tables of a run's folder, or those that `options` choose; return their files."""
        return draw_figures(cls.figures, folder / "figures", reader_of(folder), facts)

    @property
    def has_person(self) -> bool:
        """Whether a person at the terminal plays, whom no bar may disturb."""
        return False

    def prepare(self) -> None:
        """Refuse values that contradict each other, and compile the kernels that all tasks need; write nothing yet."""

    def adjusted(self) -> dict[str, Any]:
        """Return the values that this run changes, such as games in whole rounds, and print a line about each change.

        The run's folder stores the changed values, so that the original command and the changed one both resume it.
        """
        return {}

    def announce(self) -> None:
        """Print what will be done."""

    def tasks(self, folder: Path) -> Sequence[Task]:
        """Return all tasks; their files lie in `folder / SHARDS`, and the cut does not depend on the executor."""
        raise NotImplementedError

    def stages(self, folder: Path) -> Iterator[Sequence[Task]]:
        """Yield tasks stage by stage, where later ones depend on the files of earlier ones; all at once by default."""
        yield self.tasks(folder)

    def watch(self) -> Callable[[Task], str] | None:
        """Return a function whose words on the results so far stand beside the progress bar, or None.

        The function is called with each task in order, once that task and all before it have ended.
        """
        return None

    @property
    def executor_used(self) -> Executor:
        """Who carries out the tasks: the field `executor` unless overridden."""
        chosen: Executor = self.executor  # type: ignore[attr-defined]
        return chosen

    def source_fingerprint(self) -> str:
        """Return a digest of further sources on which the numbers depend, such as a user's rule."""
        return "\n".join(
            field.metadata["choice"].source_fingerprint(member)
            for field in dataclasses.fields(self)
            if "choice" in field.metadata
            for member in (getattr(self, field.name) if field.metadata["several"] else [getattr(self, field.name)])
        )

    def tables(self, folder: Path) -> dict[str, Any]:
        """Write the tables from the tasks' files; return facts for the manifest: `seed`, `timings`, and others."""
        raise NotImplementedError


for _file in sorted((Path(__file__).parents[1] / "kinds").iterdir()):
    if (_file / "experiment.py").is_file():
        Experiment.members.modules[_file.name] = f"experiments.kinds.{_file.name}.experiment"
    elif _file.suffix == ".py" and _file.stem != "__init__":
        Experiment.members.modules[_file.stem] = f"experiments.kinds.{_file.stem}"


def check_options(kind: str, options: Mapping[str, Any], folder: Path) -> None:
    """Refuse options of `python -m experiments.plot` that the experiment of a folder does not take."""
    for name in options:
        takers = [known for known, cls in Experiment.members.items() if name in cls.options]
        if kind in Experiment.members and kind not in takers:
            raise ValueError(f"{name} is only for runs of {', '.join(takers)}; {str(folder)!r} is a run of {kind}")


def build(values: Values, earlier: Values | None = None) -> tuple[Experiment, dict[str, Any]]:
    """Return the experiment of a configuration, and the configuration as its folder stores it.

    In the latter, each value has the type of its parameter, such as 10000 for 1e4, and the experiment's adjustments are
    made. `earlier` is the configuration that the folder of a resumed run already has.

    Raises
    ------
    ValueError
        An unknown key or name, a missing value, a value out of its range, or incompatible values.
    """
    if values.get("kind") not in Experiment.members:
        raise ValueError(must_be_one_of("kind", values.get("kind"), list(Experiment.members)))
    cls: Any = Experiment.members[values["kind"]]
    known = [*(field.name for field in dataclasses.fields(cls)), *DRAWING]
    for key in values:
        if key not in (*known, "kind"):
            raise ValueError(refuse_unknown(str(key), known))
    stored, given = {"kind": values["kind"]}, dict[str, Any]()
    for field in dataclasses.fields(cls):
        name, value = field.name, values.get(field.name, REQUIRED)
        if value == REQUIRED:
            raise ValueError(f"{name} must be given, as {name}=VALUE; it has no default")
        if "choice" not in field.metadata:
            stored[name] = given[name] = convert_value(hints(cls)[name], value)
        elif field.metadata["several"]:
            nodes = field.metadata["choice"].checked_list(value, name)
            stored[name] = field.metadata["choice"].settle(nodes, (earlier or {}).get(name))
            given[name] = field.metadata["choice"].build_list(stored[name], name)
        else:
            node = field.metadata["choice"].checked(value, name)
            with prefix_errors(name):
                stored[name] = field.metadata["choice"].settle(node, (earlier or {}).get(name))
            given[name] = field.metadata["choice"].build(stored[name], name)
    made = cls(**given)
    adjusted = made.adjusted()
    made = dataclasses.replace(made, **adjusted)
    made.prepare()
    return made, {**stored, **adjusted}


def drawing_of(values: Values) -> dict[str, bool | None]:
    """Return what a configuration says of its figures.

    Raises
    ------
    ValueError
        Something else than true, false or, of `figures`, null.
    """
    options = {name: values.get(name, default) for name, default in DRAWING.items()}
    for name, value in options.items():
        if not isinstance(value, bool) and value is not DRAWING[name]:
            raise ValueError(f"{name} must be true or false; got {value!r}")
    return options


def refuse_unknown(key: str, known: Sequence[str]) -> str:
    """Return the sentence about an unknown key, with the known ones."""
    group_key, _, name = key.rpartition(".")
    near = did_you_mean(name, known) or _question_about(key, known)
    owners = [
        kind for kind, cls in Experiment.members.items() if key in {field.name for field in dataclasses.fields(cls)}
    ]
    others = f"; it is a key of experiment={' or '.join(sorted(owners))}" if owners else ""
    return (
        f"{key} is not a known key{near}; the keys of {group_key or 'the experiment'} are {', '.join(known)}{others} "
        "(see python -m experiments.run --help)"
    )


def _question_about(key: str, known: Sequence[str]) -> str:
    """Return a question in brackets where members of a group among the known keys have a parameter of this name."""
    groups = {
        field.name: field.metadata["choice"]
        for cls in Experiment.members.values()
        for field in dataclasses.fields(cls)
        if "choice" in field.metadata and not field.metadata["several"] and field.name in known
    }
    owners = [
        f"{name}.{key}"
        for name, choice in groups.items()
        if any(key == parameter.name for member in choice.family.members for parameter in choice.parameters(member))
    ]
    return f" (did you mean {' or '.join(owners)}?)" if owners else ""
