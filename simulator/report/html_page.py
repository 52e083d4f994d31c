"""The one place that builds pages: a title, headings, text, tables, figures and pictures, one below the other, in one HTML file that fetches
nothing; a browser is told to let nothing out either.

Whatever is given as text is text: names of files and curves may hold any character.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

from simulator.report.categorical_plots import RowPlot
from simulator.report.heatmap import Heat
from simulator.report.svg_plot import COLORS, Band, Curve, Panel, svg

MISSING = "–"  # noqa: RUF001 (a dash, as in printed tables)
"""Where there is no number."""


@dataclass(frozen=True)
class Column:
    """Of a table; numbers stand to the right, words to the left; `long` ones go on in a new line where they need to."""

    title: str
    unit: str = ""
    words: bool = False
    long: bool = False

    @property
    def look(self) -> str:
        """Attribute of its cells."""
        names = " ".join(["words"] * self.words + ["long"] * self.long)
        return f' class="{names}"' if names else ""


@dataclass(frozen=True)
class Verdict:
    """Words of a table, or of the line below the title, that say how something went: well, not well, or without a judgement."""

    text: str
    good: bool | None = None


@dataclass(frozen=True)
class Link:
    """Words that lead to a file beside the page, or to a place on it ("#h1"), with a verdict if there is one."""

    text: str
    to: str
    good: bool | None = None
    judged: bool = False


Cell = str | float | None | Verdict | Link
Cells = Cell | Sequence[Verdict | Link]
"""What may stand in a table: one thing, or several below each other."""

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""What a browser is told: nothing is fetched from anywhere."""


class Page:
    """A page that is being written, from the top down.

    Parameters
    ----------
    title, about : its name, and a line below it
    """

    def __init__(self, title: str, about: str = "") -> None:
        self.title, self.about = title, about
        self._parts: list[str] = []
        self._headings: list[str] = []

    def heading(self, text: str) -> None:
        """A chapter; it is listed at the top."""
        self._headings.append(text)
        self._parts.append(f'<h2 id="h{len(self._headings)}">{escape(text)}</h2>')

    def subheading(self, text: str) -> None:
        """Within a chapter."""
        self._parts.append(f"<h3>{escape(text)}</h3>")

    def text(self, text: str) -> None:
        """A paragraph."""
        self._parts.append(f"<p>{escape(text)}</p>")

    def verdict(self, verdict: Verdict) -> None:
        """A line that nobody overlooks."""
        self._parts.append(f'<p class="verdict {_class(verdict.good)}">{_sign(verdict.good)}{escape(verdict.text)}</p>')

    def facts(self, facts: Iterable[tuple[str, Cell]]) -> None:
        """Words with what is told of each, side by side as there is room."""
        told = "".join(f"<div><dt>{escape(name)}</dt><dd>{_cell_html(value)}</dd></div>" for name, value in facts)
        self._parts.append(f'<dl class="facts">{told}</dl>')

    def points(self, texts: Iterable[str]) -> None:
        """Lines with a dot before each."""
        self._parts.append(f"<ul>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ul>")

    def details(self, title: str, text: str) -> None:
        """A long text as it is, of which only the title is seen until somebody opens it."""
        self._parts.append(f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>")

    def pictures(self, pictures: Iterable[tuple[bytes, str]], kind: str = "jpeg") -> None:
        """Pictures, each with a line below it; they are part of the page."""
        shown = "".join(
            f'<div><img alt="{escape(said, quote=True)}" src="data:image/{kind};base64,{base64.b64encode(picture).decode()}">'
            f"<small>{escape(said)}</small></div>"
            for picture, said in pictures
        )
        self._parts.append(f'<div class="pictures">{shown}</div>')

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[Cells]], caption: str = "") -> None:
        """Rows of words and numbers; these are shortened, and what is none becomes a dash."""
        head = "".join(
            f"<th{column.look}>{_breakable(column.title)}{f'<br><small>{escape(column.unit)}</small>' if column.unit else ''}</th>"
            for column in columns
        )
        body = "".join(
            "<tr>" + "".join(f"<td{column.look}>{_cells_html(one)}</td>" for column, one in zip(columns, row, strict=True)) + "</tr>"
            for row in rows
        )
        said = f"<caption>{escape(caption)}</caption>" if caption else ""
        self._parts.append(f'<div class="scroll"><table>{said}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>')

    def figure(self, panels: Sequence[Panel | RowPlot | Heat], caption: str = "") -> None:
        """Panels side by side under one legend. Those whose horizontal axes are called the same are zoomed together along them.

        Curves and bands without a name are not in the legend; dots of plots with rows are hidden with the curves of their name.
        """
        names: dict[str, Curve | Band] = {}
        for panel in panels:
            drawn_here: list[Curve | Band] = [*panel.curves, *panel.bands] if isinstance(panel, Panel) else []
            for one in drawn_here:
                if one.name:
                    names.setdefault(one.name, one)
        keys = "".join(map(_legend, names.values()))
        drawn = "".join(_drawn(panel, f"{len(self._parts)}-{n}") for n, panel in enumerate(panels))
        legend = f'<div class="legend">{keys}</div>' if keys else ""
        said = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
        self._parts.append(f'<figure>{legend}<div class="grid">{drawn}</div>{said}</figure>')

    def html(self) -> str:
        """The whole page."""
        contents = "".join(f'<a href="#h{n}">{escape(text)}</a>' for n, text in enumerate(self._headings, 1))
        about = f'<p class="about">{escape(self.about)}</p>' if self.about else ""
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
            f"<title>{escape(self.title)}</title>"
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_beside("page.css")}</style></head>\n'
            f"<body><main><h1>{escape(self.title)}</h1>{about}<nav>{contents}</nav>\n"
            + "\n".join(self._parts)
            + (f'\n<p class="about how">{_HOW}</p>' if any("<figure>" in part for part in self._parts) else "")
            + f"</main>\n<script>{_beside('page.js')}</script></body></html>\n"
        )


