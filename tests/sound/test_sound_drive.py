"""Does the page of the sound work, does a file sound like its run, and does a drive play without a gap and record its horn?"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest

from simulator.cli.main import main
from simulator.telemetry.log import read_log

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/sound.md").read_text(encoding="utf-8")
HORN = (420.0, 510.0)
"""Hz, of the sedan."""


def samples(file):
    with wave.open(str(file)) as f:
        assert (f.getnchannels(), f.getframerate(), f.getsampwidth()) == (2, 48_000, 2)
        return np.frombuffer(f.readframes(f.getnframes()), "<i2").reshape(-1, 2) / 32768.0


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    """Folder in which the first example of the page has run."""
    folder = tmp_path_factory.mktemp("page")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for line in re.search(r"```\n(jounce run.*?)```", PAGE, re.DOTALL).group(1).splitlines():
            assert main(line.split()[1:]) in (0, None)
    return folder


def test_the_example_of_the_page_writes_both_files(rendered):
    outside, inside = samples(rendered / "fishhook.wav"), samples(rendered / "inside.wav")
    log = read_log(rendered / "runs/fishhook")
    assert len(outside) == len(inside) == pytest.approx(48_000 * (log["time"][-1] - log["time"][0]), rel=0.01)
    assert 1e-3 < outside.std() < 0.2


def test_the_line_of_the_engine_is_that_of_the_log(rendered):
    sound, log = samples(rendered / "fishhook.wav"), read_log(rendered / "runs/fishhook")
    part = sound[24_000:72_000, 0]
    f, size = np.fft.rfftfreq(4 * len(part), 1 / 48_000), np.abs(np.fft.rfft(part * np.hanning(len(part)), 4 * len(part)))
    fires = log["engine_speed"][50:150].mean() / (2.0 * np.pi) * 3.0
    band = (f > 0.7 * fires) & (f < 1.4 * fires)
    assert f[band][np.argmax(size[band])] == pytest.approx(fires, rel=0.01)


def test_the_same_log_gives_the_same_file(rendered, monkeypatch):
    monkeypatch.chdir(rendered)
    assert main(["render", "runs/fishhook", "--wav", "again.wav"]) in (0, None)
    assert (rendered / "again.wav").read_bytes() == (rendered / "fishhook.wav").read_bytes()


def test_the_file_ends_without_a_click(rendered):
    sound = samples(rendered / "fishhook.wav")
    steps = np.abs(np.diff(np.vstack((sound, np.zeros((1, 2)))), axis=0))
    assert not sound[-1].any() and steps[-480:].max() < 0.5 * steps[:-960].max()
    assert sound[-9600:-4800].std() > 1e-3, "the sound lasts to its end"


@pytest.mark.parametrize("name", ["fishhook.mp3", "fishhook"])
def test_another_ending_than_wav_is_refused(rendered, monkeypatch, capsys, name):
    monkeypatch.chdir(rendered)
    assert main(["render", "runs/fishhook", "--video", "clip.gif", "--wav", name]) == 2
    assert f"--wav: invalid value; expected a name that ends in .wav; got '{name}'" in capsys.readouterr().err
    assert not Path("clip.gif").exists() and not Path(name).is_file()


def test_a_log_without_the_columns_is_refused_with_their_names(rendered, tmp_path, capsys):
    log = read_log(rendered / "runs/fishhook").select("time", "v_WB_B", "engine_speed")
    log.save(tmp_path / "telemetry.parquet")
    assert main(["render", str(tmp_path / "telemetry.parquet"), "--wav", str(tmp_path / "a.wav")]) == 2
    err = capsys.readouterr().err
    assert "slip_ratio" in err and "gear" in err
    assert not (tmp_path / "a.wav").exists()


def test_a_drive_plays_on_the_null_device_and_records_its_horn(tmp_path):
    (tmp_path / "script.yaml").write_text("- {at_s: 3.0, kind: horn, value: true}\n- {at_s: 4.0, kind: horn, value: false}\n")
    command = [sys.executable, "-m", "simulator", "drive", "--vehicle", "sedan", "--maneuver", "fishhook", "--no-view", "--no-motion"]
    command += ["--sound", "--sound-device", "null", "--events", "script.yaml", "--duration", "12", "--out", "drive"]
    done = subprocess.run(command, check=False, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert re.search(r"sound on Null: \d+ glitches in", done.stdout + done.stderr)
    assert main(["render", str(tmp_path / "drive"), "--wav", str(tmp_path / "drive.wav")]) in (0, None)
    sound = samples(tmp_path / "drive.wav")[:, 0]
    before, during = (np.abs(np.fft.rfft(sound[at : at + 38_400])) for at in (90_000, 148_000))
    f = np.fft.rfftfreq(38_400, 1 / 48_000)
    for tone in HORN:
        near = np.abs(f - tone) < 5.0
        assert during[near].max() > 10.0 * before[near].max()
