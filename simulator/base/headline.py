"""Description of a file: the first sentence of its comment."""

from __future__ import annotations

import textwrap
from pathlib import Path

from simulator.base.inputfile import read_unicode

MAX_BYTES = 4 << 20
"""Maximum size of a file, as of every YAML file."""
WIDTH = 110
"""Maximum width of the description of a file, in characters."""


def headline(file: Path) -> str:
    """Return the description of a file: the first sentence of the comment at its beginning."""
    lines: list[str] = []
    for line in read_unicode(file, "a YAML text file", MAX_BYTES).splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# ").strip())
    sentence, end, _ = " ".join(lines).partition(". ")
    return textwrap.shorten(sentence + end.strip(), WIDTH, placeholder=" ...")
