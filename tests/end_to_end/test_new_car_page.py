"""docs/new_car.md: do its commands exist, and is their output equal to the page?"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from simulator.cli.parser import parser_of
from tests.end_to_end.program import ROOT, call

PAGE = (ROOT / "docs" / "new_car.md").read_text(encoding="utf-8")
FENCED = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
BLOCKS = [text.splitlines() for language, text in FENCED if not language]
YAML = [text for language, text in FENCED if language == "yaml"]
SHOWN = [(shlex.split(lines[0])[2:], lines[1:]) for lines in BLOCKS if lines[0].startswith("$ jounce ")]
PLAIN = [shlex.split(line)[1:] for lines in BLOCKS if not lines[0].startswith("$ ") for line in lines]


def plain(line: str) -> str:
    return " ".join(line.split())


@pytest.mark.parametrize(("words", "said"), SHOWN, ids=[" ".join(words)[:60] for words, _ in SHOWN])
def test_a_command_says_what_the_page_shows(
    words: list[str], said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The lines of the page in their order, others between them."""
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    for text in YAML:
        if text.startswith("# "):
            (tmp_path / text.split()[1]).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    _, out, err = call(capsys, *words)
    rest = [plain(line) for line in (out + err).splitlines()]
    for line in map(plain, said):
        assert any(line in one for one in rest), (line, rest)
        rest = rest[next(n for n, one in enumerate(rest) if line in one) + 1 :]


@pytest.mark.parametrize("words", PLAIN, ids=" ".join)
def test_the_other_commands_are_of_the_program(words: list[str]) -> None:
    assert parser_of(words[0]).parse_args(words).vehicle in ("sedan_chrono", ["sedan_chrono"])


def test_what_the_page_shows_of_files_is_in_them() -> None:
    files = [*(ROOT / "configs" / "vehicles").glob("sedan_*.yaml"), ROOT / "configs" / "mechanisms" / "sedan_multilink.yaml"]
    texts = [file.read_text(encoding="utf-8") for file in files]
    for block in YAML:
        assert block.startswith("# ") or any(block in text for text in texts), block
