"""The pages that are made from the code when the site is built: policies, arms, players, settings, functions.

What they say is read from the classes, as the catalogue, `--help` and the sentences about bad input are.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import bandits
from bandits import Arms, Policy
from bandits.hooks import IndexRule
from experiments.catalogue import KINDS, Card, describe_parameters
from numerics.output.style import house_settings

# The modules that a program of a reader's would import, below their packages.
MODULES = {
    "bandits": [
        "bandits",
        "bandits.rules",
        "bandits.theory",
        "bandits.chances",
        "bandits.identification.characteristic",
        "bandits.identification.play",
        "bandits.identification.plans",
        "bandits.exact.moments",
        "bandits.spec",
    ],
    "mcts": [
        "mcts",
        "mcts.confidence.moves",
        "mcts.recording",
        "mcts.reference",
        "mcts.games.p_game",
        "mcts.games.dots_and_boxes",
        "mcts.games.breakthrough",
        "mcts.games.hex",
        "mcts.games.board",
        "mcts.games.exact",
        "mcts.processes.exact",
        "mcts.processes.planning",
        "mcts.processes.reference",
        "numerics.positions",
        "mcts.processes.sailing",
        "mcts.processes.pig",
        "mcts.adapters",
        "mcts.adapters.open_spiel",
        "mcts.adapters.pettingzoo",
        "mcts.adapters.gymnasium",
        "mcts.adapters.chess",
    ],
    "connect4": [
        "connect4",
        "connect4.position",
        "connect4.notation",
        "connect4.referee",
        "connect4.solver.build_book",
        "connect4.combinatorics.bounds",
        "connect4.combinatorics.counting",
        "connect4.combinatorics.estimates",
        "connect4.combinatorics.random_games",
        "connect4.pettingzoo",
    ],
    "experiments": [
        "experiments",
        "experiments.players",
        "experiments.players.pettingzoo_agents",
        "experiments.exact_table.rows",
        "experiments.engine.experiment",
        "experiments.engine.tasks",
    ],
    "numerics": [
        "numerics.games",
        "numerics.positions",
        "numerics.players",
        "numerics.parameters",
        "numerics.families",
        "numerics.checks",
        "numerics.random",
        "numerics.kernels.jit",
        "numerics.output.tables",
        "numerics.output.sheets",
        "numerics.output.figures",
        "numerics.output.style",
        "numerics.statistics.confidence_sequences",
        "numerics.statistics.doubling",
        "numerics.statistics.holm",
        "numerics.statistics.intervals",
        "numerics.statistics.laws",
        "numerics.statistics.logistic",
        "numerics.statistics.means",
        "numerics.statistics.paired_rates",
        "numerics.statistics.ranks",
        "numerics.statistics.ratings",
        "numerics.statistics.scores",
        "numerics.statistics.sprt",
        "numerics.statistics.stopped",
    ],
}
ELSEWHERE = {cls for family in (Policy, Arms) for cls in family.members.values()}  # classes with a page of their own
_MATHEMATICS = {  # words of formulas as TeX
    **{name: rf"\{name}" for name in ("ln", "max", "min", "exp", "theta")},
    **{name: rf"\operatorname{{{name}}}" for name in ("argmax", "kl", "Beta", "Gumbel")},
    "ln+": r"\ln^+",
    "else": r"\text{else }",
    "<=": r"\leq",
    "~": r"\sim",
    ":": r":\;",
}
_TOKEN = re.compile(r"(?P<open>sqrt\(|\^\(|\()|(?P<word>ln\+|[A-Za-z]+|<=|[~:])|(?P<rest>[\d.]+|[-+/^=,)]|\s+)")


def write_pages(folder: Path) -> None:
    """Write all pages into a folder; those that have not changed stay as they are, so that they are not read again."""
    pages = {folder / file: text for file, text in _pages()}
    for path in folder.rglob("*"):
        if path.suffix in (".md", ".rst") and path not in pages and "gallery" not in path.relative_to(folder).parts:
            path.unlink()  # of something that is gone
    for path, text in pages.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8", newline="\n")


def _pages() -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each page; those in no folder are parts of pages in docs/reference."""
    policies = [(name, KINDS["policies"].card(name)) for name in KINDS["policies"].names()]
    for name, card in policies:
        yield f"policies/{name}.md", _policy_page(name, card)
    yield "policies.md", _policies_table(policies)
    laws: dict[str, list[tuple[str, Card]]] = {name: [] for name in Arms.members}
    for name in KINDS["arms"].names():
        card = KINDS["arms"].card(name)
        laws[dict(card.about)["law"].partition(":")[0]].append((name, card))
    for name, presets in laws.items():
        yield f"arms/{name}.md", _law_page(name, presets)
    yield "arms.md", _laws_table(laws)
    for kind in ("deliveries", "players", "games", "processes", "experiments", "executors"):
        cards = [(name, KINDS[kind].card(name)) for name in KINDS[kind].names()]
        yield f"{kind}.md", "\n".join(_section(name, card) for name, card in cards)
    for package, modules in MODULES.items():
        for name in modules:
            yield f"api/{name}.rst", _module_page(name)
        listed = "\n".join(f"../generated/api/{name}" for name in modules)
        yield f"api_{package}.md", f"```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n"


