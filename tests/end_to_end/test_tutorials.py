"""docs/tutorials: does a page work when a reader types it into an empty folder, command by command?"""

from __future__ import annotations

import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.cli.parser import parser_of
from tests.end_to_end.program import ROOT, call

PAGES = sorted(page.stem for page in (ROOT / "docs" / "tutorials").glob("*.md") if page.stem != "README")
ALWAYS = ("learning", "own_maneuver", "soil")
"""Pages of `make test`; the others run in `make test-all`."""
FULL = pytest.mark.full("a command of a tutorial that fails or prints something else")
BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> list[str]:
    return BLOCK.findall((ROOT / "docs" / "tutorials" / f"{page}.md").read_text(encoding="utf-8"))


def plain(text: str) -> str:
    return " ".join(text.split())


def run(line: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit code and output of a command of a page."""
    program, *words = shlex.split(line, comments=True)
    if program == "python":
        capsys.readouterr()
        runpy.run_path(words[0], run_name="__main__")
        return 0, capsys.readouterr().out
    assert program == "jounce", line
    if "--plugin" in words:  # not among the plugins that other tests have registered in this process
        done = subprocess.run([sys.executable, "-m", "simulator", *words], capture_output=True, text=True, check=False, timeout=300.0)
        return done.returncode, done.stdout + done.stderr
    code, out, err = call(capsys, *words)
    return code, out + err


def follow(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Run the commands of a block; the lines below a command are in its output, in their order."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, *said = part.splitlines()
        code, out = run(line, capsys)
        expected = re.search(r"# ends with exit code (\d)", line)
        assert code == (int(expected[1]) if expected else 0), (line, out)
        rest = plain(out)
        for words in map(plain, said):
            assert words in rest, (line, words, out)
            rest = rest.partition(words)[2]


@pytest.mark.parametrize("page", [page if page in ALWAYS else pytest.param(page, marks=FULL) for page in PAGES])
def test_a_tutorial_works_as_typed(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    commands = 0
    for block in blocks(page):
        if named := re.match(r"# ([\w.]+\.\w+)\n", block):
            Path(named[1]).write_text(block, encoding="utf-8")
        elif block.startswith("$ "):
            follow(block, capsys)
            commands += 1
    assert commands
    prose = re.sub(BLOCK, "", (ROOT / "docs" / "tutorials" / f"{page}.md").read_text(encoding="utf-8"))
    assert [name for name in re.findall(r"`(\w[\w/]*/\w+\.(?:html|png))`", prose) if not Path(name).is_file()] == []


@pytest.mark.parametrize("page", PAGES)
def test_commands_that_need_a_person_are_of_the_program(page: str) -> None:
    lines = [line for block in blocks(page) for line in block.splitlines() if line.startswith("jounce ")]
    for words in (shlex.split(line, comments=True)[1:] for line in lines):
        parser_of(words[0]).parse_args(words)


def test_the_index_has_all_tutorials() -> None:
    index = (ROOT / "docs" / "tutorials" / "README.md").read_text(encoding="utf-8")
    assert [page for page in PAGES if f"]({page}.md)" not in index] == []
