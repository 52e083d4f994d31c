"""Do the files and names exist that the comments of the shipped configuration files send a reader to?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONFIGS = sorted((ROOT / "configs").rglob("*.yaml"))
FOLDERS = ("assets", "configs", "docs", "examples", "research", "simulator", "terrain", "tests", "vehicles", "washout")
"""Folders of the checkout that a comment may name; a path in another one is of another project."""
PATH = re.compile(r"(?<![\w/~.-])((?:[\w-]+/)*[\w-]+(?:\.\w+)?)(?:#([\w-]+))?(?:\s+\(([A-Z][A-Z_]{3,})\))?")
FILE = re.compile(r"\w+\.(yaml|md|py)$")


def comment_text(text: str) -> str:
    """The comments of a YAML file, joined, so that a path and the name after it may be on two lines."""
    return " ".join(found[1] for line in text.splitlines() if (found := re.search(r"(?:^|\s)#+\s?(.*)$", line)))


def missing(text: str, folder: Path) -> list[str]:
    """Paths in the comments of a file of a folder that lead nowhere, and names that their file does not have."""
    found = []
    for path, heading, name in PATH.findall(comment_text(text)):
        if path.partition("/")[0] in FOLDERS and "/" in path:
            file = ROOT / path
        elif "/" not in path and FILE.search(path):
            file = next(iter((ROOT / "configs").rglob(path)), folder / path)
        else:
            continue
        if not file.exists():
            found.append(path)
        elif name and not re.search(rf"\b{name}\b", file.read_text(encoding="utf-8")):
            found.append(f"{path} ({name})")
        elif heading and heading not in headings(file):
            found.append(f"{path}#{heading}")
    return found


def headings(file: Path) -> list[str]:
    """Anchors of the headings of a page."""
    titles = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]


def test_comments_name_what_exists() -> None:
    found = {file.relative_to(ROOT).as_posix(): missing(file.read_text(encoding="utf-8"), file.parent) for file in CONFIGS}
    assert {file: places for file, places in found.items() if places} == {}


@pytest.mark.parametrize(
    "comment",
    [
        "# simulator/view/window.py (BINDINGS)",
        "# see simulator/view/window.py\n# (BINDINGS).",
        "a: 1  # docs/no_such_page.md",
        "# docs/keys.md#no-such-heading",
        "# as in no_such_vehicle.yaml",
    ],
)
def test_a_place_that_does_not_exist_is_found(comment: str) -> None:
    assert len(missing(comment, ROOT / "configs" / "devices")) == 1


def test_paths_of_this_checkout_are_seen_and_others_are_not() -> None:
    text = "# docs/keys.md#change-the-keys, simulator/view/key_bindings.py (ACTIONS), ~/.config/docs/none.md, data/of/another.json, km/h"
    assert missing(text, ROOT / "configs") == []
    assert sum(len(PATH.findall(comment_text(file.read_text(encoding="utf-8")))) for file in CONFIGS) > 1000
