"""Does the check of the documentation site find files of other hosts, and does the site have all pages?"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

import simulator
from checks.site import problems

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "line",
    [
        '<script src="https://cdn.example.org/mathjax.js"></script>',
        '<script async src="//cdn.example.org/a.js"></script>',
        '<link rel="stylesheet" href="http://fonts.example.org/css">',
        '<img src="picture.png" srcset="own.png 1x, https://example.org/large.png 2x">',
        '<iframe src="https://example.org"></iframe>',
        "<style>@import 'https://example.org/a.css';</style>",
        '<div style="background: url(https://example.org/a.png)"></div>',
        '<script>fetch("https://example.org/count")</script>',
        '<svg><image xlink:href="https://example.org/a.png"/></svg>',
        '<img src="missing.png">',
        '<a href="missing.html">page</a>',
    ],
)
def test_a_file_of_another_host_and_a_missing_one_are_found(line, tmp_path):
    for name in ("picture.png", "own.png", "other.html"):
        (tmp_path / name).write_text("")
    (tmp_path / "good.html").write_text(
        '<link href="own.png"><img src="data:image/png;base64,AA=="><a href="https://example.org">x</a><a href="other.html#a?b">y</a>'
    )
    assert list(problems(tmp_path)) == []
    (tmp_path / "page.html").write_text(f"<html><body>{line}</body></html>")
    assert len(list(problems(tmp_path))) == 1


def test_a_style_that_loads_a_font_of_another_host_is_found(tmp_path):
    (tmp_path / "page.css").write_text('@font-face {src: url("https://example.org/a.woff2")}')
    assert list(problems(tmp_path)) == ["page.css: loads https://example.org/a.woff2"]


def site():
    spec = importlib.util.spec_from_file_location("site_configuration", ROOT / "docs" / "conf.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_is_in_one_section_of_the_site_and_every_public_name_in_its_reference():
    module = site()
    pages = [page for lists in module.sections().values() for _, listed in lists for page in listed]
    there = {path.relative_to(ROOT).as_posix().removesuffix(".md") for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]}
    assert sorted(pages) == sorted(there - {"README"})
    documented = set(re.findall(r"^\.\. auto\w+:: jounce\.(\w+)$", module.api_directives(), re.MULTILINE))
    assert documented == set(simulator.__all__) - {"__version__"}
