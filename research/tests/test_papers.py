"""Does each citation use the key of a paper, and does the catalog of tables and figures agree with its page, its files and the papers?"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from research.command import main
from research.command import parser_of as research_parser
from research.papers.catalog import PAPERS, TABLE
from research.papers.page import file_name, page
from simulator.cli.parser import parser_of

ROOT = Path(__file__).parents[2]
FOLDERS = ("simulator", "vehicles", "terrain", "washout", "research", "docs", "configs", "examples", "tests")
PARSERS = {"python -m research": research_parser, "jounce": parser_of}
YEARS = {paper.key.split()[0]: paper.key.split()[1] for paper in PAPERS if paper.key[-1].isdigit()}
OTHER_NAMES = re.compile(
    r"(?<!research )[Pp]aper 00\d|McPhee|Ingebretsen|(?:Jain|Cameron|Deyo|Uchida)(?: et al\.| and )|Haug, Driving|\bof Haug\b|\bHaug gives"
)
"""Ways to cite one of the papers without its key."""
PLACES = ("docs/papers/README.md", "research/tests/test_papers.py")
"""Files that give the complete references."""


def texts() -> list[Path]:
    files = [file for folder in FOLDERS for suffix in ("py", "md", "yaml") for file in (ROOT / folder).rglob(f"*.{suffix}")]
    return [file for file in [*files, *ROOT.glob("*.md")] if file.relative_to(ROOT).as_posix() not in PLACES]


def test_every_citation_of_a_paper_has_its_key() -> None:
    wrong = []
    for file in texts():
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            years = re.findall(rf"\b({'|'.join(YEARS)}),? \(?(\d{{4}})\b", line)
            if OTHER_NAMES.search(line) or any(YEARS[name] != year for name, year in years):
                wrong.append(f"{file.relative_to(ROOT)}:{number}: {line.strip()}")
    assert not wrong, "\n".join(wrong)


def test_every_key_is_in_the_list_of_papers() -> None:
    index = (ROOT / "docs/papers/README.md").read_text(encoding="utf-8")
    for paper in PAPERS:
        assert f"| {paper.number} | [[{paper.key}]]({file_name(paper)}) | " in index


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.number)
def test_the_page_of_a_paper_is_the_output_of_the_command(paper) -> None:
    found = (ROOT / "docs/papers" / file_name(paper)).read_text(encoding="utf-8")
    assert found == page(paper), "run `python -m research paper --markdown docs/papers`"
    assert all((ROOT / "docs" / item.picture).is_file() for item in paper.items if item.picture)


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.number)
def test_pages_files_and_commands_of_a_paper_exist(paper) -> None:
    names = [item.name for item in paper.items]
    assert len(set(names)) == len(names)
    for item in paper.items:
        assert (ROOT / "docs" / item.page.partition("#")[0]).is_file(), item.page
        assert (ROOT / item.code).exists(), item.code
        if item.command:
            name, words = next((name, item.command.removeprefix(name)) for name in PARSERS if item.command.startswith(name))
            PARSERS[name](*shlex.split(words)).parse_args(shlex.split(words))


def test_a_table_is_listed_and_printed_next_to_the_paper(capsys) -> None:
    assert main(["paper"]) == 0
    text = capsys.readouterr().out
    assert all(f"{paper.number} [{paper.key}]" in text for paper in PAPERS)
    assert main(["paper", "uchida", "2012", "Table", "4", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["numbers"]}
    assert len(rows) == 24 and all(row["ratio"] == 1.0 for row in rows.values())
    assert rows["g5 digits"]["paper"] == rows["g5 digits"]["ours"] == 264
    assert main(["paper", "4", "figure", "8"]) == 0
    assert "jounce mechanism landing_gear" in capsys.readouterr().out


@pytest.mark.parametrize(("number", "table", "apart"), [("001", "1", 8), ("002", "3.1", 0), ("004", "2", 16)])
def test_counts_of_a_paper_are_those_of_jounce(number: str, table: str, apart: int) -> None:
    """Loops of TA are spatial, which adds eight rows and coordinates; the digits of the five-link suspension belong to its hardpoints."""
    paper = next(paper for paper in PAPERS if paper.number == number)
    item = next(item for item in paper.items if (item.kind, item.number) == (TABLE, table))
    assert item.compare is not None
    compared = item.compare()
    assert max(abs(one.ours - one.paper) for one in compared) == apart


@pytest.mark.parametrize("words", [("005",), ("deyo",), ("001", "table", "9"), ("001", "table"), ("figure", "1")])
def test_an_unknown_table_is_refused(capsys, words) -> None:
    assert main(["paper", *words]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
