"""Do the files for containers name what the Makefile installs, and are their commands valid shell?"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN = re.findall(r"^RUN (.*)$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
DEVCONTAINER = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
COMMANDS = [*RUN, DEVCONTAINER["onCreateCommand"], DEVCONTAINER["postCreateCommand"]]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this system")
def test_a_command_is_valid_shell(command):
    assert subprocess.run(["bash", "-n", "-c", command], capture_output=True, check=False).stderr == b""


def test_both_install_the_graphics_of_the_makefile():
    graphics = re.search(r"--no-install-recommends (libegl1[\w -]*)", (ROOT / "Makefile").read_text(encoding="utf-8"))[1].split()
    for command in (RUN[0], DEVCONTAINER["onCreateCommand"]):
        assert set(graphics) <= set(command.split()), command


def test_the_image_has_all_extras_and_no_package_of_an_index():
    assert any("'/opt/jounce[all]'" in command for command in RUN)
    assert not any(re.search(r"install [^&]*\bjounce\b(?!\[)(?!/)", command.replace("/opt/jounce", "")) for command in RUN)
