"""Is a report a single self-contained file with unchanged texts, and does it show every peak of a long curve?"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from simulator.report import plot, svg_renderer
from simulator.report.html_page import Column, Page, cell
from simulator.report.plot import Axis, Curve, Panel, thinned, ticks
from simulator.report.svg_renderer import svg


class Reader(HTMLParser):
    """Elements and texts of a page; complains of elements that are not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "wbr", "img"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def page() -> Page:
    made = Page("Ride & <handling>", "one <b>line</b>")
    made.heading("First")
    made.table([Column("name", words=True), Column("gain", "1")], [["<x>", 0.25], ["none", None], ["nan", float("nan")]])
    t = np.linspace(0.0, 10.0, 20001)
    along = Axis("time", "s")
    curves = [Curve('car "A"', t, np.sin(t), 0), Curve("cab", t, np.where(t < 5.0, np.nan, 0.4), 1, dash="4 2")]
    made.figure([Panel("force", along, Axis("force", "m/s²"), curves), Panel("rate", along, Axis("rate"), curves)])
    return made


def test_it_is_one_file_that_fetches_nothing():
    text = page().html()
    read = Reader(text)
    assert not [attrs for _, attrs in read.tags for name in ("src", "href", "xlink:href") if not (attrs.get(name) or "#").startswith("#")]
    assert not re.search(r"https?:|@import|url\((?!#)|fetch\(|XMLHttpRequest", text)
    assert text.count("<script>") == text.count("<style>") == 1


def test_texts_are_texts_and_what_is_no_number_is_a_dash():
    read = Reader(page().html())
    assert {"Ride & <handling>", "one <b>line</b>", "<x>", "0.250"} <= set(read.words)
    assert read.words.count("–") == 2  # noqa: RUF001
    assert [cell(number) for number in (0.0, 12.3456, 1234.5, 1.5e-5, -0.5)] == ["0", "12.346", "1234", "1.5e-05", "-0.500"]


def test_legend_and_curves_know_each_other_and_clips_are_their_own():
    tags = Reader(page().html()).tags
    drawn = [attrs["data-curve"] for tag, attrs in tags if tag == "path" and "data-curve" in attrs]
    named = [attrs["data-curve"] for tag, attrs in tags if tag == "button"]
    assert named == ['car "A"', "cab"]
    assert drawn == named * 2
    clips = [attrs["id"] for tag, attrs in tags if tag.lower() == "clippath"]
    assert len(set(clips)) == 2


def test_a_long_curve_keeps_its_peaks():
    x, y = np.arange(100_000.0), np.zeros(100_000)
    y[12_345], y[77_777], y[-1] = 3.0, -2.0, 1.0
    thin_x, thin_y = thinned(x, y)
    assert len(thin_x) <= plot.MAX_POINTS + 2
    assert {(12_345.0, 3.0), (77_777.0, -2.0), (99_999.0, 1.0), (0.0, 0.0)} <= set(zip(thin_x, thin_y, strict=True))
    assert (np.diff(thin_x) > 0.0).all()


CLIP = r'<clipPath id="([^"]*)"><rect x="([^"]*)" y="[^"]*" width="([^"]*)"'


def points(drawn: str) -> np.ndarray:
    return np.array([[float(one) for one in pair.split()] for pair in re.findall(r"[ML]([-\d.]+ [-\d.]+)", drawn)])


def test_numbers_are_at_the_positions_of_the_ticks():
    """Both axes of a logarithmic panel, back from the drawing to the numbers."""
    x, y = np.array([0.1, 1.0, 10.0]), np.array([5.0, 0.5, 2.0])
    drawn = svg(Panel("p", Axis("w", "rad/s", log=True), Axis("gain", log=True, least=0.1, most=10.0), [Curve("c", x, y)]), "1")
    place = points(re.search(r'data-curve="c" d="([^"]*)"', drawn)[1])
    labels = {float(text): float(at) for at, text in re.findall(r'<text x="([\d.]+)" y="\d+" text-anchor="middle">([\d.]+)</text>', drawn)}
    assert [labels[number] for number in x] == pytest.approx(place[:, 0], abs=0.06)
    heights = {float(text): float(at) - 4.0 for at, text in re.findall(r'y="([\d.]+)" text-anchor="end">([\d.]+)</text>', drawn)}
    assert [heights[number] for number in y] == pytest.approx(place[:, 1], abs=0.06)


def test_the_frame_cuts_lines_and_not_the_dots_on_it():
    x = np.array([0.0, 1.0, 2.0])
    drawn = svg(Panel("p", Axis("t"), Axis("y"), [Curve("c", x, x, points=True)]), "1")
    clips = {name: [float(one) for one in numbers] for name, *numbers in re.findall(CLIP, drawn)}
    frame, around = clips["clip-1"], clips["clip-1-dots"]
    line, dots = (re.search(rf'url\(#{name}\)"><g class="curves">(.*?)</g>', drawn)[1] for name in clips)
    assert ('class="dots"' in line, 'class="dots"' in dots) == (False, True)
    place = points(re.search(r' d="([^"]*)"', dots)[1])
    assert place[0, 0] == frame[0] and place[-1, 0] == frame[0] + frame[1]
    radius = 2.5
    assert around[0] <= frame[0] - radius and around[0] + around[1] >= frame[0] + frame[1] + radius


def test_a_gap_is_not_bridged():
    y = np.array([1.0, 1.0, np.nan, 2.0, 2.0])
    drawn = svg(Panel("p", Axis("t"), Axis("y"), [Curve("c", np.arange(5.0), y)]), "1")
    assert re.search(r'data-curve="c" d="([^"]*)"', drawn)[1].count("M") == 2


@pytest.mark.parametrize(("low", "high", "log", "texts"), [
    (-1.05, 1.05, False, ["-1", "-0.5", "0", "0.5", "1"]),
    (0.0, 34.0, False, ["0", "10", "20", "30"]),
    (-1.0, 1.0, True, ["0.1", "0.2", "0.5", "1", "2", "5", "10"]),
])  # fmt: skip
def test_ticks_are_round_numbers(low, high, log, texts):
    assert [text for _, text in ticks(low, high, log) if text] == texts


def test_the_script_measures_as_the_drawing_does():
    script = (Path(svg_renderer.__file__).parent / "page.js").read_text()
    said = dict(re.findall(r"\b(LEFT|RIGHT|TOP|BOTTOM|WIDTH|HEIGHT|TICKS|SECOND) = (\d+)", script))
    assert said == {name: str(getattr(svg_renderer, name)) for name in said} and len(said) == 8
