"""Start screen in its window, by real keys; needs a display and xdotool, and is skipped, visibly, without them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simulator.view.gl_context import display_available

ROOT = Path(__file__).resolve().parents[2]


def type_keys(*keys: str) -> None:
    for key in keys:
        subprocess.run(["xdotool", "key", key], check=True)
        time.sleep(0.2)


@pytest.fixture
def screen(tmp_path):
    if not display_available() or shutil.which("xdotool") is None:
        pytest.skip("no display, or no xdotool")
    process = subprocess.Popen(
        [sys.executable, "-m", "simulator.start_screen"],
        cwd=ROOT, env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    process.stdin.write(json.dumps({"vehicle": "sedan"}) + "\n")
    process.stdin.flush()
    found = subprocess.run(
        ["xdotool", "search", "--sync", "--onlyvisible", "--name", "^Jounce$"], check=True, timeout=60, capture_output=True
    )
    assert found.stdout
    time.sleep(1.0)
    yield process
    process.kill()
    process.wait()


def test_keys_choose_and_drive(screen, tmp_path):
    type_keys("Down", "Down", "Down", "Right", "Up", "Up", "Up", "Return")
    out, _ = screen.communicate(timeout=30)
    choice = json.loads(out.splitlines()[-1])["choice"]
    assert screen.returncode == 0 and choice["vehicle"] == "sedan_e90"
    assert "sedan_e90" in (tmp_path / "jounce" / "settings.yaml").read_text()


def test_the_window_closes_with_the_program_that_has_opened_it(screen):
    screen.stdin.close()
    assert screen.wait(timeout=30) == 0


def test_esc_ends_without_a_choice_and_saves_nothing(screen, tmp_path):
    type_keys("Escape")
    out, _ = screen.communicate(timeout=30)
    assert screen.returncode == 0 and json.loads(out.splitlines()[-1]) == {"choice": None}
    assert not (tmp_path / "jounce").exists()


def test_full_screen_by_its_key_and_back(screen, tmp_path):
    """Each press counts, although the window is another one afterwards."""
    for full in (True, False, True, False):
        type_keys("F11")
        end = time.monotonic() + 10.0
        file = tmp_path / "jounce" / "settings.yaml"
        while ("full_screen: true" in file.read_text() if file.exists() else False) is not full:
            assert time.monotonic() < end
            time.sleep(0.05)
        time.sleep(0.5)
    type_keys("Escape")
    out, _ = screen.communicate(timeout=30)
    assert screen.returncode == 0 and json.loads(out.splitlines()[-1]) == {"choice": None}
