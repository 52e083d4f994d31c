"""docs/replay.md: do its commands exist, and is their output that of the page?"""

from __future__ import annotations

import re
import shlex
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from simulator.cli.parser import parser_of
from simulator.telemetry.replay_columns import LOGGED
from simulator.view.key_bindings import replay_help_rows
from tests.end_to_end.program import ROOT, call

PAGE = (ROOT / "docs" / "replay.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SHOWN = BLOCKS[0].splitlines()
PLAIN = [shlex.split(line)[1:] for line in BLOCKS[1].splitlines()]


def test_the_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for line, said in pairwise(SHOWN):
        if line.startswith("$ "):
            code, out, err = call(capsys, *shlex.split(line)[2:])
            assert code == 0 and said in out, (line, out, err)
    with Image.open("lane.gif") as clip:
        assert (clip.n_frames, clip.size) == (11, (320, 180))
        first = np.asarray(clip.convert("RGB"), int)
        clip.seek(10)
        assert np.abs(np.asarray(clip.convert("RGB"), int) - first).mean() > 1.0, "the vehicle changes its lane"


@pytest.mark.parametrize("words", PLAIN, ids=" ".join)
def test_the_other_commands_are_of_the_program(words):
    assert parser_of(words[0]).parse_args(words).run


def test_the_page_names_all_columns_and_keys():
    named = set(re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL)))
    assert set(LOGGED) <= named
    keys = {key for keys, _ in replay_help_rows() for key in re.split(r",? +", keys) if len(key) == 1}
    assert {"P", "G", "R", "C", "H", "0", "."} <= keys <= named