_HOW = (
    "Drag over a plot to zoom into it, along one axis or both; hold Ctrl and turn the wheel to zoom about a point; click twice to see all again. "
    "Click on a name in a legend to hide its curves."
)


def cell(value: str | float | None) -> str:
    """A number in four digits, a whole one without a point, or words as they are."""
    if isinstance(value, str):
        return value
    if value is None or not math.isfinite(value):
        return MISSING
    size = abs(value)
    if size == round(size) and size < 10_000.0:
        return f"{value + 0.0:.0f}"
    return f"{value:.3f}" if 0.001 <= size < 100.0 else f"{value:.4g}"


def _breakable(words: str) -> str:
    """Words that may go on in a new line behind an underscore, where lines may be broken."""
    return escape(words).replace("_", "_<wbr>")


def _cells_html(cells: Cells) -> str:
    if isinstance(cells, Sequence) and not isinstance(cells, str):
        return "<br>".join(map(_cell_html, cells))
    return _cell_html(cells)


def _cell_html(one: Cell) -> str:
    if isinstance(one, Verdict):
        return f'<span class="mark {_class(one.good)}">{_sign(one.good)}{escape(one.text)}</span>'
    if isinstance(one, Link):
        said = f'<span class="mark {_class(one.good)}">{_sign(one.good)}{escape(one.text)}</span>' if one.judged else escape(one.text)
        return f'<a href="{escape(one.to, quote=True)}">{said}</a>'
    return _breakable(cell(one))


def _drawn(panel: Panel | RowPlot | Heat, key: str) -> str:
    if not isinstance(panel, Panel):
        return f'<div class="still">{panel.svg()}</div>'
    return f'<div class="cell{" wide" * panel.wide}" data-along="{escape(panel.x.title, quote=True)}">{svg(panel, key)}</div>'


def _class(good: bool | None) -> str:
    return {True: "good", False: "bad", None: "open"}[good]


def _sign(good: bool | None) -> str:
    """Before a verdict, for those who do not see its color."""
    return {True: "✓ ", False: "✗ ", None: ""}[good]


def _legend(one: Curve | Band) -> str:
    color = COLORS[one.color % len(COLORS)]
    if isinstance(one, Band):
        shown = f'<rect width="26" height="10" fill="{color}" fill-opacity="0.22"/>'
    else:
        dash = f' stroke-dasharray="{one.dash}"' * bool(one.dash)
        shown = (
            f'<path d="M1 5h24" stroke="{color}" stroke-width="2.5"{dash}/>'
            if one.line
            else f'<circle cx="13" cy="5" r="3.5" fill="{color}"/>'
        )
    drawn = f'<svg width="26" height="10" aria-hidden="true">{shown}</svg>'
    return f'<button type="button" data-curve="{escape(one.name, quote=True)}">{drawn}{escape(one.name)}</button>'


@cache
def _beside(name: str) -> str:
    """Text of a file beside this one."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8").strip()
