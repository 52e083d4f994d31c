"""Command `python -m research paper`: list tables and figures of the papers; compute the numbers of a table next to those of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from research.papers.catalog import PAPERS, Item, Paper, item_of, paper_of
from research.papers.compared import Compared
from research.papers.page import file_name, page
from simulator.base.console import print_line
from simulator.base.json_output import json_text
from simulator.telemetry.atomic_files import create_folder, write_text


def main_paper(arguments: Any) -> int:
    """Run `python -m research paper` and return 0. Raises JounceError."""
    if arguments.markdown:
        return _write_pages(Path(arguments.markdown), [paper_of(" ".join(arguments.name))] if arguments.name else PAPERS)
    words = tuple(arguments.name)
    if not words:
        print_line(json_text([_paper_object(paper) for paper in PAPERS]) if arguments.json else "\n".join(map(_listing, PAPERS)))
        return 0
    split = next((n for n, word in enumerate(words) if word.lower() in ("table", "figure")), len(words))
    paper = paper_of(" ".join(words[:split]))
    if split == len(words):
        print_line(json_text(_paper_object(paper)) if arguments.json else _listing(paper))
        return 0
    item = item_of(paper, words[split:])
    numbers = [] if item.compare is None else item.compare()
    print_line(json_text(_item_object(item, numbers)) if arguments.json else _text(paper, item, numbers))
    return 0


def _write_pages(folder: Path, papers: Sequence[Paper]) -> int:
    """Write a page per paper. Raises JounceError: a file cannot be written."""
    create_folder(folder)
    for paper in papers:
        write_text(folder / file_name(paper), page(paper))
        print_line(str(folder / file_name(paper)))
    return 0


def _listing(paper: Paper) -> str:
    """Return the tables and figures of a paper as text."""
    rows = [f"{item.name:<12}{item.subject}" + (" (numbers)" if item.compare is not None else "") for item in paper.items]
    return "\n".join([f"{paper.number} [{paper.key}] {paper.title}", *(f"  {row}" for row in rows)])


def _text(paper: Paper, item: Item, numbers: Sequence[Compared]) -> str:
    """Return an item as text: its numbers, or what reproduces it."""
    lines = [f"[{paper.key}] {item.name}: {item.subject}"]
    if numbers:
        width = max(len(one.name) for one in numbers) + 2
        lines.append(f"{'':<{width}}{'paper':>10}{'Jounce':>12}{'ratio':>10}  unit")
        lines += [
            f"{one.name:<{width}}{one.paper:>10.4g}{one.ours:>12.4g}{one.ratio:>10.3g}  {one.unit if one.unit != '1' else ''}".rstrip()
            for one in numbers
        ]
    about = {"command": item.command, "page": f"docs/{item.page}", "code": item.code, "differs": item.differs}
    return "\n".join([*lines, *(f"{key:<9}{value}" for key, value in about.items() if value)])


def _paper_object(paper: Paper) -> dict[str, Any]:
    return {"number": paper.number, "key": paper.key, "title": paper.title, "items": [_item_object(item, []) for item in paper.items]}


def _item_object(item: Item, numbers: Sequence[Compared]) -> dict[str, Any]:
    found = {name: value for name, value in item._asdict().items() if name != "compare"}
    rows = [{**one._asdict(), "ratio": one.ratio} for one in numbers]
    return {**found, "has_numbers": item.compare is not None, **({"numbers": rows} if rows else {})}
