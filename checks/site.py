"""Check of the built documentation: does a page load a file from another host, or a file that is missing?

`python -m checks.site FOLDER` reads all HTML and style files; `make docs` runs it after the build. A link that a reader clicks may lead to
another host; a script, style, font, image or frame, which the browser loads by itself, may not.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"src", "srcset", "poster", "data", "background"}
"""Attributes with files that a browser loads."""
URL = re.compile(r"""url\(\s*["']?([^"')\s]+)|@import\s+["']([^"']+)""")
FETCHED = re.compile(r"""(?:fetch|import|importScripts|open)\(\s*["'`](?:\w+["'`]\s*,\s*["'`])?((?:https?:)?//[^"'`]+)""")


class Page(HTMLParser):
    """Addresses of a page: those that the browser loads, those that a reader may follow, and its scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.followed: list[str] = []
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Collect the addresses of a tag."""
        self._inside = tag if tag in ("script", "style") else ""
        for name, value in attributes:
            if not value:
                continue
            if name == "srcset":
                self.loaded += [entry.split()[0] for entry in value.split(",") if entry.strip()]
            elif name in LOADED or (name in ("href", "xlink:href") and tag not in ("a", "area", "base")):
                self.loaded.append(value)
            elif name == "href":
                self.followed.append(value)
            elif name == "style":
                self.loaded += addresses_of_style(value)

    def handle_data(self, data: str) -> None:
        """Collect the addresses of a script or style in the page."""
        if self._inside == "style":
            self.loaded += addresses_of_style(data)
        elif self._inside == "script":
            self.loaded += FETCHED.findall(data)

    def handle_endtag(self, tag: str) -> None:
        """End a script or style."""
        self._inside = ""


def addresses_of_style(text: str) -> list[str]:
    """Return the addresses that a style loads."""
    return [first or second for first, second in URL.findall(text)]


def problems(folder: Path) -> Iterator[str]:
    """Return a line for each file of another host and for each missing file."""
    for file in sorted(folder.rglob("*")):
        if file.suffix not in (".html", ".css", ".svg"):
            continue
        text = file.read_text(encoding="utf-8")
        page = Page(text) if file.suffix != ".css" else None
        loaded = addresses_of_style(text) if page is None else page.loaded
        name = file.relative_to(folder).as_posix()
        for address in loaded:
            if not address.startswith("data:") and is_foreign(address):
                yield f"{name}: loads {address}"
        for address in [*loaded, *(page.followed if page else [])]:
            path = unquote(urlsplit(address).path)
            if path and not is_foreign(address) and not (file.parent / path).exists():
                yield f"{name}: {address} does not exist"


def is_foreign(address: str) -> bool:
    """Return True if an address is not of a file of the site."""
    return bool(re.match(r"[a-zA-Z][\w+.-]*:|//|\\\\", address.strip()))


def main() -> int:
    """Print the problems and return 1 if there are any."""
    folder = Path(sys.argv[1])
    pages = len(list(folder.rglob("*.html")))
    found = list(problems(folder)) if pages else [f"{folder}: no pages"]
    print("\n".join([*found, f"{folder}: {pages} pages, {len(found)} problems"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
