"""Are references valid: links of the pages, paths and functions of ARCHITECTURE.md, the list of keys?"""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path

import pytest

from simulator.base.machine import version
from simulator.catalog.file_kinds import KINDS
from simulator.catalog.registries import REGISTRIES, registry_of
from simulator.cli.parser import parser_of
from simulator.view.instrument_layout import HELP

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```", re.DOTALL)
QUOTED = re.compile(r"`([^`\n]+)`")
PLACE = re.compile(r"(?:simulator|vehicles|terrain|washout|configs|docs|examples|tests|assets)/[\w./]*")
FUNCTION = re.compile(r"[\w.]+\.register\w*")
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
WHERE = ARCHITECTURE.partition("## Extension points")[2]


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@cache
def anchors(page: Path) -> set[str]:
    """As GitHub makes them out of headings."""
    headings = re.findall(r"^#+ (.*)$", CODE.sub("", text_of(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def lost_links(page):
    """Links of a page that lead nowhere."""
    for link in LINK.findall(CODE.sub("", text_of(page))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        place = (page.parent / name).resolve() if name else page
        if not place.exists() or (anchor and anchor not in anchors(place)):
            yield f"{page.relative_to(ROOT).as_posix()}: {link}"


def test_every_link_of_a_page_leads_somewhere():
    assert [link for page in PAGES for link in lost_links(page)] == []


def test_every_page_is_linked_by_another():
    linked = {(page.parent / link.partition("#")[0]).resolve() for page in PAGES for link in LINK.findall(CODE.sub("", text_of(page)))}
    assert {page for page in PAGES if page.parent != ROOT} <= linked


def test_every_place_that_the_architecture_names_is_there():
    named = [place for quoted in QUOTED.findall(ARCHITECTURE) for place in PLACE.findall(quoted)]
    assert len(named) > 100
    assert [place for place in named if not (ROOT / place).exists()] == []


def test_every_package_has_a_line_on_the_map():
    packages = {
        file.parent.relative_to(ROOT).as_posix() for package in ("simulator", "vehicles") for file in ROOT.glob(f"{package}/*/__init__.py")
    }
    assert [package for package in packages if f"`{package}/`" not in ARCHITECTURE] == []


def test_every_entry_of_the_plugin_table_is_a_function():
    functions = {path for quoted in QUOTED.findall(WHERE) for path in FUNCTION.findall(quoted)}
    for path in functions:
        module, _, name = path.rpartition(".")
        assert callable(getattr(importlib.import_module(module), name)), path
    assert len(functions) == len(REGISTRIES)


def test_every_registry_is_in_the_plugin_table_and_its_entry_points_in_a_page():
    texts = [text_of(page) for page in PAGES]
    assert [name for name in REGISTRIES if not any(registry_of(name).group in text for text in texts)] == []


def test_every_kind_of_jounce_list_is_named_by_the_index():
    index = text_of(ROOT / "docs" / "README.md")
    assert [kind for kind in (*(kind.name for kind in KINDS), *REGISTRIES) if f"`{kind}`" not in index] == []


def test_help_of_drive_lists_the_keys_of_the_window(capsys):
    with pytest.raises(SystemExit):
        parser_of("drive").parse_args(["drive", "--help"])
    said = capsys.readouterr().out
    assert [key for key, meaning in HELP if not re.search(rf"^  {re.escape(key)} +{re.escape(meaning)}$", said, re.MULTILINE)] == []


def test_the_changelog_begins_with_this_version():
    headings = re.findall(r"^## (.*)$", text_of(ROOT / "CHANGELOG.md"), re.MULTILINE)
    assert headings[0] in (version(), "Unreleased")
    assert version() in headings
