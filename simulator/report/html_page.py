"""Builder of report pages: title, headings, text, tables, figures and images in one HTML file. The page loads nothing, and its policy
forbids the browser to send anything.

All given text is escaped: names of files and curves may contain any character.
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
from simulator.report.plot import COLORS, Band, Curve, Panel, ReferenceLine
from simulator.report.svg_renderer import svg

MISSING = "–"  # noqa: RUF001 (a dash, as in printed tables)
"""Cell text for a missing number."""


@dataclass(frozen=True)
class Column:
    """Column of a table; numbers are aligned right, words left; `long` cells may wrap."""

    title: str
    unit: str = ""
    words: bool = False
    long: bool = False

    @property
    def look(self) -> str:
        """Return the HTML attribute of its cells."""
        names = " ".join(["words"] * self.words + ["long"] * self.long)
        return f' class="{names}"' if names else ""


@dataclass(frozen=True)
class Verdict:
    """Text with a judgment: good, bad or neutral (None)."""

    text: str
    good: bool | None = None


@dataclass(frozen=True)
class Link:
    """Link to a file next to the page, or to an anchor in the page ("#h1"), with an optional verdict."""

    text: str
    to: str
    good: bool | None = None
    judged: bool = False


Cell = str | float | None | Verdict | Link
Cells = Cell | Sequence[Verdict | Link]
"""Content of a table cell: one item, or several items in separate lines."""

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""Content security policy: the browser loads nothing from anywhere."""


class Page:
    """Page that is built from top to bottom.

    Parameters
    ----------
    title, about : title and the line below it
    """

    def __init__(self, title: str, about: str = "") -> None:
        self.title, self.about = title, about
        self._parts: list[str] = []
        self._headings: list[str] = []

    def heading(self, text: str) -> None:
        """Add a chapter heading; it appears in the navigation at the top."""
        self._headings.append(text)
        self._parts.append(f'<h2 id="h{len(self._headings)}">{escape(text)}</h2>')

    def subheading(self, text: str) -> None:
        """Add a heading within a chapter."""
        self._parts.append(f"<h3>{escape(text)}</h3>")

    def text(self, text: str) -> None:
        """Add a paragraph."""
        self._parts.append(f"<p>{escape(text)}</p>")

    def verdict(self, verdict: Verdict) -> None:
        """Add a prominent line with a verdict."""
        self._parts.append(f'<p class="verdict {_class(verdict.good)}">{_sign(verdict.good)}{escape(verdict.text)}</p>')

    def facts(self, facts: Iterable[tuple[str, Cell]]) -> None:
        """Add labels with values, next to each other if the width permits."""
        items = "".join(f"<div><dt>{escape(name)}</dt><dd>{_cell_html(value)}</dd></div>" for name, value in facts)
        self._parts.append(f'<dl class="facts">{items}</dl>')

    def points(self, texts: Iterable[str]) -> None:
        """Add a bullet list."""
        self._parts.append(f"<ul>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ul>")

    def details(self, title: str, text: str) -> None:
        """Add a long preformatted text that is collapsed to its title."""
        self._parts.append(f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>")

    def pictures(self, pictures: Iterable[tuple[bytes, str]], kind: str = "jpeg") -> None:
        """Add images with a caption each; the page embeds them."""
        shown = "".join(
            f'<div><img alt="{escape(caption_html, quote=True)}" src="data:image/{kind};base64,{base64.b64encode(picture).decode()}">'
            f"<small>{escape(caption_html)}</small></div>"
            for picture, caption_html in pictures
        )
        self._parts.append(f'<div class="pictures">{shown}</div>')

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[Cells]], caption: str = "") -> None:
        """Add a table; numbers are rounded, and missing numbers become a dash."""
        head = "".join(
            f"<th{column.look}>{_breakable(column.title)}{f'<br><small>{escape(column.unit)}</small>' if column.unit else ''}</th>"
            for column in columns
        )
        body = "".join(
            "<tr>" + "".join(f"<td{column.look}>{_cells_html(item)}</td>" for column, item in zip(columns, row, strict=True)) + "</tr>"
            for row in rows
        )
        caption_html = f"<caption>{escape(caption)}</caption>" if caption else ""
        self._parts.append(f'<div class="scroll"><table>{caption_html}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>')

    def figure(self, panels: Sequence[Panel | RowPlot | Heat], caption: str = "") -> None:
        """Add panels under one legend. Panels with the same title of the horizontal axis are zoomed together along it.

        Items without a name are not in the legend. The dots of plots with rows are hidden together with the curves of their name.
        """
        names: dict[str, Curve | Band | ReferenceLine] = {}
        for item in (item for panel in panels if isinstance(panel, Panel) for item in panel.named()):
            names.setdefault(item.name, item)
        keys = "".join(map(_legend, names.values()))
        drawn = "".join(_drawn(panel, f"{len(self._parts)}-{n}") for n, panel in enumerate(panels))
        legend = f'<div class="legend">{keys}</div>' if keys else ""
        caption_html = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
        self._parts.append(f'<figure>{legend}<div class="grid">{drawn}</div>{caption_html}</figure>')

    def html(self) -> str:
        """Return the complete page."""
        contents = "".join(f'<a href="#h{n}">{escape(text)}</a>' for n, text in enumerate(self._headings, 1))
        about = f'<p class="about">{escape(self.about)}</p>' if self.about else ""
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
            f"<title>{escape(self.title)}</title>"
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_read_resource("page.css")}</style></head>\n'
            f"<body><main><h1>{escape(self.title)}</h1>{about}<nav>{contents}</nav>\n"
            + "\n".join(self._parts)
            + (f'\n<p class="about how">{_HOW}</p>' if any("<figure>" in part for part in self._parts) else "")
            + f"</main>\n<script>{_read_resource('page.js')}</script></body></html>\n"
        )


