"""`python -m experiments.catalogue`: everything that a command can name, a line each, or what one of them is.

Without a name it lists all; with `policies`, `arms`, `players`, `games`, `processes`, `experiments`, `executors` or
`deliveries` these; with a name of one, such as `ucb`, its formula, source, parameters and a command that tries it.
`convert="openspiel uct_c=2"` says which c here explores as much as a constant of another program; `bibtex=ucb,thompson`
prints the papers of policies.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from bandits import Arms, Policy
from bandits.delivery.base import Delivery
from bandits.references import Reference, cited_in, references
from experiments.constants import CONVENTIONS, say_conversion
from experiments.engine import printing
from experiments.engine.errors import guarded, leave
from experiments.engine.executors import Executor
from experiments.engine.experiment import Experiment
from experiments.engine.presets import preset, presets, text_of
from experiments.games.rules import GAMES
from experiments.players import PLAYERS
from mcts.processes.base import PROCESSES
from numerics.commands import Command, show_default, word
from numerics.families import REQUIRED, default_of
from numerics.parameters import describe_allowed, did_you_mean, must_be_one_of, parameter, parameters

WIDTH = 100
_NAMES = 24  # columns of a list's names
_LETTERS = {
    "m": "mean",
    "n": "pulls of the arm",
    "V": "variance of its rewards",
    "P": "its prior probability",
    "t": "the pull being chosen",
    "T": "horizon",
    "K": "arms",
}
_GIVEN = {  # what a command must say besides the name
    ("bandit", "bayes_optimal"): "arms=two_close horizon=60",
    ("bandit", "custom"): "bandit.rule=my_rules.my_index",
    ("arms", "custom"): "arms.law=my_laws.my_law arms.means=[0.2,0.5]",
    ("arms", "from_log"): "arms.path=FILE.csv arms.arm_column=item arms.reward_column=click",
    ("delivery", "from_log"): "delivery.path=FILE.csv delivery.shown_column=shown delivery.rewarded_column=rewarded",
    ("process", "custom"): "process.path=my_processes.Lake",
    ("executor", "slice"): "executor.part=1 executor.of=4 hydra.run.dir=FOLDER",
    ("player1", "custom"): "player1.path=my_players.MyPlayer",
    ("game", "custom"): "game.cls=my_games.Nim +game.size=5",
    ("game", "open_spiel"): "'game.string=\"hex(board_size=5)\"'",
}


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter: its key on a command line, default, what it may be, and what it is."""

    key: str
    default: str
    allowed: str
    help: str


@dataclasses.dataclass(frozen=True)
class Card:
    """The description of one member; `about` has rows of a head and a text."""

    title: str
    summary: str
    about: Sequence[tuple[str, str]]
    parameters: Sequence[Parameter]
    command: str


class Catalogue(Command, module="experiments.catalogue"):
    """Which lists and names."""

    what: list[str] = word(
        [],
        help="policies, arms, players, games, processes, experiments, executors or deliveries, or a name in them; "
        "else all",
    )
    convert: str | None = parameter(
        None, help=f"a constant of another program in ours and in all others; of {', '.join(CONVENTIONS)}"
    )
    bibtex: list[str] = parameter([], help="policies whose papers are printed in BibTeX, as ucb,thompson; all of all")


def main(words: Sequence[str] | None = None) -> None:
    """Print the lists and cards that are asked for, all lists by default."""
    given = Catalogue.read(words)
    if given.convert is not None:
        say_conversion(given.convert)
        return
    if given.bibtex:
        printing.say("\n\n".join(entry.text for entry in _references_of(given.bibtex)))
        return
    asked = given.what
    names = sorted({name for kind in KINDS.values() for name in kind.names()})
    for name in asked:
        if name not in (*KINDS, *names):
            near = did_you_mean(name, [*KINDS, *names])
            raise ValueError(f"what {name!r} is unknown{near}; it must be {', '.join(KINDS)}, or a name that they list")
    for name in asked or KINDS:
        if name in KINDS:
            _print_list(name, KINDS[name])
        for kind in KINDS.values() if asked else ():
            if name in kind.names():  # a list and an executor are called processes
                card = kind.card(name)
                printing.say(f"{card.title}\n\n{textwrap.fill(card.summary, _width())}\n")
                for head, text in card.about:
                    printing.say(_fill(text, f"{head:12}", 12))
                printing.say("parameters" + ("" if card.parameters else "  none"))
                for declared in card.parameters:
                    default = "must be given" if declared.default in (REQUIRED, "") else f"default {declared.default}"
                    printing.say(_fill("; ".join(filter(None, (declared.allowed, default))), f"  {declared.key}: ", 6))
                    printing.say(_fill(declared.help, 6 * " ", 6))
                printing.say(f"\n{card.command}\n")
    if not asked:
        printing.say("What one of them is: python -m experiments.catalogue ucb")


