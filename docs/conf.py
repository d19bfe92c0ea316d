"""How `make docs` turns the pages of this folder into the site in build/docs/html.

Nothing is fetched while it builds or when it is read: no fonts, no scripts, no other projects' indexes. Formulas of
the course, and those of policies that are no sentences, are typeset by MathJax, of which the site carries the one file
that it needs, fonts included. Each lesson of the course is a notebook too. What is generated lies in docs/generated,
which git ignores.
"""

from __future__ import annotations

import functools
import re
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
MATHJAX = Path(find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax"  # of 24 MB we need 2
sys.path[:0] = [str(HERE.parent), str(HERE)]  # the packages, as they lie in the checkout, and the next modules

from generate import write_pages  # noqa: E402
from notebooks import LESSONS, write_notebooks  # noqa: E402
from sphinx.domains.python import PyObject  # noqa: E402
from sphinx.ext.napoleon.docstring import NumpyDocstring  # noqa: E402

from treebandit import __version__  # noqa: E402

project = "treebandit"
author = "the treebandit developers"
copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["gallery", "generated/*.md"]  # its scripts; the pages made from them lie in generated/gallery
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
highlight_language = "none"  # of blocks that name none: commands, and what they print
myst_heading_anchors = 3  # page.md#a-heading is a link
myst_enable_extensions = ["dollarmath"]  # $formulas$, as GitHub and notebooks read them
default_role = "literal"  # `names` in docstrings

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_type_aliases = dict.fromkeys(["Floats", "Ints", "Bools", "Words"], "numpy.ndarray")  # docstrings say the shapes
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
for field in PyObject.doc_field_types:
    if field.name == "variable":  # the name of an attribute links nowhere: it would find that of another class
        field.rolename = ""
consume_fields = NumpyDocstring._consume_fields
NumpyDocstring._consume_fields = functools.partialmethod(consume_fields, multiple=True)  # "a, b" are two attributes

html_theme = "furo"
html_title = "treebandit"
html_copy_source = False
html_show_sphinx = False
mathjax_path = "tex-svg.js"  # formulas as drawings: no fonts to load
mathjax3_config = {"options": {"enableMenu": False}}  # it would ask for files that the site does not carry
html_static_path = ["static", str(MATHJAX / mathjax_path)]
html_css_files = ["site.css"]
html_js_files = ["copy.js"]

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "generated/gallery",
    "within_subsection_order": "FileNameSortKey",
    "reset_modules": ("matplotlib", "generate.in_house_style"),  # before each script
    "filename_pattern": r"\.py$",  # every script of the folder is run
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 10,
    "write_computation_times": False,
    "matplotlib_animations": False,
}


def setup(app):
    """Write what is generated before any page is read, and see docstrings before Napoleon does."""
    app.connect("builder-inited", lambda app: write_pages(HERE / "generated"))
    app.connect("builder-inited", lambda app: write_notebooks(HERE / "generated" / "notebooks"))
    app.connect("source-read", offer_notebook)
    app.connect("source-read", link_gallery)
    app.connect("autodoc-process-docstring", mark_literal_blocks, priority=400)


def offer_notebook(app, docname, source):
    """Let the reader of a lesson download its notebook: only the site has it, so that the page does not link it."""
    if docname in {f"course/{lesson.stem}" for lesson in LESSONS}:
        title, text = source[0].split("\n", 1)
        path = f"../generated/notebooks/{Path(docname).name}.ipynb"
        source[0] = f"{title}\n\n{{download}}`This lesson as a notebook <{path}>`\n{text}"


def link_gallery(app, docname, source):
    """Lead links to the gallery's scripts, which readers of the Markdown can open, to the pages made from them."""
    source[0] = re.sub(r"\(((?:\.\./)?)gallery/\)", r"(\1generated/gallery/index.rst)", source[0])
    source[0] = re.sub(r"\(((?:\.\./)?)gallery/(plot_\w+)\.py\)", r"(\1generated/gallery/\2.rst)", source[0])


def mark_literal_blocks(app, what, name, thing, options, lines):
    """Make what is indented after a paragraph, such as a formula or a diagram, a literal block."""
    marked, last = [], ""
    for line in lines:
        blank_above = bool(marked) and not marked[-1].strip()
        if blank_above and indent(line) >= indent(last) + 4:
            marked += [f"{' ' * indent(last)}::", ""]
        marked.append(line)
        last = line if line.strip() else last
    lines[:] = marked


def indent(line):
    """Return how many spaces a line begins with."""
    return len(line) - len(line.lstrip()) if line.strip() else 0