def _policy_page(name: str, card: Card) -> str:
    cls = Policy.members[name]
    title = (inspect.getdoc(sys.modules[cls.__module__]) or name).splitlines()[0].removesuffix(".")
    about = dict(card.about)
    typeset = tex(about["formula"])
    lines = [f"# `{name}`: {title}\n", f"{_text(card.summary)}\n", *([f"$$\n{typeset}\n$$\n"] if typeset else [])]
    lines += ["| | |", "|---|---|"]
    lines += [f"| formula, as every table prints it | `{_cell(about['formula'])}` |"]
    lines += [f"| {head} | {_text(_cell(text))} |" for head, text in about.items() if head != "formula"]
    if name != "custom":
        rule = cls().spec().rule
        first, *more = (inspect.getdoc(rule.function) or "").split("\n\n")
        lines += [f"| rule, the function `{rule.function.__name__}` | {_text(_cell(first))} |"]
        lines += [f"| in a tree | {'yes' if isinstance(rule, IndexRule) else 'no: it has no score for a move'} |"]
        lines += ["", *(f"{_text(paragraph)}\n" for paragraph in more)]
    return "\n".join([*lines, "", *_parameters(card), *_try(card), *_class(cls)])


def _policies_table(policies: Iterable[tuple[str, Card]]) -> str:
    rows = []
    for name, card in policies:
        about = dict(card.about)
        page = f"[`{name}`](../generated/policies/{name}.md)"
        rows.append((page, f"`{_cell(about['formula'])}`", about["source"], _text(about["rewards"])))
    return _table(("policy", "formula", "source", "rewards that are neither 0 nor 1"), rows)


def _laws_table(laws: Mapping[str, Sequence[tuple[str, Card]]]) -> str:
    rows = []
    for name, presets in laws.items():
        summary = _text((Arms.members[name].__doc__ or "").splitlines()[0])
        rows.append(
            (f"[`{name}`](../generated/arms/{name}.md)", summary, ", ".join(f"`{preset}`" for preset, _ in presets))
        )
    return _table(("law", "what it is", "presets, as `arms=`"), rows)


def _law_page(name: str, presets: Sequence[tuple[str, Card]]) -> str:
    cls = Arms.members[name]
    lines = [f"# Arms of the law `{name}`\n", _text((cls.__doc__ or "").splitlines()[0]), ""]
    lines += _rows("| parameter | what it is |", [(f"`{key}`", _text(text)) for key, text in describe_parameters(cls)])
    for preset, card in presets:
        lines += [f"\n## `arms={preset}`\n", f"{_text(card.summary)}\n", *_parameters(card, 3), *_try(card, 3)]
    return "\n".join([*lines, "", *_class(cls)])


