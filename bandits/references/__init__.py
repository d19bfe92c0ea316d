"""The papers and books behind the policies: the table `references.bib`, and the entries that a policy cites.

A policy's `source` names its references as "Auer, Cesa-Bianchi and Fischer 2002": surnames without accents, then the
year. So an entry of the table belongs to every source that holds its authors and year.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from importlib import resources

_ENTRY = re.compile(r"^@(\w+)\{([^,]+),\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.MULTILINE)
_ACCENT = re.compile(r"\{\\[^\w\s](\w)\}")  # {\'e}
_REST = "others"  # BibTeX's word for further authors


@dataclass(frozen=True)
class Reference:
    r"""An entry of the table.

    Attributes
    ----------
    kind, key : str
        As "article" and "auer2002finite".
    fields : dict
        Texts by their names, as author, title and year.
    text : str
        The entry as the table has it.
    """

    kind: str
    key: str
    fields: dict[str, str]
    text: str

    @property
    def cited(self) -> str:
        """The authors and the year as a policy's source has them.

        Examples
        --------
        >>> references()["auer2010"].cited, references()["silver2017"].cited
        ('Auer and Ortner 2010', 'Silver et al. 2017')
        """
        *first, last = (_ACCENT.sub(r"\1", author).partition(",")[0] for author in self.fields["author"].split(" and "))
        names = ", ".join(first)
        surnames = f"{names} et al." if last == _REST else f"{names} and {last}" if first else last
        return f"{surnames} {self.fields['year']}"


@functools.cache
def references() -> dict[str, Reference]:
    """Return the table by the keys of its entries."""
    table = resources.files("bandits.references").joinpath("references.bib").read_text(encoding="utf-8")
    return {
        entry[2]: Reference(entry[1], entry[2], dict(_FIELD.findall(entry[3])), entry[0])
        for entry in _ENTRY.finditer(table)
    }


def cited_in(source: str) -> list[Reference]:
    """Return the entries that a policy's source names, in its order.

    Parameters
    ----------
    source : str
        As `Policy.source`.

    Examples
    --------
    >>> [entry.key for entry in cited_in("Thompson 1933; Agrawal and Goyal 2012")]
    ['thompson1933', 'agrawal2012']
    """
    named = [entry for entry in references().values() if entry.cited in source]
    return sorted(named, key=lambda entry: source.index(entry.cited))