def _references_of(names: Sequence[str]) -> list[Reference]:
    """Return the references of some policies, or the whole table, each once."""
    if list(names) == ["all"]:
        return list(references().values())
    sources = {name: cls.source for name, cls in sorted(Policy.members.items()) if cited_in(cls.source)}
    for name in names:
        if name in Policy.members and name not in sources:
            raise ValueError(
                f"bibtex must name policies of a published source; that of {name} is {Policy.members[name].source}"
            )
        if name not in sources:
            raise ValueError(must_be_one_of("bibtex", name, ["all", *sources]))
    return list({entry.key: entry for name in names for entry in cited_in(sources[name])}.values())


def _print_list(title: str, kind: Kind) -> None:
    printing.say(f"{title}: {kind.key}=NAME")
    for name in kind.names():
        sentence = kind.card(name).summary.partition(". ")[0].removesuffix(".")
        printing.say(f"  {name:{_NAMES}}{_shorten(sentence, _width() - _NAMES - 2)}")
    printing.say("")


def _width() -> int:
    return min(WIDTH, printing.console().width)


def _shorten(text: str, width: int) -> str:
    """Return a text of one line, which ends with a clause."""
    if len(text) <= width:
        return text
    end = max(text.rfind(sign, 0, width - 4) for sign in (",", ":", ";"))
    return f"{text[:end]} ..." if end > 0 else textwrap.shorten(text, width, placeholder=" ...")


def _fill(text: str, head: str, indent: int) -> str:
    return textwrap.fill(text, _width(), initial_indent=head, subsequent_indent=indent * " ")


def _parameters(key: str, cls: type, values: Mapping[str, Any]) -> list[Parameter]:
    """Return the parameters of a class, with a preset's values in place of defaults."""
    fields = {field.name: field for field in parameters(cls)}
    return [
        Parameter(
            f"{key}{name}",
            show_default(values.get(name, default_of(fields[name]))),
            describe_allowed(cls, fields[name]),
            text,
        )
        for name, text in describe_parameters(cls)
    ]


def describe_parameters(cls: Any) -> Iterator[tuple[str, str]]:
    """Yield each parameter of a class that a user gives, and what its declaration says of it."""
    hidden = cls.family.hidden if hasattr(cls, "family") else ()  # such as the seed, which a run gives every player
    for field in parameters(cls):
        if field.name not in hidden:
            help = field.metadata["range"].help
            yield field.name, f"{help[:1].upper()}{help[1:].removesuffix('.')}."


def _other_rewards(policy: Policy) -> str:
    """Return what becomes of rewards that are neither 0 nor 1."""
    beyond = "the same formula (no guarantee)" if policy.unit_theory else ""
    if policy.unit_rewards:
        beyond = "refused" if policy.limits is None else ""
    if beyond:
        return f"between 0 and 1: {policy.other_rewards}; beyond: {beyond}"
    return f"neither 0 nor 1: {policy.other_rewards}"


