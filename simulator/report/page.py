"""The one place that builds pages: a title, headings, text, tables and figures, one below the other, in one HTML file that fetches nothing.

Whatever is given as text is text: names of files and curves may hold any character.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

from simulator.report.plot import COLORS, Curve, Panel, svg

MISSING = "–"  # noqa: RUF001 (a dash, as in printed tables)
"""Where there is no number."""


@dataclass(frozen=True)
class Column:
    """Of a table; numbers stand to the right, words to the left."""

    title: str
    unit: str = ""
    words: bool = False


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

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[str | float | None]], caption: str = "") -> None:
        """Rows of words and numbers; these are shortened, and what is none becomes a dash."""
        head = "".join(
            f"<th{' class=words' * column.words}>{escape(column.title)}{f'<br><small>{escape(column.unit)}</small>' if column.unit else ''}</th>"
            for column in columns
        )
        body = "".join(
            "<tr>"
            + "".join(f"<td{' class=words' * column.words}>{escape(cell(one))}</td>" for column, one in zip(columns, row, strict=True))
            + "</tr>"
            for row in rows
        )
        said = f"<caption>{escape(caption)}</caption>" if caption else ""
        self._parts.append(f'<div class="scroll"><table>{said}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>')

    def figure(self, panels: Sequence[Panel], caption: str = "") -> None:
        """Panels side by side under one legend. Those whose horizontal axes are called the same are zoomed together along them."""
        names: dict[str, Curve] = {curve.name: curve for panel in reversed(panels) for curve in reversed(panel.curves)}
        legend = "".join(_legend(curve) for curve in reversed(names.values()))
        drawn = "".join(
            f'<div class="cell" data-along="{escape(panel.x.title, quote=True)}">{svg(panel, f"{len(self._parts)}-{n}")}</div>'
            for n, panel in enumerate(panels)
        )
        said = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
        self._parts.append(f'<figure><div class="legend">{legend}</div><div class="grid">{drawn}</div>{said}</figure>')

    def html(self) -> str:
        """The whole page."""
        contents = "".join(f'<a href="#h{n}">{escape(text)}</a>' for n, text in enumerate(self._headings, 1))
        about = f'<p class="about">{escape(self.about)}</p>' if self.about else ""
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(self.title)}</title>'
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_beside("page.css")}</style></head>\n'
            f"<body><main><h1>{escape(self.title)}</h1>{about}<nav>{contents}</nav>\n"
            + "\n".join(self._parts)
            + f"\n<p class=about>{_HOW}</p></main>\n<script>{_beside('page.js')}</script></body></html>\n"
        )


_HOW = (
    "Drag over a plot to zoom into it, along one axis or both; hold Ctrl and turn the wheel to zoom about a point; click twice to see all again. "
    "Click on a name in a legend to hide its curves."
)


def cell(value: str | float | None) -> str:
    """A number in four digits, or words as they are."""
    if isinstance(value, str):
        return value
    if value is None or not math.isfinite(value):
        return MISSING
    size = abs(value)
    if size == 0.0:
        return "0"
    return f"{value:.3f}" if 0.001 <= size < 100.0 else f"{value:.4g}"


def _legend(curve: Curve) -> str:
    color = COLORS[curve.color % len(COLORS)]
    dash = f' stroke-dasharray="{curve.dash}"' * bool(curve.dash)
    line = f'<svg width="26" height="10" aria-hidden="true"><path d="M1 5h24" stroke="{color}" stroke-width="2.5"{dash}/></svg>'
    return f'<button type="button" data-curve="{escape(curve.name, quote=True)}">{line}{escape(curve.name)}</button>'


@cache
def _beside(name: str) -> str:
    """Text of a file beside this one."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8").strip()
