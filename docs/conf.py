"""How `make docs` turns the pages of this folder into the site in build/docs/html.

Nothing is fetched while it builds or when it is read: no fonts, no scripts, no other projects' indexes. Formulas are
plain text, as in the tables that the program prints. What is generated lies in docs/generated, which git ignores.
"""

from __future__ import annotations

import sys
from pathlib import Path

from treebandit import __version__

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # the packages, as they lie in the checkout

project = "treebandit"
author = "the authors of treebandit"
copyright = author
version = release = __version__

extensions = ["myst_parser", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["gallery"]  # its scripts; the pages made from them lie in generated/gallery
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_heading_anchors = 3  # page.md#a-heading is a link

html_theme = "furo"
html_title = project
html_copy_source = False
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["site.css"]

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "generated/gallery",
    "within_subsection_order": "FileNameSortKey",
    "filename_pattern": r"\.py$",  # every script of the folder is run
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 10,
    "write_computation_times": False,
    "matplotlib_animations": False,
}
