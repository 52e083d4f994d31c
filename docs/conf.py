"""Configuration of the documentation site: `make docs` builds it from the Markdown pages, which also read well on a code host.

The source folder is that of the checkout. The index in docs/README.md and the README.md of each folder give the structure: the pages linked
in their tables are the sections of the site, so that no page lists them twice. The API reference is appended to docs/api.md.
"""

from __future__ import annotations

import functools
import inspect
import posixpath
import re
import shutil
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

project = "Jounce"
release = metadata.version("jounce")
copyright = "the Jounce developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax", "sphinx_copybutton"]
root_doc = "README"
exclude_patterns = sorted(path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "docs")
source_suffix = {".md": "markdown"}

html_theme = "furo"
html_title = f"Jounce {release}"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["site.css"]
html_css_files = ["site.css"]
highlight_language = "none"
copybutton_prompt_text = "$ "

myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = ["math"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"
default_role = "code"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False
napoleon_use_ivar = True

MATHJAX = "mathjax.js"
mathjax_path = MATHJAX
"""Copied from the installed package: no page loads a file from another host."""

LINK = re.compile(r"\]\(([^)\s#]+\.md)(?:#[^)\s]*)?\)")
INDEX = "docs/README"


@functools.cache
def text_of(page: str) -> str:
    """Return the text of a page (without `.md`)."""
    return (ROOT / f"{page}.md").read_text(encoding="utf-8")


def linked(page: str, text: str) -> list[str]:
    """Return the pages linked in a text of a page, in order: those in tables, and in prose those in the folder of the page."""
    found = []
    for line in text.splitlines():
        for link in LINK.findall(line):
            if line.startswith("|") or "/" not in link:
                found.append(posixpath.normpath(posixpath.join(posixpath.dirname(page), link)).removesuffix(".md"))
    return list(dict.fromkeys(found))


@functools.cache
def sections() -> dict[str, list[tuple[str, list[str]]]]:
    """Return the lists of pages by the page that shows them: one for each chapter of the index, one for the README of each folder."""
    folders = sorted(path.relative_to(ROOT).as_posix().removesuffix(".md") for path in (ROOT / "docs").glob("*/**/README.md"))
    placed = {INDEX, *folders}
    out: dict[str, list[tuple[str, list[str]]]] = {}
    for folder in folders:
        pages = [page for page in linked(folder, text_of(folder)) if page not in placed]
        placed.update(pages)
        out[folder] = [("", pages)]
    chapters = []
    for chapter in text_of(INDEX).split("\n## ")[1:]:
        title, _, body = chapter.partition("\n")
        pages = [page for page in linked(INDEX, body) if page in folders or page not in placed]
        placed.update(pages)
        chapters.append((title.strip(), pages))
    out[root_doc] = [*chapters, ("Project", [INDEX, "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG"])]
    return out


def add_sections(app: Any, page: str, source: list[str]) -> None:
    """Append the lists of pages and the API reference to the text of a page."""
    for title, pages in sections().get(page, []):
        entries = "\n".join(f"/{name}" for name in pages)
        caption = f":caption: {title}\n" if title else ""
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n{caption}\n{entries}\n```\n"
    if page == "docs/api":
        source[0] += f"\n\n```{{eval-rst}}\n{api_directives()}\n```\n"


def api_directives() -> str:
    """Return the directives of all public names."""
    import jounce
    import simulator

    lines = []
    for name in sorted(set(simulator.__all__) - {"__version__"}):
        found = getattr(jounce, name)
        kind = "function" if not inspect.isclass(found) else "exception" if issubclass(found, Exception) else "class"
        members = "   :members:\n   :inherited-members: Exception, Mapping, Sequence, tuple\n" if kind != "function" else ""
        lines.append(f".. auto{kind}:: jounce.{name}\n{members}")
    return "\n".join(lines)


def keep_equations(app: Any, doctree: Any) -> None:
    """Leave equations as written: Sphinx would put those with several lines into an environment that does not take a number."""
    for node in doctree.findall(lambda node: node.tagname == "math_block"):
        node["no-wrap"] = True
        node.children = [type(node.children[0])(f"\\[{node.astext()}\\]")]


def copy_files(app: Any, error: Exception | None) -> None:
    """Copy MathJax, and the first page under the name that a web server and a browser expect."""
    if error is None and app.builder.name == "html":
        mathjax = metadata.distribution("sphinx-mathjax-offline").locate_file("sphinx-mathjax-offline/static/mathjax/tex-svg.js")
        shutil.copy(str(mathjax), Path(app.outdir) / "_static" / MATHJAX)
        shutil.copy(Path(app.outdir) / f"{root_doc}.html", Path(app.outdir) / "index.html")


def setup(app: Any) -> None:
    """Connect the functions of this file."""
    app.connect("source-read", add_sections)
    app.connect("doctree-read", keep_equations)
    app.connect("build-finished", copy_files)