def _section(name: str, card: Card) -> str:
    about = [f"- {head}: `{text}`" for head, text in card.about]
    lines = [f"## {name}\n", f"{_text(card.summary)}\n", *about, "", *_parameters(card, 3), "```", card.command, "```"]
    return "\n".join([*lines, ""])


def _parameters(card: Card, level: int = 2) -> list[str]:
    rows = []
    for declared in card.parameters:
        default = f"`{_cell(declared.default)}`" if declared.default else ""
        rows.append((f"`{declared.key}`", default, _text(_cell(declared.allowed)), _text(_cell(declared.help))))
    if not rows:
        return ["It has no parameters.\n"]
    head = [f"{'#' * level} Parameters\n"] if level == 2 else []
    return [*head, _table(("key", "default", "allowed", "what it is"), rows)]


def _try(card: Card, level: int = 2) -> list[str]:
    return [*([f"{'#' * level} Try it\n"] if level == 2 else []), "```", card.command, "```", ""]


def _class(cls: type) -> list[str]:
    name = f"bandits.{cls.__name__}" if cls.__name__ in bandits.__all__ else f"{cls.__module__}.{cls.__name__}"
    return ["## In Python\n", "```{eval-rst}", f".. autoclass:: {name}", "```", ""]


def _module_page(name: str) -> str:
    offered = bandits.__all__ if name == "bandits" else []
    left_out = [public for public in offered if getattr(bandits, public) in ELSEWHERE]
    lines = [".. highlight:: default", "", name, "=" * len(name), "", f".. automodule:: {name}", "   :members:"]
    return "\n".join([*lines, *([f"   :exclude-members: {', '.join(left_out)}"] if left_out else []), ""])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(_rows(f"| {' | '.join(head)} |", rows)) + "\n"


def _rows(head: str, rows: Iterable[Sequence[str]]) -> list[str]:
    return [head, f"|{'---|' * (head.count('|') - 1)}", *(f"| {' | '.join(row)} |" for row in rows)]


def _cell(text: str) -> str:
    """Write a text in a cell of a table, whose ends are upright lines."""
    return text.replace("|", "\\|")


def _text(text: str) -> str:
    """Write the text of a docstring as Markdown: outside of `code`, stars and brackets are themselves."""
    parts = " ".join(text.split()).split("`")
    parts[::2] = [plain.replace("*", "\\*").replace("[", "\\[").replace("<", "\\<") for plain in parts[::2]]
    return "`".join(parts)


def in_house_style(gallery_conf, script):
    """Give a script of the gallery the typeface of all other figures; Sphinx-Gallery gives both arguments."""
    import matplotlib.style

    matplotlib.style.use(["default", house_settings()])


def tex(formula: str) -> str | None:
    r"""Return a formula as TeX, or None if it has other words than those of mathematics.

    Examples
    --------
    >>> tex("m + sqrt(2) sqrt(ln t / n)")
    'm + \\sqrt{2} \\sqrt{\\ln t / n}'
    >>> tex("any arm, probability 1 / K")
    """
    typeset, closing, at = "", [], 0
    while at < len(formula):
        match = _TOKEN.match(formula, at)
        if match is None or (match["word"] and len(match["word"]) > 1 and match["word"] not in _MATHEMATICS):
            return None
        at = match.end()
        token = match.group()
        if match["open"]:
            typeset += {"sqrt(": r"\sqrt{", "^(": "^{", "(": "("}[token]
            closing.append(")" if token == "(" else "}")
        elif token == ")":
            typeset += closing.pop()
        elif token == "," and not closing:
            typeset += r",\quad"
        else:
            typeset += _MATHEMATICS.get(token, token)
    return typeset