_HOW = (
    "Drag over a plot to zoom along one axis or both. Hold Ctrl and turn the wheel to zoom about a point. Double-click to reset. "
    "Click a name in a legend to hide its curves."
)


def cell(value: str | float | None) -> str:
    """Return a number with four significant digits, an integer without a decimal point, or the given text."""
    if isinstance(value, str):
        return value
    if value is None or not math.isfinite(value):
        return MISSING
    magnitude = abs(value)
    if magnitude == round(magnitude) and magnitude < 10_000.0:
        return f"{value + 0.0:.0f}"
    return f"{value:.3f}" if 0.001 <= magnitude < 100.0 else f"{value:.4g}"


def _breakable(text: str) -> str:
    """Return text in which a line may break after each underscore."""
    return escape(text).replace("_", "_<wbr>")


def _cells_html(cells: Cells) -> str:
    if isinstance(cells, Sequence) and not isinstance(cells, str):
        return "<br>".join(map(_cell_html, cells))
    return _cell_html(cells)


def _cell_html(item: Cell) -> str:
    if isinstance(item, Verdict):
        return f'<span class="mark {_class(item.good)}">{_sign(item.good)}{escape(item.text)}</span>'
    if isinstance(item, Link):
        caption_html = (
            f'<span class="mark {_class(item.good)}">{_sign(item.good)}{escape(item.text)}</span>' if item.judged else escape(item.text)
        )
        return f'<a href="{escape(item.to, quote=True)}">{caption_html}</a>'
    return _breakable(cell(item))


def _drawn(panel: Panel | RowPlot | Heat, key: str) -> str:
    if not isinstance(panel, Panel):
        return f'<div class="still">{panel.svg()}</div>'
    return f'<div class="cell{" wide" * panel.wide}" data-along="{escape(panel.x.title, quote=True)}">{svg(panel, key)}</div>'


def _class(good: bool | None) -> str:
    return {True: "good", False: "bad", None: "open"}[good]


def _sign(good: bool | None) -> str:
    """Return the prefix of a verdict for readers who cannot see its color."""
    return {True: "✓ ", False: "✗ ", None: ""}[good]


def _legend(item: Curve | Band | ReferenceLine) -> str:
    color = COLORS[item.color % len(COLORS)]
    if isinstance(item, Band):
        shown = f'<rect width="26" height="10" fill="{color}" fill-opacity="0.22"/>'
    else:
        dash = f' stroke-dasharray="{item.dash}"' * bool(item.dash)
        shown = (
            f'<path d="M1 5h24" stroke="{color}" stroke-width="2.5"{dash}/>'
            if isinstance(item, ReferenceLine) or item.line
            else f'<circle cx="13" cy="5" r="3.5" fill="{color}"/>'
        )
    drawn = f'<svg width="26" height="10" aria-hidden="true">{shown}</svg>'
    return f'<button type="button" data-curve="{escape(item.name, quote=True)}">{drawn}{escape(item.name)}</button>'


@cache
def _read_resource(name: str) -> str:
    """Return the text of a file in the folder of this module."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8").strip()