def _policy(name: str) -> Card:
    cls = Policy.members[name]
    policy = cls(**({"rule": "my_rules.my_index"} if name == "custom" else {}))
    letters = [f"{letter} {what}" for letter, what in _LETTERS.items() if re.search(rf"\b{letter}\b", policy.formula)]
    about = [("formula", policy.formula), *([("where", ", ".join(letters))] if letters else [])]
    about += [("source", policy.source or "-"), ("rewards", _other_rewards(policy))]
    if name != "custom" and "horizon" in policy.spec().rule.needs:
        about += [("horizon", "known before the first pull")]
    about += [("only for", str(policy.limits))] if policy.limits is not None else []
    needs_features = name != "custom" and policy.needs_features
    arms = f" arms={'logistic' if policy.unit_rewards else 'linear'}" if needs_features else ""
    about += [("only for", f"arms with features, such as{arms}")] if needs_features else []
    return _card("a policy", "bandit", name, cls, about, {}, f"python -m experiments.run bandit={name}{arms}")


def _preset_of_arms(name: str) -> Card:
    values = preset("arms", name)
    kind, (summary, _) = values["name"], _describe_preset("arms", name)
    about = [("law", f"{kind}: {str(Arms.members[kind].__doc__).splitlines()[0]}")]
    command = f"python -m experiments.run bandit=ucb arms={name}"
    card = _card("arms", "arms", name, Arms.members[kind], about, values, command)
    return dataclasses.replace(card, summary=summary)


def _card(
    what: str, key: str, name: str, cls: type, about: Sequence[tuple[str, str]], values: Mapping[str, Any], command: str
) -> Card:
    more = f" {given}" if (given := _GIVEN.get((key, name))) else ""
    summary = " ".join((inspect.getdoc(cls) or "").partition("\nParameters\n")[0].split())
    return Card(
        f"{name}: {what}, {key}={name}", summary, about, _parameters(f"{key}.", cls, values), f"{command}{more}"
    )


def _experiment(name: str) -> Card:
    values, (summary, command) = preset("experiment", name), _describe_preset("experiment", name)
    cls = Experiment.members[values["kind"]]
    groups = {
        key.lstrip("/"): preset
        for entry in values["defaults"]
        if isinstance(entry, dict)
        for key, preset in entry.items()
    }
    lists = [field.name for field in dataclasses.fields(cls) if field.metadata.get("several")]
    about = [("groups", ", ".join(f"{key}={preset}" for key, preset in groups.items()) or "none")]
    about += [("lists", ", ".join(f"{key}={show_default(values.get(key, []))}" for key in lists))] if lists else []
    described = _parameters("", cls, values)
    return Card(f"{name}: an experiment, experiment={name}", summary, about, described, command)


def _describe_preset(group: str, name: str) -> tuple[str, str]:
    """Return what a preset says of itself, and the first command in its comments."""
    lines = text_of(group, name).splitlines()
    comments = [line[2:] for line in lines if line.startswith("# ") and not line.startswith("# @")]
    summary, _, command = comments[0].partition("   ")
    return summary, (command or "".join(comments[1:2])).strip()


@dataclasses.dataclass(frozen=True)
class Kind:
    """One list: the key that takes a name of it, all names, and the card of one."""

    key: str
    names: Callable[[], Sequence[str]]
    card: Callable[[str], Card]


def _kind(what: str, key: str, members: Mapping[str, type], command: str) -> Kind:
    """Return the list of a family whose members need no more than their class and a command with their name in it."""

    def card(name: str) -> Card:
        source = getattr(members[name], "source", None)
        about = [] if source is None else [("source", source or "-")]
        return _card(what, key, name, members[name], about, {}, f"python -m experiments.run {command.format(name)}")

    return Kind(key, lambda: sorted(members), card)


KINDS = {
    "policies": Kind("bandit", lambda: sorted(Policy.members), _policy),
    "arms": Kind("arms", lambda: presets("arms"), _preset_of_arms),
    "players": _kind("a player", "player1", PLAYERS.members, "experiment=match player1={} player2=level_3 games=20"),
    "games": _kind("a game", "game", GAMES.members, "experiment=match game={} player1=uct player2=random games=20"),
    "processes": _kind("a process", "process", PROCESSES.members, "experiment=planning process={}"),
    "experiments": Kind("experiment", lambda: presets("experiment"), _experiment),
    "executors": _kind("an executor", "executor", Executor.members, "bandit=ucb executor={}"),
    "deliveries": _kind("a delivery", "delivery", Delivery.members, "bandit=thompson delivery={}"),
}


if __name__ == "__main__":
    leave(guarded(main))
